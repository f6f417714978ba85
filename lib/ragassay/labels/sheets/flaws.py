"""A cell that cannot be taken, and how it is told."""

from collections.abc import Iterable
from dataclasses import dataclass

from ragassay.labels.sheets.texts import visible


@dataclass(frozen=True)
class Flaw:
    """Where a cell is wrong, what stands there, what should."""

    file: str
    at: str
    column: str
    found: str
    expected: str

    def __str__(self) -> str:
        found = visible(self.found.replace("\n", " "), 0)
        shown = repr(found[:60]) + ("..." if len(found) > 60 else "")
        return (
            f"{self.file}, {self.at}, {visible(self.column, 0)[:60]}: found {shown}, expected {self.expected}"
        )


def listed(flaws: Iterable[Flaw]) -> str:
    """A line per flaw."""
    return "\n".join(f"  {flaw}" for flaw in flaws)
