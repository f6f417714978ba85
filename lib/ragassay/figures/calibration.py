"""Can the scores be believed? Reliability, and the regions of the prediction sets (HCAT figure 4)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ragassay.calibration.conformal import decide, sets
from ragassay.figures import colours, style
from ragassay.figures.style import Drawing
from ragassay.stats import percent_text
from ragassay.tables import DECISIONS

DECIDERS = {"reject": "rule rejects", "review": "people decide", "accept": "rule accepts"}


def reliability_diagram(table: pd.DataFrame, probability: ArrayLike) -> Drawing:
    """Promised probability against the share a rater accepted, with intervals, and the probabilities
    themselves beneath.

    table : of `probability_metrics.reliability` (probability, observed, low, high, n); probability : (n,) the
        probabilities, for the histogram

    Raises ValueError if the table has no row.
    """
    style.refuse_empty(table, "the table of reliability")
    with style.sheet(3.5, rows=2, height_ratios=(4, 1), sharex=True) as (figure, (axes, below)):
        _promises_and_shares(axes, table)
        axes.set(xlim=(0, 1), ylim=(0, 1), ylabel="share accepted by a rater\n(95 % interval)")
        axes.grid()
        _probabilities(below, probability)
    n, gap = int(table["n"].sum()), float((table["probability"] - table["observed"]).abs().max())
    return Drawing(figure, f"Reliability diagram, n={n} in {len(table)} bins, largest gap {gap:.2f}.")


def _promises_and_shares(axes, table: pd.DataFrame) -> None:
    """The line of perfect calibration, and the share of each bin with its interval."""
    axes.plot([0, 1], [0, 1], color=colours.NOTE, linewidth=0.8, linestyle=(0, (4, 3)))
    style.write(axes, "perfect", (0.13, 0.13), shift=(-4, 3), ha="right", color=colours.NOTE)
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
    q_hat: float | ArrayLike,
    *,
    unit: str = "score",
) -> Drawing:
    """What raters accept and reject along the score, and who decides where: the machine rejects, people
    decide, the machine accepts (HCAT figure 4).

    scores, probability, labels : (n,) each; a NaN label is not drawn. q_hat : the threshold of the residual
        |y - p|, or a pair for label 0 and label 1; infinite rules nothing out

    Raises ValueError if no score has a probability, or q_hat is NaN.
    """
    x, p, y = (np.asarray(each, dtype=float) for each in (scores, probability, labels))
    known = np.isfinite(x) & np.isfinite(p)
    style.finite_values(x[known], "the scores with a probability")
    x, p, y = x[known], p[known], y[known]
    zones = [decide(each) for each in sets(p, np.broadcast_to(q_hat, (1, 2)))]
    order = np.argsort(x, kind="stable")
    with style.sheet(2.5) as (figure, axes):
        axes.set(xlabel=style.label(unit, 80), ylim=(-0.6, 1.6), xlim=style.padded_limits(x.min(), x.max()))
        _zones(axes, x[order], [zones[place] for place in order])
        _labels(axes, x, y)
    return Drawing(figure, f"Conformal regions, n={len(p)}: {_counted(zones)}.")


def _probabilities(axes, probability: ArrayLike) -> None:
    known = style.finite_values(probability, "the probabilities")
    bins = np.linspace(0, 1, 21).tolist()
    axes.hist(known, bins=bins, color=colours.OUTLINE, edgecolor=colours.PAPER, linewidth=0.6)
    axes.set(xlabel="probability promised", ylabel="cases")
    axes.yaxis.get_major_locator().set_params(nbins=2, integer=True)


def _zones(axes, x: np.ndarray, decisions: list[str]) -> None:
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
        n = decisions.count(name)
        said = f"{DECIDERS[name]}\n{percent_text(n / len(x))} (n={n}){border}"
        if decisions.index(name) == at:
            _over(axes, said, (left + right) / 2, is_narrow=right - left < 0.2 * (edges[-1] - edges[0]))


def _over(axes, words: str, place: float, *, is_narrow: bool) -> None:
    """Words over the axes; those of a narrow stretch stand at its side that has room."""
    low, high = axes.get_xlim()
    side = "center" if not is_narrow else "left" if place < (low + high) / 2 else "right"
    place = place if not is_narrow else max(low, place - 0.1 * (high - low)) if side == "left" else high
    style.write(axes, words, (place, 1), fractions="y", shift=(0, 4), ha=side, va="bottom")


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


def _counted(decisions: Sequence[str]) -> str:
    """How many answers have each decision, and their share."""
    return ", ".join(
        f"{name} {decisions.count(name)} ({percent_text(decisions.count(name) / len(decisions))})"
        for name in DECISIONS
    )
