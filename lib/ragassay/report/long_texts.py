"""What a cell shows, cut to a length that a page can hold; what is cut travels whole in a file."""

from dataclasses import fields, is_dataclass, replace
from typing import Any

from ragassay.report.blocks import Block, Display, Figure, Formula, Table, Text, Verbatim, paragraph
from ragassay.sanitized_text import beginning

FILE = "long_texts.txt"  # the attached file that holds what was cut
MOST = 4000  # characters of one text of a cell
MOST_IN_TABLE = 2200  # of a cell of a table; more than people write into parameters
MOST_OF_CELL = 60_000  # characters of all that one cell shows
Kept = list[tuple[str, str]]  # what a text is, and the text, whole


def cut(text: str, most: int, file: str) -> str:
    """The beginning of the text, and how many characters more the file holds; a short text as it is."""
    if len(text) <= most:
        return text
    shown = beginning(text, most)
    return f"{shown.rstrip()} … {len(text) - len(shown):,} characters more, in {file}"


def shortened(blocks: list[Block], kept: Kept, file: str = FILE) -> list[Block]:
    """The blocks of one cell with every long text cut, and no more of them than MOST_OF_CELL characters; what
    was cut is added to `kept`."""
    left, shown, lost = MOST_OF_CELL, [], ""
    for block in (_cut(block, kept, file, MOST) for block in blocks):
        if isinstance(block, Table):
            block = _fewer_rows(block, left, kept, file)
        size = len(letters(block))
        if size <= left or isinstance(block, Table | Figure):
            shown.append(block)
        else:
            lost += letters(block) + "\n"
        left -= min(size, left)
    if lost:
        kept.append(("the rest of the cell", lost))
        shown.append(paragraph(f"… {len(lost):,} characters more, in {file}"))
    return shown


def letters(item: Any) -> str:
    """All texts of a block, or of part of one, one after the other."""
    if isinstance(item, str):
        return item
    if is_dataclass(item):
        item = [getattr(item, field.name) for field in fields(item)]
    return " ".join(filter(None, map(letters, item))) if isinstance(item, list | tuple) else ""


def _cut(item: Any, kept: Kept, file: str, most: int) -> Any:
    """The block, or part of one, with each of its texts cut."""
    if isinstance(item, str):
        if len(item) > most:
            kept.append(("a text", item))
        return cut(item, most, file)
    if isinstance(item, Formula | Display) and len(item.tex) > most:
        item = Text(item.tex) if isinstance(item, Formula) else Verbatim(item.tex)
    if isinstance(item, list | tuple):
        return type(item)(_cut(part, kept, file, most) for part in item)
    if not is_dataclass(item) or isinstance(item, type):
        return item
    parts = {field.name: getattr(item, field.name) for field in fields(item)}
    of_rows = MOST_IN_TABLE if isinstance(item, Table) else most
    each = {name: min(most, of_rows) if name != "note" else most for name in parts}
    return replace(item, **{name: _cut(part, kept, file, each[name]) for name, part in parts.items()})


def _fewer_rows(table: Table, left: int, kept: Kept, file: str) -> Table:
    """The table with the first rows that fit; the others are kept as lines."""
    lines = [" | ".join(letters(cell) for cell in row) for row in table.rows]
    fit = 0
    while fit < len(lines) and (left := left - len(lines[fit])) >= 0:
        fit += 1
    if fit == len(lines):
        return table
    rest = "\n".join(lines[fit:])
    kept.append((f"rows of the table {table.caption!r}", rest))
    more = f"… {len(lines) - fit:,} rows of {len(rest):,} characters more, in {file}."
    return replace(table, rows=table.rows[:fit], note=f"{more} {table.note}".strip())
