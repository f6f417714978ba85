"""Blocks to the elements of a Word document."""

import io
from collections.abc import Iterator
from itertools import count, zip_longest
from typing import Any

from ragassay.report import blocks as model
from ragassay.report import mathematics
from ragassay.report.blocks import data_table, plain, words
from ragassay.report.column_widths import TALL, fit_columns, is_card, is_short_row
from ragassay.report.docx import template
from ragassay.report.docx.markup import Element, bookmark, contents_field, paragraph, run, w
from ragassay.report.printed_text import font_files, visible

EMU, EMU_TO_INCH = 635, 914_400  # English Metric Units to a twentieth of a point, and to the inch
TALLEST = 100 / 25.4  # inches of a picture
DENSITY = {"svg": 220.0, "png": 110.0}  # pixels to the inch: as drawn here, as notebooks draw
SVG = '#image(bytes(sys.inputs.svg), format: "svg")'
SIDES = {"l": "left", "r": "right", "c": "center"}
CELLS = ((8.6, "Report Cell"), (7.8, "Report Cell Small"), (0.0, "Report Cell Tiny"))  # from which size on


class Writer:
    """Writes one report into an empty document of python-docx that has its styles (their ids by name)."""

    def __init__(self, report: model.Document, file: Any, styles: dict[str, str]):
        self.report, self.file, self.styles = report, file, styles
        self.lists = template.Lists(file)
        self.section = file.element.body.sectPr
        self.room, self.depth = template.room(file), 0
        self.marked, self.drawn = count(1), count(1)

    def write(self) -> None:
        """Append everything to the document's body."""
        for made in self.body():
            self.section.addprevious(made)

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
        for part in report.chapters:
            yield from self.chapter(part)

    def contents(self) -> Element:
        """The chapters and their first headings, each a link. Page numbers come when Word renews them: only a
        program that lays out pages knows them."""
        rows = []
        for part in self.report.chapters:
            lines = [("TOC 1", _title(part), part.anchor)]
            lines += [("TOC 2", plain(each.words), each.anchor) for each in part.headings]
            for style, title, anchor in lines:
                link = w("hyperlink", run(title), anchor=bookmark(anchor), history=1)
                rows.append(self.paragraph(style, [link]))
        return contents_field(self.paragraph("TOC Heading", [run("Contents")], w("pageBreakBefore")), rows)

    def chapter(self, part: model.Chapter) -> list[Element]:
        """A chapter on a page of its own, unless it is but a stated gap."""
        breaks = None if part.is_gap or not self.report.cover else w("pageBreakBefore")
        style = "Report Summary" if part.anchor == "summary" else "Normal"
        title = self.place(part.anchor, [run(_title(part))])
        head = self.paragraph("Heading 1", title, breaks, template.list_mark(0, 0))
        return [head, *self.blocks(part.blocks, style)]

    def blocks(self, items: list[model.Block], style: str = "Normal") -> list[Element]:
        """Blocks one after the other, paragraphs in `style`; one that leads to a table or figure stays with
        it."""
        made = []
        for item, after in zip_longest(items, items[1:]):
            if isinstance(item, model.Paragraph) and isinstance(after, model.Table | model.Figure):
                made.append(self.paragraph(style, self.runs(item.words), w("keepNext")))
            else:
                made += self.block(item, style)
        return made

    def block(self, item: model.Block, style: str) -> list[Element]:
        """One block."""
        match item:
            case model.Heading(
                level, title, anchor
            ):  # its number stands in its words, whatever a template counts
                content = self.place(anchor, self.runs(title))
                return [self.paragraph(f"Heading {min(level, 4)}", content, template.list_mark(0, 0))]
            case model.Paragraph(content):
                return [self.paragraph(style, self.runs(content))]
            case model.Listing():
                return self.listing(item, style)
            case model.Quote(inner):
                return self.blocks(inner, "Quote")
            case model.Verbatim(text, _, title):
                label = [self.paragraph("Report Label", [run(title)])] if title else []
                return [*label, self.paragraph("Report Code", [run(text)])]
            case model.Display(tex):
                return [self.paragraph(style, [self.formula(tex, True)])]
            case model.Callout(tone, title, inner):
                return self.box(tone, title, inner)
            case model.Table():
                return self.table(item)
            case model.Figure():
                return self.figure(item)
        raise TypeError(f"the Word writer does not know {type(item).__name__}")

    def box(self, tone: str, title: str, inner: list[model.Block]) -> list[Element]:
        """Paragraphs on the ground of a colour; tables and figures inside keep their own look."""
        style = f"Report Box {tone}"
        head = self.paragraph(style, [run(title, bold=True)], w("keepNext"))
        return [head, *self.blocks(inner, style), self.gap()]

    def listing(self, item: model.Listing, style: str) -> list[Element]:
        """A list; one inside an item stands a level deeper."""
        name = self.lists.start(self.depth, item.ordered)
        own = f"List {'Number' if item.ordered else 'Bullet'}" if style == "Normal" else style
        level, made = self.depth, list[Element]()
        self.depth += 1
        for entry in item.items:
            shown, rest = list[Element](), entry
            if entry and isinstance(entry[0], model.Paragraph):
                shown, rest = self.runs(entry[0].words), entry[1:]
            made += [self.paragraph(own, shown, template.list_mark(level, name)), *self.blocks(rest, style)]
        self.depth -= 1
        return made

    def table(self, item: model.Table) -> list[Element]:
        """Caption, table and note: a header row that repeats, rows that stay whole, words for readers who
        listen."""
        fit = fit_columns(item)
        widths = [round(width * self.room / TALL) for width in fit.widths]
        style = next(name for size, name in CELLS if fit.size >= size)
        heads = [item.columns] if item.columns else []
        rows = [*heads, *item.rows]
        kept = len(rows) - 1 if is_card(item) else len(heads)  # rows that stay with the next one
        made = []
        for number, row in enumerate(rows):
            is_head = number < len(heads)
            whole = w("cantSplit") if is_head or is_short_row(row) else None
            filled = [*row, *[()] * len(widths)][: len(widths)]
            stays = w("keepNext") if number < kept else None
            cells = []
            for place, (content, width) in enumerate(zip(filled, widths, strict=True)):
                shown = self.runs(content, bold=place == 0 and not item.columns)
                side = w("jc", val=SIDES[item.align[place] if place < len(item.align) else "l"])
                kept_too = None if stays is None else w("keepNext")
                size = w("tcPr", w("tcW", w=width, type="dxa"))
                cells.append(w("tc", size, self.paragraph(style, shown, kept_too, side)))
            made.append(w("tr", w("trPr", whole, w("tblHeader") if is_head else None), *cells))
        properties = w(
            "tblPr",
            w("tblStyle", val=self.styles["report table"]),
            w("tblW", w=sum(widths), type="dxa"),
            w("tblLayout", type="fixed"),
            w("tblLook", val="0620" if item.columns else "0600"),  # no bands; the first row may be the head
            w("tblCaption", val=visible(item.caption or "Details")),
        )
        grid = w("tblGrid", *(w("gridCol", w=width) for width in widths))
        note = self.paragraph("Report Note", [run(item.note)]) if item.note else self.gap()
        return [*self.caption(item, w("keepNext")), w("tbl", properties, grid, *made), note]

    def figure(self, item: model.Figure) -> list[Element]:
        """The picture, its caption under it; its words alone where it cannot be drawn."""
        data = item.data if item.kind == "png" else _drawn(SVG, item.data)
        if not data:
            return self.box("open", "A figure that cannot be drawn", [model.Paragraph(words(item.alt))])
        drawing = self.picture(data, item.alt, DENSITY[item.kind])
        note = [self.paragraph("Report Note", [run(item.note)])] if item.note else []
        caption = self.caption(item, w("spacing", before=40, after=80))
        return [self.paragraph("Report Figure", [drawing]), *caption, *note]

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

    def formula(self, tex: str, display: bool = False) -> Element:
        """A formula as a picture: Word's own formulas show only in programs that set mathematics."""
        body = f"#set text(size: 10.5pt)\n${' ' * display}{mathematics.typst(tex, display)}{' ' * display}$"
        return self.picture(_drawn(body), tex, DENSITY["svg"])

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
            if span.kind == "formula":
                shown = self.formula(span.text)
            elif span.kind == "link":
                shown = w("hyperlink", shown, anchor=bookmark(span.target), history=1)
            made.append(shown)
        return made

    def place(self, anchor: str, content: list[Element]) -> list[Element]:
        """The content between the ends of a bookmark, if links may point to it."""
        if not anchor:
            return content
        number = next(self.marked)
        start = w("bookmarkStart", id=number, name=bookmark(anchor))
        return [start, *content, w("bookmarkEnd", id=number)]

    def paragraph(self, style: str, content: list[Element], *properties: Element | None) -> Element:
        """A paragraph of a style, by its name."""
        return paragraph(self.styles[style.lower()], content, *properties)

    def gap(self) -> Element:
        """A little room: two tables or boxes that touch would be one."""
        return self.paragraph("Report Gap", [])


def _title(part: model.Chapter) -> str:
    return " · ".join(filter(None, (part.name, part.title)))


def _drawn(body: str, svg: bytes = b"") -> bytes:
    """What typst makes of the body, which may show the SVG, as PNG; empty where it cannot be drawn."""
    import typst as compiler

    fonts: list[Any] = [str(font_files()[0].parent)] if svg else []
    try:
        made = compiler.compile(
            f"#set page(width: auto, height: auto, margin: 0pt, fill: none)\n{body}".encode(),
            sys_inputs={"svg": svg.decode("utf-8", "replace")},
            font_paths=fonts,
            ignore_system_fonts=True,
            format="png",
            ppi=DENSITY["svg"],
        )
    except compiler.TypstError:
        return b""
    return bytes(made[0] if isinstance(made, list) else made)
