"""Passages that may contradict each other: nearly the same sentence with another figure, a negation more, or
a contradiction by entailment.

What is listed is for a person to read. Two versions of a policy may differ on purpose; that an assistant may
cite either is the point.
"""

import re
from collections.abc import Callable
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay import documents, models
from ragassay.models import entailment_thresholds

NEAR_PASSAGES, NEAR_SENTENCES, SHARED_WORDS = 0.6, 0.7, 0.6
MOST_PASSAGES = 2_000  # pairs of near passages that are read
COMPARED = 10_000  # passages compared; more are drawn by seed 0
BLOCK = 1024  # rows of passages that are compared with all at once
KINDS = ("figures", "negation", "entailment")
FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
NEGATION = re.compile(r"\b(?:not|no|never|cannot|without|neither|nor)\b|n't\b", re.IGNORECASE)


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
    chunks : chunk_id, text; of more than COMPARED a sample is compared
    limit : rows given at most

    Returns
    -------
    chunk_id, other; kind: "figures" (the same words, other figures), "negation" (the same words, one of them
    negated) or "entailment" (both ways at or above the threshold calibrated for `contradiction`); both
    sentences; similarity (cosine, [-1, 1]); contradiction (smaller of both probabilities, [0, 1])
    """
    compared = chunks if len(chunks) <= COMPARED else chunks.sample(COMPARED, random_state=0).sort_index()
    pairs = _near_sentences(compared, encode)
    both = zip(pairs["sentence"], pairs["other_sentence"], strict=True)
    pairs.insert(2, "kind", [_kind_by_words(one, other) for one, other in both])
    least = entailment_thresholds.threshold("contradiction")
    pairs["contradiction"] = _chances(pairs["sentence"], pairs["other_sentence"], entail)
    pairs = pairs[(pairs["kind"] != "") | (pairs["contradiction"] >= least)]  # the rest needs no second way
    back = _chances(pairs["other_sentence"], pairs["sentence"], entail)
    pairs = pairs.assign(contradiction=np.minimum(pairs["contradiction"], back))
    pairs.loc[(pairs["kind"] == "") & (pairs["contradiction"] >= least), "kind"] = "entailment"
    pairs = pairs[pairs["kind"] != ""].assign(order=lambda table: table["kind"].map(KINDS.index))
    keys, ascending = ["order", "similarity", "chunk_id", "other"], [True, False, True, True]
    pairs = pairs.sort_values(keys, ascending=ascending, kind="stable").drop(columns="order")
    return pairs.head(limit).reset_index(drop=True)


def _near_sentences(chunks: pd.DataFrame, encode: Callable) -> pd.DataFrame:
    """Near but unequal sentences of near passages, each pair once."""
    names, texts = chunks["chunk_id"].tolist(), chunks["text"].tolist()
    near = near_pairs(encode(texts)) if len(texts) > 1 else []
    said = {i: list(dict.fromkeys(documents.sentences(texts[i]))) for pair in near for i in pair}
    every = sorted({one for own in said.values() for one in own})
    place, vectors = {one: i for i, one in enumerate(every)}, encode(every) if every else np.zeros((0, 1))
    rows = []
    for first, second in near:
        these, those = said[first], said[second]
        cosines = vectors[[place[one] for one in these]] @ vectors[[place[one] for one in those]].T
        for (i, one), (j, other) in product(enumerate(these), enumerate(those)):
            same = re.findall(r"\w+", one.lower()) == re.findall(r"\w+", other.lower())
            if cosines[i, j] >= NEAR_SENTENCES and not same:
                rows.append((names[first], names[second], one, other, round(float(cosines[i, j]), 4)))
    columns = ["chunk_id", "other", "sentence", "other_sentence", "similarity"]
    return pd.DataFrame(rows, columns=columns).drop_duplicates(ignore_index=True)


def near_pairs(vectors: NDArray) -> list[tuple[int, int]]:
    """The MOST_PASSAGES nearest pairs of rows of cosine NEAR_PASSAGES or more, nearest first."""
    found: list[tuple[float, int, int]] = []
    for start in range(0, len(vectors), BLOCK):
        cosine = np.triu(vectors[start : start + BLOCK] @ vectors[start:].T, k=1)
        i, j = np.nonzero(cosine >= NEAR_PASSAGES)
        far = -np.round(cosine[i, j].astype(float), 4)
        found += zip(far.tolist(), (start + i).tolist(), (start + j).tolist(), strict=True)
        found = sorted(found)[:MOST_PASSAGES]
    return [(i, j) for _, i, j in found]


def _chances(these: pd.Series, those: pd.Series, entail: Callable) -> np.ndarray:
    """Probability that each of the first contradicts its second, (n,)."""
    pairs = list(zip(these, those, strict=True))
    return np.round(entail(pairs).probabilities[:, 2].astype(float), 4) if pairs else np.empty(0)


def _kind_by_words(one: str, other: str) -> str:
    """Why the words of two sentences say that they may contradict each other, "" if they do not."""
    words, others = (set(re.findall(r"[^\W\d_]{3,}", text.lower())) for text in (one, other))
    figures, others_figures = (sorted(FIGURE.findall(text)) for text in (one, other))
    if len(words & others) < max(SHARED_WORDS * max(len(words), len(others), 1), 3):
        return ""
    if figures and others_figures and figures != others_figures:
        return "figures"
    odd = len(NEGATION.findall(one)) % 2 != len(NEGATION.findall(other)) % 2
    return "negation" if odd and figures == others_figures else ""
