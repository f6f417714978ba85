"""A document to PDF/A-3a and PDF/UA-1 by typst: the same document gives the same bytes, on any machine with
the same typst. The layout (`report.typ`) reads the document as JSON, so that no text is ever markup."""

import json
import shutil
import tempfile
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from ragassay.errors import InputError
from ragassay.report import blocks as model
from ragassay.report import mathematics
from ragassay.report.blocks import plain
from ragassay.report.column_widths import HALF, TALL, WIDE, fit_columns, is_card, is_short_row
from ragassay.report.printed_text import breakable, font_files, printable, visible

LAYOUT = Path(__file__).parent / "templates" / "audit" / "report.typ"
MIMES = {"json": "application/json", "csv": "text/csv", "txt": "text/plain", "py": "text/x-python"}
LEAD = 200  # letters of a paragraph that is kept with the table after it; longer ones fill the page
IN_COLUMNS = ("annex-methods",)  # of short paragraphs and narrow tables
LONGEST_IN_TEXT, LONGEST_IN_CODE = 48, 90  # letters of a word that is not broken


def render(document: model.Document) -> bytes:
    """The document as PDF bytes, its attachments inside.

    Raises
    ------
    InputError
        If typst refuses the document, most likely for a figure it cannot embed under PDF/A.
    """
    import typst as compiler

    with tempfile.TemporaryDirectory(prefix="ragassay-pdf-") as folder:
        _write_source(document, Path(folder))
        try:
            made = compiler.compile(
                str(Path(folder) / "main.typ"),
                root=folder,
                font_paths=[str(Path(folder) / "fonts")],
                ignore_system_fonts=True,
                pdf_standards=["a-3a", "ua-1"],
            )
        except compiler.TypstError as problem:
            raise InputError(
                "the PDF cannot be written",
                found=str(problem),
                do="use the HTML report, and correct the part typst names",
            ) from problem
    return bytes(made)


def _write_source(document: model.Document, folder: Path) -> None:
    """The layout, the document as JSON, and the files that it names."""
    for name in ("pictures", "attached", "fonts"):
        (folder / name).mkdir()
    shutil.copyfile(LAYOUT, folder / "main.typ")
    (folder / "document.json").write_text(json.dumps(_Source(document, folder).data()), encoding="utf-8")
    for item in document.attachments:
        if item.is_inside:
            (folder / "attached" / item.name).write_bytes(item.data)
    for file in font_files():
        shutil.copyfile(file, folder / "fonts" / file.name)


class _Source:
    """What the layout reads of one document; pictures are written beside it."""

    def __init__(self, document: model.Document, folder: Path):
        self.document, self.folder, self.pictures = document, folder, 0
        self.anchors = {chapter.anchor for chapter in document.chapters}
        self.width = TALL

    def data(self) -> dict[str, Any]:
        """The whole document."""
        document = self.document
        names = ("title", "system", "subtitle", "rating", "recommendation")
        lines = [[_shown(label), printable(breakable(value, 70))] for label, value in document.cover]
        inside = [item for item in document.attachments if item.is_inside]
        return {
            **{name: _shown(getattr(document, name)) for name in names},
            "tone": model.State(document.rating).tone,
            "date": dict(zip(("year", "month", "day"), map(int, document.date.split("-")), strict=True)),
            "authors": list(map(_shown, document.authors)),
            "marks": list(map(_shown, document.marks)),
            "cover": lines,
            "attached": [
                {"name": item.name, "about": _shown(item.about), "mime": _mime(item.name)} for item in inside
            ],
            "chapters": [self.chapter(part) for part in document.chapters],
        }

    def chapter(self, part: model.Chapter) -> dict[str, Any]:
        """One chapter; where it begins the layout says."""
        is_narrow = part.anchor in IN_COLUMNS
        self.width = HALF if is_narrow else TALL
        names = {"part": part.part, "name": part.name, "title": _shown(part.title), "anchor": part.anchor}
        blocks = self.value(part.blocks, LONGEST_IN_TEXT, False)
        return {**names, "is_narrow": is_narrow, "is_gap": part.is_gap, "blocks": blocks}

    def value(self, item: Any, longest: int, is_split: bool) -> Any:  # noqa: C901 - a case a kind
        """A block, or a part of one, as JSON holds it: each class a record with its name under `is`; words
        may break as `longest` and `is_split` say."""
        if isinstance(item, str):
            return _shown(item)
        if isinstance(item, list | tuple):
            return self.values(item, longest, is_split)
        if isinstance(item, model.Table):
            return self.table(item)
        if not is_dataclass(item):
            return None if isinstance(item, bytes) else item
        parts = {part.name: getattr(item, part.name) for part in fields(item)}
        data: dict[str, Any] = {"is": type(item).__name__}
        data |= {name: self.value(part, longest, is_split) for name, part in parts.items()}
        match item:
            case model.Text(text) | model.Code(text):
                data["text"] = printable(breakable(text, longest, is_split=is_split))
            case model.Verbatim(text):
                data["text"] = printable(breakable(text, LONGEST_IN_CODE))
            case model.State(word):
                data |= {"tone": item.tone, "word": printable(breakable(word, longest, is_split=is_split))}
            case model.File():
                data["name"] = printable(breakable(item.name, longest, is_split=is_split))
            case model.Link(_, anchor):
                data["anchor"] = anchor if anchor in self.anchors else None
            case model.Formula(tex) | model.Display(tex):
                data["typst"] = mathematics.typst(tex, isinstance(item, model.Display))
            case model.Callout():
                data["tone"] = item.tone
            case model.Heading(level):
                data["level"] = min(level, 4)
            case model.Figure():
                data["file"] = self.picture(item)
        return data

    def values(self, items: list | tuple, longest: int, is_split: bool) -> list[Any]:
        """Each of them; a short paragraph stays with the table that it leads to."""
        made = [self.value(item, longest, is_split) for item in items]
        for item, after, data in zip(items, [*items[1:], None], made, strict=False):
            if isinstance(item, model.Paragraph):
                data["leads"] = isinstance(after, model.Table) and len(plain(item.words)) <= LEAD
        return made

    def table(self, item: model.Table) -> dict[str, Any]:
        """A table whose columns are wide enough for their words."""
        fit = fit_columns(item, self.width, WIDE if self.width == TALL else 0)
        width = len(fit.widths)
        padded = [[*row, *[()] * width][:width] for row in item.rows]
        return {
            **{"is": "Table", "label": _shown(item.label), "caption": _shown(item.caption)},
            **{"note": printable(breakable(item.note, LONGEST_IN_TEXT)), "align": item.align},
            "columns": self.value(item.columns, fit.longest, fit.is_split),
            "rows": self.value(padded, fit.longest, fit.is_split),
            **{"size": fit.size, "widths": fit.widths, "is_turned": fit.is_turned},
            **{"is_card": is_card(item), "has_short_rows": all(map(is_short_row, item.rows))},
        }

    def picture(self, item: model.Figure) -> str:
        """The name of its picture, which is written beside the source."""
        self.pictures += 1
        file = f"pictures/{self.pictures}.{item.kind}"
        (self.folder / file).write_bytes(item.data)
        return file


def _shown(text: str) -> str:
    return printable(visible(text))


def _mime(name: str) -> str:
    return MIMES.get(name.rsplit(".", 1)[-1], "application/octet-stream")
