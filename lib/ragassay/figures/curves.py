"""From score to probability: the kinds of curve drawn together, their cross-validated losses, the levels of
an ordinal curve."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ragassay.calibration import probability_metrics
from ragassay.calibration.calibrators import Calibrator, Ordinal
from ragassay.figures import colours, style
from ragassay.figures.style import Drawing

DASHES = ("-", (0, (5, 2)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)), (0, (3, 1)))
POINTS = 400


def fitted_curves(
    scores: ArrayLike,
    labels: ArrayLike,
    fitted: Mapping[str, Calibrator],
    *,
    chosen: str = "",
    unit: str = "score",
    bins: int = 8,
) -> Drawing:
    """Curves over the labelled scores, the chosen one heavier, and the share accepted in equal-mass bins of
    the score with 95 % intervals.

    scores, labels : (n,) each, labels 0 or 1; pairs with a NaN are left out. fitted : name -> curve with
        levels 0 and 1

    Raises
    ------
    ValueError
        If there is no curve, or no pair is complete.
    """
    style.refuse_empty(fitted, "the set of curves")
    x, y = np.asarray(scores, dtype=float), np.asarray(labels, dtype=float)
    known = np.isfinite(x) & np.isfinite(y)
    x, y = style.finite_values(x[known], "the labelled scores"), y[known]
    grid = np.linspace(x.min(), x.max(), POINTS)
    with style.sheet(3.7) as (figure, axes):
        _shares(axes, x, y, bins)
        for place, (name, curve) in enumerate(fitted.items()):
            heavy = name == chosen
            axes.plot(
                grid,
                curve.predict(grid),
                color=colours.CHOSEN if heavy else colours.category(place),
                linestyle="-" if heavy else DASHES[place % len(DASHES)],
                linewidth=2.2 if heavy else 1.3,
                label=style.label(f"{name} (chosen)" if heavy else name, 24, lines=1),
                zorder=4 if heavy else 3,
            )
        axes.set(
            xlabel=style.label(unit, 80),
            ylabel="probability that a rater accepts",
            ylim=(-0.06, 1.06),
            xlim=style.padded_limits(x.min(), x.max()),
        )
        axes.grid()
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, borderaxespad=0.2)
    return Drawing(figure, _told(x, y, fitted, chosen, unit))


def log_losses(table: pd.DataFrame) -> Drawing:
    """Cross-validated log loss of each kind with one standard error either side, and the band within which
    the simplest kind wins.

    table : of `curves.choose`: kind, state, log_loss, standard_error, chosen; kinds not measured are named in
        the alt text

    Raises
    ------
    ValueError
        If no kind was measured.
    """
    known = table[table["state"] == "scored"].reset_index(drop=True)
    style.refuse_empty(known, "the table of kinds")
    best = known.loc[known["log_loss"].idxmin()]
    limit = best["log_loss"] + best["standard_error"]
    with style.sheet(style.height_of(len(known))) as (figure, axes):
        axes.axvspan(
            best["log_loss"],
            limit,
            color=colours.BAND,
            linewidth=0,
            label="within one standard error of the best",
        )
        for place, row in enumerate(known.itertuples()):
            paint = colours.CHOSEN if row.chosen else colours.INTERVAL
            axes.errorbar(
                row.log_loss,
                place,
                xerr=row.standard_error,
                color=paint,
                marker="D" if row.chosen else "o",
                markersize=5,
            )
        style.category_axis(
            axes,
            [style.label(f"{row.kind} (chosen)" if row.chosen else row.kind) for row in known.itertuples()],
        )
        axes.set(xlabel="cross-validated log loss (lower is better), one standard error either side")
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2)
    told = ", ".join(
        f"{style.alt_text(row.kind)} {row.log_loss:.3f} (standard error {row.standard_error:.3f})"
        for row in known.itertuples()
    )
    missing = [style.alt_text(kind) for kind in table["kind"][table["state"] != "scored"]]
    chosen = (
        ", ".join(style.alt_text(kind) for kind in known["kind"][known["chosen"].astype(bool)])
        or "none of them"
    )
    left = f" Not measured: {', '.join(missing)}." if missing else ""
    return Drawing(
        figure, f"Cross-validated log loss of n={len(known)} kinds of curve: {told}. Chosen: {chosen}.{left}"
    )


def level_probabilities(scores: ArrayLike, curve: Ordinal, *, unit: str = "score") -> Drawing:
    """How likely each level is along the score, stacked: the lowest level at the bottom, the share at a
    height is P(level <= it).

    scores : (n,) the scores to span; NaN are left out

    Raises
    ------
    ValueError
        If no score is measured.
    """
    x = style.finite_values(scores, "the scores")
    grid = np.linspace(x.min(), x.max(), POINTS)
    shares = curve.predict(grid)
    paints = np.linspace(0.12, 0.85, len(curve.levels))
    with style.sheet(3.4) as (figure, axes):
        axes.stackplot(
            grid,
            shares.T,
            labels=[f"level {level:g}" for level in curve.levels],
            colors=[colours.shade(depth) for depth in paints],
            edgecolor=colours.PAPER,
            linewidth=0.8,
        )
        axes.set(
            xlabel=style.label(unit, 80), ylabel="probability, stacked", ylim=(0, 1), xlim=(x.min(), x.max())
        )
        handles, names = axes.get_legend_handles_labels()
        axes.legend(handles[::-1], names[::-1], loc="center left", bbox_to_anchor=(1, 0.5))
    ends = [
        ", ".join(f"{level:g}: {share:.2f}" for level, share in zip(curve.levels, shares[end], strict=True))
        for end in (0, -1)
    ]
    return Drawing(
        figure,
        f"Probability of each of {len(curve.levels)} levels along {style.alt_text(unit, 100)}, fitted to "
        f"n={curve.n} labels: at the lowest score "
        f"({x.min():.3g}) {ends[0]}; at the highest ({x.max():.3g}) {ends[1]}.",
    )


def _shares(axes, x: np.ndarray, y: np.ndarray, bins: int) -> None:
    """Dots with intervals: the share of label 1 in each bin, at the bin's mean score; and the labels
    themselves as ticks."""
    width = np.ptp(x) or 1.0
    binned = probability_metrics.reliability((x - x.min()) / width, y, bins=bins)
    spread = np.abs(
        binned[["low", "high"]].to_numpy(dtype=float).T - binned["observed"].to_numpy(dtype=float)
    )
    at = x.min() + width * binned["probability"]
    axes.errorbar(
        at,
        binned["observed"],
        yerr=spread,
        color=colours.NOTE,
        marker="o",
        markersize=4,
        linestyle="none",
        elinewidth=1,
        label="share accepted",
    )
    for value, paint in ((1, colours.ACCEPTED), (0, colours.REJECTED)):
        chosen = x[y == value]
        axes.plot(
            chosen,
            np.full(len(chosen), value + (0.035 if value else -0.035)),
            "|",
            color=paint,
            markersize=5,
            alpha=0.5,
        )


def _told(x: np.ndarray, y: np.ndarray, fitted: Mapping[str, Calibrator], chosen: str, unit: str) -> str:
    quartiles = np.quantile(x, [0.25, 0.75])
    each = []
    for name, curve in fitted.items():
        low, high = curve.predict(quartiles)
        each.append(f"{style.alt_text(name)}{' (chosen)' if name == chosen else ''} {low:.2f} to {high:.2f}")
    return (
        f"Curves from {style.alt_text(unit, 100)} to the probability that a rater accepts, n={len(x)} "
        f"labels, {int(y.sum())} of them accepted. "
        f"Between the lower quartile of the score ({quartiles[0]:.3g}) and the upper ({quartiles[1]:.3g}): "
        f"{'; '.join(each)}."
    )
