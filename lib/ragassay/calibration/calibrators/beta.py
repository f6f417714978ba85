"""Beta calibration: log-odds straight in log(s) and log(1 - s);
bends where the logistic cannot, keeps the identity as a special case.
"""

from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from ragassay.calibration.calibrators.base import (
    Calibrator,
    check_scores_and_labels,
    correlation_sign,
    cross_entropy,
    fit_logistic,
    smoothed_targets,
)
from ragassay.errors import LabelError


@dataclass(frozen=True)
class Beta(Calibrator):
    """P(label = 1) = expit(c + a log(s) - b log(1 - s)) with s = (score - low) / (high - low), monotone in
    the score.

    a, b : both >= 0 (the calibrator rises) or both <= 0 (it falls); a = b = 1, c = 0 on [0, 1] is the
        identity
    low, high : the ends of the scale; s is kept at least `margin` away from 0 and 1, so scores beyond the
        ends stay finite
    n : labels fitted
    """

    a: float
    b: float
    c: float
    low: float
    high: float
    margin: float
    n: int
    kind: ClassVar[str] = "beta"

    def __post_init__(self):
        self._need(
            self.low < self.high and 0 < self.margin < 0.5 and self.a * self.b >= 0,
            "low < high, margin in (0, 0.5), a * b >= 0",
        )

    def _change(self) -> float:
        return self.a + self.b

    def predict(self, scores: ArrayLike) -> NDArray:
        left, right = _logs(scores, self.low, self.high, self.margin)
        return expit(self.c + self.a * left + self.b * right)


def fit(scores: ArrayLike, labels: ArrayLike) -> Beta:
    """The beta calibrator by maximum likelihood with Platt's targets;
    a and b kept of the sign of the rank correlation.

    Scaling to (0, 1): the ends are the smallest and the largest labelled score, each moved out by (largest
    - smallest)/(n - 1), where the ends of a uniform scale would be looked for. s is kept 1/(2(n + 1)) away
    from 0 and 1: n labels cannot tell scores beyond apart.

    Parameters and errors as in `logistic.fit`; LabelError too for fewer than three different scores, which
    three parameters cannot be fitted to.

    Source: Kull, Silva Filho, Flach (2017), Beta calibration, AISTATS, section 3; smoothed targets from Platt
    (1999).
    """
    x, y = check_scores_and_labels(scores, labels)
    if len(np.unique(x)) < 3:
        raise LabelError(
            "the beta calibrator has three parameters",
            found=f"{len(np.unique(x))} different scores",
            expected="3 or more",
        )
    out = float(np.ptp(x)) / (len(x) - 1)
    low, high = float(x.min()) - out, float(x.max()) + out
    margin = 1 / (2 * (len(x) + 1))
    a, b, c = _constrained(
        np.column_stack(_logs(x, low, high, margin)), smoothed_targets(y), correlation_sign(x, y)
    )
    return Beta(a, b, c, low, high, margin, len(y))


def _logs(scores: ArrayLike, low: float, high: float, margin: float) -> tuple[NDArray, NDArray]:
    s = np.clip((np.asarray(scores, dtype=float) - low) / (high - low), margin, 1 - margin)
    return np.log(s), -np.log1p(-s)


def _constrained(logs: NDArray, targets: NDArray, sign: int) -> tuple[float, float, float]:
    """a, b of the sign given and c, with the least loss:
    the problem is convex, so the best of the four faces it may lie on.
    """
    found = [_on_face(logs, targets, np.array(free)) for free in product([True, False], repeat=2)]
    allowed = [each for each in found if sign * each[0] >= 0 and sign * each[1] >= 0]
    a, b, c = min(allowed, key=lambda each: cross_entropy(each[2] + logs @ np.array(each[:2]), targets))
    return a, b, c


def _on_face(logs: NDArray, targets: NDArray, free: NDArray) -> tuple[float, float, float]:
    """The best a, b, c with those not free held at 0; fitted per standard deviation, given back per unit."""
    size = logs.std(axis=0)
    fitted = fit_logistic(((logs - logs.mean(axis=0)) / size)[:, free], targets)
    ab = np.zeros(2)
    ab[free] = fitted[1:] / size[free]
    return float(ab[0]), float(ab[1]), float(fitted[0] - ab @ logs.mean(axis=0))
