"""Cosines of sentence vectors: whole tables, best matches, the least met sentence. Arrays in, arrays out."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Match(NamedTuple):
    """How sentences (m) are met by others: the best cosine of each (m,), whose it is (m,), and the row of the
    least met."""

    best: NDArray[np.float64]
    nearest: NDArray[np.intp]
    least: int


def match(cosine: NDArray[np.float64]) -> Match:
    """What a table of cosines (m, n) says of its rows."""
    best = cosine.max(axis=1)
    return Match(best, nearest(cosine), least_met(best))


def best_match(these: ArrayLike, those: ArrayLike) -> NDArray[np.float64]:
    """Cosine in [-1, 1] of each row of `these` (m, d) with its closest row of `those` (n, d); shape (m,).

    HCAT's S_max. Raises ValueError if a text has no sentence or an embedding is all zeros: the cosine does
    not exist.
    """
    return cosines(these, those).max(axis=1)


def nearest(cosine: ArrayLike) -> NDArray[np.intp]:
    """Which column of a table of cosines (m, n) is the greatest in each row; shape (m,).

    The first of equals, judged at nine decimals.
    """
    return np.rint(np.asarray(cosine, dtype=float) * 1e9).argmax(axis=1)


def ranking(cosine: ArrayLike) -> list[int]:
    """Places of the cosines (n,) from the greatest down; equals, judged at nine decimals, as they stand."""
    at_nine = np.rint(np.asarray(cosine, dtype=float) * 1e9)
    return [int(place) for place in np.argsort(-at_nine, kind="stable")]


def least_met(best: ArrayLike) -> int:
    """Row of the least met sentence of `best` (m,), HCAT's i*: the first where several are equal (3.2.1).

    Equality is judged at six decimals, the precision of the tables, so that the choice does not hang on
    rounding noise.
    """
    return int(np.argmin(np.rint(np.asarray(best, dtype=float) * 1e6)))


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
