"""Estimates with their intervals: levels, gates, perturbations by intensity."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ragassay.plots import style
from ragassay.scores.display_names import cell_name
from ragassay.show.styled_table import heading
from ragassay.stats import interval_text, percent_text


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


def gates(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Criteria whose measure is a share: value, interval and threshold, the outcome at the right.

    frame : of `gates.evaluate`; what is no share, or was not measured, is left out

    Example: `plots.gates(run.read("gates"))`
    """
    known = frame if frame.empty else frame[frame["value"].between(0, 1) & frame["threshold"].between(0, 1)]
    if known.empty:
        return style.blank(ax, "no criterion on a share was measured")
    shown = known.sort_values("bound", ascending=False, kind="stable").head(style.MOST_ROWS)
    ax = style.axes(ax, style.height_of(len(shown), 0.25))
    _rows(ax, shown, "value", shown["outcome"], 100)
    _marks(ax, 100 * shown["threshold"])
    criteria = []  # `grounded (raters), questions in Spanish`: what each is on
    for place, row in enumerate(shown.to_dict("records")):
        bar = row["threshold"]
        named = [name for name in ("metric", "origin", "slice") if row.get(name, "all") != "all"]
        criteria.append(", ".join(filter(None, (cell_name(name, str(row[name])) for name in named))))
        measured = interval_text(row["value"], row["low"], row["high"], percent=True, bar=bar)
        words = f"{row['outcome']}  {measured}, {'≤' if row['bound'] == 'high' else '≥'} {percent_text(bar)}"
        style.at_right(ax, place, words, _look(row["outcome"])[0])
    style.rows_axis(ax, [style.label(criterion, 34) for criterion in criteria])
    ax.set_xlabel("share with interval (%); the bar is the threshold")
    return ax


def dose_response(frame: pd.DataFrame, *, hue: str = "kind", ax: Axes | None = None) -> Axes:
    """The difference by the intensity of a perturbation, from 0 at none: one line a kind, named at its end,
    with the band from `low` to `high`; kinds with a row that is `worse` are red.

    frame : of `robustness.compare` for one metric, one row a kind (hue) and intensity

    Example: `plots.dose_response(moved.query("metric == 'groundedness'"))`
    """
    graded = frame if frame.empty else frame.dropna(subset=["intensity", "difference"])
    if graded.empty:
        return style.blank(ax, "no perturbation has an intensity")
    ax, ends = style.axes(ax, 3.2), []
    for kind, line in graded.sort_values("intensity").groupby(hue):
        is_worse = "worse" in line and line["worse"].astype(bool).any()
        paint = style.FLAGGED if is_worse else style.INTERVAL
        numbers = line[["intensity", "difference", "low", "high"]].to_numpy(dtype=float)
        at, middle, low, high = np.vstack([np.zeros(4), numbers]).T
        ax.plot(at, middle, color=paint, marker="o", markersize=3, linewidth=1.1)
        ax.fill_between(at, low, high, color=paint, alpha=0.1, linewidth=0)
        ends.append((float(middle[-1]), float(at[-1]), cell_name(hue, str(kind)), paint))
    ax.axhline(0, **style.REFERENCE)
    ax.set(xlabel=style.label(heading("intensity")), ylabel=f"{heading('difference')} with interval")
    ax.set_xticks(sorted({0.0, *graded["intensity"]}))
    floor, top = ax.get_ylim()
    ends.sort()
    # the names of the lines at their ends, moved apart where they would meet
    places = style.apart([(end[0] - floor) / (top - floor) for end in ends], 0.08)
    look: Any = {"va": "center", "fontsize": style.SMALL, "annotation_clip": False}
    for (value, at_end, kind, paint), place in zip(ends, places, strict=True):
        name, to = style.label(kind, 26, 1), (1.02, place)
        ax.annotate(name, (at_end, value), xytext=to, textcoords="axes fraction", color=paint, **look)
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
