"""How many cases each topic gets, and which questions these are (HCAT section 2, step 4)."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

Allocation = str | Mapping[str, float]
KEYS = ("fact", "query_type", "family", "chunk_id")  # what questions of a topic should differ in, by weight


def allocate(sizes: Mapping[str, int], n: int, allocation: Allocation = "proportional") -> dict[str, int]:
    """Rows to draw per topic: they add up to min(n, all rows), none above its topic's size.

    One per topic that has rows and a share, where n allows; each further one to the topic whose share divided
    by 2 * (its rows so far) + 1 is largest (Sainte-Laguë); ties to the larger topic, then the first name.

    Parameters
    ----------
    sizes : rows per topic, 0 or more
    n : rows wanted, 0 or more
    allocation : "proportional" to sizes, "equal", or a weight for each topic, 0 or more; a topic of weight 0
        is asked only when all others are full

    Raises
    ------
    ValueError
        If a size or n is negative, the allocation is another word, or a weight is missing or negative.

    Source
    ------
    HCAT section 2, step 4.
    """
    if n < 0 or any(size < 0 for size in sizes.values()):
        raise ValueError(f"sizes and n must be 0 or more; found n={n}, sizes={dict(sizes)}")
    named: dict[str, Mapping[str, float]] = {"proportional": sizes, "equal": dict.fromkeys(sizes, 1.0)}
    if isinstance(allocation, str) and allocation not in named:
        raise ValueError(f"allocation {allocation!r} is unknown; allowed: {', '.join(named)}, or weights")
    shares = named[allocation] if isinstance(allocation, str) else allocation
    for name in sizes:
        if not 0 <= shares.get(name, -1) < float("inf"):
            raise ValueError(f"topic {name!r} needs a finite weight of 0 or more; found {shares.get(name)}")
    counts = dict.fromkeys(sorted(sizes), 0)

    def claim(name: str) -> tuple[bool, float, int]:
        unserved = bool(shares[name]) and not counts[name]
        return unserved, shares[name] / (2 * counts[name] + 1), sizes[name]

    for _ in range(min(n, sum(sizes.values()))):
        counts[max((name for name in counts if counts[name] < sizes[name]), key=claim)] += 1
    return counts


def draw_questions(
    rows: Sequence[dict], chunks: pd.DataFrame, n: int, allocation: Allocation, rng: np.random.Generator
) -> list[dict]:
    """At most n of the rows (with topic and KEYS) over the topics, in the order of the topics' names; a
    topic's share follows its passages, not its rows.

    Within a topic the order is settled by the seed: a fact is asked twice only when none is new, `loose` rows
    come behind the others, types of question take turns, then patterns, then passages.
    """
    names = chunks["topic"].fillna("").astype(str) if "topic" in chunks else pd.Series([""] * len(chunks))
    topics: dict[str, list[dict]] = {str(name): [] for name in sorted(names.unique())}
    for row in rows:
        topics[row["topic"] or ""].append(row)
    if allocation == "proportional":
        allocation = {str(name): float(count) for name, count in names.value_counts().items()}
    counts = allocate({name: len(inside) for name, inside in topics.items()}, n, allocation)
    return [row for name, inside in topics.items() for row in _take_turns(inside, counts[name], rng)]


def _take_turns(inside: list[dict], count: int, rng: np.random.Generator) -> list[dict]:
    left, used, chosen = [inside[i] for i in rng.permutation(len(inside))], Counter[tuple](), list[dict]()
    while len(chosen) < count:
        ranks = []
        for i, row in enumerate(left):
            fact, *others = (used[key, row[key]] for key in KEYS)
            ranks.append((fact, row.get("loose", False), *others, i))
        row = left.pop(min(ranks)[-1])
        used.update((key, row[key]) for key in KEYS)
        chosen.append(row)
    return chosen
