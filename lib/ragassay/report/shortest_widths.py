"""Column widths under which a table of running text is shortest: room goes to the columns that make it
long."""

import numpy as np
from numpy.typing import NDArray

_ROUNDS, _SHARPNESS = 40, 4  # steps of the search; how nearly a row is as tall as its tallest cell
_WORSE = 1.1  # widths asked for are kept while the table is at most so much taller


def shortest(lengths: NDArray, floors: NDArray, needs: NDArray, usable: float) -> NDArray:
    """Widths in points, (columns,), summing to at most `usable`, under which the rows are about as low as
    they can be.

    A column's share of the room is made equal to its share of the lines: at the optimum of the height, with
    the tallest cell of a row put as a smooth maximum, no column can give room that another uses better.

    lengths : (rows, columns) lengths of the texts on one line, points
    floors, needs : (columns,) least width; width from which more is of no use
    """
    widths = np.asarray(floors, dtype=float) + (usable - np.sum(floors)) / len(floors)
    for _ in range(_ROUNDS):
        lines = lengths / widths
        peaks = np.maximum(lines.max(axis=1, keepdims=True), 1e-9)
        caused = (peaks * (lines / peaks) ** _SHARPNESS).sum(axis=0) + 1e-9
        widths = _within(np.sqrt(widths * usable * caused / caused.sum()), floors, needs, usable)
    return widths


def height(lengths: NDArray, widths: NDArray) -> float:
    """Lines of the whole table under these widths, a row being as tall as its tallest cell."""
    return float(np.ceil(np.maximum(lengths / widths, 1)).max(axis=1).sum())


def is_near(wanted: NDArray, best: NDArray, lengths: NDArray) -> bool:
    """Whether the widths asked for make the table hardly taller than the best."""
    return height(lengths, wanted) <= _WORSE * height(lengths, best)


def _within(widths: NDArray, floors: NDArray, needs: NDArray, usable: float) -> NDArray:
    """The widths between floors and needs, the spare of those that have enough given to the others."""
    bounded = np.clip(widths, floors, np.maximum(needs, floors))
    for _ in range(len(widths)):
        spare = usable - bounded.sum()
        free = bounded < np.maximum(needs, floors) - 1e-6 if spare > 0 else bounded > floors + 1e-6
        if abs(spare) < 1e-6 or not free.any():
            break
        part = bounded[free] if spare > 0 else (bounded - floors)[free]
        bounded[free] = np.maximum(bounded[free] + spare * part / part.sum(), floors[free])
    return bounded
