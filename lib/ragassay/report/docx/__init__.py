"""The document as a Word file: headings, lists, tables, captions and contents are Word's own, so that a bank
can edit it; a template of the bank's gives the look. Text leaves as letters, never as markup or a field.

template: what the body stands in
"""

import datetime
import hashlib
import io
from collections.abc import Iterator
from itertools import count, zip_longest
from pathlib import Path
from typing import Any

from ragassay.report import blocks as model
from ragassay.report import printed_text
from ragassay.report.blocks import data_table, plain, words
from ragassay.report.docx.template import (
    Element,
    Lists,
    open_template,
    paragraph,
    room,
    run,
    saved,
    style_ids,
    w,
    write_heads,
)
from ragassay.report.printed_text import font_files, visible
from ragassay.show import clean

UNDATED = "1970-01-01"  # when a document that states no date was made
EMU, EMU_TO_INCH = 635, 914_400  # English Metric Units to a twentieth of a point, and to the inch
TALLEST = 100 / 25.4  # inches of a picture
DENSITY = {"svg": 220.0, "png": 110.0}  # pixels to the inch: as drawn here, as notebooks draw
SVG = '#image(bytes(sys.inputs.svg), format: "svg")'
SIDES = {"l": "left", "r": "right", "c": "center"}
CELLS = ((6, "Report Cell"), (9, "Report Cell Small"), (99, "Report Cell Tiny"))  # up to so many columns
WIDEST = 600  # letters of a line, by which columns share the page
LETTER, LONGEST = 75, 12  # twentieths of a point of a letter; letters of a word that a column has room for
FEW_ROWS, LONG_CELL = 6, 700  # of a table that stays on one page; letters of one whose row may be torn


def render(document: model.Document, template: Path | None = None) -> bytes:
    """The document as bytes of a .docx; the same document and template give the same bytes.

    template : a .docx or .dotx whose styles, page and running heads are used; what it lacks is added

    Raises
    ------
    InputError
        If the template is no Word file without macros, or holds parts that lie outside it.
    """
    file = open_template(template)
    writer = Writer(document, file)
    write_heads(file, document, writer.styles)
    for made in writer.body():
        file.element.body.sectPr.addprevious(made)
    made = datetime.datetime.combine(datetime.date.fromisoformat(document.date or UNDATED), datetime.time())
    stated = {  # what the file says of itself, whatever its template said
        **{"title": document.title, "subject": document.subtitle, "author": "; ".join(document.authors)},
        **{"comments": "Model-risk validation report, made by ragassay", "last_modified_by": "ragassay"},
        **{"keywords": "", "category": "", "created": made, "modified": made, "last_printed": made},
        "revision": 1,
    }
    for name, value in stated.items():
        setattr(file.core_properties, name, clean(value, 255)[:255] if isinstance(value, str) else value)
    return saved(file)


class Writer:
    """Writes one report into an empty document of python-docx that has its styles (their ids by name)."""

    def __init__(self, report: model.Document, file: Any):
        self.report, self.file, self.styles = report, file, style_ids(file.styles.element)
        self.lists, self.room, self.depth = Lists(file), room(file), 0
        self.marked, self.drawn = count(1), count(1)

    def body(self) -> Iterator[Element]:
        """Cover, contents, chapters."""
        report = self.report
        yield self.paragraph("Subtitle", [run(report.subtitle)])
        yield self.paragraph("Title", [run(report.title)])
        if report.cover:
            facts = data_table("", [], [list(line) for line in report.cover], widths=[1, 2.4])
            tone, said = model.tone_of(report.rating) or "calm", words(report.rating, bold=True)
            rating = model.Callout(tone, "Overall rating", [model.Paragraph(said)])
            yield from self.blocks([rating, model.paragraph(report.recommendation), facts])
            yield self.contents()
        for part in report.chapters:  # each on a page of its own, unless it is but a stated gap
            breaks = None if part.is_gap or not report.cover else w("pageBreakBefore")
            title = self.place(part.anchor, [run(_title(part))])
            yield self.paragraph("Heading 1", title, breaks, _list_mark(0, 0))
            yield from self.blocks(part.blocks, "Report Summary" if part.anchor == "summary" else "Normal")

    def contents(self) -> Element:
        """The chapters and their first headings, each a link, in the frame by which Word offers to renew it.
        Page numbers come then: only a program that lays out pages knows them."""
        rows = []
        for part in self.report.chapters:
            lines = [("TOC 1", _title(part), part.anchor)]
            lines += [("TOC 2", plain(each.words), each.anchor) for each in part.headings]
            for style, title, anchor in lines:
                link = w("hyperlink", run(title), anchor=_bookmark(anchor), history=1)
                rows.append(self.paragraph(style, [link]))
        instruction = w("instrText")
        instruction.text = r'TOC \o "1-2" \h \z \u'
        begin, separate, end = (
            w("r", w("fldChar", fldCharType=kind)) for kind in ("begin", "separate", "end")
        )
        for place, mark in enumerate((begin, w("r", instruction), separate), 1):
            rows[0].insert(place, mark)
        rows[-1].append(end)
        head = self.paragraph("TOC Heading", [run("Contents")], w("pageBreakBefore"))
        gallery = w("docPartObj", w("docPartGallery", val="Table of Contents"), w("docPartUnique"))
        return w("sdt", w("sdtPr", gallery), w("sdtContent", head, *rows))

    def blocks(self, items: list[model.Block], style: str = "Normal") -> Iterator[Element]:
        """Blocks one after the other, paragraphs in `style`; one that leads to a table or figure stays with
        it."""
        for item, after in zip_longest(items, items[1:]):
            if isinstance(item, model.Paragraph):
                stays = w("keepNext") if isinstance(after, model.Table | model.Figure) else None
                yield self.paragraph(style, self.runs(item.words), stays)
            else:
                yield from self.block(item, style)

    def block(self, item: model.Block, style: str) -> Iterator[Element]:
        """One block that is no paragraph."""
        match item:
            case model.Heading(level, title, anchor):  # its number stands in its words, not in a template's
                content = self.place(anchor, self.runs(title))
                yield self.paragraph(f"Heading {min(level, 4)}", content, _list_mark(0, 0))
            case model.Listing():
                yield from self.listing(item, style)
            case model.Quote(inner):
                yield from self.blocks(inner, "Quote")
            case model.Verbatim(text, title):
                if title:
                    yield self.paragraph("Report Label", [run(title)])
                yield self.paragraph("Report Code", [run(text)])
            case model.Callout(tone, title, inner):
                yield self.paragraph(f"Report Box {tone}", [run(title, bold=True)], w("keepNext"))
                yield from self.blocks(inner, f"Report Box {tone}")
                yield self.gap()
            case model.Table():
                yield from self.table(item)
            case model.Figure():
                yield from self.figure(item)
            case _:
                raise TypeError(f"the Word writer does not know {type(item).__name__}")

    def listing(self, item: model.Listing, style: str) -> Iterator[Element]:
        """A list; one inside an item stands a level deeper."""
        level = min(self.depth, 8)  # the deepest that Word counts
        name = self.lists.start(level, item.ordered)
        own = f"List {'Number' if item.ordered else 'Bullet'}" if style == "Normal" else style
        self.depth += 1
        for entry in item.items:
            first, *rest = entry or [model.paragraph("")]
            shown, rest = (
                (self.runs(first.words), rest) if isinstance(first, model.Paragraph) else ([], entry)
            )
            yield self.paragraph(own, shown, _list_mark(level, name))
            yield from self.blocks(rest, style)
        self.depth -= 1

    def table(self, item: model.Table) -> Iterator[Element]:
        """Caption, table and note: a header row that repeats, rows that stay whole, words for readers who
        listen."""
        heads = [item.columns] if item.columns else []
        rows = [*heads, *item.rows]
        widths = self.widths(item, rows)
        style = next(name for most, name in CELLS if len(widths) <= most)
        kept = len(rows) - 1 if len(rows) <= FEW_ROWS else len(heads)  # rows that stay with the next one
        made = []
        for number, row in enumerate(rows):
            is_whole = all(len(plain(cell)) <= LONG_CELL for cell in row)
            head = w("tblHeader") if number < len(heads) else None
            cells = []
            for place, width in enumerate(widths):
                shown = self.runs(row[place] if place < len(row) else (), bold=not heads and place == 0)
                side = w("jc", val=SIDES[item.align[place] if place < len(item.align) else "l"])
                stays = w("keepNext") if number < kept else None
                size = w("tcPr", w("tcW", w=width, type="dxa"))
                cells.append(w("tc", size, self.paragraph(style, shown, stays, side)))
            made.append(w("tr", w("trPr", w("cantSplit") if is_whole else None, head), *cells))
        properties = w(
            "tblPr",
            w("tblStyle", val=self.styles["report table"]),
            w("tblW", w=sum(widths), type="dxa"),
            w("tblLayout", type="fixed"),
            w("tblLook", val="0620" if heads else "0600"),  # no bands; the first row may be the head
            w("tblCaption", val=visible(item.caption or "Details")),
        )
        grid = w("tblGrid", *(w("gridCol", w=width) for width in widths))
        yield from self.caption(item, w("keepNext"))
        yield w("tbl", properties, grid, *made)
        yield self.paragraph("Report Note", [run(item.note)]) if item.note else self.gap()

    def widths(self, item: model.Table, rows: list[list[model.Inlines]]) -> list[int]:
        """Twentieths of a point for each column: room for its longest word, and a share of what is left by
        the weights asked for, or by the longest lines."""
        columns = list(zip_longest(*[[plain(cell) for cell in row] for row in rows], fillvalue=""))
        weights = item.widths or [
            min(max(len(line) for text in column for line in text.split("\n")), WIDEST) ** 0.6
            for column in columns
        ]
        words = [max(map(len, " ".join(column).split()), default=1) for column in columns]
        least = [LETTER * min(each, LONGEST) for each in words]
        left = max(self.room - sum(least), 0)
        shares = [least[i] + left * weight / (sum(weights) or 1) for i, weight in enumerate(weights)]
        return [int(self.room * share / sum(shares)) for share in shares]

    def figure(self, item: model.Figure) -> Iterator[Element]:
        """The picture, its caption under it; its words alone where it cannot be drawn."""
        data = item.data if item.kind == "png" else _drawn(item.data)
        if not data:
            said = model.Callout("open", "A figure that cannot be drawn", [model.paragraph(item.alt)])
            yield from self.block(said, "Normal")
            return
        yield self.paragraph("Report Figure", [self.picture(data, item.alt, DENSITY[item.kind])])
        yield from self.caption(item, w("spacing", before=40, after=80))

    def picture(self, data: bytes, alt: str, density: float) -> Element:
        """A picture as a run, no wider than the page and no taller than 10 cm, with the words that stand for
        it."""
        _, image = self.file.part.get_or_add_image(io.BytesIO(data))
        natural = [side / density * EMU_TO_INCH for side in (image.px_width, image.px_height)]
        factor = min(1.0, self.room * EMU / natural[0], TALLEST * EMU_TO_INCH / natural[1])
        sides = [max(1, int(side * factor)) for side in natural]
        made, number = self.file.part.new_pic_inline(io.BytesIO(data), *sides), next(self.drawn)
        for name, value in (("id", number), ("name", f"Picture {number}"), ("descr", visible(alt))):
            made.docPr.set(name, str(value))
        return w("r", w("drawing", made))

    def caption(self, item: model.Table | model.Figure, *properties: Element) -> list[Element]:
        """The label and the words."""
        said = "  ".join(filter(None, (item.label, item.caption)))
        return [self.paragraph("Caption", [run(said)], *properties)] if said else []

    def runs(self, spans: model.Inlines, *, bold: bool = False) -> list[Element]:
        """Words one after the other, each in its form; a state has the colour of its judgement."""
        made = []
        for span in spans:
            names = {"state": span.tone, "code": "name", "file": "name", "link": "link"}
            style = self.styles[f"report {names[span.kind]}"] if span.kind in names else ""
            shown = run(span.text, style=style, bold=bold or span.bold, italic=span.italic)
            if span.kind in ("formula", "display"):
                shown = self.picture(
                    printed_text.draw_formula(span.text, "png")[0], span.text, DENSITY["svg"]
                )
            elif span.kind == "link":
                shown = w("hyperlink", shown, anchor=_bookmark(span.target), history=1)
            made.append(shown)
        return made

    def place(self, anchor: str, content: list[Element]) -> list[Element]:
        """The content between the ends of a bookmark, if links may point to it."""
        if not anchor:
            return content
        number = next(self.marked)
        start = w("bookmarkStart", id=number, name=_bookmark(anchor))
        return [start, *content, w("bookmarkEnd", id=number)]

    def paragraph(self, style: str, content: list[Element], *properties: Element | None) -> Element:
        """A paragraph of a style, by its name."""
        return paragraph(self.styles[style.lower()], content, *properties)

    def gap(self) -> Element:
        """A little room: two tables or boxes that touch would be one."""
        return self.paragraph("Report Gap", [])


def _list_mark(level: int, name: int) -> Element:
    """The property that makes a paragraph an item of a list; list 0 is none."""
    return w("numPr", w("ilvl", val=level), w("numId", val=name))


def _title(part: model.Chapter) -> str:
    return " · ".join(filter(None, (part.name, part.title)))


def _bookmark(anchor: str) -> str:
    """A name that Word takes for a bookmark: a letter or stroke first, at most 40."""
    return f"_{hashlib.sha256(anchor.encode()).hexdigest()[:32]}"


def _drawn(svg: bytes) -> bytes:
    """The SVG as typst draws it, as PNG; empty where it cannot be drawn."""
    import typst as compiler

    try:
        made = compiler.compile(
            f"#set page(width: auto, height: auto, margin: 0pt, fill: none)\n{SVG}".encode(),
            sys_inputs={"svg": svg.decode("utf-8", "replace")},
            font_paths=[str(font_files("")[0].parent)],
            ignore_system_fonts=True,
            format="png",
            ppi=DENSITY["svg"],
        )
    except compiler.TypstError:
        return b""
    return bytes(made[0] if isinstance(made, list) else made)
