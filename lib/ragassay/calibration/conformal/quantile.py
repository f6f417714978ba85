"""The rank behind every threshold: k = ceil((n + 1)(1 - alpha)), in exact arithmetic; what it promises, and to how many cases."""

from fractions import Fraction
from math import ceil, inf

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from ragassay.stats import Interval


def exact(alpha: float) -> Fraction:
    """Alpha as the decimal that was meant: 0.1, and 1 - 0.9, are one tenth. Raises ValueError unless 0 < alpha < 1."""
    if not 0 < alpha < 1:
        raise ValueError(f"alpha, the error rate allowed, must lie strictly between 0 and 1; found {alpha}")
    return Fraction(float(alpha)).limit_denominator(10**9)


def rank(n: int, alpha: float) -> int:
    """k = ceil((n + 1)(1 - alpha)): which of n sorted nonconformity scores is the threshold; above n when there is none."""
    return ceil((n + 1) * (1 - exact(alpha)))


def threshold(scores: ArrayLike, alpha: float) -> float:
    """q_hat: the k-th smallest of n nonconformity scores, k = ceil((n + 1)(1 - alpha)); infinite when k > n (n < minimum_n(alpha)).

    Computed in exact arithmetic: 0.1 means one tenth, so n = 9, 19, 99 give k = 9, 18, 90. An interpolated quantile
    under-covers (0.855 for a promised 0.90 at n = 19).

    Raises
    ------
    ValueError
        If alpha is not strictly between 0 and 1, or a score is NaN.

    Source
    ------
    HCAT section 5.2, step 2; Vovk et al. (2005); FORMULAS 2.
    """
    s = np.asarray(scores, dtype=float)
    if s.ndim != 1 or np.isnan(s).any():
        raise ValueError(
            f"scores must be one-dimensional without NaN; found shape {s.shape}, {int(np.isnan(s).sum())} NaN"
        )
    k = rank(len(s), alpha)
    return inf if k > len(s) else float(np.sort(s)[k - 1])


def minimum_n(alpha: float) -> int:
    """Fewest calibration cases with a finite threshold: ceil((1 - alpha)/alpha), 9 for alpha = 0.1, 19 for 0.05."""
    share = exact(alpha)
    return ceil((1 - share) / share)


def expected_coverage(n: int, alpha: float, level: float = 0.95) -> Interval:
    """Coverage that one threshold from n cases will have on new cases: its mean k/(n + 1) and where it falls in `level` of draws.

    Exact for continuous scores (ties can only raise it); 1 when no finite threshold exists. Source: Vovk (2012), ACML, section 2.
    """
    k = rank(n, alpha)
    if k > n:
        return Interval(1.0, 1.0, 1.0, n, reason="every set is full", method="no finite threshold")
    low, high = stats.beta.ppf([(1 - level) / 2, (1 + level) / 2], k, n + 1 - k)
    return Interval(
        k / (n + 1), float(low), float(high), n, method=f"Beta({k}, {n + 1 - k}), central {level:g}"
    )
