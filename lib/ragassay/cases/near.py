"""Passages that say nearly the same thing."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from ragassay import models, ranges

BLOCK = 1024


def near_duplicates(
    chunks: pd.DataFrame,
    threshold: float = 0.95,
    *,
    model: str = "",
    limit: int = 1000,
    encode: Callable = models.encode,
) -> pd.DataFrame:
    """Pairs of passages with cosine >= threshold, in [-1, 1], closest first: chunk_id, other, similarity (4 decimals).

    At most `limit` rows; `.attrs["count"]` is the number of all pairs found. Products are made block by block (1024 rows): memory
    does not grow with the square of the collection.
    """
    ranges.check("near_duplicate", threshold, "in [-1, 1]")
    vectors = encode(chunks["text"].tolist(), model) if len(chunks) > 1 else np.zeros((len(chunks), 1))
    names, count = chunks["chunk_id"].to_numpy(), 0
    found: list[tuple[int, int, float]] = []
    for start in range(0, len(vectors), BLOCK):
        pairs = _pairs(vectors, start, threshold)
        count += len(pairs)
        found = sorted(found + pairs, key=lambda pair: (-pair[2], pair[0], pair[1]))[:limit]
    table = pd.DataFrame(
        [(names[i], names[j], s) for i, j, s in found], columns=["chunk_id", "other", "similarity"]
    )
    table.attrs["count"] = count
    return table


def _pairs(vectors: np.ndarray, start: int, threshold: float) -> list[tuple[int, int, float]]:
    similarity = vectors[start : start + BLOCK] @ vectors[start:].T
    later = np.triu(np.ones(similarity.shape, dtype=bool), k=1)
    rows, columns = np.nonzero(later & (similarity >= threshold))
    kept = np.minimum(similarity[rows, columns], 1.0)
    return [
        (start + int(i), start + int(j), round(float(s), 4))
        for i, j, s in zip(rows, columns, kept, strict=True)
    ]
