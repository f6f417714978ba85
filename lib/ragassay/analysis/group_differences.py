"""Each group against all the others: a permutation test of every group at once, and an interval for a
difference of two means."""

from math import hypot, isnan

import numpy as np
from numpy.typing import NDArray

from ragassay.stats import Interval, not_available

N_PERMUTATIONS = 9999
_CELLS_AT_ONCE = 2_000_000


def permutation_test(
    values: NDArray,
    groups: NDArray,
    clusters: NDArray | None = None,
    *,
    n_permutations: int = N_PERMUTATIONS,
    rng: np.random.Generator,
) -> tuple[NDArray, NDArray, NDArray]:
    """Names of the groups (sorted), mean of each minus the mean of the rest, and two-sided p values in (0,
    1].

    Small p: the group's values are not a random draw from all of them. Values of one cluster within one group
        move together; a
    cluster that reaches into two groups counts as one unit in each. NaN difference and p where a group has no
    rest.

    Parameters
    ----------
    values : (n,) floats without NaN
    groups : (n,) names, one per value
    clusters : (n,) ids of what was drawn independently; None takes every value as its own

    Source
    ------
    Fisher-Pitman permutation test; the observed order is counted in (Phipson, Smyth 2010, SAGMB 9(1)).
    """
    names, codes = np.unique(np.asarray(groups, dtype=str), return_inverse=True)
    sums, counts, unit_codes = _units(np.asarray(values, dtype=float), codes, clusters)
    member = np.zeros((len(unit_codes), len(names)))
    member[np.arange(len(unit_codes)), unit_codes] = 1
    observed = _differences(sums[None], counts[None], member)[0]
    if len(names) < 2:
        return names, np.full(len(names), np.nan), np.full(len(names), np.nan)
    slack = 1e-12 * max(1.0, float(np.abs(values).max()))
    extreme = np.zeros(len(names))
    for order in _orders(len(sums), n_permutations, rng):
        extreme += (np.abs(_differences(sums[order], counts[order], member)) >= np.abs(observed) - slack).sum(
            axis=0
        )
    return names, observed, (1 + extreme) / (1 + n_permutations)


def difference_of_means(inside: Interval, outside: Interval) -> Interval:
    """inside - outside with an interval made of theirs; above 0 when inside is higher.

    Needs nothing but the two intervals, which must come from different clusters; with Wilson's it would be
    Newcombe's method 10. n is that of `inside`.

    Source
    ------
    Zou, Donner (2008), Statistics in Medicine 27, equations 4 and 5; Newcombe (1998), Statistics in Medicine
    17.
    """
    value = inside.value - outside.value
    for side, where in ((inside, "inside"), (outside, "outside")):
        if isnan(side.low):
            return not_available(
                f"{where}: {side.reason or 'no interval'}", value=value, n=inside.n, left_out=inside.left_out
            )
    low = value - hypot(inside.value - inside.low, outside.high - outside.value)
    high = value + hypot(inside.high - inside.value, outside.value - outside.low)
    return Interval(
        value, low, high, inside.n, inside.left_out, inside.reason, "from the two intervals (Zou and Donner)"
    )


def _units(values: NDArray, codes: NDArray, clusters: NDArray | None) -> tuple[NDArray, NDArray, NDArray]:
    if clusters is None:
        return values, np.ones(len(values)), codes
    ids = np.unique(np.asarray(clusters, dtype=str), return_inverse=True)[1]
    pairs, unit = np.unique(np.stack([ids, codes]), axis=1, return_inverse=True)
    unit = np.ravel(unit)
    return np.bincount(unit, weights=values), np.bincount(unit).astype(float), pairs[1]


def _differences(sums: NDArray, counts: NDArray, member: NDArray) -> NDArray:
    """(p, units) sums and counts in p orders -> (p, groups) mean of each group minus the mean of the rest."""
    total, size = sums.sum(axis=1, keepdims=True), counts.sum(axis=1, keepdims=True)
    inner, held = sums @ member, counts @ member
    with np.errstate(divide="ignore", invalid="ignore"):
        return inner / held - (total - inner) / (size - held)


def _orders(n_units: int, n_permutations: int, rng: np.random.Generator):
    block = max(1, _CELLS_AT_ONCE // max(1, n_units))
    for start in range(0, n_permutations, block):
        size = min(block, n_permutations - start)
        yield rng.permuted(np.tile(np.arange(n_units), (size, 1)), axis=1)
