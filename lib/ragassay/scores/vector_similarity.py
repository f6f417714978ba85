"""Cosines of sentence vectors: whole tables, best matches. Arrays in, arrays out."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def best_match(these: ArrayLike, those: ArrayLike) -> NDArray[np.float64]:
    """Cosine in [-1, 1] of each row of `these` (m, d) with its closest row of `those` (n, d); shape (m,).

    HCAT's S_max. Raises ValueError if a text has no sentence or an embedding is all zeros: the cosine does
    not exist.
    """
    return cosines(these, those).max(axis=1)


def cosines(these: ArrayLike, those: ArrayLike) -> NDArray[np.float64]:
    """Cosine of every row of `these` (m, d) with every row of `those` (n, d), in [-1, 1]; shape (m, n).

    Raises as `best_match`.
    """
    return np.clip(unit_rows(these) @ unit_rows(those).T, -1.0, 1.0)


def unit_rows(sentences: ArrayLike) -> NDArray[np.float64]:
    """The rows (n, d) drawn to length 1.

    Raises ValueError if there is no row, or one is all zeros or not finite.
    """
    vectors = np.asarray(sentences, dtype=float)
    if len(vectors) == 0:
        raise ValueError("nothing to compare: the text is empty")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if lengths.min() > 0 and lengths.max() < np.inf:
        return vectors / lengths
    wrong = np.flatnonzero(~(np.isfinite(lengths[:, 0]) & (lengths[:, 0] > 0)))[0]
    raise ValueError(f"sentence {wrong} has an embedding of length {lengths[wrong, 0]}; cosine is undefined")
