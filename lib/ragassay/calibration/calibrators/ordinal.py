"""Proportional odds: one score, ordered levels; every cut has the same slope and its own intercept."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from ragassay.calibration.calibrators.base import FEWEST_LABELS, FEWEST_PER_CLASS, Calibrator, check_pairs
from ragassay.errors import LabelError


@dataclass(frozen=True)
class Ordinal(Calibrator):
    """P(label >= grades[j]) = expit(slope * z - cuts[j - 1]) with z = (score - centre) / scale:
    monotone in the score at every cut.

    slope > 0: a higher score makes higher levels likelier. cuts : (k - 1,) ascending, in log-odds. grades :
    (k,) the levels, ascending
    centre, scale : mean and standard deviation of the scores fitted; counts : (k,) labels fitted, by level
    """

    slope: float
    cuts: tuple[float, ...]
    centre: float
    scale: float
    grades: tuple[float, ...]
    counts: tuple[int, ...]
    kind: ClassVar[str] = "ordinal"

    def __post_init__(self):
        fits = len(self.grades) == len(self.counts) == len(self.cuts) + 1 >= 2
        self._need(
            fits and np.all(np.diff(self.cuts) > 0) and np.all(np.diff(self.grades) > 0),
            "ascending cuts, one fewer than levels",
        )
        self._need(self.scale > 0, "a scale above 0")

    @property
    def levels(self) -> tuple[float, ...]:
        """The labels whose probability the calibrator gives, ascending."""
        return self.grades

    @property
    def n(self) -> int:
        """Labels fitted."""
        return sum(self.counts)

    def _change(self) -> float:
        return self.slope

    def predict(self, scores: ArrayLike) -> NDArray:
        """(n, k) probabilities of each level, rows summing to 1; a row of NaN where the score is NaN."""
        z = (np.asarray(scores, dtype=float) - self.centre) / self.scale
        above = expit(self.slope * z[:, None] - np.asarray(self.cuts))
        ends = np.where(np.isnan(above[:, :1]), np.nan, 1.0)
        return -np.diff(np.hstack([ends, above, 0 * ends]), axis=1)


def fit(scores: ArrayLike, labels: ArrayLike, *, levels: ArrayLike | None = None) -> Ordinal:
    """The proportional odds calibrator by maximum likelihood with smoothed targets.

    At every cut a label counts as Platt has it: as (n+ + 1)/(n+ + 2) of a yes or 1/(n- + 2) of one, n+ labels
    lying at or above the cut; what lies between two cuts is the level's weight. A level between others that
    nobody gave counts 1/(n + 2) in every row. So perfectly separated levels stay finite, and for two levels
    the calibrator is the logistic one.

    Parameters
    ----------
    scores : (n,) finite machine scores
    labels : (n,) human labels, each one of the levels
    levels : every level of the scale, any order; None takes those that occur

    Raises LabelError if a score or label is missing, a label is not one of the levels, there are fewer than
    10 labels or fewer than two levels with 3 labels each, or every score is the same.

    Source: McCullagh (1980), JRSS B 42, section 2; smoothing after Platt (1999), section 2.2.
    """
    x, y = check_pairs(scores, labels)
    grades = np.unique(np.asarray(y[~np.isnan(y)] if levels is None else levels, dtype=float))
    check_levels(y, grades)
    counts = (y[:, None] == grades).sum(axis=0)
    centre, scale = float(x.mean()), float(x.std())
    slope, cuts = _proportional_odds((x - centre) / scale, _targets(np.searchsorted(grades, y), counts))
    return Ordinal(slope, tuple(cuts.tolist()), centre, scale, tuple(grades.tolist()), tuple(counts.tolist()))


def check_levels(y: NDArray, grades: NDArray) -> None:
    """Raise LabelError for a label that is no level, fewer than 10 labels, or fewer than two levels with 3
    each.
    """
    bad = ~np.isin(y, grades)
    if bad.any():
        row = int(bad.argmax())
        expected = ", ".join(f"{grade:g}" for grade in grades)
        raise LabelError(
            "a label is not one of the levels",
            where=f"row {row}",
            found=y[row],
            expected=expected,
            do="leave missing labels out",
        )
    counts = (y[:, None] == grades).sum(axis=0)
    if len(y) < FEWEST_LABELS or (counts >= FEWEST_PER_CLASS).sum() < 2:
        raise LabelError(
            "too few labels to calibrate",
            found=f"{len(y)} labels: "
            + ", ".join(f"{count} of level {grade:g}" for grade, count in zip(grades, counts, strict=True)),
            expected=f"at least {FEWEST_LABELS}, and {FEWEST_PER_CLASS} of two levels each",
            do="label more answers, or report the score as uncalibrated",
        )


def _targets(place: NDArray, counts: NDArray) -> NDArray:
    """(n, k) weight of each level in each row, rows summing to 1."""
    n, above = counts.sum(), np.cumsum(counts[::-1])[::-1][1:]
    cumulative = np.where(
        place[:, None] >= np.arange(1, len(counts)), (above + 1) / (above + 2), 1 / (n - above + 2)
    )
    ends = np.ones((len(place), 1))
    weights = -np.diff(np.hstack([ends, cumulative, 0 * ends]), axis=1)
    weights[:, counts == 0] += 1 / (n + 2)
    return weights / weights.sum(axis=1, keepdims=True)


def _proportional_odds(z: NDArray, targets: NDArray) -> tuple[float, NDArray]:
    """Slope and ascending cuts with the least cross-entropy, over slope, first cut and the logarithms of the
    gaps between cuts.
    """
    start = np.zeros(targets.shape[1])
    start[1] = -np.log(max(targets[:, 1:].sum(), 1e-9) / targets[:, 0].sum())
    found = scipy.optimize.minimize(
        _loss,
        start,
        args=(z, targets),
        jac=True,
        method="BFGS",
        options={"gtol": 1e-9 * len(z), "maxiter": 2000},
    )
    if np.abs(found.jac).max() > 1e-5 * len(z):
        do = "look at the scores for extreme values"
        raise LabelError("the calibrator did not converge", found=found.message, do=do)
    return float(found.x[0]), _cuts(found.x)


def _cuts(parameters: NDArray) -> NDArray:
    return np.cumsum(np.r_[parameters[1], np.exp(parameters[2:])])


def _loss(parameters: NDArray, z: NDArray, targets: NDArray) -> tuple[float, NDArray]:
    """Cross-entropy and its gradient; P(level) = expit(upper) expit(-lower) (1 - exp(-gap)) between two cuts
    `gap` apart.
    """
    gaps = np.exp(parameters[2:])
    odds = parameters[0] * z[:, None] - _cuts(parameters)
    over, under, between = targets[:, 1:], targets[:, :-1], targets[:, 1:-1].sum(axis=0)
    loss = (over * np.logaddexp(0, -odds) + under * np.logaddexp(0, odds)).sum() - between @ np.log(
        -np.expm1(-gaps)
    )
    by_odds = under * expit(odds) - over * expit(-odds)
    by_cut = -by_odds.sum(axis=0)
    from_each_cut_on = np.cumsum(by_cut[::-1])[::-1]
    by_gap = gaps * (from_each_cut_on[1:] - between * np.exp(-gaps) / -np.expm1(-gaps))
    return float(loss), np.r_[z @ by_odds.sum(axis=1), from_each_cut_on[0], by_gap]
