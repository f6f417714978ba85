"""A document to PDF/A-3a and PDF/UA-1 by typst: the same document gives the same bytes, on any machine with
the same typst. Blocks are calls of the layout's functions with string literals, so that no text is ever read
as markup."""

import shutil
import tempfile
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from ragassay.errors import InputError
from ragassay.report import document_control, mathematics
from ragassay.report.blocks import (
    Attached,
    Block,
    Break,
    Callout,
    Chapter,
    Code,
    Display,
    Document,
    Emphasis,
    Figure,
    File,
    Formula,
    Heading,
    Inline,
    Inlines,
    Link,
    Listing,
    Paragraph,
    Quote,
    State,
    Strong,
    Table,
    Text,
    Verbatim,
    plain,
)
from ragassay.report.column_widths import HALF, TALL, Fit, fit_columns, has_short_cells, is_card, split
from ragassay.report.typst_text import breakable, font_files, string

LAYOUT = Path(__file__).parent / "templates" / "audit" / "report.typ"
MIMES = {"json": "application/json", "csv": "text/csv", "txt": "text/plain", "py": "text/x-python"}
SIDES = {"l": "left", "r": "right", "c": "center"}
_LONG_IN_TEXT = 48
LEAD = 200  # letters of a paragraph that is kept with the table after it; longer ones fill the page
ROOM, ROOMS = 15, {"sign-off": 33}  # per cent of a page that must be left for a chapter to begin on it
IN_COLUMNS = ("annex-methods",)


class Writer:
    """Writes one document; keeps the pictures that the source names and the anchors that links may point
    to."""

    def __init__(self, document: Document):
        self.document, self.pictures = document, dict[str, bytes]()
        self.anchors = {chapter.anchor for chapter in document.chapters}
        self.first_annex = next((part for part in document.chapters if part.part == "annex"), None)
        self.width = TALL

    def source(self) -> str:
        """The whole typst file."""
        document = self.document
        year, month, day = map(int, document.date.split("-"))
        head = (
            f'#import "report.typ": *\n#show: report.with(title: {string(document.title)}, '
            f"system: {string(document.system)}, date: datetime(year: {year}, month: {month}, day: {day}), "
            f"authors: {_array(map(string, document.authors))}, "
            f"marks: {_array(map(string, document_control.marks(document)))})\n"
        )
        attached = "\n".join(_attached(item) for item in document.attachments if item.is_inside)
        cover = f"#{self.cover()}\n" if document.cover else ""
        return f"{head}{attached}\n{cover}" + "\n".join(self.parts(document.chapters))

    def parts(self, printed: list[Chapter]) -> Iterator[str]:
        """The chapters; some annexes in two columns."""
        for is_narrow, group in groupby(printed, lambda part: part.anchor in IN_COLUMNS):
            self.width = HALF if is_narrow else TALL
            found = list(group)
            calls = [self.chapter(part, not self.document.cover) for part in found]
            start = f"{ROOM}%" if found[0] is self.first_annex else string("here")
            yield from ([f"#in-columns({start}, {{", *calls, "})"] if is_narrow else map("#{}".format, calls))

    def cover(self) -> str:
        """The first page."""
        document = self.document
        lines = _array(
            f"({string(label)}, {string(breakable(value, 70))})" for label, value in document.cover
        )
        return (
            f"cover({string(document.subtitle)}, {string(document.title)}, {string(document.rating)}, "
            f"{string(State(document.rating).tone)}, {string(document.recommendation)}, {lines})"
        )

    def chapter(self, part: Chapter, is_single: bool = False) -> str:
        """One chapter: front matter and what is signed on a page of their own, others where there is room;
        annexes, in small letters, one after the other, lists of words in two columns."""
        name = f"Annex {part.number}" if part.part == "annex" else part.number
        body = self.blocks(part.blocks)
        call = {"annex": "annex"}.get(part.part, "summary" if part.anchor == "summary" else "chapter")
        is_gap = part.part == "body" and len(part.blocks) == 1 and isinstance(part.blocks[0], Callout)
        is_later = part.part == "annex" and (part is not self.first_annex or part.anchor in IN_COLUMNS)
        start = f"{ROOMS.get(part.anchor, ROOM)}%"
        if part.part == "front" or part is self.first_annex:
            start = "page"
        if part.anchor == "control":  # how to read stands below the contents
            call, start = "reading", "here"
        if is_single or is_gap or is_later:
            start = "here"
        narrow = ", narrow: true" if self.width == HALF else ""
        return (
            f"{call}({string(name)}, {string(part.title)}, {string(part.anchor)}, "
            f"{start if start.endswith('%') else string(start)}, {{\n{body}\n}}{narrow})"
        )

    def blocks(self, items: list[Block]) -> str:
        """Blocks one after the other; a short paragraph stays with the table that it leads to."""
        return "\n".join(
            f"lead({self.inlines(item.words)})"
            if isinstance(item, Paragraph) and isinstance(after, Table) and len(plain(item.words)) <= LEAD
            else self.block(item)
            for item, after in zip(items, [*items[1:], None], strict=False)
        )

    def block(self, item: Block) -> str:
        """One block as a call."""
        match item:
            case Heading(level, words, anchor):
                return (
                    f"heading(level: {min(level, 4)}, outlined: {str(bool(anchor)).lower()}, "
                    f"{self.inlines(words)})"
                )
            case Paragraph(words):
                return f"par({self.inlines(words)})"
            case Listing(entries, ordered):
                bodies = ", ".join(f"{{ {self.entry(entry)} }}" for entry in entries)
                return f"{'enum' if ordered else 'list'}({bodies})"
            case Figure():
                return self.figure(item)
            case Quote(inner):
                return f"quote(block: true, {{ {self.blocks(inner)} }})"
            case Verbatim(text, language, title):
                return (
                    f"verbatim({string(title)}, {string(breakable(text, 90))}, "
                    f"{string(language) if language == 'python' else 'none'})"
                )
            case Display(tex):
                return mathematics.typst(tex, True)
            case Callout(_, title, inner):
                return f"callout({string(item.tone)}, {string(title)}, {{ {self.blocks(inner)} }})"
            case Table():
                return "\n".join(map(self.table, split(item)))
        raise TypeError(f"the PDF writer does not know {type(item).__name__}")

    def entry(self, entry: list[Block]) -> str:
        """An item of a list; a lone paragraph stands without its spacing."""
        if len(entry) == 1 and isinstance(entry[0], Paragraph):
            return self.inlines(entry[0].words)
        return self.blocks(entry)

    def inlines(self, words: Inlines, longest: int = _LONG_IN_TEXT, is_split: bool = False) -> str:
        """Words in a line, as one content block."""
        return (
            "[#{ " + "; ".join(self.inline(word, longest, is_split) for word in words) + " }]"
            if words
            else "[]"
        )

    def inline(self, word: Inline, longest: int, is_split: bool) -> str:
        """One run of words; `longest` and `is_split` say where words may break."""
        match word:
            case Text(text):
                return "; linebreak(); ".join(
                    string(breakable(line, longest, is_split=is_split)) for line in text.split("\n")
                )
            case State(text):
                return f"badge({string(word.tone)}, {string(breakable(text, longest, is_split=is_split))})"
            case Strong(children):
                return f"strong({self.inlines(children, longest, is_split)})"
            case Emphasis(children):
                return f"emph({self.inlines(children, longest, is_split)})"
            case Code(text):
                return f"raw({string(breakable(text, longest, is_split=is_split))})"
            case Formula(tex):
                return mathematics.typst(tex)
            case Link(children, anchor):
                return (
                    f"link(label({string(anchor)}), {self.inlines(children)})"
                    if anchor in self.anchors
                    else self.inlines(children)
                )
            case File():
                return f"raw({string(breakable(word.name, longest, is_split=is_split))})"
            case Break():
                return "linebreak()"
        raise TypeError(f"the PDF writer does not know {type(word).__name__}")

    def table(self, item: Table) -> str:
        """A table whose columns are wide enough for their words; on a turned page when nothing else helps."""
        fit = fit_columns(item, self.width)
        width = len(fit.widths)
        sides = [*item.align, *"l" * width][:width]
        head = _array(self.inlines(name, fit.longest, fit.is_split) for name in item.columns)
        rows = _array(
            self._cell(cell, fit, is_name=column == 0 and not item.columns)
            for row in item.rows
            for column, cell in enumerate(_padded(row, width))
        )
        return (
            f"records(label: {string(item.label)}, caption: {string(item.caption)}, size: {fit.size}pt, "
            f"columns: {_array(f'{column:.1f}pt' for column in fit.widths)}, sides: "
            f"{_array(SIDES[side] for side in sides)}, "
            f"head: {head}, cells: {rows}, note: {string(breakable(item.note, _LONG_IN_TEXT))}, "
            f"turned: {str(fit.is_turned).lower()}, whole: {str(is_card(item)).lower()}, rows-whole: "
            f"{str(has_short_cells(item)).lower()})"
        )

    def figure(self, item: Figure) -> str:
        """A figure; its picture is written beside the source."""
        name = f"pictures/{len(self.pictures) + 1}.{item.kind}"
        self.pictures[name] = item.data
        return (
            f"picture({string(name)}, {string(item.alt)}, {string(item.label)}, {string(item.caption)}, "
            f"{string(item.note)}, {item.most_height:g}mm)"
        )

    def _cell(self, words: Inlines, fit: Fit, *, is_name: bool) -> str:
        """A cell; in a table without header the first names its row."""
        shown = self.inlines(words, fit.longest, fit.is_split)
        return f"rowname({shown})" if is_name else shown


def _array(items: Iterable[str]) -> str:
    return "(" + "".join(f"{item}, " for item in items) + ")"


def _padded(row: list[Inlines], width: int) -> list[Inlines]:
    return [*row, *[()] * (width - len(row))][:width]


def _attached(item: Attached) -> str:
    mime = MIMES.get(item.name.rsplit(".", 1)[-1], "application/octet-stream")
    return (
        f"#pdf.attach({string(item.name)}, read({string('attached/' + item.name)}, encoding: none), "
        f'relationship: "supplement", mime-type: "{mime}", description: {string(item.about)})'
    )


def render(document: Document) -> bytes:
    """The document as PDF bytes, its attachments inside."""
    with tempfile.TemporaryDirectory(prefix="ragassay-pdf-") as folder:
        return compiled(document, Path(folder))


def compiled(document: Document, folder: Path) -> bytes:
    """Write the typst source and what it needs into the folder, and compile it there.

    Raises
    ------
    InputError
        If typst refuses the document, most likely for a figure it cannot embed under PDF/A.
    """
    import typst as compiler

    writer = Writer(document)
    (folder / "main.typ").write_text(writer.source(), encoding="utf-8")
    shutil.copyfile(LAYOUT, folder / "report.typ")
    _write_all(
        folder,
        {
            **writer.pictures,
            **{f"attached/{item.name}": item.data for item in document.attachments if item.is_inside},
        },
    )
    fonts = [str(_fonts(folder / "fonts"))]
    try:
        return bytes(
            compiler.compile(
                str(folder / "main.typ"),
                root=str(folder),
                font_paths=fonts,
                ignore_system_fonts=True,
                pdf_standards=["a-3a", "ua-1"],
            )
        )
    except compiler.TypstError as problem:
        raise InputError(
            "the PDF cannot be written",
            found=str(problem),
            do="use the HTML report, and correct the part typst names",
        ) from problem


def _write_all(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _fonts(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    for file in font_files():
        shutil.copyfile(file, folder / file.name)
    return folder
