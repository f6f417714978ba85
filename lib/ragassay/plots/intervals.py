"""Estimates with their intervals: levels, gates, paired differences, perturbations by intensity."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ragassay.plots import colours, style
from ragassay.scores.display_names import cell_name
from ragassay.show.styled_table import heading
from ragassay.stats import interval_text, percent_text

PLAIN = (colours.INTERVAL, "o")
APART = 0.08  # least distance of two names at the ends of lines, as a share of the axis


def forest(  # noqa: PLR0913
    frame: pd.DataFrame,
    *,
    x: str,
    y: str,
    low: str = "low",
    high: str = "high",
    n: str = "n",
    hue: str | None = None,
    reference: float | str | None = None,
    percent: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Points with intervals, one row a level in the order of the table, its n at the right.

    x, low, high : columns of the estimate and its bounds; without bounds the point is hollow
    y : column of the levels; n : column of the counts, written where the table has it
    hue : column of true and false; true is drawn in the red of "worse", with a diamond
    reference : a vertical line at a number, or a mark in each row at this column
    percent : the estimates are shares, drawn as per cents

    Example: `plots.forest(found.factors, x="mean", y="slice", hue="weak", percent=True)`
    """
    if frame.empty or frame[x].isna().all():
        return style.blank(ax, "nothing was measured")
    shown = style.with_column(frame, y).head(style.MOST_ROWS)
    scale = 100 if percent else 1
    flagged = shown[hue].fillna(False).astype(bool) if hue else [False] * len(shown)
    ax = style.axes(ax, style.height_of(len(shown)))
    _rows(
        ax,
        _estimates(shown, x, low, high, scale),
        [(colours.FLAGGED, "D") if each else PLAIN for each in flagged],
    )
    style.rows_axis(ax, style.names(shown[y], y, 44 if len(shown) > 20 else 30, 1 if len(shown) > 20 else 2))
    if isinstance(reference, str):
        _marks(ax, scale * shown[reference].to_numpy(dtype=float))
    elif reference is not None:
        line = scale * reference
        ax.axvline(line, color=colours.REFERENCE, linewidth=0.8, linestyle=style.DASHED, zorder=1)
        style.write(
            ax, f"{line:.3g}", (line, 1), fractions="y", shift=(0, 2), ha="center", color=colours.NOTE
        )
    _counts(ax, shown, n)
    rest = f"; {len(shown)} of {len(frame)} rows" if len(frame) > len(shown) else ""
    ax.set_xlabel(f"{style.label(heading(x), 60)}{' (%)' * percent} with interval{rest}")
    return ax


def gates(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Criteria whose measure is a share: value, interval and threshold, the outcome at the right.

    frame : of `gates.evaluate`: metric, slice, origin, bound (low: at least; high: at most), threshold,
        value, low, high, outcome (pass, fail, incomplete). What is no share, or was not measured, is left
        out. Those of one `bound` alone have a scale that suits them: `frame.query("bound == 'high'")`.

    Example: `plots.gates(run.read("gates"))`
    """
    known = frame if frame.empty else frame[frame["value"].between(0, 1) & frame["threshold"].between(0, 1)]
    if known.empty:
        return style.blank(ax, "no criterion on a share was measured")
    shown = known.sort_values("bound", ascending=False, kind="stable").head(style.MOST_ROWS)
    ax = style.axes(ax, style.height_of(len(shown), 0.25))
    _rows(ax, _estimates(shown, "value", "low", "high", 100), [_look(each) for each in shown["outcome"]])
    _marks(ax, 100 * shown["threshold"].to_numpy(dtype=float))
    rows = shown.to_dict("records")
    for place, row in enumerate(rows):
        bar = row["threshold"]
        measured = interval_text(row["value"], row["low"], row["high"], percent=True, bar=bar)
        words = f"{row['outcome']}  {measured}, {'≤' if row['bound'] == 'high' else '≥'} {percent_text(bar)}"
        _beside(ax, place, words, _look(row["outcome"])[0])
    style.rows_axis(ax, [style.label(_criterion(row), 34) for row in rows])
    ax.set_xlabel("share with interval (%); the bar is the threshold")
    return ax


def differences(
    frame: pd.DataFrame,
    *,
    x: str = "difference",
    y: str = "metric",
    against: str = "challenger",
    outcome: str = "outcome",
    n: str = "n",
    ax: Axes | None = None,
) -> Axes:
    """Paired differences with their intervals around the line of no difference, n at the right.

    frame : of `comparison.compare_systems`, or any table with the columns x, low, high, y. outcome : better
        is green, worse red, all else blue. against : of several systems, each has its rows.

    Example: `plots.differences(compared)`
    """
    if frame.empty or frame[x].isna().all():
        return style.blank(ax, "no two systems were compared")
    shown = frame.head(style.MOST_ROWS)
    rows = style.names(shown[y], y, 30)
    if against in shown and shown[against].nunique() > 1:
        rows = [
            f"{row}\nagainst {style.label(rival, 24, 1)}"
            for row, rival in zip(rows, shown[against], strict=True)
        ]
    ax = style.axes(ax, style.height_of(len(shown), 0.34 if any("\n" in row for row in rows) else 0.27))
    looks = [_look(each) for each in shown[outcome]] if outcome in shown else [PLAIN] * len(shown)
    _rows(ax, _estimates(shown, x, "low", "high"), looks)
    ax.axvline(0, color=colours.REFERENCE, linewidth=0.8, linestyle=style.DASHED, zorder=1)
    style.rows_axis(ax, rows)
    _counts(ax, shown, n)
    ax.set_xlabel(f"{style.label(heading(x), 60)} with interval")
    return ax


def dose_response(
    frame: pd.DataFrame,
    *,
    x: str = "intensity",
    y: str = "difference",
    hue: str = "kind",
    flagged: str = "worse",
    original: float | None = 0.0,
    ax: Axes | None = None,
) -> Axes:
    """The score by the intensity of a perturbation: one line a kind, named at its end, with the band from
    `low` to `high`.

    frame : of `robustness.compare` for one metric, one row a kind (hue) and intensity (x); `flagged` names a
        column of true and false: kinds with a true are red. original : the value at intensity 0, where every
        line starts: 0 for differences, the unperturbed mean for scores, None for no such line.

    Example: `plots.dose_response(moved.query("metric == 'groundedness'"))`
    """
    graded = frame if frame.empty else frame.dropna(subset=[x, y])
    if graded.empty:
        return style.blank(ax, "no perturbation has an intensity")
    ax, ends = style.axes(ax, 3.2), []
    for kind, line in graded.sort_values(x).groupby(hue):
        paint = colours.FLAGGED if flagged in line and line[flagged].astype(bool).any() else colours.INTERVAL
        numbers = line.reindex(columns=[x, y, "low", "high"]).to_numpy(dtype=float)
        start = [] if original is None else [[0.0, original, original, original]]
        at, middle, low, high = np.array([*start, *numbers]).T
        ax.plot(at, middle, color=paint, marker="o", markersize=3, linewidth=1.1)
        ax.fill_between(at, low, high, color=paint, alpha=0.1, linewidth=0)
        ends.append((float(middle[-1]), float(at[-1]), cell_name(hue, str(kind)), paint))
    if original is not None:
        ax.axhline(original, color=colours.REFERENCE, linewidth=0.8, linestyle=style.DASHED, zorder=1)
    ax.set(xlabel=style.label(heading(x), 60), ylabel=style.label(f"{heading(y)} with interval", 40))
    ax.set_xticks(sorted({*graded[x], *([] if original is None else [0.0])}))
    _name_ends(ax, sorted(ends))
    return ax


def _estimates(frame: pd.DataFrame, x: str, low: str, high: str, scale: float = 1) -> np.ndarray:
    """(n, 3) value, low, high; bounds that the table has not are NaN."""
    return scale * frame.reindex(columns=[x, low, high]).to_numpy(dtype=float, na_value=np.nan)


def _rows(ax: Axes, numbers: np.ndarray, looks: Sequence[tuple[str, str]]) -> None:
    """A line from low to high in each row and a mark at the value; hollow where there are no bounds."""
    for row, ((value, low, high), (paint, marker)) in enumerate(zip(numbers, looks, strict=True)):
        ax.plot([low, high], [row, row], color=paint, linewidth=1.6, solid_capstyle="butt")
        face = paint if np.isfinite(low) else colours.PAPER
        ax.plot([value], [row], marker=marker, markersize=5, markerfacecolor=face, markeredgecolor=paint)


def _marks(ax: Axes, places: np.ndarray) -> None:
    rows = np.arange(len(places))
    ax.vlines(places, rows - 0.36, rows + 0.36, color=colours.REFERENCE, linewidth=1.6, zorder=3)


def _look(outcome: object) -> tuple[str, str]:
    return colours.OUTCOMES.get(str(outcome), PLAIN)


def _counts(ax: Axes, frame: pd.DataFrame, n: str) -> None:
    for row, count in enumerate(frame.get(n, ())):
        if pd.notna(count):
            _beside(ax, row, f"n={int(count):,}", colours.NOTE)


def _beside(ax: Axes, row: int, words: str, paint: str) -> None:
    style.write(ax, words, (1, row), fractions="x", shift=(6, 0), va="center", color=paint)


def _criterion(row: dict) -> str:
    """`grounded (raters), questions in Spanish`: what a criterion is on."""
    parts = [
        cell_name(name, str(row[name]))
        for name in ("metric", "origin", "slice")
        if row.get(name, "all") != "all"
    ]
    return ", ".join(filter(None, parts))


def _name_ends(ax: Axes, ends: Sequence[tuple[float, float, str, str]]) -> None:
    """The names of the lines at their ends, ascending, moved apart where they would meet."""
    low, high = ax.get_ylim()
    places = style.apart([(end[0] - low) / (high - low) for end in ends], APART)
    for (value, at, kind, paint), place in zip(ends, places, strict=True):
        ax.annotate(
            style.label(kind, 26, 1),
            (at, value),
            xytext=(1.02, place),
            textcoords="axes fraction",
            va="center",
            fontsize=style.SMALL,
            color=paint,
            annotation_clip=False,
        )
