"""Whether two samples of clusters are of one kind: permutation tests of shares of levels, and of vectors.

Clusters change sides whole. Both tests count the arrangement observed, so that p is never 0, and give NaN
where a sample is empty.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragassay.stats.clusters import group_rows, in_blocks


def share_distance(first: ArrayLike, second: ArrayLike) -> float:
    """Total variation distance of two vectors of counts, in [0, 1]: the least share of one that has to change
    its level to give the other; 0 where the shares agree, NaN where one is empty."""
    one, other = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if not one.sum() or not other.sum():
        return float("nan")
    return float(np.abs(one / one.sum() - other / other.sum()).sum() / 2)


def same_shares(
    first: ArrayLike, second: ArrayLike, *, n_permutations: int = 1999, rng: np.random.Generator
) -> float:
    """p value in (0, 1] that two samples of clusters have the same shares of levels; small when they differ.

    The statistic is chi-square's: squared differences of shares, each over the level's pooled share.

    Parameters
    ----------
    first, second : (m, k), (l, k) how many cases of each level every cluster holds

    Measured over 400 simulations of 60 clusters of 1 to 3 cases of one level each, in 4 levels: two samples
    of one kind are told apart in 0.048 at a level of 0.05; where a share of 0.25 becomes 0.50, in 0.57
    (standard errors 0.011 and 0.025).
    """
    counts, size = np.vstack([first, second]).astype(float), len(np.asarray(first))
    if not size or size == len(counts):
        return float("nan")
    pooled = counts.sum(axis=0)
    counts, pooled = counts[:, pooled > 0], pooled[pooled > 0]

    def statistic(members: NDArray) -> NDArray:
        here = members @ counts
        there = pooled - here
        shares = here / here.sum(axis=1, keepdims=True) - there / there.sum(axis=1, keepdims=True)
        return (shares**2 / pooled).sum(axis=1)

    return _p_value(statistic, size, len(counts), n_permutations, rng)


def same_vectors(
    first: ArrayLike,
    second: ArrayLike,
    *,
    clusters: tuple[ArrayLike, ArrayLike] | None = None,
    n_permutations: int = 999,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Energy distance of two samples of vectors (0 or more, 0 where they are distributed alike), and the p
    value in (0, 1] that they are of one kind.

    Parameters
    ----------
    first, second : (n, d), (m, d)
    clusters : ids of what was drawn independently, of either sample; None takes every vector by itself

    Source: Székely, Rizzo (2013), Energy statistics, J. Stat. Planning and Inference 143(8), section 4.
    """
    one, other = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if not len(one) or not len(other):
        return float("nan"), float("nan")
    ids = clusters or (None, None)
    groups = [group_rows(ids[0], len(one)), [rows + len(one) for rows in group_rows(ids[1], len(other))]]
    belongs = np.zeros((len(groups[0]) + len(groups[1]), len(one) + len(other)))
    for number, rows in enumerate([*groups[0], *groups[1]]):
        belongs[number, rows] = 1.0
    distances = _distances(np.vstack([one, other]))

    def statistic(members: NDArray) -> NDArray:
        here = members @ belongs
        return _energy(here, 1 - here, distances)

    p = _p_value(statistic, len(groups[0]), len(belongs), n_permutations, rng)
    return float(statistic(_observed(len(groups[0]), len(belongs)))[0]), p


def _energy(here: NDArray, there: NDArray, distances: NDArray) -> NDArray:
    n, m = here.sum(axis=1), there.sum(axis=1)
    from_here, from_there = here @ distances, there @ distances
    between = (from_here * there).sum(axis=1) / (n * m)
    within = (from_here * here).sum(axis=1) / n**2, (from_there * there).sum(axis=1) / m**2
    return np.maximum(2 * between - within[0] - within[1], 0.0)


def _distances(vectors: NDArray) -> NDArray:
    squares = (vectors**2).sum(axis=1)
    return np.sqrt(np.maximum(squares[:, None] + squares[None, :] - 2 * vectors @ vectors.T, 0.0))


def _p_value(
    statistic: Callable, size: int, total: int, n_permutations: int, rng: np.random.Generator
) -> float:
    """Share of arrangements (rows of 0 and 1 with `size` ones: which clusters stand on the first side) whose
    statistic is as large as the observed one, which is counted in."""
    observed, as_large = statistic(_observed(size, total))[0] * (1 - 1e-9), 0
    for rows in in_blocks(n_permutations, total):
        ranks = rng.random((rows, total)).argsort(axis=1).argsort(axis=1)
        as_large += int((statistic((ranks < size).astype(float)) >= observed).sum())
    return float((1 + as_large) / (1 + n_permutations))


def _observed(size: int, total: int) -> NDArray:
    return (np.arange(total) < size).astype(float)[None, :]
