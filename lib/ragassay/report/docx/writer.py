"""Blocks to the elements of a Word document."""

from collections.abc import Iterator
from copy import deepcopy
from itertools import zip_longest
from typing import Any

from ragassay.report.block_builders import data_table, words
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
    Rating,
    Signature,
    State,
    Table,
    Verbatim,
    plain,
)
from ragassay.report.column_widths import fit_columns
from ragassay.report.docx import fields, headers_and_footers, lists, pictures
from ragassay.report.docx.formulas import formula
from ragassay.report.docx.markup import Element, paragraph, run, w
from ragassay.report.docx.tables import TableWriter, split
from ragassay.report.docx.text_runs import Words
from ragassay.report.numbering import figures_and_tables

EMU = 635  # to a twentieth of a point
SUMMARY, SMALLER = "Report Summary", 0.84  # style of the one-page summary; of the width, its pictures


class Writer:
    """Writes one report into an empty document that has its styles; `file` is of python-docx."""

    def __init__(self, report: Document, file: Any, styles: dict[str, str]):
        self.report, self.file = report, file
        self.chapters = [part for part in report.chapters if part.is_printed]
        self.words, self.lists = Words(styles, _places(self.chapters)), lists.Numbering(file)
        self.section = file.element.body.sectPr
        self.room, self.depth, self.drawn = headers_and_footers.room(self.section), 0, 0

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
            yield from self.blocks([*([Rating(report.rating)] if report.rating else []), facts])
            yield self.contents()
        for part in self.chapters:
            yield from self.chapter(part)

    def contents(self) -> Element:
        """The chapters and their first headings, each a link."""
        entries = [
            (self.words.style(f"TOC {level}"), self.words.link(anchor, [run(title)]))
            for level, title, anchor in _outline(self.chapters)
        ]
        return fields.contents("Contents", entries, self.words.style("TOC Heading"))

    def chapter(self, part: Chapter) -> list[Element]:
        """A chapter on a page of its own, unless it is but a stated gap."""
        is_gap = part.part == "body" and len(part.blocks) == 1 and isinstance(part.blocks[0], Callout)
        breaks = [] if is_gap or not self.report.cover else [w("pageBreakBefore")]
        style = SUMMARY if part.anchor == "summary" else "Normal"
        title = self.words.place(part.anchor, [run(_title(part))])
        return [
            self.paragraph("Heading 1", title, *breaks, lists.unnumbered()),
            *self.blocks(part.blocks, style),
        ]

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

    def block(self, item: Block, style: str) -> list[Element]:  # noqa: C901 - one case for each kind of block
        """One block."""
        match item:
            case Heading(level, title, anchor):
                content = self.words.place(anchor, self.words.runs(title))
                return [self.paragraph(f"Heading {min(level, 4)}", content, lists.unnumbered())]
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
            case Rating(value):
                return self.rating(value)
            case Signature(role, name):
                return self.signature(role, name)
            case Table():
                return [made for part in split(item) for made in self.table(part)]
            case Figure():
                return self.figure(item, SMALLER if style == SUMMARY else 1.0)
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
        mark, made = lists.number(self.depth, name), list[Element]()
        self.depth += 1
        for entry in item.items:
            first, rest = _led(entry)
            made += [self.paragraph(own, self.words.runs(first), deepcopy(mark)), *self.blocks(rest, style)]
        self.depth -= 1
        return made

    def rating(self, value: str) -> list[Element]:
        """The overall rating, large, on the ground of its colour."""
        style = f"Report Box {State(value).tone}"
        large = w("rStyle", val=self.words.style("Report Rating"))
        return [self.paragraph(style, [run("Overall rating  ", w("b")), run(value, large)]), self.gap()]

    def signature(self, role: str, name: str) -> list[Element]:
        """Who signs in which role, and the line to sign on."""
        return self.table(data_table("", ["Role", "Name", "Signature and date"], [[role, name, "\n\n"]]))

    def table(self, item: Table) -> list[Element]:
        """Caption, table and note; on a page on its side where the PDF needs one too."""
        fit = fit_columns(item)
        turned = headers_and_footers.turned(self.section) if fit.is_turned else None
        room = self.room if turned is None else headers_and_footers.room(turned)
        made = TableWriter(item, fit, room, self.words.runs, self.words.style).table()
        note = self.paragraph("Report Note", [run(item.note)]) if item.note else self.gap()
        shown = [*self.caption(item, "Table", w("keepNext")), made, note]
        return shown if turned is None else [self.closed(self.section), *shown, self.closed(turned)]

    def figure(self, item: Figure, share: float) -> list[Element]:
        """The picture, its caption under it; its words alone where it cannot be drawn."""
        data = pictures.png(item)
        if not data:
            return self.box("open", "A figure that cannot be drawn", [Paragraph(words(item.alt))])
        self.drawn += 1
        picture = pictures.inline(self.file.part, item, data, round(self.room * EMU * share), self.drawn)
        note = [self.paragraph("Report Note", [run(item.note)])] if item.note else []
        shown = self.paragraph("Report Figure", [w("r", w("drawing", picture))])
        near = w("spacing", before=40, after=80)
        return [shown, *self.caption(item, "Figure", near), *note]

    def caption(self, item: Table | Figure, kind: str, *properties: Element) -> list[Element]:
        """The label, counted by a field, and the words."""
        if not (item.caption or item.label):
            return []
        label = [*fields.numbered(item.label, kind), run("  ")] if item.label else []
        content = self.words.place(item.anchor, [*label, run(item.caption)])
        return [self.paragraph("Caption", content, *properties)]

    def closed(self, section: Element) -> Element:
        """The end of a section; that of the cover is the first to end."""
        made = deepcopy(section)
        headers_and_footers.uncovered(self.section)
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
