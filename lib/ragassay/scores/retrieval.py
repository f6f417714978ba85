"""Retrieval: were the right passages found (hard, against reference passages) or at least relevant ones (soft, by sentences)?

HCAT figures 5 and 6 show both and print no formula for either; the definitions here are ours, after FORMULAS 5.
"""

from collections.abc import Collection


def retrieval_recall(retrieved: Collection[str], reference: Collection[str]) -> float:
    """Share of the distinct reference passages that were retrieved, in [0, 1]; higher is better.

    Raises ValueError if there is no reference passage. Source: HCAT figure 5 (hard recall, against known passages).
    """
    if not reference:
        raise ValueError("no reference passage: recall does not exist")
    return len(set(retrieved) & set(reference)) / len(set(reference))


def retrieval_precision(retrieved: Collection[str], reference: Collection[str]) -> float:
    """Share of the distinct retrieved passages that are reference passages, in [0, 1]; higher is better.

    Raises ValueError if nothing was retrieved or there is no reference passage. Source: HCAT figure 5 (hard precision).
    """
    if not reference:
        raise ValueError("no reference passage: precision does not exist")
    if not retrieved:
        raise ValueError("nothing was retrieved: precision does not exist")
    return len(set(retrieved) & set(reference)) / len(set(retrieved))
