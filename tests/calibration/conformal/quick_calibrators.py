"""What the tests of full and cross-conformal sets share: a quick calibrator, one that never moves, and simulated cases."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

NEWTON_STEPS, RIDGE = 4, 1.0


@dataclass(frozen=True)
class Line:
    """A logistic calibrator fitted in a few Newton steps with a ridge: quick, and content with one label."""

    weights: NDArray

    def predict(self, scores):
        return expit(self.weights[0] + self.weights[1] * np.asarray(scores, dtype=float))


def quick(x, y):
    constant, slope = 0.0, 0.0
    for _ in range(NEWTON_STEPS):
        p = expit(constant + slope * x)
        left, spread = p - y, p * (1 - p)
        away = spread * x
        a, b, c = spread.sum() + RIDGE, away.sum(), away @ x + RIDGE  # the Hessian [[a, b], [b, c]]
        first, second = left.sum() + RIDGE * constant, left @ x + RIDGE * slope  # the gradient
        constant -= (c * first - b * second) / (a * c - b * b)
        slope -= (a * second - b * first) / (a * c - b * b)
    return Line(np.array([constant, slope]))


class Fixed:
    """A calibrator that no label moves."""

    def predict(self, scores):
        return expit(np.asarray(scores, dtype=float))


def never_moved(_x, _y):
    return Fixed()


def cases(n, draw, *, ties=False, slope=1.5):
    z = 1.5 * draw.normal(size=n)
    z = np.round(z) if ties else z
    return z, (draw.random(n) < expit(slope * z - 0.5)).astype(float)


def cross_guarantee(n, folds, alpha):
    """Coverage that cross-conformal prediction promises whatever the calibrator (Barber et al. 2021, theorem 4)."""
    uneven = min(2 * (1 - 1 / folds) / (n / folds + 1), (1 - folds / n) / (folds + 1))
    return max(0.0, 1 - 2 * alpha - uneven)
