"""Isotonic regression: the monotone steps nearest the labels; and straight lines between its steps, which is
another calibrator under another name (decision 19)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragassay.calibration.calibrators.base import (
    Calibrator,
    check_scores_and_labels,
    correlation_sign,
    is_monotone,
    platt_targets,
)
from ragassay.calibration.calibrators.steps import StepFunction


@dataclass(frozen=True)
class Isotonic(StepFunction):
    """Isotonic regression as it is fitted, piecewise constant."""

    kind: ClassVar[str] = "isotonic"


@dataclass(frozen=True)
class InterpolatedIsotonic(Calibrator):
    """P(label = 1) by straight lines between the ends of isotonic regression's steps, level beyond the first
    and the last; monotone, never 0 or 1.

    at, values : score and probability of each knot, scores ascending; n, n_positive : labels fitted, of which
        1
    """

    at: tuple[float, ...]
    values: tuple[float, ...]
    n: int
    n_positive: int
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

    def __str__(self) -> str:
        return (
            f"{self.kind}: probability {self.direction} with the score "
            f"from {self.values[0]:.3g} to {self.values[-1]:.3g} "
            f"over {len(self.at)} knots, n={self.n} labels, {self.n_positive} positive"
        )


def fit(scores: ArrayLike, labels: ArrayLike) -> Isotonic:
    """The monotone steps of least squared error, rising or falling by the sign of the rank correlation
    (rising where there is none).

    Fitted to Platt's targets instead of 0 and 1, which is the plain isotonic calibrator squeezed between
    1/(n- + 2) and (n+ + 1)/(n+ + 2): a run of equal labels at an end does not earn certainty. Equal scores
    share one probability; a step lies halfway between two labelled scores.

    Parameters
    ----------
    scores : (n,) finite machine scores
    labels : (n,) human labels, 0 or 1

    Raises
    ------
    LabelError
        As `logistic.fit`.

    Source
    ------
    HCAT 5.1 (piecewise constant); Zadrozny, Elkan (2002), KDD, section 3; scikit-learn's IsotonicRegression;
    smoothed targets from Platt (1999).
    """
    at, values, y = _pooled(scores, labels)
    return Isotonic.through(at, values, y)


def fit_interpolated(scores: ArrayLike, labels: ArrayLike) -> InterpolatedIsotonic:
    """The same with straight lines from the end of one step to the beginning of the next, as scikit-learn's
    IsotonicRegression predicts. Parameters and errors as in `fit`.
    """
    at, values, y = _pooled(scores, labels)
    return InterpolatedIsotonic(tuple(at.tolist()), tuple(values.tolist()), len(y), int(y.sum()))


def _pooled(scores: ArrayLike, labels: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
    """First and last score of each step, ascending, with their probabilities; and the labels."""
    from sklearn.isotonic import IsotonicRegression

    x, y = check_scores_and_labels(scores, labels)
    plain = IsotonicRegression(increasing=correlation_sign(x, y) > 0).fit(x, y)
    low, high = platt_targets(y)
    return plain.X_thresholds_, low + (high - low) * np.asarray(plain.y_thresholds_, dtype=float), y
