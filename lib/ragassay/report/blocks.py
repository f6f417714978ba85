"""The document: chapters of typed blocks, of which HTML, PDF and Word are three writings; and their numbers.

`[chapter](#quality)` stands in markdown: of a notebook, of what a cell shows, of the library's own texts;
`[annex](#annex-methods)` likewise. No number of a chapter or annex is typed anywhere.

Text in blocks is data. No writer may read markup out of it: HTML escapes it, typst receives it as string
literals, Word as letters of a run.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

MOST_INSIDE = 2_000_000  # bytes of one attached file that the PDF holds
_WORDS = {  # of each tone
    "good": "pass, evidenced, Fit for use, same, closed, clear, sufficient, within",
    "open": "incomplete, partly, partly; result, evidenced; result, Fit with conditions, Medium, undecided, "
    "none found, not independent",
    "calm": "Low, not assessable, Not assessable, set aside, not applicable",
    "grave": "Critical",
    "bad": "fail, not evidenced, Not fit, High, changed, missing, raised, not sufficient, over",
}
TONES = {word: tone for tone, words in _WORDS.items() for word in words.split(", ")}
BOLD = {  # words that are coloured where an author writes them in bold
    *("Critical", "High", "Medium", "Low", "pass", "fail", "incomplete"),
    *("Not fit", "Not assessable", "Fit with conditions", "Fit for use"),
}
JUDGED = {"outcome", "severity", "status", "state", "verdict", "rating"}  # columns of judgements
UNREAD = {"anchor", "align", "alt", "kind", "label", "role", "target", "tone"}  # parts without words


def anchor_of(notebook: str, opening: int = 0) -> str:
    """Where links lead to the chapter that the notebook's heading of level 1 of this place opens."""
    return f"chapter-{notebook}{f'-{opening + 1}' if opening else ''}"


CHAPTERS = {  # by id: the title where its notebook gives none, the notebook, which of its headings opens it
    "system": ("Scope and approach", "00_scope", 0),
    "soundness": ("Conceptual soundness", "00_scope", 1),
    "questions": ("Documents and questions", "01_test_generation", 0),
    "quality": ("Answer quality", "02_functionality", 0),
    "safety": ("Safety and access", "03_risk_safety", 0),
    "instruments": ("Trust in the scores", "04_calibration", 0),
    "robustness": ("Robustness", "05_robustness", 0),
    "weakness": ("Weak spots", "06_weakness", 0),
    "decision": ("Findings and decision", "07_conclusion", 0),
    "limits": ("Limits and monitoring", "07_conclusion", 1),
}
SUMMARY = "Summary"  # the heading of level 1 whose chapter stands in front
NOTEBOOKS = {notebook: title for title, notebook, opening in CHAPTERS.values() if not opening}
LAST = "07_conclusion"
ANNEXES = {  # their ids, which are their anchors, and titles, in the document's order
    "crosswalk": "Regulatory crosswalk",
    "annex-results": "Further results",
    "annex-methods": "Methods of what is reported",
    "annex-environment": "Environment and attached files",
}
ANCHORS = {  # of what a text may refer to, by its id
    **{name: anchor_of(notebook, opening) for name, (_, notebook, opening) in CHAPTERS.items()},
    **{name: name for name in ("control", "sign-off", *ANNEXES)},
}


def tone_of(word: str) -> str:
    """good, open, bad, grave or calm: the colour of a judgement, without what qualifies it (`none found` of
    `none found, up to 22 %`, `evidenced; result` of `evidenced; result: F8 open`)."""
    return TONES.get(word.partition(",")[0].partition(":")[0], "")


@dataclass
class Span:
    """Letters of one form; a line feed breaks the line.

    kind : text; code (as a machine writes it); formula (TeX), display (one on a line of its own); state (a
        judgement on the ground of its colour); link (to an anchor of this document: an address outside it is
        printed, never linked); file (one that travels with the report)
    target : the anchor of a link, the path of a file below the run folder
    """

    text: str
    kind: str = "text"
    bold: bool = False
    italic: bool = False
    target: str = ""

    @property
    def tone(self) -> str:
        """The colour of a judgement."""
        return tone_of(self.text) or "calm"


Inlines = tuple[Span, ...]


def plain(inlines: Inlines) -> str:
    """The letters of inlines, without their form."""
    return "".join(span.text for span in inlines)


def letters(item: Any) -> str:
    """All texts of a block, or of part of one, that a reader reads, one after the other."""
    if isinstance(item, str):
        return item
    if is_dataclass(item):
        item = [getattr(item, part.name) for part in fields(item) if part.name not in UNREAD]
    return " ".join(filter(None, map(letters, item))) if isinstance(item, list | tuple) else ""


@dataclass
class Heading:
    """A heading below the chapter's own; level 2 to 4."""

    level: int
    words: Inlines
    anchor: str = ""


@dataclass
class Paragraph:
    """Running text; its role: what an author wrote (prose), that a figure or table has nothing to show
    (absent), or what a cell shows."""

    words: Inlines
    role: str = ""


@dataclass
class Listing:
    """A list; each item is a list of blocks."""

    items: list[list["Block"]]
    ordered: bool = False


@dataclass
class Verbatim:
    """Code or output, letter for letter."""

    text: str
    title: str = ""


@dataclass
class Table:
    """Rows of cells under named columns; without columns the first cell of a row names it.

    whole : all of it as a DataFrame of texts, where print leaves rows or columns out
    """

    caption: str
    columns: list[Inlines]
    rows: list[list[Inlines]]
    align: list[str]
    note: str = ""
    widths: list[float] | None = None
    label: str = ""
    anchor: str = ""
    whole: Any = field(default=None, compare=False)
    same: dict[str, str] = field(default_factory=dict, compare=False)  # column left out -> what each row says


@dataclass
class Figure:
    """A picture with the words that stand for it; `kind` is svg or png."""

    kind: str
    data: bytes
    alt: str
    caption: str
    label: str = ""
    anchor: str = ""


@dataclass
class Callout:
    """A box in the colour of what it says: good, open, bad, grave or calm."""

    tone: str
    title: str
    blocks: list["Block"]


Block = Heading | Paragraph | Listing | Verbatim | Table | Figure | Callout


@dataclass
class Chapter:
    """One chapter; `part` is front, body or annex."""

    number: str
    title: str
    anchor: str
    blocks: list[Block]
    part: str = "body"

    @property
    def name(self) -> str:
        """Its number, of an annex with that word before its letter; nothing of front matter."""
        return f"Annex {self.number}" if self.part == "annex" else self.number

    @property
    def is_gap(self) -> bool:
        """Whether it is but a stated gap."""
        return self.part == "body" and len(self.blocks) == 1 and isinstance(self.blocks[0], Callout)

    @property
    def headings(self) -> list[Heading]:
        """Its headings in the table of contents."""
        found = (item for item in self.blocks if isinstance(item, Heading))
        return [item for item in found if item.level == 2 and item.anchor]


@dataclass(frozen=True)
class Attached:
    """A file that travels with the report: its name below `attachments/`, its bytes, what it holds."""

    name: str
    data: bytes
    about: str

    @property
    def is_inside(self) -> bool:
        """Whether the PDF holds it; a large one is only named there, with its hash."""
        return len(self.data) <= MOST_INSIDE


@dataclass
class Document:
    """The whole report: what stands on its cover, its chapters, the files that travel with it."""

    title: str
    system: str  # as every page names it
    date: str  # YYYY-MM-DD; "" where none is stated
    cover: list[tuple[str, str]]
    rating: str
    chapters: list[Chapter]
    attachments: list[Attached] = field(default_factory=list)
    subtitle: str = ""
    authors: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)  # what every page says of it
    recommendation: str = ""


def words(text: str, **form: Any) -> Inlines:
    """A text as inlines, of the form that `Span` describes."""
    return (Span(text, **form),)


def cell(column: str, text: str) -> Inlines:
    """A cell of plain text; in a column of judgements a word that is one has its colour."""
    return words(text, kind="state" if column.casefold() in JUDGED and tone_of(text) else "text")


def data_table(
    caption: str,
    columns: list[str],
    rows: Sequence[Sequence[str | Inlines]],
    *,
    align: str = "",
    note: str = "",
    widths: list[float] | None = None,
    whole: Any = None,
) -> Table:
    """A table of plain strings, or of inlines; `align` holds one letter per column, left by default."""
    names = columns or [""] * max(map(len, rows), default=0)
    cells = [
        [cell(name, each) if isinstance(each, str) else each for name, each in zip(names, row, strict=False)]
        for row in rows
    ]
    heads, sides = list(map(words, columns)), list(align or "l" * len(names))
    return Table(caption, heads, cells, sides, note, widths, whole=whole)


def longest_piece(texts: Sequence[str], side: str) -> int:
    """Letters of the longest piece of a column that no line may break: a number, of a word up to 12."""
    whole = {text for text in texts[1:] if side == "r" and len(text) < 30}
    pieces = " ".join(text for text in texts if text not in whole).split()
    is_number = re.compile(r"(?=.*\d)(?!.*[^\W\d_]{2})").match
    return max(
        [1, *map(len, whole), *(len(each) if is_number(each) else min(len(each), 12) for each in pieces)]
    )


def paragraph(text: str) -> Paragraph:
    """One paragraph of plain text."""
    return Paragraph(words(text))


def bullets(lines: Iterable[str]) -> Listing:
    """A list of plain lines."""
    return Listing([[paragraph(line)] for line in lines])


def annex(name: str, blocks: list[Block]) -> Chapter:
    """The annex of this id (of ANNEXES); its letter comes with its place."""
    return Chapter("", ANNEXES[name], name, blocks, "annex")


def gap(text: str) -> Callout:
    """A hole in the evidence, said aloud."""
    return Callout("open", "Gap", [paragraph(text)])


def number(chapters: list[Chapter]) -> None:
    """Number the headings of level 2 in the body, and the captioned tables and figures of every chapter:
    Table 4.1, Figure A.2; in front matter figures are Figure 1, 2, and tables go by their caption. None of
    the headings skips a level: readers move by them, and PDF/UA forbids it.

    A link with the text chapter or annex gets its number; one to what the document lacks is words alone.
    """
    numbers = {chapter.anchor: chapter.number for chapter in chapters}
    for span in find_parts([chapter.blocks for chapter in chapters], Span):
        if span.kind == "link" and span.target not in numbers:
            span.kind, span.target = "text", ""
        elif span.kind == "link" and span.text.casefold() in ("chapter", "annex"):
            span.text = f"{span.text} {numbers[span.target]}".rstrip()
    for chapter in chapters:
        above, counted = 1, 0
        for heading in (block for block in chapter.blocks if isinstance(block, Heading)):
            heading.level = above = min(heading.level, above + 1)
            counted += heading.level == 2
            if chapter.part == "body" and chapter.number and heading.level == 2:
                heading.words = (*words(f"{chapter.number}.{counted} "), *heading.words)
        counts = {"Table": 0, "Figure": 0}
        for shown in find_parts(chapter.blocks, Table | Figure):
            kind = type(shown).__name__
            if shown.caption or kind == "Figure":
                counts[kind] += 1
                place = f"{chapter.number}.{counts[kind]}" if chapter.number else str(counts[kind])
                shown.label = f"{kind} {place}" if chapter.number or kind == "Figure" else ""
                shown.anchor = f"{kind.lower()}-{chapter.anchor}-{counts[kind]}"


def find_parts(item: Any, kind: Any) -> Iterator[Any]:
    """Every part of this class, or of one of these, that blocks hold, in reading order."""
    if isinstance(item, kind):
        yield item
    else:
        parts = vars(item).values() if is_dataclass(item) else item if isinstance(item, list | tuple) else ()
        for part in parts:
            yield from find_parts(part, kind)
