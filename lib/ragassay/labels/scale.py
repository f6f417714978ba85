"""The scale of a human label, written low-high: 0-1, 1-5."""

from math import ceil, isfinite

from ragassay.errors import LabelError


def ends(scale: str) -> tuple[float, float]:
    """Lowest and highest label of a scale.

    Raises
    ------
    LabelError
        If it cannot be read, or the first end is not the lower.
    """
    first, _, last = str(scale).partition("-")
    try:
        low, high = float(first), float(last)
    except ValueError:
        low = high = float("nan")
    if not (isfinite(low) and isfinite(high) and low < high):
        raise LabelError("a scale cannot be read", found=scale, expected="low-high, such as 0-1 or 1-5")
    return low, high


def levels(scale: str) -> list[int] | None:
    """The levels of a scale of whole steps with more than two of them, ascending; None for any other scale."""
    low, high = ends(scale)
    whole = low.is_integer() and high.is_integer() and 2 <= high - low <= 20
    return list(range(int(low), int(high) + 1)) if whole else None


def usual_cut(scale: str) -> float:
    """The lowest label that accepts where nothing else is said: 1 on a 0-1 scale, else the first whole step in the upper third (4 of 1-5)."""
    low, high = ends(scale)
    return high if high - low <= 1 else float(ceil(low + (high - low) * 2 / 3))
