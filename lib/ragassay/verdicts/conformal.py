"""Stage 2: split conformal prediction sets, which hold the human's label at a stated rate (HCAT section 5.2, FORMULAS 2).

The promise: if calibration cases and new cases are exchangeable, P(label in set) >= 1 - alpha, on average over calibration sets and
cases (marginally). It is not a promise for each class or topic (`coverage` measures those, `thresholds_by_group` extends it to
them), nor for one calibration set: with n cases the coverage of a single q_hat scatters as Beta(k, n + 1 - k) (`expected_coverage`).
"""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, inf, nan

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from scipy.special import logit

from ragassay.stats import Interval, clopper_pearson

KINDS = ("residual", "negative_logit")
DECISION_OF: dict[tuple[int, ...], str] = {(1,): "accept", (0,): "reject"}


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
        raise ValueError(f"probabilities must lie in [0, 1]; found {np.nanmin(p):g} to {np.nanmax(p):g} (a raw score? calibrate it first)")
    if not (np.isin(y, (0.0, 1.0)) | np.isnan(y)).all():
        raise ValueError(f"labels must be 0 or 1; found {np.unique(y).tolist()}")
    if kind == "residual":
        return np.abs(y - p)
    return np.where(y == 1, -logit(p), np.where(y == 0, logit(p), nan))


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
        raise ValueError(f"scores must be one-dimensional without NaN; found shape {s.shape}, {int(np.isnan(s).sum())} NaN")
    k = _rank(len(s), alpha)
    return inf if k > len(s) else float(np.sort(s)[k - 1])


def minimum_n(alpha: float) -> int:
    """Fewest calibration cases with a finite threshold: ceil((1 - alpha)/alpha), 9 for alpha = 0.1, 19 for 0.05."""
    exact = _exact(alpha)
    return ceil((1 - exact) / exact)


def expected_coverage(n: int, alpha: float, level: float = 0.95) -> Interval:
    """Coverage that one threshold from n cases will have on new cases: its mean k/(n + 1) and where it falls in `level` of draws.

    Exact for continuous scores (ties can only raise it); 1 when no finite threshold exists. Source: Vovk (2012), ACML, section 2.
    """
    k = _rank(n, alpha)
    if k > n:
        return Interval(1.0, 1.0, 1.0, n, reason="every set is full", method="no finite threshold")
    low, high = stats.beta.ppf([(1 - level) / 2, (1 + level) / 2], k, n + 1 - k)
    return Interval(k / (n + 1), float(low), float(high), n, method=f"Beta({k}, {n + 1 - k}), central {level:g}")


def sets(probability: ArrayLike, q_hat: float | ArrayLike, kind: str = "residual") -> list[list[int]]:
    """One sorted list of labels per case: those whose nonconformity is at most q_hat. A NaN probability rules nothing out: [0, 1].

    `q_hat` is one threshold, or (n,) thresholds (`thresholds_of`). [0] or [1]: the machine may decide; [0, 1] or []: it may not.
    """
    p = np.asarray(probability, dtype=float)
    limit = np.broadcast_to(np.asarray(q_hat, dtype=float), p.shape)
    if np.isnan(limit).any():
        raise ValueError("q_hat must not be NaN")
    fits = [~(nonconformity(p, label, kind) > limit) for label in (0, 1)]
    return [[label for label in (0, 1) if fits[label][row]] for row in range(len(p))]


def decide(prediction_set: Sequence[int]) -> str:
    """`accept` for [1], `reject` for [0], `review` by a human for both labels or none."""
    return DECISION_OF.get(tuple(int(label) for label in prediction_set), "review")


def thresholds_by_group(scores: ArrayLike, groups: ArrayLike, alpha: float) -> dict[str, float]:
    """q_hat of each group by itself (Mondrian): coverage at least 1 - alpha within every group; infinite where it has too few cases.

    Group names as text, sorted. Source: Vovk et al. (2005), Algorithmic Learning in a Random World, section 4.5.
    """
    s, names = np.asarray(scores, dtype=float), _names(groups, len(np.asarray(scores)))
    return {str(name): threshold(s[names == name], alpha) for name in np.unique(names)}


def thresholds_of(groups: ArrayLike, thresholds: dict[str, float]) -> NDArray:
    """(n,) threshold of each case's group; infinite (nothing ruled out) for a group never calibrated."""
    return np.array([thresholds.get(str(name), inf) for name in np.asarray(groups).tolist()], dtype=float)


def coverage(prediction_sets: Sequence[Sequence[int]] | pd.Series, labels: ArrayLike, groups: ArrayLike | None = None) -> pd.DataFrame:
    """How often the sets hold the human's label: overall, per class, and per group; one row each, in that order, sorted.

    Columns: by (overall, class, group), stratum, n, covered, value, low, high (Clopper-Pearson, level 0.95), labels_per_set (1 is
    best), decided (sets of one label), wrong (decided, but not as the human did). Cases without a label are left out.
    """
    y = np.asarray(labels, dtype=float)
    if len(prediction_sets) != len(y):
        raise ValueError(f"every set needs one label; found {len(prediction_sets)} sets and {len(y)} labels")
    names = None if groups is None else _names(groups, len(y))
    known = ~np.isnan(y)
    strata = [("overall", "all", known)] + [("class", str(int(c)), y == c) for c in np.unique(y[known])]
    strata += [("group", str(name), known & (names == name)) for name in np.unique(names[known])] if names is not None else []
    hits = np.array([label in each for each, label in zip(prediction_sets, y, strict=True)], dtype=bool)
    sizes = np.array([len(each) for each in prediction_sets], dtype=int)
    columns = ["by", "stratum", "n", "covered", "value", "low", "high", "labels_per_set", "decided", "wrong"]
    return pd.DataFrame([(by, name, *_coverage_row(hits[rows], sizes[rows])) for by, name, rows in strata], columns=columns)


def coverage_over_splits(
    probability: ArrayLike, labels: ArrayLike, alpha: float, *, n_splits: int = 200, kind: str = "residual", rng: np.random.Generator
) -> Interval:
    """Mean coverage over random halvings of the labelled cases (threshold from one half, coverage on the other); should be >= 1 - alpha.

    low, high: where 95% of the halvings fall: the scatter of one split, not a confidence interval of the mean. The
    probabilities must come from a curve fitted on other cases. Cases with a NaN are left out.
    """
    p, y = np.asarray(probability, dtype=float), np.asarray(labels, dtype=float)
    known = ~(np.isnan(p) | np.isnan(y))
    scores = nonconformity(p[known], y[known], kind)
    n, half = len(scores), len(scores) // 2
    if half < 1:
        return Interval(nan, nan, nan, n, int((~known).sum()), "fewer than 2 labelled cases")
    orders = rng.permuted(np.tile(np.arange(n), (n_splits, 1)), axis=1)
    shares = [float((scores[order[half:]] <= threshold(scores[order[:half]], alpha)).mean()) for order in orders]
    low, high = np.quantile(shares, [0.025, 0.975])
    method = f"central 95% of {n_splits} random halvings, {half} cases each to set the threshold"
    return Interval(float(np.mean(shares)), float(low), float(high), n, int((~known).sum()), "", method)


def _coverage_row(hits: NDArray, sizes: NDArray) -> tuple:
    found = clopper_pearson(int(hits.sum()), len(hits))
    mean_size = float(sizes.mean()) if len(sizes) else nan
    alone = sizes == 1
    return len(hits), int(hits.sum()), found.value, found.low, found.high, mean_size, int(alone.sum()), int((alone & ~hits).sum())


def _exact(alpha: float) -> Fraction:
    """Alpha as the decimal that was meant: 0.1, and 1 - 0.9, are one tenth."""
    if not 0 < alpha < 1:
        raise ValueError(f"alpha, the error rate allowed, must lie strictly between 0 and 1; found {alpha}")
    return Fraction(float(alpha)).limit_denominator(10**9)


def _rank(n: int, alpha: float) -> int:
    return ceil((n + 1) * (1 - _exact(alpha)))


def _names(groups: ArrayLike, n: int) -> NDArray:
    names = np.asarray(groups).astype(str)
    if names.shape != (n,):
        raise ValueError(f"groups must have one name per case; found shape {names.shape} for {n} cases")
    return names
