"""Can the scores be believed? Reliability, the regions of the prediction sets (HCAT figure 4), coverage over
splits."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ragassay.figures import colours, style
from ragassay.figures.style import Drawing
from ragassay.stats import percent_text

DECIDERS = {"reject": "rule rejects", "review": "people decide", "accept": "rule accepts"}


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
    with style.sheet(3.5, rows=2, height_ratios=(4, 1), sharex=True) as (figure, (axes, below)):
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
    scores: ArrayLike,
    probability: ArrayLike,
    labels: ArrayLike,
    q_hat: float,
    *,
    decisions: Sequence[str] | None = None,
    unit: str = "score",
) -> Drawing:
    """What raters accept and reject along the score, and who decides where: the machine rejects, people
    decide, the machine accepts (HCAT figure 4).

    scores, probability, labels : (n,) each; a NaN label is not drawn. q_hat : the threshold of the residual
        |y - p|, infinite leaves everything to review. decisions : (n,) those taken, which are counted: each
        by the threshold of the others, unlike at a border; None counts what q_hat decides

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
    bands = _bands(q_hat)
    zones = [_decision(each, bands) for each in p]
    taken = zones if decisions is None else list(np.asarray(decisions)[known])
    order = np.argsort(x, kind="stable")
    with style.sheet(2.5) as (figure, axes):
        axes.set(xlabel=style.label(unit, 80), ylim=(-0.6, 1.6), xlim=style.padded_limits(x.min(), x.max()))
        _zones(axes, x[order], [zones[place] for place in order], taken)
        _labels(axes, x, y)
    counts = {name: taken.count(name) for name, *_ in bands}
    told = ", ".join(f"{name} {count} ({percent_text(count / len(p))})" for name, count in counts.items())
    return Drawing(
        figure,
        f"Calibrated probability against {style.alt_text(unit, 100)} for n={len(p)} cases, "
        f"{int(np.isfinite(y).sum())} of them labelled "
        f"({int((y == 1).sum())} accepted, {int((y == 0).sum())} rejected by a rater). With a threshold of "
        f"{q_hat:.3g} the rule may "
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


def _bands(q_hat: float) -> list[tuple[str, float, float]]:
    """Decisions and their bands of probability: review lies between q_hat and 1 - q_hat, whichever is the
    lower."""
    lower, upper = (-np.inf, np.inf) if q_hat >= 1 else sorted((q_hat, 1 - q_hat))
    return [("reject", -np.inf, lower), ("review", lower, upper), ("accept", upper, np.inf)]


def _decision(p: float, bands: list[tuple[str, float, float]]) -> str:
    return next(name for name, low, high in bands if low <= p < high)


def _zones(axes, x: np.ndarray, decisions: list[str], taken: list[str]) -> None:
    """The stretches of the score in which one decision holds, named above with the share so decided and the
    score at which they begin or end."""
    starts = [0, *(place for place in range(1, len(x)) if decisions[place] != decisions[place - 1])]
    edges = [axes.get_xlim()[0], *((x[at - 1] + x[at]) / 2 for at in starts[1:]), axes.get_xlim()[1]]
    for place, (at, left, right) in enumerate(zip(starts, edges[:-1], edges[1:], strict=True)):
        name = decisions[at]
        axes.axvspan(left, right, color=colours.REGIONS[name], linewidth=0, zorder=0)
        if place:
            axes.axvline(left, color=colours.REFERENCE, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
        border = f"\nfrom {left:.2f}" if place else f"\nbelow {right:.2f}" if starts[1:] else ""
        border = "" if name == "review" else border
        said = f"{DECIDERS[name]}\n{percent_text(taken.count(name) / len(x))} (n={taken.count(name)}){border}"
        if decisions.index(name) == at:
            _over(axes, said, (left + right) / 2, is_narrow=right - left < 0.2 * (edges[-1] - edges[0]))


def _over(axes, words: str, place: float, *, is_narrow: bool) -> None:
    """Words over the axes; those of a narrow stretch stand at its side that has room."""
    low, high = axes.get_xlim()
    side = "center" if not is_narrow else "left" if place < (low + high) / 2 else "right"
    place = place if not is_narrow else max(low, place - 0.1 * (high - low)) if side == "left" else high
    axes.annotate(
        words,
        (place, 1),
        xycoords=("data", "axes fraction"),
        xytext=(0, 4),
        textcoords="offset points",
        ha=side,
        va="bottom",
        fontsize=style.SMALL,
        annotation_clip=False,
    )


def _labels(axes, x: np.ndarray, y: np.ndarray) -> None:
    """A row of dots for what raters accept, one of crosses for what they reject, named at the left."""
    rows = ((1, colours.ACCEPTED, "o", "raters accept"), (0, colours.REJECTED, "X", "raters reject"))
    for value, paint, marker, _ in rows:
        chosen = y == value
        axes.scatter(
            x[chosen],
            value + style.jitter(int(chosen.sum()), 0.25, value),
            s=18,
            c=paint,
            marker=marker,
            alpha=0.75,
            linewidths=0,
            zorder=3,
        )
    axes.set_yticks([row[0] for row in rows], [f"{row[3]}\n(n={int((y == row[0]).sum())})" for row in rows])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
