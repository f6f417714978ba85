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

from ragassay import documents, models, parameter_ranges
from ragassay.defaults import NEAR_DUPLICATE
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
    pairs = _near_sentences(compared, encode)
    pairs["kind"] = [
        _kind_by_words(*both) for both in zip(pairs["sentence"], pairs["other_sentence"], strict=True)
    ]
    least = entailment_thresholds.threshold("contradiction")
    pairs["there"] = _chances(pairs["sentence"], pairs["other_sentence"], entail)
    pairs = pairs[(pairs["kind"] != "") | (pairs["there"] >= least)]  # the rest needs no second direction
    back = _chances(pairs["other_sentence"], pairs["sentence"], entail)
    pairs = pairs.assign(contradiction=np.minimum(pairs["there"], back))
    pairs.loc[(pairs["kind"] == "") & (pairs["contradiction"] >= least), "kind"] = "entailment"
    pairs = pairs[pairs["kind"] != ""].assign(order=lambda table: table["kind"].map(KINDS.index))
    pairs = pairs.sort_values(
        ["order", "similarity", "chunk_id", "other"], ascending=[True, False, True, True], kind="stable"
    )
    columns = ["chunk_id", "other", "kind", "sentence", "other_sentence", "similarity", "contradiction"]
    found = pairs[columns].head(limit).reset_index(drop=True)
    found.attrs.update(count=len(pairs), compared=len(compared))
    return found


def _near_sentences(chunks: pd.DataFrame, encode: Callable) -> pd.DataFrame:
    """Near but unequal sentences of near passages, each pair once."""
    near = near_duplicates(chunks, NEAR_PASSAGES, limit=MOST_PASSAGES, encode=encode)
    text = chunks.set_index("chunk_id")["text"]
    said = {
        name: list(dict.fromkeys(documents.sentences(text[name])))
        for name in {*near["chunk_id"], *near["other"]}
    }
    every = sorted({one for own in said.values() for one in own})
    place, vectors = {one: i for i, one in enumerate(every)}, encode(every) if every else np.zeros((0, 1))
    rows = []
    for pair in near.itertuples():
        these, those = said[pair.chunk_id], said[pair.other]
        cosines = vectors[[place[one] for one in these]] @ vectors[[place[one] for one in those]].T
        for (i, one), (j, other) in product(enumerate(these), enumerate(those)):
            if cosines[i, j] >= NEAR_SENTENCES and _words(one, r"\w+") != _words(other, r"\w+"):
                rows.append((pair.chunk_id, pair.other, one, other, round(float(cosines[i, j]), 4)))
    columns = ["chunk_id", "other", "sentence", "other_sentence", "similarity"]
    return pd.DataFrame(rows, columns=columns).drop_duplicates(ignore_index=True)


def _chances(these: pd.Series, those: pd.Series, entail: Callable) -> np.ndarray:
    """Probability that each of the first contradicts its second, (n,)."""
    pairs = list(zip(these, those, strict=True))
    return np.round(entail(pairs).probabilities[:, 2].astype(float), 4) if pairs else np.empty(0)


def _kind_by_words(one: str, other: str) -> str:
    """Why the words of two sentences say that they may contradict each other, "" if they do not."""
    words, others = (set(_words(text, r"[^\W\d_]{3,}")) for text in (one, other))
    figures, others_figures = (sorted(FIGURE.findall(text)) for text in (one, other))
    if len(words & others) < max(SHARED_WORDS * max(len(words), len(others), 1), 3):
        return ""
    if figures and others_figures and figures != others_figures:
        return "figures"
    odd = len(NEGATION.findall(one)) % 2 != len(NEGATION.findall(other)) % 2
    return "negation" if odd and figures == others_figures else ""


def _words(text: str, form: str) -> list[str]:
    return re.findall(form, text.lower())


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
    found: list[tuple[float, int, int]] = []
    for start in range(0, len(vectors), BLOCK):
        similarity = vectors[start : start + BLOCK] @ vectors[start:].T
        later = np.triu(np.ones(similarity.shape, dtype=bool), k=1)
        rows, columns = np.nonzero(later & (similarity >= threshold))
        kept = np.round(np.minimum(similarity[rows, columns], 1.0).astype(float), 4)
        count += len(kept)
        found += list(zip((-kept).tolist(), (start + rows).tolist(), (start + columns).tolist(), strict=True))
        found = sorted(found)[:limit]
    table = pd.DataFrame(
        [(names[i], names[j], -s) for s, i, j in found], columns=["chunk_id", "other", "similarity"]
    )
    table.attrs["count"] = count
    return table
