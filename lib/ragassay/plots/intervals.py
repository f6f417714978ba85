"""Estimates with their intervals: levels, perturbations by intensity."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ragassay.plots import style
from ragassay.scores.display_names import cell_name
from ragassay.show.styled_table import heading


def forest(
    frame: pd.DataFrame,
    *,
    x: str,
    y: str,
    hue: str | None = None,
    reference: float | str | None = None,
    percent: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Points with intervals (columns low and high; hollow without), one row a level in the order of the
    table, its n at the right.

    x, y : columns of the estimate and of the levels
    hue : column of true and false, or of outcomes; true is drawn in the red of "worse", with a diamond
    reference : a vertical line at a number, or a mark in each row at this column
    percent : the estimates are shares, drawn as per cents

    Example: `plots.forest(found, x="mean", y="slice", hue="flagged", percent=True)`
    """
    if frame.empty or frame[x].isna().all():
        return style.blank(ax, "nothing was measured")
    shown = (frame if y in frame.columns else frame.reset_index()).head(style.MOST_ROWS)
    scale, is_long = 100 if percent else 1, len(shown) > 20
    ax = style.axes(ax, style.height_of(len(shown)))
    _rows(ax, shown, x, shown[hue] if hue else [""] * len(shown), scale)
    style.rows_axis(ax, style.names(shown[y], y, 44 if is_long else 30, 1 if is_long else 2))
    if isinstance(reference, str):
        _marks(ax, scale * shown[reference])
    elif reference is not None:
        line = scale * reference
        ax.axvline(line, **style.REFERENCE)
        style.write(ax, f"{line:.3g}", (line, 1), fractions="y", shift=(0, 2), ha="center", color=style.NOTE)
    for row, count in enumerate(shown.get("n", ())):
        if pd.notna(count):
            style.at_right(ax, row, f"n={int(count):,}", style.NOTE)
    rest = f"; {len(shown)} of {len(frame)} rows" if len(frame) > len(shown) else ""
    ax.set_xlabel(f"{style.label(heading(x), 60)}{' (%)' * percent} with interval{rest}")
    return ax


def dose_response(frame: pd.DataFrame, *, hue: str = "kind", ax: Axes | None = None) -> Axes:
    """The difference by the intensity of a perturbation, from 0 at none: one line a kind, with
    the band from `low` to `high`; kinds with a row that is `worse` are red.

    frame : of `robustness.compare` for one metric, one row a kind (hue) and intensity

    Example: `plots.dose_response(moved.query("metric == 'groundedness'"))`
    """
    graded = frame if frame.empty else frame.dropna(subset=["intensity", "difference"])
    if graded.empty:
        return style.blank(ax, "no perturbation has an intensity")
    ax = style.axes(ax, 3.2)
    for at, (kind, line) in enumerate(graded.sort_values("intensity").groupby(hue)):
        is_worse = "worse" in line and line["worse"].astype(bool).any()
        look: Any = {"color": style.FLAGGED if is_worse else style.INTERVAL}
        numbers = line[["intensity", "difference", "low", "high"]].to_numpy(dtype=float)
        x, middle, low, high = np.vstack([np.zeros(4), numbers]).T
        name, marker = style.label(cell_name(hue, str(kind)), 40, 1), style.MARKERS[at % len(style.MARKERS)]
        ax.plot(x, middle, marker=marker, markersize=4, linewidth=1.1, label=name, **look)
        ax.fill_between(x, low, high, alpha=0.1, linewidth=0, **look)
    ax.axhline(0, **style.REFERENCE)
    ax.set(xlabel=style.label(heading("intensity")), ylabel=f"{heading('difference')} with interval")
    ax.set_xticks(sorted({0.0, *graded["intensity"]}))
    ax.legend(loc="lower left")
    return ax


def _rows(ax: Axes, frame: pd.DataFrame, x: str, outcomes: Iterable[object], scale: float) -> None:
    """A line from low to high in each row and a mark at the value; hollow where there are no bounds."""
    numbers = scale * frame.reindex(columns=[x, "low", "high"]).to_numpy(dtype=float, na_value=np.nan)
    for row, ((value, low, high), outcome) in enumerate(zip(numbers, outcomes, strict=True)):
        paint, marker = _look(outcome)
        ax.plot([low, high], [row, row], color=paint, linewidth=1.6, solid_capstyle="butt")
        face = paint if np.isfinite(low) else style.PAPER
        ax.plot([value], [row], marker=marker, markersize=5, markerfacecolor=face, markeredgecolor=paint)


def _marks(ax: Axes, places: pd.Series) -> None:
    rows = np.arange(len(places))
    ax.vlines(places.astype(float), rows - 0.36, rows + 0.36, color=style.TEXT, linewidth=1.6, zorder=3)


def _look(outcome: object) -> tuple[str, str]:
    return style.OUTCOMES.get(str(outcome), (style.INTERVAL, "o"))
