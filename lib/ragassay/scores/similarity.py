"""Sentence similarity: how well each sentence of one text is met by another (HCAT section 3).

The four metrics share one formula and differ in whose sentences are asked, and of whom:

    context_relevancy  question -> contexts     groundedness      answer -> contexts
    completeness       contexts -> answer       answer_relevancy  answer -> question
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

AGGREGATIONS = ("mean", "weighted", "minimum")


class Match(NamedTuple):
    """How sentences (m) are met by others: the best cosine of each (m,), whose it is (m,), and the row of the least met."""

    best: NDArray[np.float64]
    nearest: NDArray[np.intp]
    least: int


def context_relevancy(
    question: ArrayLike, context: ArrayLike, *, aggregation: str = "mean", weights: ArrayLike | None = None
) -> float:
    """How well the question's sentences (m, d) are addressed by the retrieved ones (n, d), in [-1, 1]; higher is better.

    Raises and aggregation: see `aggregate`. Source: Sudjianto et al. (2024), HCAT, section 3.1.
    """
    return aggregate(best_match(question, context), aggregation, weights)


def groundedness(
    answer: ArrayLike, context: ArrayLike, *, aggregation: str = "mean", weights: ArrayLike | None = None
) -> float:
    """How well the answer's sentences (k, d) are supported by the retrieved ones (n, d), in [-1, 1]; higher is better.

    Raises and aggregation: see `aggregate`. Source: Sudjianto et al. (2024), HCAT, section 3.2.1 (mean; weighted and minimum as in 3.1).
    """
    return aggregate(best_match(answer, context), aggregation, weights)


def completeness(
    context: ArrayLike, answer: ArrayLike, *, aggregation: str = "mean", weights: ArrayLike | None = None
) -> float:
    """How well the retrieved sentences (n, d) are covered by the answer's (k, d), in [-1, 1]; higher is better.

    Raises and aggregation: see `aggregate`. Source: Sudjianto et al. (2024), HCAT, section 3.3.1 (minimum as in 3.1).
    """
    return aggregate(best_match(context, answer), aggregation, weights)


def answer_relevancy(
    answer: ArrayLike, question: ArrayLike, *, aggregation: str = "mean", weights: ArrayLike | None = None
) -> float:
    """How close the answer's sentences (k, d) are to the question's (m, d), in [-1, 1]; higher is better.

    Raises and aggregation: see `aggregate`. Source: Sudjianto et al. (2024), HCAT, section 3.4.
    """
    return aggregate(best_match(answer, question), aggregation, weights)


def best_match(these: ArrayLike, those: ArrayLike) -> NDArray[np.float64]:
    """Cosine in [-1, 1] of each row of `these` (m, d) with its closest row of `those` (n, d); shape (m,). HCAT's S_max.

    Raises
    ------
    ValueError
        If a text has no sentence or an embedding is all zeros: the cosine does not exist.
    """
    return cosines(these, those).max(axis=1)


def nearest(cosine: ArrayLike) -> NDArray[np.intp]:
    """Which column of a table of cosines (m, n) is the greatest in each row; shape (m,). The first of equals, judged at nine decimals."""
    return np.round(np.asarray(cosine, dtype=float), 9).argmax(axis=1)


def match(cosine: NDArray[np.float64]) -> Match:
    """What a table of cosines (m, n) says of its rows."""
    best = cosine.max(axis=1)
    return Match(best, nearest(cosine), least(best))


def matched(blocks: Iterable[NDArray[np.float64]]) -> Match:
    """`match` of a table of cosines that comes in blocks of rows; at least one."""
    parts = [match(block) for block in blocks]
    best = np.concatenate([part.best for part in parts])
    return Match(best, np.concatenate([part.nearest for part in parts]), least(best))


def ranked(cosine: ArrayLike) -> list[int]:
    """Places of the cosines (n,) from the greatest down; equals, judged at nine decimals, in the order they stand."""
    return [int(place) for place in np.argsort(-np.round(np.asarray(cosine, dtype=float), 9), kind="stable")]


def cosines(these: ArrayLike, those: ArrayLike) -> NDArray[np.float64]:
    """Cosine of every row of `these` (m, d) with every row of `those` (n, d), in [-1, 1]; shape (m, n). Raises as `best_match`."""
    return of_unit(unit(these), unit(those))


def of_unit(these: NDArray[np.float64], those: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cosines of rows that are of length 1 already (`unit`)."""
    return np.clip(these @ those.T, -1.0, 1.0)


def blocks(
    these: NDArray[np.float64], those: NDArray[np.float64], cells: int
) -> Iterator[NDArray[np.float64]]:
    """`of_unit` by blocks of rows, each of at most `cells` cosines, or one row; equal to the whole table but for the last bits."""
    rows = max(1, cells // max(1, len(those)))
    return (of_unit(these[start : start + rows], those) for start in range(0, len(these), rows))


def aggregate(best: ArrayLike, aggregation: str = "mean", weights: ArrayLike | None = None) -> float:
    """One number for a text from one number per sentence (m,): their mean, weighted mean, or minimum; in the range of `best`.

    Raises
    ------
    ValueError
        If there is no sentence, the aggregation is unknown, or `weighted` has no weights (m,) that are >= 0 with a sum above 0.

    Source
    ------
    HCAT section 3.1: simple average, weighted average (sum of weights 1: normalised here), "minimax".
    """
    best = np.asarray(best, dtype=float)
    if best.size == 0:
        raise ValueError("no sentences to aggregate: the text is empty")
    if aggregation not in AGGREGATIONS:
        raise ValueError(f"aggregation must be one of {', '.join(AGGREGATIONS)}; found {aggregation!r}")
    if aggregation == "weighted":
        found = _checked(weights, best.shape)
        return float((best * found).sum() / found.sum())
    return float(best.min() if aggregation == "minimum" else best.mean())


def least(best: ArrayLike) -> int:
    """Row of the least met sentence of `best` (m,), HCAT's i*: the first where several are equal (section 3.2.1).

    Equality is judged at six decimals, the precision of the tables, so that the choice does not hang on rounding noise.
    """
    return int(np.argmin(np.round(np.asarray(best, dtype=float), 6)))


def _checked(weights: ArrayLike | None, shape: tuple[int, ...]) -> NDArray[np.float64]:
    if weights is None:
        raise ValueError("aggregation 'weighted' needs weights, one per sentence; found none")
    found = np.asarray(weights, dtype=float)
    if found.shape != shape:
        raise ValueError(
            f"weights must have one value per sentence, shape {shape}; found shape {found.shape}"
        )
    wrong = np.flatnonzero(~(np.isfinite(found) & (found >= 0)))
    if wrong.size:
        raise ValueError(f"weight {wrong[0]} must be a number >= 0; found {found[wrong[0]]}")
    if found.sum() == 0:
        raise ValueError("weights must not all be 0: their average does not exist")
    return found


def unit(sentences: ArrayLike) -> NDArray[np.float64]:
    """The rows (n, d) drawn to length 1.

    Raises
    ------
    ValueError
        If there is no row, or one is all zeros or not finite.
    """
    vectors = np.asarray(sentences, dtype=float)
    if len(vectors) == 0:
        raise ValueError("no sentences to compare: the text is empty")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    wrong = np.flatnonzero(~(np.isfinite(lengths[:, 0]) & (lengths[:, 0] > 0)))
    if wrong.size:
        raise ValueError(
            f"sentence {wrong[0]} has an embedding of length {lengths[wrong[0], 0]}; cosine is undefined"
        )
    return vectors / lengths
