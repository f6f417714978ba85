"""Which questions are taken: so many per stratum, types in turn, facts and passages not yet asked about first."""

import numpy as np
import pandas as pd

from ragassay.cases import sampling


def drawn(
    passed: list[dict],
    chunks: pd.DataFrame,
    n: int,
    allocation: str,
    weights: dict[str, float] | None,
    rng: np.random.Generator,
) -> list[dict]:
    """n rows over the strata, in the order of the strata; a stratum's share follows its passages, not its candidates."""
    names = chunks["topic"].fillna("").astype(str) if "topic" in chunks else pd.Series([""] * len(chunks))
    sizes = dict.fromkeys(sorted(names.unique()), 0)
    strata: dict[str, list[dict]] = {name: [] for name in sizes}
    for row in passed:
        strata[row["topic"] or ""].append(row)
    sizes = {name: len(inside) for name, inside in strata.items()}
    passages = {str(name): float(count) for name, count in names.value_counts().items()}
    how, shares = (
        ("equal", None)
        if allocation == "equal"
        else ("weighted", weights if allocation == "weighted" else passages)
    )
    counts = sampling.allocate(sizes, n, how, shares)
    return [row for name in sorted(counts) for row in turns(strata[name], counts[name], rng)]


def turns(inside: list[dict], count: int, rng: np.random.Generator) -> list[dict]:
    """`count` rows of a stratum in an order settled by the seed: a fact is asked twice only when none is new, types of question take
    turns, then patterns, then passages."""
    shuffled = [inside[i] for i in rng.permutation(len(inside))]
    used: dict[tuple, int] = {}
    chosen: list[dict] = []
    while len(chosen) < count:
        best = min(range(len(shuffled)), key=lambda i: [*(used.get(key, 0) for key in _keys(shuffled[i])), i])
        row = shuffled.pop(best)
        for key in _keys(row):
            used[key] = used.get(key, 0) + 1
        chosen.append(row)
    return chosen


def _keys(row: dict) -> list[tuple]:
    return [
        ("fact", row["fact"]),
        ("type", row["query_type"]),
        ("family", row["family"]),
        ("passage", row["chunk_id"]),
    ]
