"""Monotone functions of the score (HCAT 5.1: piecewise constant): isotonic regression as steps or with
straight lines between them (decision 19); boosted trees, kept as the steps they are."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragassay.calibration.calibrators.base import (
    Calibrator,
    check_scores_and_labels,
    correlation_sign,
    is_monotone,
    platt_targets,
)
from ragassay.stats.one_thread import one_thread

ROUNDS, RATE = 30, 0.1  # 60 trees were worse on held-out labels for 50 and 200 labels, equal for 2,000


@dataclass(frozen=True)
class StepFunction(Calibrator):
    """P(label = 1) by steps: values[i] for edges[i-1] < score <= edges[i]; monotone, never 0 or 1.

    edges : (m - 1,) ascending scores; values : (m,) probabilities; n : labels fitted
    """

    edges: tuple[float, ...]
    values: tuple[float, ...]
    n: int

    def __post_init__(self):
        self._need(
            len(self.values) == len(self.edges) + 1 and np.all(np.diff(self.edges) > 0),
            "one value more than edges, edges ascending",
        )
        self._need(is_monotone(self.values), "probabilities that only rise or only fall")

    @classmethod
    def through(cls, scores: NDArray, probability: NDArray, labels: NDArray) -> Self:
        """The steps through (m,) ascending scores with their probabilities: each halfway between two scores
        whose probabilities differ."""
        last = np.flatnonzero(np.diff(probability))
        halfway = scores[last] / 2 + scores[last + 1] / 2
        edges = np.where(halfway < scores[last + 1], halfway, scores[last])
        values = probability[np.r_[0, last + 1]]
        return cls(tuple(edges.tolist()), tuple(values.tolist()), len(labels))

    def _change(self) -> float:
        return self.values[-1] - self.values[0]

    def predict(self, scores: ArrayLike) -> NDArray:
        x = np.asarray(scores, dtype=float)
        steps = np.asarray(self.values)[np.searchsorted(self.edges, x, side="left")]
        return np.where(np.isnan(x), np.nan, steps)


@dataclass(frozen=True)
class Isotonic(StepFunction):
    """Isotonic regression as it is fitted, piecewise constant."""

    kind: ClassVar[str] = "isotonic"


@dataclass(frozen=True)
class InterpolatedIsotonic(Calibrator):
    """P(label = 1) by straight lines between the ends of isotonic regression's steps, level beyond the first
    and the last; monotone, never 0 or 1.

    at, values : score and probability of each knot, scores ascending; n : labels fitted
    """

    at: tuple[float, ...]
    values: tuple[float, ...]
    n: int
    kind: ClassVar[str] = "isotonic_interpolated"

    def __post_init__(self):
        self._need(
            len(self.at) == len(self.values) > 0 and np.all(np.diff(self.at) > 0),
            "one value per knot, knots ascending",
        )
        self._need(is_monotone(self.values), "probabilities that only rise or only fall")

    def _change(self) -> float:
        return self.values[-1] - self.values[0]

    def predict(self, scores: ArrayLike) -> NDArray:
        return np.interp(np.asarray(scores, dtype=float), self.at, self.values)


def fit_isotonic(scores: ArrayLike, labels: ArrayLike) -> Isotonic:
    """The monotone steps of least squared error, rising or falling by the sign of the rank correlation
    (rising where there is none).

    Fitted to Platt's targets instead of 0 and 1, which is the plain isotonic calibrator squeezed between
    1/(n- + 2) and (n+ + 1)/(n+ + 2): a run of equal labels at an end does not earn certainty. Equal scores
    share one probability; a step lies halfway between two labelled scores.

    Parameters and errors as in `logistic.fit`.

    Source: HCAT 5.1 (piecewise constant); Zadrozny, Elkan (2002), KDD, section 3; scikit-learn's
    IsotonicRegression; smoothed targets from Platt (1999).
    """
    at, values, y = _pooled(scores, labels)
    return Isotonic.through(at, values, y)


def fit_interpolated(scores: ArrayLike, labels: ArrayLike) -> InterpolatedIsotonic:
    """The same with straight lines from the end of one step to the beginning of the next, as scikit-learn's
    IsotonicRegression predicts. Parameters and errors as in `fit_isotonic`.
    """
    at, values, y = _pooled(scores, labels)
    return InterpolatedIsotonic(tuple(at.tolist()), tuple(values.tolist()), len(y))


def _pooled(scores: ArrayLike, labels: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
    """First and last score of each step, ascending, with their probabilities; and the labels."""
    from sklearn.isotonic import IsotonicRegression

    x, y = check_scores_and_labels(scores, labels)
    plain = IsotonicRegression(increasing=correlation_sign(x, y) > 0).fit(x, y)
    low, high = platt_targets(y)
    return plain.X_thresholds_, low + (high - low) * np.asarray(plain.y_thresholds_, dtype=float), y


@dataclass(frozen=True)
class Boosted(StepFunction):
    """Boosted trees of one score, as their steps."""

    kind: ClassVar[str] = "boosted"


def fit_boosted(scores: ArrayLike, labels: ArrayLike) -> Boosted:
    """Gradient boosted trees on the one score, monotone by the sign of the rank correlation, read off as
    steps.

    Trees of at most four leaves, each with at least 5 labels and 5 % of them, no early stopping. As a
    function of one score the model is a step function: its value at every labelled score is scikit-learn's,
    the step halfway between two labelled scores. The probabilities are squeezed between Platt's 1/(n- + 2)
    and (n+ + 1)/(n+ + 2). One thread, so the same input gives the same bits.

    Parameters and errors as in `logistic.fit`.

    Source: Friedman (2001), Annals of Statistics 29; scikit-learn's HistGradientBoostingClassifier with
    `monotonic_cst`.
    """
    x, y = check_scores_and_labels(scores, labels)
    distinct = np.unique(x)
    low, high = platt_targets(y)
    probability = low + (high - low) * _boosted(x, y, distinct)
    return Boosted.through(distinct, probability, y)


def _boosted(x: NDArray, y: NDArray, at: NDArray) -> NDArray:
    """Probabilities of the boosted model at the scores asked for, ascending or descending throughout."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(
        learning_rate=RATE, max_iter=ROUNDS, max_leaf_nodes=4, min_samples_leaf=max(5, len(x) // 20),
        monotonic_cst=[correlation_sign(x, y)], early_stopping=False, random_state=0,
    )  # fmt: skip
    with one_thread():
        found = correlation_sign(x, y) * model.fit(x[:, None], y).predict_proba(at[:, None])[:, 1]
    return np.abs(np.maximum.accumulate(found))  # monotone to the last bit
