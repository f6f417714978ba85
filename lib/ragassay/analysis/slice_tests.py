"""Many slices of the same cases at once: difference from the rest, its standard score, its p value."""

import numpy as np
from numpy.typing import NDArray

_CELLS_AT_ONCE = 2_000_000


def differences(values: NDArray, member: NDArray) -> NDArray:
    """(k,) mean of each slice minus the mean of the rest; NaN where a slice or its rest is empty.

    values : (n,) or (p, n) in p orders, then (p, k); member : (n, k) share of each unit that is in the slice
    """
    inside, outside = member.sum(axis=0), (1 - member).sum(axis=0)
    held = values @ member
    total = values.sum(axis=-1)[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        return held / inside - (total - held) / outside


def standard_scores(values: NDArray, member: NDArray) -> NDArray:
    """(k,) differences in standard deviations that they have when values are exchanged at random between
    units; below 0 where the slice is lower. NaN where there is no difference, or all values are equal."""
    n, inside = len(values), member.sum(axis=0)
    variance = values.var(ddof=1) if n > 1 else np.nan
    with np.errstate(divide="ignore", invalid="ignore"):
        return differences(values, member) / np.sqrt(variance * n / (inside * (n - inside)))


def chance_of_lower(
    values: NDArray, member: NDArray, *, n_permutations: int, rng: np.random.Generator
) -> NDArray:
    """(k,) one-sided p values in (0, 1]: how often a random exchange of the values leaves the slice as far
    below the rest as observed, the observed order counted in. NaN where there is no difference.

    Source
    ------
    Fisher-Pitman permutation test; Phipson, Smyth (2010), SAGMB 9(1).
    """
    observed = differences(values, member)
    slack = 1e-12 * max(1.0, float(np.abs(values).max(initial=0)))
    block = max(1, _CELLS_AT_ONCE // max(1, len(values)))
    as_low = np.zeros(member.shape[1])
    for start in range(0, n_permutations, block):
        orders = np.tile(values, (min(block, n_permutations - start), 1))
        as_low += (differences(rng.permuted(orders, axis=1), member) <= observed + slack).sum(axis=0)
    return np.where(np.isnan(observed), np.nan, (1 + as_low) / (1 + n_permutations))
