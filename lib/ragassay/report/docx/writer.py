"""Blocks to the elements of a Word document."""

import io
import tempfile
from collections.abc import Iterator
from copy import deepcopy
from itertools import zip_longest
from pathlib import Path
from typing import Any

from lxml import etree

from ragassay.report.block_builders import data_table, rating_box, words
from ragassay.report.blocks import (
    Block,
    Callout,
    Chapter,
    Display,
    Document,
    Figure,
    Heading,
    Inlines,
    Listing,
    Paragraph,
    Quote,
    Table,
    Verbatim,
    plain,
)
from ragassay.report.column_widths import fit_columns
from ragassay.report.docx import tables, template
from ragassay.report.docx.formulas import formula
from ragassay.report.docx.markup import WORD, Element, contents_field, numbered, paragraph, run, w
from ragassay.report.docx.text_runs import Words
from ragassay.report.numbering import figures_and_tables
from ragassay.report.printed_text import font_files
from ragassay.show import clean

EMU, EMU_TO_INCH = 635, 914_400  # English Metric Units to a twentieth of a point, and to the inch
DENSITY = {"svg": 220.0, "png": 110.0}  # pixels to the inch: as drawn here, as notebooks draw
SUMMARY = "Report Summary"  # style of the one-page summary
DEEPEST = 8  # levels of lists that Word counts, from 0
_STEP, _EDGE = 340, 227  # twentieths of a point: of each level, before the first (as that of a box)


class Writer:
    """Writes one report into an empty document that has its styles; `file` is of python-docx."""

    def __init__(self, report: Document, file: Any, styles: dict[str, str]):
        self.report, self.file = report, file
        self.chapters = report.chapters
        self.words, self.lists = Words(styles, _places(self.chapters)), Numbering(file)
        self.section = file.element.body.sectPr
        self.room, self.depth, self.drawn = template.room(self.section), 0, 0

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
            said = Paragraph(words(report.recommendation))
            rating: list[Block] = [rating_box(report.rating), said] if report.rating else []
            yield from self.blocks([*rating, facts])
            yield self.contents()
        for part in self.chapters:
            yield from self.chapter(part)

    def contents(self) -> Element:
        """The chapters and their first headings, each a link."""
        entries = [
            (self.words.style(f"TOC {level}"), self.words.link(anchor, [run(title)]))
            for level, title, anchor in _outline(self.chapters)
        ]
        return contents_field("Contents", entries, self.words.style("TOC Heading"))

    def chapter(self, part: Chapter) -> list[Element]:
        """A chapter on a page of its own, unless it is but a stated gap."""
        is_gap = part.part == "body" and len(part.blocks) == 1 and isinstance(part.blocks[0], Callout)
        breaks = [] if is_gap or not self.report.cover else [w("pageBreakBefore")]
        style = SUMMARY if part.anchor == "summary" else "Normal"
        title = self.words.place(part.anchor, [run(_title(part))])
        return [self.paragraph("Heading 1", title, *breaks, unnumbered()), *self.blocks(part.blocks, style)]

    def blocks(self, items: list[Block], style: str = "Normal") -> list[Element]:
        """Blocks one after the other, paragraphs in `style`; one that leads to a table or figure stays with
        it."""
        return [
            made
            for item, after in zip_longest(items, items[1:])
            for made in (
                [self.paragraph(style, self.words.runs(item.words), w("keepNext"))]
                if isinstance(item, Paragraph) and isinstance(after, Table | Figure)
                else self.block(item, style)
            )
        ]

    def block(self, item: Block, style: str) -> list[Element]:
        """One block."""
        match item:
            case Heading(level, title, anchor):
                content = self.words.place(anchor, self.words.runs(title))
                return [self.paragraph(f"Heading {min(level, 4)}", content, unnumbered())]
            case Paragraph(content):
                return [self.paragraph(style, self.words.runs(content))]
            case Listing():
                return self.listing(item, style)
            case Quote(inner):
                return self.blocks(inner, "Quote")
            case Verbatim(text, _, title):
                label = [self.paragraph("Report Label", [run(title)])] if title else []
                return [*label, self.paragraph("Report Code", [run(text)])]
            case Display(tex):
                return [self.paragraph(style, [formula(tex, display=True)])]
            case Callout(_, title, inner):
                return self.box(item.tone, title, inner)
            case Table():
                return self.table(item)
            case Figure():
                return self.figure(item)
        raise TypeError(f"the Word writer does not know {type(item).__name__}")

    def box(self, tone: str, title: str, inner: list[Block]) -> list[Element]:
        """Paragraphs on the ground of a colour; tables and figures inside keep their own look."""
        style = f"Report Box {tone}"
        head = self.paragraph(style, [run(title, w("b"))], w("keepNext"))
        return [head, *self.blocks(inner, style), self.gap()]

    def listing(self, item: Listing, style: str) -> list[Element]:
        """A list; one inside an item stands a level deeper."""
        name = self.lists.start(self.depth, item.ordered)
        own = f"List {'Number' if item.ordered else 'Bullet'}" if style == "Normal" else style
        mark, made = list_mark(self.depth, name), list[Element]()
        self.depth += 1
        for entry in item.items:
            first, rest = _led(entry)
            made += [self.paragraph(own, self.words.runs(first), deepcopy(mark)), *self.blocks(rest, style)]
        self.depth -= 1
        return made

    def table(self, item: Table) -> list[Element]:
        """Caption, table and note; on a page on its side where the PDF needs one too."""
        fit = fit_columns(item)
        turned = template.turned(self.section) if fit.is_turned else None
        room = self.room if turned is None else template.room(turned)
        made = tables.table(item, fit, room, self.words)
        note = self.paragraph("Report Note", [run(item.note)]) if item.note else self.gap()
        shown = [*self.caption(item, "Table", w("keepNext")), made, note]
        return shown if turned is None else [self.closed(self.section), *shown, self.closed(turned)]

    def figure(self, item: Figure) -> list[Element]:
        """The picture, its caption under it; its words alone where it cannot be drawn."""
        data = png(item)
        if not data:
            return self.box("open", "A figure that cannot be drawn", [Paragraph(words(item.alt))])
        self.drawn += 1
        drawing = picture(self.file.part, item, data, self.room * EMU, self.drawn)
        note = [self.paragraph("Report Note", [run(item.note)])] if item.note else []
        shown = self.paragraph("Report Figure", [w("r", w("drawing", drawing))])
        near = w("spacing", before=40, after=80)
        return [shown, *self.caption(item, "Figure", near), *note]

    def caption(self, item: Table | Figure, kind: str, *properties: Element) -> list[Element]:
        """The label, counted by a field, and the words."""
        if not (item.caption or item.label):
            return []
        label = [*numbered(item.label, kind), run("  ")] if item.label else []
        content = self.words.place(item.anchor, [*label, run(item.caption)])
        return [self.paragraph("Caption", content, *properties)]

    def closed(self, section: Element) -> Element:
        """The end of a section; that of the cover is the first to end."""
        made = deepcopy(section)
        template.uncovered(self.section)
        return self.gap(made)

    def paragraph(self, style: str, content: list[Element], *properties: Element) -> Element:
        """A paragraph of a style, by its name."""
        return paragraph(self.words.style(style), content, *properties)

    def gap(self, section: Element | None = None) -> Element:
        """A little room: two tables or boxes that touch would be one; or the end of a section."""
        return self.paragraph("Report Gap", [], *([section] if section is not None else []))


def _places(chapters: list[Chapter]) -> set[str]:
    """What a link may point to: chapters, and what was given an anchor."""
    found = {part.anchor for part in chapters}
    for part in chapters:
        found |= {block.anchor for block in part.blocks if isinstance(block, Heading)}
        found |= {shown.anchor for shown in figures_and_tables(part.blocks)}
    return found - {""}


def _outline(chapters: list[Chapter]) -> Iterator[tuple[int, str, str]]:
    """Level, title and anchor of every line of the contents."""
    for part in chapters:
        yield 1, _title(part), part.anchor
        for block in part.blocks:
            if isinstance(block, Heading) and block.level == 2 and block.anchor:
                yield 2, plain(block.words), block.anchor


def _led(entry: list[Block]) -> tuple[Inlines, list[Block]]:
    """The words that stand beside the sign of an item, and what follows them."""
    first = entry[0] if entry else None
    return (first.words, entry[1:]) if isinstance(first, Paragraph) else ((), entry)


def _title(part: Chapter) -> str:
    name = f"Annex {part.number}" if part.part == "annex" else part.number
    return f"{name} · {part.title}" if name else part.title


def unnumbered() -> Element:
    """For a heading: its number stands in its words, whatever the template counts."""
    return list_mark(0, 0)


def list_mark(level: int, name: int) -> Element:
    """The property that makes a paragraph an item of a list."""
    return w("numPr", w("ilvl", val=min(level, DEEPEST)), w("numId", val=name))


class Numbering:
    """The lists of one document, after those of its template."""

    def __init__(self, file: Any):
        self.root = _root(file)
        self.patterns = {is_ordered: self._pattern(is_ordered) for is_ordered in (False, True)}

    def start(self, level: int, is_ordered: bool) -> int:
        """A new list whose items stand at the level; its id."""
        name = self._next("num", "numId")
        anew = w("lvlOverride", w("startOverride", val=1), ilvl=min(level, DEEPEST))
        made = w("num", w("abstractNumId", val=self.patterns[is_ordered]), anew, numId=name)
        self._after("num", made, self.root.findall(f"{{{WORD}}}abstractNum"))
        return name

    def _pattern(self, is_ordered: bool) -> int:
        name = self._next("abstractNum", "abstractNumId")
        levels = (_level(level, is_ordered) for level in range(DEEPEST + 1))
        made = w("abstractNum", w("multiLevelType", val="multilevel"), *levels, abstractNumId=name)
        self._after("abstractNum", made, self.root.findall(f"{{{WORD}}}numPicBullet"))
        return name

    def _next(self, tag: str, key: str) -> int:
        found = (int(each.get(f"{{{WORD}}}{key}")) for each in self.root.findall(f"{{{WORD}}}{tag}"))
        return 1 + max(found, default=0)

    def _after(self, tag: str, made: Element, before: list[Element]) -> None:
        """Behind its likes, whose order the schema gives."""
        same = self.root.findall(f"{{{WORD}}}{tag}")
        self.root.insert(self.root.index((same or before)[-1]) + 1 if same or before else 0, made)


def _level(level: int, is_ordered: bool) -> Element:
    sign = f"%{level + 1}." if is_ordered else "•–"[level % 2]
    left = _EDGE + _STEP * (level + 1)
    return w(
        "lvl",
        w("start", val=1),
        w("numFmt", val="decimal" if is_ordered else "bullet"),
        w("lvlText", val=sign),
        w("lvlJc", val="left"),
        w("pPr", w("ind", left=left, hanging=_STEP)),
        ilvl=level,
    )


def _root(file: Any) -> Element:
    """The part that holds lists, made where the template has none."""
    from docx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
    from docx.opc.packuri import PackURI
    from docx.opc.part import XmlPart
    from docx.oxml import parse_xml

    if RELATIONSHIP_TYPE.NUMBERING not in {each.reltype for each in file.part.rels.values()}:
        root = parse_xml(etree.tostring(w("numbering")))
        name = PackURI("/word/numbering.xml")
        part = XmlPart(name, CONTENT_TYPE.WML_NUMBERING, root, file.part.package)
        file.part.relate_to(part, RELATIONSHIP_TYPE.NUMBERING)
    return file.part.numbering_part.element


def png(figure: Figure) -> bytes:
    """The figure as PNG; empty where its picture cannot be drawn."""
    return figure.data if figure.kind == "png" else _drawn(figure.data)


def picture(part: Any, figure: Figure, data: bytes, widest: int, number: int) -> Element:
    """The picture `data` of the figure as the content of a run, no wider than `widest` EMU, with the words
    that stand for it; `number` is its own in the document."""
    _, image = part.get_or_add_image(io.BytesIO(data))
    natural = [side / DENSITY[figure.kind] * EMU_TO_INCH for side in (image.px_width, image.px_height)]
    tallest = figure.most_height / 25.4 * EMU_TO_INCH
    factor = min(1.0, widest / natural[0], tallest / natural[1])
    made = part.new_pic_inline(io.BytesIO(data), *(max(1, int(side * factor)) for side in natural))
    for name, value in (("id", str(number)), ("name", f"Picture {number}"), ("descr", clean(figure.alt, 0))):
        made.docPr.set(name, value)
    return made


def _drawn(svg: bytes) -> bytes:
    import typst as compiler

    with tempfile.TemporaryDirectory(prefix="ragassay-picture-") as folder:
        source = Path(folder) / "main.typ"
        (Path(folder) / "figure.svg").write_bytes(svg)
        source.write_text('#set page(width: auto, height: auto, margin: 0pt)\n#image("figure.svg")')
        try:
            made = compiler.compile(
                str(source),
                root=folder,
                font_paths=[str(font_files()[0].parent)],
                ignore_system_fonts=True,
                format="png",
                ppi=DENSITY["svg"],
            )
        except compiler.TypstError:
            return b""
    return bytes(made[0] if isinstance(made, list) else made)
