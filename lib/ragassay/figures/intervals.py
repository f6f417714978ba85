"""Estimates with their intervals: one row each, dot and line, the numbers beside them."""

import numpy as np
import pandas as pd

from ragassay.figures import colours, style
from ragassay.figures.style import Drawing
from ragassay.scores.display_names import with_names
from ragassay.stats import interval_text

FEW_ROWS = 20  # with more, each name has one line


def forest_plot(
    table: pd.DataFrame,
    label: str = "slice",
    value: str = "value",
    low: str = "low",
    high: str = "high",
    n: str = "n",
    *,
    unit: str,
    reference: float | tuple[str, float] | None = None,
    marked: str | None = None,
) -> Drawing:
    """A forest plot: one row per row of the table, in its order; dot, interval, and `0.82 [0.78, 0.86]
    n=240` at the right.

    A row without an interval has a hollow dot; one without a value says so. `reference`: a dashed line at a
    value, or ("gate", 0.7);
    `marked`: a true/false column whose rows are drawn as flagged. Beyond `style.MOST_ROWS` rows the rest is
        counted, not drawn.

    Raises ValueError if the table has no row.
    """
    style.refuse_empty(table, "the table of estimates")
    shown = with_names(table).head(style.MOST_ROWS)
    flagged = shown[marked].astype(bool).to_numpy() if marked else np.zeros(len(shown), dtype=bool)
    numbers, counts = shown[[value, low, high]].to_numpy(dtype=float), shown[n].to_numpy()
    words, place = reference if isinstance(reference, tuple) else ("threshold", reference)
    with style.sheet(style.height_of(len(shown))) as (figure, axes):
        _rows(axes, numbers, flagged)
        lines = {"width": 44, "lines": 1} if len(shown) > FEW_ROWS else {}
        style.category_axis(axes, [style.label(name, **lines) for name in shown[label]])
        _reference(axes, place, words)
        _numbers(axes, numbers, counts)
        axes.set_xlabel(style.label(unit + _rest(table), 80))
        axes.set_xlim(*_limits(numbers, place))
    first, lowest, highest = numbers[0].tolist()
    only = f": {_text(first, lowest, highest, int(counts[0]), _decimals(numbers))}"
    told = only if len(table) == 1 else ""
    alt = f"Estimates of {style.alt_text(unit, 100)}, {len(table)} rows{told}."
    return Drawing(figure, alt, is_single=len(table) == 1)


def _rows(axes, numbers: np.ndarray, flagged: np.ndarray) -> None:
    for row, estimate in enumerate(numbers):
        paint, marker = (colours.FLAGGED, "D") if flagged[row] else (colours.INTERVAL, "o")
        style.interval(axes, row, estimate, paint=paint, marker=marker)


def _reference(axes, reference: float | None, words: str) -> None:
    if reference is None:
        return
    axes.axvline(reference, color=colours.REFERENCE, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    named = style.label(f"{words} {reference:g}" if reference else words, 40)
    place = {"ha": "center", "va": "bottom", "color": colours.NOTE}
    style.write(axes, named, (reference, 1), fractions="y", shift=(0, 3), **place)


def _numbers(axes, numbers: np.ndarray, counts: np.ndarray) -> None:
    decimals = _decimals(numbers)
    for row, ((value, low, high), n) in enumerate(zip(numbers, counts, strict=True)):
        words = _text(value, low, high, int(n), decimals)
        style.write(axes, words, (1, row), fractions="x", shift=(8, 0), va="center")


def _text(value: float, low: float, high: float, n: int, decimals: int) -> str:
    return f"{interval_text(value, low, high, decimals)}  n={n}"


def _decimals(numbers: np.ndarray) -> int:
    """Two decimals, three where all numbers are below 0.1, none where one is above 100."""
    largest = float(np.max(np.abs(numbers[np.isfinite(numbers)]), initial=0.0))
    return 3 if 0 < largest < 0.1 else 0 if largest > 100 else 2


def _limits(numbers: np.ndarray, reference: float | None) -> tuple[float, float]:
    known = np.append(numbers[np.isfinite(numbers)], [] if reference is None else [reference])
    return style.padded_limits(float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)


def _rest(table: pd.DataFrame) -> str:
    return f" ({style.MOST_ROWS} of {len(table)} rows shown)" if len(table) > style.MOST_ROWS else ""
