"""How many cases each topic gets, and which of its rows (HCAT section 2, step 4)."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay import models
from ragassay.cases.topics import Topics

HOW = ("proportional", "equal", "weighted")


def allocate(
    sizes: Mapping[str, int], n: int, how: str = "proportional", weights: Mapping[str, float] | None = None
) -> dict[str, int]:
    """Rows to draw per topic: they add up to min(n, all rows), none above its topic's size; higher weight,
    never fewer of equal size.

    Largest remainder (Hamilton); ties go to the larger topic, then the first name. At least one row per topic
    that has rows, where n allows. What a full topic cannot take goes to the others by the same rule.

    Parameters
    ----------
    sizes : rows per topic, 0 or more
    n : rows wanted, 0 or more
    how : "proportional" to sizes, "equal", or "weighted" by `weights`
    weights : per topic, 0 or more; needed for "weighted" only. A topic of weight 0 is asked only when all
        others are full

    Raises
    ------
    ValueError
        If a size or n is negative, `how` is unknown, or a weight is missing or negative.

    Source
    ------
    HCAT section 2, step 4: "proportional to the size of the cluster or weighted based on criteria such as the
    importance of the topic".
    """
    shares = _shares(sizes, n, how, weights)
    target = min(n, sum(sizes.values()))
    counts = dict.fromkeys(sizes, 0)
    for name in _by_claim([name for name in sizes if sizes[name] and shares[name]], shares, sizes)[:target]:
        counts[name] = 1
    while sum(counts.values()) < target:
        _hand_out(counts, sizes, shares, target)
    return counts


def draw(
    rows: pd.DataFrame, counts: Mapping[str, int], rng: np.random.Generator, by: str = "topic"
) -> pd.DataFrame:
    """Without replacement, `counts[topic]` rows of each topic, in the order of the table; the same rng state
    gives the same rows.

    Raises
    ------
    ValueError
        If a topic is asked for more rows than it has.
    """
    chosen: list[int] = []
    for name in sorted(counts):
        inside = np.flatnonzero((rows[by] == name).to_numpy())
        if counts[name] > len(inside):
            raise ValueError(f"topic {name!r} has {len(inside)} rows; {counts[name]} were asked for")
        chosen += rng.choice(inside, size=counts[name], replace=False).tolist()
    return rows.iloc[sorted(chosen)]


def _shares(
    sizes: Mapping[str, int], n: int, how: str, weights: Mapping[str, float] | None
) -> dict[str, float]:
    if n < 0 or any(size < 0 for size in sizes.values()):
        raise ValueError(f"sizes and n must be 0 or more; found n={n}, sizes={dict(sizes)}")
    if how not in HOW:
        raise ValueError(f"how={how!r} is unknown; allowed: {', '.join(HOW)}")
    if how == "equal":
        return dict.fromkeys(sizes, 1.0)
    if how == "proportional":
        return {name: float(size) for name, size in sizes.items()}
    given = weights or {}
    flawed = [name for name in sizes if not given.get(name, -1) >= 0 or given.get(name) == float("inf")]
    if flawed:
        raise ValueError(
            f"topic {flawed[0]!r} needs a finite weight of 0 or more; found {given.get(flawed[0])}"
        )
    return {name: float(given[name]) for name in sizes}


def _by_claim(names: Sequence[str], claims: Mapping[str, float], sizes: Mapping[str, int]) -> list[str]:
    return sorted(names, key=lambda name: (-round(claims[name], 9), -sizes[name], name))


def _hand_out(
    counts: dict[str, int], sizes: Mapping[str, int], shares: Mapping[str, float], target: int
) -> None:
    """Give the rows still owed to topics that are not full:
    up to their quotas first, then one to each of the largest remainders."""
    open_ = [name for name in sizes if counts[name] < sizes[name]]
    weighted = [name for name in open_ if shares[name]] or open_
    total = sum(shares[name] for name in weighted) or len(weighted)
    pool = target - sum(count for name, count in counts.items() if name not in weighted)
    quota = {name: pool * ((shares[name] or 1.0) / total) for name in weighted}
    before = sum(counts.values())
    for name in weighted:
        counts[name] = max(counts[name], min(int(quota[name] + 1e-9), sizes[name]))
    _trim(counts, target, quota)
    if sum(counts.values()) == before:
        remainders = {name: quota[name] - counts[name] for name in weighted}
        for name in _by_claim(weighted, remainders, sizes)[: target - before]:
            counts[name] += 1


def _trim(counts: dict[str, int], target: int, quota: Mapping[str, float]) -> None:
    """Take back, one at a time, what "at least one each" made too many:
    from the topic furthest above its quota."""
    while sum(counts.values()) > target:
        name = min(
            (name for name in quota if counts[name] > 1), key=lambda name: (quota[name] - counts[name], name)
        )
        counts[name] -= 1


LARGEST = 1_500  # rows of a topic that are compared; more are drawn by seed
DRAWS = 200


def representative_passages(
    topics: Topics, size: int, seed: int = 0, *, encode: Callable = models.encode
) -> pd.DataFrame:
    """For each topic the `size` passages (all, where it has fewer) that are distributed as it is:
    topic, label, passages, distance, chance."""
    vectors = encode(topics.chunks["text"].tolist())
    names, rows = topics.chunks["chunk_id"].to_numpy(), []
    for topic, label in zip(topics.table["topic"], topics.table["label"], strict=True):
        inside = np.flatnonzero((topics.chunks["topic"] == topic).to_numpy())
        found = representative_rows(vectors[inside], min(size, len(inside)), seed)
        rows.append(
            (topic, label, ", ".join(names[inside[found.rows]]), found.distance, round(found.chance, 4))
        )
    return pd.DataFrame(rows, columns=["topic", "label", "passages", "distance", "chance"])


class Representatives(NamedTuple):
    """Rows of the topic that stand for it, and how well.

    rows : places in the topic, in order
    distance : energy distance between the set and the topic, 0 or more, lower is nearer
    chance : share of DRAWS random sets of the same size that are as near or nearer, in (0, 1]; small is good
    """

    rows: NDArray[np.int64]
    distance: float
    chance: float


def representative_rows(vectors: NDArray, size: int, seed: int = 0) -> Representatives:
    """`size` rows of a topic (n, d) that are distributed as the topic is.

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
    chosen = _herd(distances, size)
    found = _energy_distance(distances, chosen)
    rivals = [_energy_distance(distances, rng.choice(len(pool), size, replace=False)) for _ in range(DRAWS)]
    nearer = sum(rival <= found + 1e-12 for rival in rivals)
    return Representatives(np.sort(pool[chosen]), round(float(found), 6), (1 + nearer) / (1 + DRAWS))


def _herd(distances: NDArray, size: int) -> NDArray[np.int64]:
    """Greedy: each row added makes the energy distance to the whole least; ties go to the first."""
    to_all, to_set = distances.mean(axis=1), np.zeros(len(distances))
    chosen: list[int] = []
    for count in range(1, size + 1):
        cost = to_all - to_set / count
        cost[chosen] = np.inf
        chosen.append(int(np.argmin(np.round(cost, 12))))
        to_set += distances[chosen[-1]]
    return np.array(chosen, dtype=np.int64)


def _energy_distance(distances: NDArray, rows: NDArray) -> float:
    """2 E|X - Y| - E|X - X'| - E|Y - Y'|, X one of the rows and Y one of the whole they are of."""
    part = distances[rows]
    return max(0.0, float(2 * part.mean() - part[:, rows].mean() - distances.mean()))


def _distances(these: NDArray, those: NDArray) -> NDArray:
    from scipy.spatial.distance import cdist

    return cdist(these, those)
