"""Passages that may contradict each other: nearly the same sentence with another figure, a negation more, or
a contradiction by entailment.

What is listed is for a person to read. Two versions of a policy may differ on purpose; that an assistant may
cite either is the point.
"""

import re
from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from ragassay import documents, models, parameter_ranges
from ragassay.defaults import NEAR_DUPLICATE
from ragassay.models import entailment_thresholds

NEAR_PASSAGES, NEAR_SENTENCES, SHARED_WORDS = 0.6, 0.7, 0.6
MOST_PASSAGES = 2_000  # pairs of near passages that are read
COMPARED = 10_000  # passages compared; more are drawn by seed 0
FIGURE, NEGATION = (
    re.compile(r"\d+(?:[.,]\d+)*"),
    re.compile(r"\b(?:not|no|never|cannot|without|neither|nor)\b|n't\b", re.IGNORECASE),
)
WORD = re.compile(r"[^\W\d_]{3,}")
COLUMNS = ["chunk_id", "other", "kind", "sentence", "other_sentence", "similarity", "contradiction"]


class Pair(NamedTuple):
    """Two sentences of two near passages."""

    chunk_id: str
    other: str
    sentence: str
    other_sentence: str
    similarity: float


def contradictions(
    chunks: pd.DataFrame,
    *,
    limit: int = 200,
    encode: Callable = models.encode,
    entail: Callable = models.entail,
) -> pd.DataFrame:
    """Pairs of sentences of different passages that may contradict each other, the surest kind first.

    Parameters
    ----------
    chunks : chunk_id, text
    limit : rows given at most; `.attrs["count"]` is the number found, `.attrs["compared"]` how many passages
        were compared: above COMPARED a sample

    Returns
    -------
    chunk_id, other; kind: "figures" (the same words, other figures), "negation" (the same words, one of them
    negated) or "entailment" (both ways at or above the threshold calibrated for `contradiction`); both
    sentences; similarity (cosine, [-1, 1]); contradiction (smaller of both probabilities, [0, 1])
    """
    compared = chunks if len(chunks) <= COMPARED else chunks.sample(COMPARED, random_state=0).sort_index()
    pairs = list(dict.fromkeys(_pairs(compared, encode)))
    rows = [
        (one.chunk_id, one.other, kind, one.sentence, one.other_sentence, one.similarity, chance)
        for kind, one, chance in _judged(pairs, entail)
    ]
    table = pd.DataFrame(rows, columns=COLUMNS)
    order = table["kind"].map({"figures": 0, "negation": 1, "entailment": 2})
    table = table.assign(order=order).sort_values(
        ["order", "similarity", "chunk_id", "other"], ascending=[True, False, True, True]
    )
    given = table.drop(columns="order").head(limit).reset_index(drop=True)
    given.attrs.update(count=len(table), compared=len(compared))
    return given


def _pairs(chunks: pd.DataFrame, encode: Callable) -> Iterator[Pair]:
    """Near but unequal sentences of near passages."""
    near = near_duplicates(chunks, NEAR_PASSAGES, limit=MOST_PASSAGES, encode=encode)
    text = chunks.set_index("chunk_id")["text"]
    wanted = sorted({*near["chunk_id"], *near["other"]})
    sentences = {name: list(dict.fromkeys(documents.sentences(text[name]))) for name in wanted}
    every = sorted({one for found in sentences.values() for one in found})
    if not every:
        return
    place, vectors = {one: i for i, one in enumerate(every)}, encode(every)
    for row in near.itertuples():
        these, those = sentences[row.chunk_id], sentences[row.other]
        cosines = vectors[[place[one] for one in these]] @ vectors[[place[one] for one in those]].T
        for (i, one), (j, other) in product(enumerate(these), enumerate(those)):
            if cosines[i, j] >= NEAR_SENTENCES and _plain(one) != _plain(other):
                yield Pair(row.chunk_id, row.other, one, other, round(float(cosines[i, j]), 4))


def _judged(pairs: list[Pair], entail: Callable) -> Iterator[tuple[str, Pair, float]]:
    """The pairs that may contradict each other: why, the pair, and the smaller of both probabilities.

    The second direction is asked only of pairs that the first, or their words, have not cleared.
    """
    least = entailment_thresholds.threshold("contradiction")
    there = _chances([(pair.sentence, pair.other_sentence) for pair in pairs], entail)
    kinds = [_kind_by_words(pair) for pair in pairs]
    left = [i for i, kind in enumerate(kinds) if kind or there[i] >= least]
    back = _chances([(pairs[i].other_sentence, pairs[i].sentence) for i in left], entail)
    for i, chance in zip(left, np.minimum(there[left], back), strict=True):
        if kind := kinds[i] or ("entailment" if chance >= least else ""):
            yield kind, pairs[i], chance


def _chances(pairs: list[tuple[str, str]], entail: Callable) -> np.ndarray:
    """Probability that the first contradicts the second, (n,)."""
    if not pairs:
        return np.empty(0)
    return np.round(entail(pairs).probabilities[:, 2].astype(float), 4)


def _kind_by_words(pair: Pair) -> str:
    """Why the words of the two sentences say that they may contradict each other, "" if they do not."""
    one, other = pair.sentence, pair.other_sentence
    words, others = _words(one), _words(other)
    if len(words & others) < max(SHARED_WORDS * max(len(words), len(others), 1), 3):
        return ""
    if _figures(one) and _figures(other) and _figures(one) != _figures(other):
        return "figures"
    odd = len(NEGATION.findall(one)) % 2 != len(NEGATION.findall(other)) % 2
    return "negation" if odd and _figures(one) == _figures(other) else ""


def _words(sentence: str) -> set[str]:
    return {word.lower() for word in WORD.findall(sentence)}


def _figures(sentence: str) -> list[str]:
    return sorted(FIGURE.findall(sentence))


def _plain(sentence: str) -> str:
    return " ".join(re.findall(r"\w+", sentence.lower()))


BLOCK = 1024


def near_duplicates(
    chunks: pd.DataFrame,
    threshold: float = NEAR_DUPLICATE,
    *,
    limit: int = 1000,
    encode: Callable = models.encode,
) -> pd.DataFrame:
    """Pairs of passages with cosine >= threshold, in [-1, 1], closest first: chunk_id, other, similarity (4
    decimals).

    At most `limit` rows; `.attrs["count"]` is the number of all pairs found. Products are made block by block
    (1024 rows): memory does not grow with the square of the collection.
    """
    parameter_ranges.check("near_duplicate", threshold, "in [-1, 1]")
    vectors = encode(chunks["text"].tolist()) if len(chunks) > 1 else np.zeros((len(chunks), 1))
    names, count = chunks["chunk_id"].to_numpy(), 0
    found: list[tuple[int, int, float]] = []
    for start in range(0, len(vectors), BLOCK):
        pairs = _near_pairs(vectors, start, threshold)
        count += len(pairs)
        found = sorted(found + pairs, key=lambda pair: (-pair[2], pair[0], pair[1]))[:limit]
    table = pd.DataFrame(
        [(names[i], names[j], s) for i, j, s in found], columns=["chunk_id", "other", "similarity"]
    )
    table.attrs["count"] = count
    return table


def _near_pairs(vectors: np.ndarray, start: int, threshold: float) -> list[tuple[int, int, float]]:
    similarity = vectors[start : start + BLOCK] @ vectors[start:].T
    later = np.triu(np.ones(similarity.shape, dtype=bool), k=1)
    rows, columns = np.nonzero(later & (similarity >= threshold))
    kept = np.minimum(similarity[rows, columns], 1.0)
    return [
        (start + int(i), start + int(j), round(float(s), 4))
        for i, j, s in zip(rows, columns, kept, strict=True)
    ]
