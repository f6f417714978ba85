"""Split conformal sets for two labels: scores of held-out cases set the threshold, new cases get the labels below it (HCAT 5.2)."""

from math import nan

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logit

KINDS = ("residual", "negative_logit")


def nonconformity(probability: ArrayLike, label: ArrayLike, kind: str = "residual") -> NDArray:
    """(n,) how badly a label fits its probability; higher is worse; NaN where either is NaN.

    residual : |y - p| = 1 - P(Y = y), in [0, 1]
    negative_logit : -logit P(Y = y), in [-inf, inf]; 0 at p = 0.5

    For two labels the second is an increasing function of the first, so both lead to the same sets; they differ in how far apart
    confident cases lie, which matters for figures and ties only.

    Parameters
    ----------
    probability : (n,) of label 1, in [0, 1]
    label : (n,) or scalar, 0 or 1

    Source
    ------
    HCAT section 5.2, step 1 (residual); Angelopoulos, Bates (2023), section 1 (any monotone score).
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}; found {kind!r}")
    p, y = np.asarray(probability, dtype=float), np.asarray(label, dtype=float)
    if ((p < 0) | (p > 1)).any():
        raise ValueError(
            f"probabilities must lie in [0, 1]; found {np.nanmin(p):g} to {np.nanmax(p):g} (a raw score? calibrate it first)"
        )
    if not (np.isin(y, (0.0, 1.0)) | np.isnan(y)).all():
        raise ValueError(f"labels must be 0 or 1; found {np.unique(y).tolist()}")
    if kind == "residual":
        return np.abs(y - p)
    return np.where(y == 1, -logit(p), np.where(y == 0, logit(p), nan))


def sets(probability: ArrayLike, q_hat: float | ArrayLike, kind: str = "residual") -> list[list[int]]:
    """One sorted list of labels per case: those whose nonconformity is at most q_hat. A NaN probability rules nothing out: [0, 1].

    `q_hat` is one threshold, (n,) thresholds (`thresholds_of`), or (n, 2) or (1, 2) thresholds of label 0 and label 1
    (`thresholds_by_class`). [0] or [1]: the machine may decide; [0, 1] or []: it may not.
    """
    p = np.asarray(probability, dtype=float)
    given = np.asarray(q_hat, dtype=float)
    limit = np.broadcast_to(given if given.ndim == 2 else given[..., None], (len(p), 2))
    if np.isnan(limit).any():
        raise ValueError("q_hat must not be NaN")
    fits = [~(nonconformity(p, label, kind) > limit[:, label]) for label in (0, 1)]
    return [[label for label in (0, 1) if fits[label][row]] for row in range(len(p))]
