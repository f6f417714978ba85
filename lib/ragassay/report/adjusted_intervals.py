"""Which tables of a report show intervals that are adjusted for the number of checks made at once."""

from collections.abc import Iterable

from ragassay.report.blocks import Chapter, Inlines, Paragraph, Table, Text, plain
from ragassay.report.numbering import figures_and_tables
from ragassay.show import ADJUSTED, ADJUSTED_SHARES

ALONE = "Each interval is of its own row alone, however many rows stand beside it"
WIDER = (
    "; those headed “{heading}” are wider, adjusted for the number of checks made at once: {tables}, and "
    "none else."
)


def sentence(chapters: Iterable[Chapter]) -> Paragraph:
    """What is adjusted, and that nothing else is; of numbered chapters."""
    return Paragraph(_words([table for chapter in chapters for table in _adjusted(chapter)]))


def _adjusted(chapter: Chapter) -> list[Table]:
    shown = (block for block in figures_and_tables(chapter.blocks) if isinstance(block, Table))
    return [table for table in shown if any(ADJUSTED in plain(head) for head in table.columns)]


def _name(table: Table) -> str:
    of_shares = any(ADJUSTED_SHARES in plain(head) for head in table.columns)
    return f"{table.label or f'“{table.caption}”'}{' (of its shares alone)' * of_shares}"


def _words(tables: list[Table]) -> Inlines:
    named = ", ".join(map(_name, tables))
    return (Text(f"{ALONE}{WIDER.format(heading=ADJUSTED, tables=named) if named else '.'}"),)
