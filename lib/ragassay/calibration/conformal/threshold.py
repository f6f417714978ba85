"""Split conformal prediction: scores of held-out cases set the threshold q_hat, the k-th smallest in exact
arithmetic; new cases get the labels below it, and a decision where one label is left (HCAT section 5.2); what
the threshold promises, and from how many cases on.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil, inf, nan

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, expit, logit

from ragassay import parameter_ranges
from ragassay.defaults import CONFIDENCE
from ragassay.stats import Interval


@lru_cache
def alpha_as_fraction(alpha: float) -> Fraction:
    """Alpha as the decimal that was meant: 0.1, and 1 - 0.9, are one tenth.

    Raises ValueError unless 0 < alpha < 1.
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha, the error rate allowed, must lie strictly between 0 and 1; found {alpha}")
    exact = Fraction(float(alpha))
    meant = exact.limit_denominator(10**9)
    return meant if 0 < meant < 1 else exact


def quantile_rank(n: int, alpha: float) -> int:
    """k = ceil((n + 1)(1 - alpha)): which of n sorted nonconformity scores is the threshold;
    above n when there is none.
    """
    return ceil((n + 1) * (1 - alpha_as_fraction(alpha)))


def threshold(scores: ArrayLike, alpha: float, clusters: ArrayLike | None = None) -> float:
    """q_hat: the k-th smallest of n nonconformity scores, k = ceil((n + 1)(1 - alpha)); infinite when k > n
    (n < minimum_n(alpha)).

    Computed in exact arithmetic: 0.1 means one tenth, so n = 9, 19, 99 give k = 9, 18, 90. An interpolated
    quantile under-covers (0.855 for a promised 0.90 at n = 19).

    With `clusters` (n,), such as conversations, n is their number and each weighs as one, whatever its size:
    the smallest score below which lie (n + 1)(1 - alpha) of the clusters, each by the share of its answers.
    A random answer of a new cluster is then covered at 1 - alpha at least, 2/(n + 1) more at most. Measured
    for a promised 0.8 (2,000 calibrations, 40 new clusters, standard error 0.004 at most; scores of a cluster
    correlate at 0.8):

    clusters                  4 of 5    10 of 5   20 of 5   40 of 5   20 of 1 to 9
    each weighs as one        0.892     0.846     0.824     0.811     0.829
    clusters not declared     0.775     0.790     0.795     0.796     0.796

    Raises ValueError if alpha is not strictly between 0 and 1, or a score is NaN.

    Source: HCAT section 5.2, step 2; Vovk et al. (2005); decision 2. Clusters: Lee, Barber, Willett (2023),
    Distribution-free inference with hierarchical data, section 3.
    """
    s = np.asarray(scores, dtype=float)
    if s.ndim != 1 or np.isnan(s).any():
        raise ValueError(
            f"scores must be one-dimensional without NaN; found shape {s.shape}, {int(np.isnan(s).sum())} NaN"
        )
    names = np.arange(len(s)) if clusters is None else np.asarray(clusters)
    _, place, sizes = np.unique(names, return_inverse=True, return_counts=True)
    order = np.argsort(s)
    needed = float((len(sizes) + 1) * (1 - alpha_as_fraction(alpha)))
    enough = np.flatnonzero(np.cumsum(1 / sizes[place[order]]) >= needed - 1e-9)
    return float(s[order[enough[0]]]) if len(enough) else inf


def minimum_n(alpha: float) -> int:
    """Fewest calibration cases with a finite threshold:
    ceil((1 - alpha)/alpha), 9 for alpha = 0.1, 19 for 0.05.
    """
    share = alpha_as_fraction(alpha)
    return ceil((1 - share) / share)


def expected_coverage(n: int, alpha: float, level: float = CONFIDENCE) -> Interval:
    """Coverage that one threshold from n cases will have on new cases:
    its mean k/(n + 1) and where it falls in `level` of draws.

    Exact for continuous scores (ties can only raise it); 1 when no finite threshold exists. Source: Vovk
    (2012), ACML, section 2.
    """
    k = quantile_rank(n, alpha)
    if k > n:
        return Interval(1.0, 1.0, 1.0, n, reason="every set is full", method="no finite threshold")
    low, high = betaincinv(k, n + 1 - k, [(1 - level) / 2, (1 + level) / 2])
    return Interval(
        k / (n + 1), float(low), float(high), n, method=f"Beta({k}, {n + 1 - k}), central {level:g}"
    )


SCORES = ("residual", "negative_logit")


def nonconformity(probability: ArrayLike, label: ArrayLike, score: str = "residual") -> NDArray:
    """(n,) how badly a label fits its probability; higher is worse; NaN where either is NaN.

    residual : |y - p| = 1 - P(Y = y), in [0, 1]
    negative_logit : -logit P(Y = y), in [-inf, inf]; 0 at p = 0.5

    For two labels the second is an increasing function of the first, so both lead to the same sets; they
    differ in how far apart confident cases lie, which matters for figures and ties only.

    Parameters
    ----------
    probability : (n,) of label 1, in [0, 1]
    label : (n,) or scalar, 0 or 1

    Source: HCAT section 5.2, step 1 (residual); Angelopoulos, Bates (2023), section 1 (any monotone score).
    """
    parameter_ranges.check("nonconformity", score, f"one of {', '.join(SCORES)}")
    p, y = np.asarray(probability, dtype=float), np.asarray(label, dtype=float)
    if ((p < 0) | (p > 1)).any():
        found = f"{np.nanmin(p):g} to {np.nanmax(p):g}"
        raise ValueError(f"probabilities must lie in [0, 1]; found {found} (a raw score? calibrate it first)")
    if not ((y == 0) | (y == 1) | np.isnan(y)).all():
        raise ValueError(f"labels must be 0 or 1; found {np.unique(y).tolist()}")
    if score == "residual":
        return np.abs(y - p)
    return np.where(y == 1, -logit(p), np.where(y == 0, logit(p), nan))


def sets(probability: ArrayLike, q_hat: float | ArrayLike, score: str = "residual") -> list[list[int]]:
    """One sorted list of labels per case: those whose nonconformity is at most q_hat.

    A NaN probability rules nothing out: [0, 1].

    `q_hat` is one threshold, (n,) thresholds, or (n, 2) or (1, 2) thresholds of label 0 and label 1
    (`Thresholds.per_case`). [0] or [1]: the machine may decide; [0, 1] or []: it may not.
    """
    p = np.asarray(probability, dtype=float)
    given = np.asarray(q_hat, dtype=float)
    limit = np.broadcast_to(given if given.ndim == 2 else given[..., None], (len(p), 2))
    if np.isnan(limit).any():
        raise ValueError("q_hat must not be NaN")
    fits = [~(nonconformity(p, label, score) > limit[:, label]) for label in (0, 1)]
    return [[label for label in (0, 1) if fits[label][row]] for row in range(len(p))]


def decide(prediction_set: Sequence[float]) -> str:
    """`accept` for [1], `reject` for [0], `review` by a human for both labels or none."""
    labels = [int(label) for label in prediction_set]
    return "accept" if labels == [1] else "reject" if labels == [0] else "review"


def residual_threshold(q_hat: ArrayLike, score: str = "residual") -> NDArray:
    """The residual that thresholds of this nonconformity score stand for: with it the sets are the same."""
    given = np.asarray(q_hat, dtype=float)
    return expit(given) if score == "negative_logit" else given


def decision_regions(q_hat: float | ArrayLike) -> pd.DataFrame:
    """The cases of HCAT section 5.2 along the probability p of label 1, at a threshold of the residual, one
    or a pair for label 0 and label 1: columns from, to, closed, set, decision; ascending in p.

    Label 0 is in the set where p <= q_0, label 1 where p >= 1 - q_1. With one q_hat >= 0.5: [0] below 1 -
    q_hat, [0, 1] between, [1] above q_hat. q_hat < 0.5: [0] up to q_hat, none between, [1] from 1 - q_hat.
    `closed` says which ends belong to the region (both, left, right, neither). Regions without a probability
    in them are left out; an infinite q_0 leaves no [1], an infinite q_1 no [0].

    Raises ValueError if q_hat is NaN or below 0.
    """
    zero, one = np.broadcast_to(np.asarray(q_hat, dtype=float), 2).tolist()
    if not (zero >= 0 and one >= 0):
        raise ValueError(f"q_hat must be 0 or more; found {zero}, {one}")
    other = 1 - one
    if zero >= other:
        bands = [(0.0, other, "left", [0]), (other, zero, "both", [0, 1]), (zero, 1.0, "right", [1])]
    else:
        bands = [(0.0, zero, "both", [0]), (zero, other, "neither", []), (other, 1.0, "both", [1])]
    clipped = [(max(low, 0.0), min(high, 1.0), ends, labels) for low, high, ends, labels in bands]
    rows = [
        (low, high, ends, labels, decide(labels))
        for low, high, ends, labels in clipped
        if low < high or (low == high and ends == "both")
    ]
    return pd.DataFrame(rows, columns=["from", "to", "closed", "set", "decision"])
