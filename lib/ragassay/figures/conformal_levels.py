"""Prediction sets on a scale of levels: which levels stay possible for each answer, and who decides (HCAT
figure 4, for 1 to 5)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragassay.calibration.conformal import coverage, ordinal
from ragassay.figures import colours, style
from ragassay.figures.style import Drawing
from ragassay.stats import percent_text
from ragassay.tables import DECISIONS


def conformal_levels(
    scores: ArrayLike,
    prediction_sets: Sequence[Sequence[float]],
    labels: ArrayLike,
    levels: Sequence[float],
    *,
    accept_from: float,
    unit: str = "score",
) -> Drawing:
    """One upright bar per answer over the levels of its set, coloured by the decision; the human levels as
    dots, crosses where missed.

    scores, labels : (n,) each; a NaN label is a case no human saw. prediction_sets : of
        `conformal.ordinal.sets`, n of them
    levels : the scale, ascending; accept_from : the lowest level that counts as accepted, drawn as a broken
        line beneath it

    Raises
    ------
    ValueError
        If no score is known, the lengths differ, or a set holds a level that is not on the scale.
    """
    x, y = np.asarray(scores, dtype=float), np.asarray(labels, dtype=float)
    sets = [sorted(each) for each in prediction_sets]
    _check(x, y, sets, levels)
    style.finite_values(x, "the scores of the prediction sets")
    known = np.isfinite(x)
    x, y, sets = x[known], y[known], [each for each, kept in zip(sets, known, strict=True) if kept]
    decisions = [ordinal.decide(each, accept_from) for each in sets]
    with style.sheet(3.4) as (figure, axes):
        _bars(axes, x, sets, decisions, np.asarray(levels, dtype=float))
        _dots(axes, x, y, sets)
        axes.axhline(
            _edges(np.asarray(levels, dtype=float), accept_from)[0],
            color=colours.REFERENCE,
            linewidth=0.8,
            linestyle=(0, (4, 3)),
        )
        axes.set(
            xlabel=style.label(unit, 80),
            ylabel="level a rater gives",
            yticks=list(levels),
            xlim=style.padded_limits(x.min(), x.max()),
        )
        axes.legend(
            loc="lower left",
            bbox_to_anchor=(0, 1),
            ncols=5,
            borderaxespad=0.2,
            handletextpad=0.2,
            columnspacing=1.0,
        )
    return Drawing(figure, _alt(sets, y, decisions, accept_from, unit))


def _check(x: NDArray, y: NDArray, sets: list[list[float]], levels: Sequence[float]) -> None:
    if not len(x) == len(y) == len(sets):
        raise ValueError(
            f"every score needs one set and one label; found {len(x)} scores, {len(sets)} sets, {len(y)} "
            "labels"
        )
    if not set().union(*sets) <= set(levels):
        raise ValueError(
            f"sets must hold levels of the scale {list(levels)}; found "
            f"{sorted(set().union(*sets) - set(levels))[:5]}"
        )


def _bars(axes, x: NDArray, sets: list[list[float]], decisions: list[str], scale: NDArray) -> None:
    for decision in DECISIONS:
        chosen = [row for row, each in enumerate(decisions) if each == decision]
        spans = [(x[row], *_edges(scale, level)) for row in chosen for level in sets[row]]
        place, low, high = np.array(spans).T if spans else np.empty((3, 0))
        axes.vlines(
            place,
            low,
            high,
            color=colours.DECISIONS[decision],
            linewidth=1.6,
            alpha=0.45,
            label=f"{decision} ({len(chosen)})",
        )


def _dots(axes, x: NDArray, y: NDArray, sets: list[list[float]]) -> None:
    held = np.array([label in each for label, each in zip(y, sets, strict=True)], dtype=bool)
    for chosen, marker, words in ((held, "o", "level in its set"), (np.isfinite(y) & ~held, "X", "missed")):
        height = y[chosen] + style.jitter(int(chosen.sum()), 0.12, int(marker == "X"))
        axes.scatter(
            x[chosen],
            height,
            s=12,
            c=colours.TEXT,
            marker=marker,
            linewidths=0,
            zorder=3,
            label=f"{words} ({int(chosen.sum())})",
        )


def _edges(scale: NDArray, level: float) -> tuple[float, float]:
    """Half way to the neighbouring levels."""
    half = float(np.diff(scale).min()) / 2
    return level - half, level + half


def _alt(sets: list[list[float]], y: NDArray, decisions: list[str], accept_from: float, unit: str) -> str:
    overall = coverage(sets, y).iloc[0]
    told = ", ".join(
        f"{name} {decisions.count(name)} ({percent_text(decisions.count(name) / len(sets))})"
        for name in DECISIONS
    )
    kept = (
        f"{overall.covered} of {overall.n} labelled cases have their level in the set"
        if overall.n
        else "no case is labelled"
    )
    return (
        f"Prediction sets of levels against {style.alt_text(unit, 100)} for n={len(sets)} cases, accepted "
        f"from level {accept_from:g}: {told}. "
        f"{np.mean([len(each) for each in sets]):.2f} levels per set on average, "
        f"{sum(not each for each in sets)} sets empty; {kept}."
    )
