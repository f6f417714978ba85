"""Blocks from plain strings: tables, paragraphs, lists, stated gaps."""

from collections.abc import Collection

from ragassay.report.blocks import (
    TONES,
    Block,
    Callout,
    Chapter,
    Inlines,
    Listing,
    Paragraph,
    State,
    Strong,
    Table,
    Text,
    judgement,
)
from ragassay.report.chapters import ANNEXES


def words(text: str) -> Inlines:
    """Plain text as inlines."""
    return (Text(text),)


def cells(columns: list[str], row: list[str], states: Collection[str]) -> list[Inlines]:
    """A row's cells; those of the columns named in `states` are states. A row without columns is named by its
    first cell."""
    names = columns or [row[0] if place else "" for place in range(len(row))]
    return [
        (State(cell),) if name in states and judgement(cell) in TONES else words(cell)
        for name, cell in zip(names, row, strict=True)
    ]


def data_table(
    caption: str,
    columns: list[str],
    rows: list[list[str]],
    *,
    align: str = "",
    note: str = "",
    widths: list[float] | None = None,
    states: Collection[str] = (),
) -> Table:
    """A table of plain strings; `align` holds one letter per column, left by default.

    `states` : the columns (without columns: the rows, by their first cell) whose cells are judgements and
        coloured as such
    """
    sides = list(align) or ["l"] * max([len(columns), *map(len, rows)])
    return Table(
        caption,
        [words(name) for name in columns],
        [cells(columns, row, states) for row in rows],
        sides,
        note,
        widths,
    )


def paragraph(text: str) -> Paragraph:
    """One paragraph of plain text."""
    return Paragraph(words(text))


def term_entry(name: str, text: str) -> Paragraph:
    """One entry of a list of words: the word, then what is said of it."""
    return Paragraph((Strong(words(f"{name}. ")), Text(text)))


def bullets(lines: list[str]) -> Listing:
    """A list of plain lines."""
    return Listing([[paragraph(line)] for line in lines])


def annex(name: str, blocks: list[Block]) -> Chapter:
    """The annex of this id (`chapters.ANNEXES`); its letter comes with its place."""
    return Chapter("", ANNEXES[name], name, blocks, "annex")


def gap(text: str) -> Callout:
    """A hole in the evidence, said aloud."""
    return Callout("gap", "Gap", [paragraph(text)])


def rating_box(rating: str) -> Callout:
    """The overall rating, in the colour of its judgement."""
    return Callout("result", "Overall rating", [Paragraph((Strong(words(rating)),))], rating)
