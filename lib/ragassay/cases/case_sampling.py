"""How many cases each topic gets, and which of its rows (HCAT section 2, step 4)."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

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
