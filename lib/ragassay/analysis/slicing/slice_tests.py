"""Many slices of the same units at once: difference from the rest, its standard score, and how often chance
alone would make the most striking of them all as striking.

Values are compared within strata (origins of the questions). `member` (n, k) is the share of each unit that
is in each slice; `strata` (n,) are codes from 0 on.
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtri_exp

_CELLS_AT_ONCE = 4_000_000
EXPECTED = 0.5  # difference, in standard deviations, that the shares of the level are best for


@dataclass(frozen=True)
class Moments:
    """What random exchanges of the values within strata make of each slice: residuals (n,) of the values,
    member less its stratum's mean (n, k), information (k,), variance and skewness (k,) of the sum."""

    residuals: NDArray
    centred: NDArray
    information: NDArray
    variance: NDArray
    skewness: NDArray


def moments(values: NDArray, member: NDArray, strata: NDArray) -> Moments:
    """Exact moments of each slice's sum of residuals under exchange.

    information : n_in x n_out / n, added over strata; 0 where a slice has nothing to be compared with

    Source
    ------
    Cochran-Mantel-Haenszel score statistic; third moment: Hajek, Sidak, Sen (1999), Theory of Rank Tests 3.3.
    """
    residuals, centred = values.astype(float), member.astype(float)
    k = member.shape[1]
    information, variance, third = np.zeros(k), np.zeros(k), np.zeros(k)
    for rows in _rows_of(strata):
        n = len(rows)
        residuals[rows] -= residuals[rows].mean()
        centred[rows] -= centred[rows].mean(axis=0)
        mine, squares = residuals[rows], centred[rows] * centred[rows]
        information += squares.sum(axis=0)
        variance += squares.sum(axis=0) * (mine**2).sum() / max(1, n - 1)
        if n > 2:
            cubes = (squares * centred[rows]).sum(axis=0)
            third += n / ((n - 1) * (n - 2)) * cubes * (mine**3).sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        skewness = np.nan_to_num(third / variance**1.5)
    return Moments(residuals, centred, information, variance, skewness)


def differences(known: Moments) -> NDArray:
    """(k,) mean of each slice minus that of the rest of its strata; NaN where there is nothing to compare."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return (known.residuals @ known.centred) / np.where(
            known.information > 1e-9, known.information, np.nan
        )


def standard_scores(known: Moments, sums: NDArray | None = None) -> NDArray:
    """Normal deviates of the slices' sums, below 0 where the slice is lower; NaN where there is no
    difference. (k,), or (p, k) for the sums of p orders.

    Source
    ------
    Wilson, Hilferty (1931), PNAS 17(12): a Pearson type III of these moments made normal.
    """
    sums = known.residuals @ known.centred if sums is None else sums
    skewness = np.where(np.abs(known.skewness) < 1e-6, 1e-6, known.skewness)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = sums / np.sqrt(np.where(known.variance > 1e-15, known.variance, np.nan))
    return (np.cbrt(skewness * z / 2 + 1) - 1) * 6 / skewness + skewness / 6


def chances(known: Moments, strata: NDArray, *, n_permutations: int, rng: np.random.Generator) -> NDArray:
    """(k,) one-sided p values in (0, 1] of slices looked at by themselves: how often a random exchange within
    strata leaves the slice as low, the observed order counted in. NaN where there is no difference.

    Source
    ------
    Fisher-Pitman permutation test; Phipson, Smyth (2010), SAGMB 9(1).
    """
    observed, as_low = known.residuals @ known.centred, np.zeros(len(known.information))
    slack = 1e-9 * max(1.0, float(np.abs(observed).max(initial=0)))
    for sums in _exchanged(known, strata, n_permutations, rng):
        as_low += (sums <= observed + slack).sum(axis=0)
    return np.where(known.variance > 1e-15, (1 + as_low) / (1 + n_permutations), np.nan)


def shares_of_level(known: Moments, level: float) -> NDArray:
    """(k,) shares, of sum 1, of the level that each slice is tested at: half evenly, half by what a slice of
    its size could show, so that those too small to show anything cost the others little.

    They follow from sizes alone, never from values.

    Source
    ------
    Roeder, Wasserman (2009), Statistical Science 24(4): optimal weights for an expected difference.
    """
    k = len(known.information)
    reach = np.maximum(EXPECTED * np.sqrt(known.information), 1e-3)

    def log_levels(c: float) -> NDArray:
        return log_ndtr(-(reach / 2 + c / reach))

    def excess(c: float) -> float:
        return float(np.log(np.exp(log_levels(c)).sum() + 1e-300) - np.log(level))

    best = (
        np.exp(log_levels(scipy.optimize.brentq(excess, -(reach.max() ** 2), 1000.0)))
        if k > 1
        else np.ones(k)
    )
    return 0.5 / max(1, k) + 0.5 * best / best.sum() if k else np.zeros(0)


def adjusted_chances(
    known: Moments, strata: NDArray, shares: NDArray, *, n_permutations: int, rng: np.random.Generator
) -> tuple[NDArray, NDArray]:
    """(k,) p values adjusted for all slices, in (0, 1], and (n_permutations,) the smallest logarithm of
    p / share that each random exchange within strata gave.

    An adjusted p is how often any slice of an exchange is as striking as this one, the observed order counted
    in: at most a share `level` of tables without a weak slice has one that is `level` or lower.

    Source
    ------
    Westfall, Young (1993), Resampling-Based Multiple Testing: single-step min P; Phipson, Smyth (2010).
    """
    observed = log_ndtr(standard_scores(known)) - np.log(shares)
    if not np.isfinite(observed).any():
        return np.full(len(shares), np.nan), np.zeros(n_permutations)
    smallest = np.concatenate([
        np.nanmin(log_ndtr(standard_scores(known, sums)) - np.log(shares), axis=1)
        for sums in _exchanged(known, strata, n_permutations, rng)
    ])  # fmt: skip
    as_small = np.searchsorted(np.sort(smallest), observed + 1e-9, side="right")
    return np.where(np.isnan(observed), np.nan, (1 + as_small) / (1 + n_permutations)), smallest


def needed_scores(known: Moments, log_chances: NDArray | float) -> NDArray:
    """(k,) standard deviations, above 0, by which each slice must be lower for a p of these logarithms."""
    critical = ndtri_exp(np.minimum(log_chances, -1e-9))
    skewness = np.where(np.abs(known.skewness) < 1e-6, 1e-6, known.skewness)
    return -(((critical - skewness / 6) * skewness / 6 + 1) ** 3 - 1) * 2 / skewness


def _exchanged(known: Moments, strata: NDArray, n_permutations: int, rng: np.random.Generator):
    """Sums of every slice (b, k), block by block, of values exchanged within strata."""
    n, k = known.centred.shape
    block = max(1, _CELLS_AT_ONCE // max(1, n, k))
    for start in range(0, n_permutations, block):
        orders = np.empty((min(block, n_permutations - start), n))
        for rows in _rows_of(strata):
            alike = np.tile(known.residuals[rows], (len(orders), 1))
            orders[:, rows] = rng.permuted(alike, axis=1, out=alike)
        yield orders @ known.centred


def _rows_of(strata: NDArray) -> list[NDArray]:
    return [np.flatnonzero(strata == code) for code in np.unique(strata)]
