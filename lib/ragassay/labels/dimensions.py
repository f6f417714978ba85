"""What is judged, and on which scale: `grounded` on 0-1, `relevant` on 1-5."""

import re
from dataclasses import dataclass
from math import ceil, isfinite
from typing import Any

from ragassay.defaults import DIMENSIONS
from ragassay.errors import LabelError, ParameterError

TAKEN = frozenset(
    {"row", "rater", "question", "answer", "contexts", "comment", "answer_sha256", "scale", "drawn"}
)
_NAME = re.compile(r"[^\W\d]\w{0,39}")
_HEADING = re.compile(r"\s*([^\W\d]\w{0,39})\s*\(([^()]*)\)\s*")


def scale_ends(scale: str) -> tuple[float, float]:
    """Lowest and highest label of a scale.

    Raises LabelError if it cannot be read, or the first end is not the lower.
    """
    first, _, last = str(scale).partition("-")
    try:
        low, high = float(first), float(last)
    except ValueError:
        low = high = float("nan")
    if not (isfinite(low) and isfinite(high) and low < high):
        raise LabelError("a scale cannot be read", found=scale, expected="low-high, such as 0-1 or 1-5")
    return low, high


def scale_levels(scale: str) -> list[int] | None:
    """The levels of a scale of whole steps with more than two of them, ascending;
    None for any other scale.
    """
    low, high = scale_ends(scale)
    whole = low.is_integer() and high.is_integer() and 2 <= high - low <= 20
    return list(range(int(low), int(high) + 1)) if whole else None


def usual_accept_from(scale: str) -> float:
    """The lowest label that accepts where nothing else is said:
    1 on a 0-1 scale, else the first whole step in the upper third (4 of 1-5).
    """
    low, high = scale_ends(scale)
    return high if high - low <= 1 else float(ceil(low + (high - low) * 2 / 3))


@dataclass(frozen=True)
class Dimension:
    """A judgement asked of a rater: its name and its scale, written low-high.

    Raises LabelError if the scale cannot be read, or is not of 2 to 21 whole steps.
    """

    name: str
    scale: str

    def __post_init__(self) -> None:
        low, high = scale_ends(self.scale)
        if not (low.is_integer() and high.is_integer() and high - low <= 20):
            expected = "at most 21 whole steps, such as 0-1 or 1-5"
            raise LabelError("a sheet cannot offer this scale", found=self.scale, expected=expected)

    @property
    def steps(self) -> list[int]:
        """The labels there are, ascending."""
        low, high = scale_ends(self.scale)
        return list(range(int(low), int(high) + 1))

    @property
    def allowed(self) -> str:
        """In words: `0 or 1`, `1, 2, 3, 4 or 5`."""
        *first, last = map(str, self.steps)
        return f"{', '.join(first)} or {last}"

    def value(self, cell: Any) -> float | None:
        """The label in a cell; None where it is empty.

        Raises ValueError if it is no label of this scale: a text, a truth value, a number that is no step.
        """
        if cell is None or (isinstance(cell, str) and not cell.strip()) or cell != cell:
            return None
        try:
            number = float(cell)
        except (TypeError, ValueError):
            number = float("nan")
        if isinstance(cell, bool) or number not in self.steps:
            raise ValueError(self.allowed)
        return number


def parse(text: str) -> tuple[Dimension, ...]:
    """The dimensions of `grounded:0-1,relevant:1-5`, in that order.

    Raises ParameterError if none is named, one is named twice, a name is no word or is a column's own;
    LabelError if a scale cannot be read.
    """
    found = []
    for part in filter(str.strip, text.split(",")):
        name, _, scale = (each.strip() for each in part.partition(":"))
        if not _NAME.fullmatch(name) or name in TAKEN:
            expected = "letters, digits and _, not a column of the sheet"
            raise ParameterError("a dimension cannot have this name", found=name, expected=expected)
        found.append(Dimension(name, scale))
    if not found or len({each.name for each in found}) < len(found):
        raise ParameterError("name at least one dimension, and each once", found=text, expected=DIMENSIONS)
    return tuple(found)


def from_heading(heading: object) -> Dimension | None:
    """The dimension a column is for, from its head `grounded (0-1)`; None where it is no such head, or its
    scale cannot be read."""
    match = _HEADING.fullmatch(str(heading or ""))
    if match is None or match[1] in TAKEN:
        return None
    try:
        return Dimension(match[1], match[2].strip())
    except LabelError:
        return None
