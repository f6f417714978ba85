"""The one optimiser: least cross-entropy of a logistic model, and Platt's targets."""

import numpy as np
from numpy.typing import NDArray
from scipy import optimize
from scipy.special import expit

from ragassay.errors import LabelError


def platt_targets(labels: NDArray) -> tuple[float, float]:
    """What a label 0 and a label 1 count as: 1/(n- + 2) and (n+ + 1)/(n+ + 2), so never 0 or 1 (Platt 1999, section 2.2)."""
    positive = int(labels.sum())
    return 1 / (len(labels) - positive + 2), (positive + 1) / (positive + 2)


def smoothed(labels: NDArray) -> NDArray:
    """(n,) Platt's target of each 0/1 label."""
    low, high = platt_targets(labels)
    return np.where(labels == 1, high, low)


def least_cross_entropy(features: NDArray, targets: NDArray, penalty: float = 0.0) -> NDArray:
    """(1 + m,) intercept and coefficients of the (n, m) features with the least cross-entropy, plus penalty/2 times their squares.

    Convex, and finite since every target lies inside (0, 1). The intercept is not penalised. Features should be of unit size.
    """
    design = np.column_stack([np.ones(len(features)), features])
    ridge = np.r_[0.0, np.full(design.shape[1] - 1, penalty)]

    def loss(beta):
        return float(np.sum(np.logaddexp(0, design @ beta) - targets * (design @ beta)) + ridge @ beta**2 / 2)

    def gradient(beta):
        return design.T @ (expit(design @ beta) - targets) + ridge * beta

    def hessian(beta):
        weight = expit(design @ beta) * expit(-(design @ beta))
        return design.T @ (weight[:, None] * design) + np.diag(ridge)

    start = np.zeros(design.shape[1])
    found = optimize.minimize(
        loss, start, jac=gradient, hess=hessian, method="trust-exact", options={"gtol": 1e-10 * len(design)}
    )
    if np.abs(gradient(found.x)).max() > 1e-6 * len(design):
        raise LabelError(
            "the curve did not converge", found=found.message, do="look at the scores for extreme values"
        )
    return found.x


def cross_entropy(log_odds: NDArray, targets: NDArray) -> float:
    """Summed loss of probabilities expit(log_odds) for targets in [0, 1]; lower is better."""
    return float(np.sum(np.logaddexp(0, log_odds) - targets * log_odds))
