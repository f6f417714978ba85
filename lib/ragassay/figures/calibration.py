"""Can the scores be believed? Reliability, the regions of the prediction sets (HCAT figure 4), coverage over
splits."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ragassay.figures import colours, style
from ragassay.figures.style import Drawing


def reliability_diagram(table: pd.DataFrame, probability: ArrayLike | None = None) -> Drawing:
    """Promised probability against the share a rater accepted, with intervals, and the probabilities
    themselves beneath.

    table : of `probability_metrics.reliability` (probability, observed, low, high, n); probability : (n,) the
        probabilities, for the histogram;
    None draws the bins' n instead

    Raises
    ------
    ValueError
        If the table has no row.
    """
    style.refuse_empty(table, "the table of reliability")
    with style.sheet(4.4, rows=2, height_ratios=(4, 1), sharex=True) as (figure, (axes, below)):
        _promises_and_shares(axes, table)
        axes.set(xlim=(0, 1), ylim=(0, 1), ylabel="share accepted by a rater\n(95 % interval)")
        axes.grid()
        _probabilities(below, table, probability)
    n, gap = int(table["n"].sum()), (table["probability"] - table["observed"]).to_numpy(dtype=float)
    inside = ((table["low"] <= table["probability"]) & (table["probability"] <= table["high"])).sum()
    return Drawing(
        figure,
        f"Reliability diagram, n={n} labelled cases in {len(table)} bins: in {inside} of {len(table)} bins "
        "the promised probability "
        f"lies within the 95 % interval of the share accepted; the largest gap is {np.abs(gap).max():.2f}, "
        "the mean gap "
        f"{np.average(gap, weights=table['n']):+.2f} (above 0 is over-confident).",
    )


def _promises_and_shares(axes, table: pd.DataFrame) -> None:
    """The line of perfect calibration, and the share of each bin with its interval."""
    axes.plot([0, 1], [0, 1], color=colours.NOTE, linewidth=0.8, linestyle=(0, (4, 3)))
    axes.annotate(
        "perfect",
        (0.13, 0.13),
        xytext=(-4, 3),
        textcoords="offset points",
        ha="right",
        fontsize=style.SMALL,
        color=colours.NOTE,
    )
    spread = np.abs(table[["low", "high"]].to_numpy(dtype=float).T - table["observed"].to_numpy(dtype=float))
    axes.errorbar(
        table["probability"],
        table["observed"],
        yerr=spread,
        color=colours.INTERVAL,
        marker="o",
        markersize=5,
        linestyle="none",
        elinewidth=1.3,
    )


def conformal_regions(
    scores: ArrayLike, probability: ArrayLike, labels: ArrayLike, q_hat: float, *, unit: str = "score"
) -> Drawing:
    """The calibrated probability, the human labels at 0 and 1, and who decides where:
    accept, review, reject (HCAT
    figure 4).

    scores, probability, labels : (n,) each; a NaN label is a case no human saw: on the curve only. q_hat :
        the threshold of the
    residual |y - p|: label 1 is in the set where p >= 1 - q_hat, label 0 where p <= q_hat; infinite leaves
    everything to review

    Raises
    ------
    ValueError
        If no score has a probability, or q_hat is NaN or negative.
    """
    if not q_hat >= 0:
        raise ValueError(f"q_hat must be 0 or more; found {q_hat}")
    x, p, y = (np.asarray(each, dtype=float) for each in (scores, probability, labels))
    known = np.isfinite(x) & np.isfinite(p)
    style.finite_values(x[known], "the scores with a probability")
    x, p, y = x[known], p[known], y[known]
    with style.sheet(3.7) as (figure, axes):
        regions = _regions(axes, q_hat, left=np.corrcoef(x, p)[0, 1] > 0 if np.ptp(x) and np.ptp(p) else True)
        order = np.argsort(x, kind="stable")
        axes.plot(x[order], p[order], color=colours.CHOSEN, linewidth=1.8, zorder=4)
        _labels(axes, x, y)
        axes.set(
            xlabel=style.label(unit, 80),
            ylabel="probability that a rater accepts",
            ylim=(-0.1, 1.1),
            xlim=style.padded_limits(x.min(), x.max()),
            yticks=np.linspace(0, 1, 6),
        )
    counts = {name: int(((p >= low) & (p < high)).sum()) for name, low, high in regions}
    told = ", ".join(f"{name} {count} ({count / len(p):.0%})" for name, count in counts.items())
    return Drawing(
        figure,
        f"Calibrated probability against {style.alt_text(unit, 100)} for n={len(p)} cases, "
        f"{int(np.isfinite(y).sum())} of them labelled "
        f"({int((y == 1).sum())} accepted, {int((y == 0).sum())} rejected by a rater). With a threshold of "
        f"{q_hat:.3g} the machine may "
        f"decide outside the review region: {told}.",
    )


def coverage_over_splits(values: ArrayLike, nominal: float) -> Drawing:
    """Coverage of the prediction sets over many random splits, against the coverage promised.

    values : (s,) shares in [0, 1], one per split

    Raises
    ------
    ValueError
        If no split has a coverage.
    """
    known = style.finite_values(values, "the coverage over splits")
    mean, edges = (
        float(known.mean()),
        np.linspace(*style.padded_limits(min(known.min(), nominal), max(known.max(), nominal), 0.02), 25),
    )
    with style.sheet(2.6) as (figure, axes):
        axes.hist(known, bins=edges, color=colours.OUTLINE, edgecolor=colours.PAPER, linewidth=0.6)
        axes.axvline(nominal, color=colours.REFERENCE, linewidth=1.2, linestyle=(0, (4, 3)))
        axes.axvline(mean, color=colours.MEAN, linewidth=1.6)
        sides = ("right", "left") if mean < nominal else ("left", "right")
        _above(axes, f"mean {mean:.3f}", mean, sides[0], colours.MEAN)
        _above(axes, f"promised {nominal:.2f}", nominal, sides[1], colours.REFERENCE)
        axes.set(
            xlabel="coverage: share of prediction sets that hold the rater's label",
            ylabel=f"splits (n={len(known)})",
        )
        axes.yaxis.get_major_locator().set_params(integer=True)
    low, high = np.quantile(known, [0.025, 0.975])
    return Drawing(
        figure,
        f"Histogram of coverage over n={len(known)} random splits: mean {mean:.3f} against a promised "
        f"{nominal:.2f}; central 95 % of "
        f"the splits from {low:.2f} to {high:.2f}.",
    )


def _above(axes, words: str, place: float, side: str, paint: str) -> None:
    """Words over a line, ending or beginning at it."""
    axes.annotate(
        words,
        (place, 1),
        xycoords=("data", "axes fraction"),
        xytext=(-3 if side == "right" else 3, 2),
        textcoords="offset points",
        ha=side,
        va="bottom",
        color=paint,
    )


def _probabilities(axes, table: pd.DataFrame, probability: ArrayLike | None) -> None:
    if probability is None:
        axes.bar(table["probability"], table["n"], width=0.015, color=colours.OUTLINE)
    else:
        known = style.finite_values(probability, "the probabilities")
        axes.hist(
            known,
            bins=np.linspace(0, 1, 21).tolist(),
            color=colours.OUTLINE,
            edgecolor=colours.PAPER,
            linewidth=0.6,
        )
    axes.set(xlabel="probability promised", ylabel="cases")
    axes.yaxis.get_major_locator().set_params(nbins=2, integer=True)


def _regions(axes, q_hat: float, left: bool) -> list[tuple[str, float, float]]:
    """Bands of probability and their names: review lies between q_hat and 1 - q_hat, whichever is the
    lower."""
    lower, upper = (-np.inf, np.inf) if q_hat >= 1 else sorted((q_hat, 1 - q_hat))
    bands = [("reject", -np.inf, lower), ("review", lower, upper), ("accept", upper, np.inf)]
    for name, low, high in bands:
        start, end = max(low, -0.1), min(high, 1.1)
        if end > start:
            axes.axhspan(start, end, color=colours.REGIONS[name], linewidth=0, zorder=0)
            axes.annotate(
                name,
                (0.012 if left else 0.988, (start + end) / 2),
                xycoords=("axes fraction", "data"),
                ha="left" if left else "right",
                va="center",
                fontsize=style.SIZE,
                color=colours.NOTE,
                fontweight="bold",
            )
    if q_hat < 1:
        for name, place in (("threshold", q_hat), ("1 − threshold", 1 - q_hat)):
            axes.axhline(place, color=colours.REFERENCE, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
            axes.annotate(
                f"{name}\n= {place:.2f}",
                (1.01, place),
                xycoords=("axes fraction", "data"),
                va="center",
                fontsize=style.SMALL,
                annotation_clip=False,
            )
    return bands


def _labels(axes, x: np.ndarray, y: np.ndarray) -> None:
    for value, paint, marker, words in (
        (1, colours.ACCEPTED, "o", "accepted by a rater"),
        (0, colours.REJECTED, "X", "rejected by a rater"),
    ):
        chosen = y == value
        axes.scatter(
            x[chosen],
            value + style.jitter(int(chosen.sum()), 0.05, value),
            s=16,
            c=paint,
            marker=marker,
            alpha=0.6,
            linewidths=0,
            zorder=3,
        )
        _beside(axes, f"{words}\n(n={int(chosen.sum())})", value, paint)


def _beside(axes, words: str, height: float, paint: str) -> None:
    """Words at the right of the axes, at a height of the data, in the colour of what they name."""
    axes.annotate(
        words,
        (1.01, height),
        xycoords=("axes fraction", "data"),
        va="center",
        fontsize=style.SMALL,
        color=paint,
        annotation_clip=False,
    )
