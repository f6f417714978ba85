"""Statistical twins of a stratum: a smaller set of its passages that is distributed as the whole is (HCAT section 2, step 4).

The set is found by kernel-free herding on the energy distance: passages are added one at a time, each the one that brings the set nearest to
the stratum. Whether it is a twin is then tested: its distance is compared with those of random sets of the same size.

Source: Székely and Rizzo (2013), Energy statistics, J. Stat. Plan. Inference 143, for the distance; Mak and Joseph (2018), Support points,
Ann. Statist. 46, for choosing points by it.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay import models
from ragassay.cases.strata import Strata

LARGEST = 1_500  # rows of a stratum that are compared; more are drawn by seed
DRAWS = 200


def representative_passages(
    strata: Strata, size: int, seed: int = 0, *, encode: Callable = models.encode
) -> pd.DataFrame:
    """For each stratum the `size` passages (all, where it has fewer) that are distributed as it is: topic, label, passages, distance, chance."""
    vectors = encode(strata.chunks["text"].tolist(), strata.recipe["model"])
    names, rows = strata.chunks["chunk_id"].to_numpy(), []
    for topic, label in zip(strata.topics["topic"], strata.topics["label"], strict=True):
        inside = np.flatnonzero((strata.chunks["topic"] == topic).to_numpy())
        found = twin(vectors[inside], min(size, len(inside)), seed)
        rows.append(
            (topic, label, ", ".join(names[inside[found.rows]]), found.distance, round(found.chance, 4))
        )
    return pd.DataFrame(rows, columns=["topic", "label", "passages", "distance", "chance"])


class Twin(NamedTuple):
    """Rows of the stratum that stand for it, and how well.

    rows : places in the stratum, in order
    distance : energy distance between the set and the stratum, 0 or more, lower is nearer
    chance : share of DRAWS random sets of the same size that are as near or nearer, in (0, 1]; small is good
    """

    rows: NDArray[np.int64]
    distance: float
    chance: float


def twin(vectors: NDArray, size: int, seed: int = 0) -> Twin:
    """`size` rows of a stratum (n, d) that are distributed as the stratum is.

    Raises
    ------
    ValueError
        If size is not in 1 to n.
    """
    if not 1 <= size <= len(vectors):
        raise ValueError(f"a twin has 1 to {len(vectors)} rows; found {size}")
    rng = np.random.default_rng(seed)
    pool = (
        np.arange(len(vectors))
        if len(vectors) <= LARGEST
        else np.sort(rng.choice(len(vectors), max(LARGEST, size), replace=False))
    )
    distances = _distances(vectors[pool], vectors[pool])
    chosen = _herded(distances, size)
    found = _of_rows(distances, chosen)
    rivals = [_of_rows(distances, rng.choice(len(pool), size, replace=False)) for _ in range(DRAWS)]
    nearer = sum(rival <= found + 1e-12 for rival in rivals)
    return Twin(np.sort(pool[chosen]), round(float(found), 6), (1 + nearer) / (1 + DRAWS))


def _herded(distances: NDArray, size: int) -> NDArray[np.int64]:
    """Greedy: each row added makes the energy distance to the whole least; ties go to the first."""
    to_all, to_set = distances.mean(axis=1), np.zeros(len(distances))
    chosen: list[int] = []
    for count in range(1, size + 1):
        cost = to_all - to_set / count
        cost[chosen] = np.inf
        chosen.append(int(np.argmin(np.round(cost, 12))))
        to_set += distances[chosen[-1]]
    return np.array(chosen, dtype=np.int64)


def _of_rows(distances: NDArray, rows: NDArray) -> float:
    """2 E|X - Y| - E|X - X'| - E|Y - Y'|, X one of the rows and Y one of the whole they are of."""
    part = distances[rows]
    return max(0.0, float(2 * part.mean() - part[:, rows].mean() - distances.mean()))


def _distances(these: NDArray, those: NDArray) -> NDArray:
    from scipy.spatial.distance import cdist

    return cdist(these, those)
