"""What stands word for word in several rows of a table, told once below it."""

from collections.abc import Iterator
from string import ascii_lowercase
from typing import Any

FEWEST = 2  # rows in which it stands
SHORTEST = 40  # characters from which on it is told below
BETWEEN = "; "


def shared_notes(
    table: Any, column: str, *, shortest: int = SHORTEST, between: str = BETWEEN
) -> tuple[Any, str]:
    """The table (a DataFrame) with marks, `(a)`, in place of the parts of a column's cells that are so long
    and stand in several rows; and what the marks stand for, "" for none.

    shortest : characters of a part that is told below, at least 1; between : what parts them
    """
    cells = [str(cell).split(between) for cell in table[column]]
    parts = [part for cell in cells for part in dict.fromkeys(cell) if len(part) >= shortest]
    shared = [part for part in dict.fromkeys(parts) if parts.count(part) >= FEWEST]
    mark = {part: f"({name})" for part, name in zip(shared, _names(), strict=False)}
    told = [between.join(mark.get(part, part) for part in cell) for cell in cells]
    note = " ".join(f"{name} {part.rstrip('.')}." for part, name in mark.items())
    return table.assign(**{column: told}), note


def _names() -> Iterator[str]:
    """a, b, ..., z, then aa, ab and so on, as many as a table needs."""
    yield from ascii_lowercase
    yield from (first + second for first in ascii_lowercase for second in ascii_lowercase)
