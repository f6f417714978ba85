"""Trains the head that reads refusals: python training/refusals.py [--out lib/ragassay/models/heads]

Whether a sentence of an answer declines, asserts or does neither, from its hashed n-grams (models/ngrams.py):
three logistic models, one a label, on sentences we wrote (answer_sentences/, a file a batch, the batches
written apart from one another). Measured on batches left out; the thresholds of
scores/text_reading/answer_state.py were chosen so too (bench/refusals.py).
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import bank_text
import data
from ragassay.scores.text_reading import answer_state

LABELS = ("declines", "asserts", "neither")
FOLDER = Path(__file__).parent / "answer_sentences"
ALWAYS = "always learned"  # the part of sentences that are in no measurement
APART = ("common", "near_misses")  # the plainest refusals, and answers that resemble them: never measured
LEAST = 2  # sentences that an n-gram's place must be met in, to count
STRENGTH = 10.0  # of the regularisation
BANK_WEIGHT = 0.5  # of a sentence of the bank's documents, against 1 of one we wrote
FOLDS = 5  # of the answers of a batch in other languages than English


STATES = (answer_state.ANSWERED, answer_state.HEDGED, answer_state.DECLINED)


FIGURES: dict[
    str, Callable
] = {  # of true and read states and the places of the answers; 1 and 2 are refusals
    "recall of refusals": lambda truth, read, i: (read[i] > 0)[truth[i] > 0].mean(),
    "precision of refusals": lambda truth, read, i: (truth[i] > 0)[read[i] > 0].mean(),
    "three-way accuracy": lambda truth, read, i: (truth[i] == read[i]).mean(),
    "read as declined though it asserts": lambda truth, read, i: (read[i] == 2)[truth[i] < 2].mean(),
}


@dataclass(frozen=True)
class Written:
    """One answer: its batch, its language, its sentences and the label of each."""

    batch: str
    language: str
    question: str
    sentences: tuple[str, ...]
    labels: tuple[str, ...]


def answers() -> list[Written]:
    """Every answer we wrote."""
    found = []
    for path in sorted(FOLDER.glob("*.jsonl")):
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            labels, texts = zip(*row["sentences"], strict=True)
            found.append(Written(path.stem, row["language"], row["question"], texts, labels))
    return found


def part(place: int, one: Written) -> str:
    """What is left out together: a batch; of the one in other languages a fifth."""
    if one.batch in APART:
        return ALWAYS
    return one.batch if one.language == "en" else f"{one.batch} {place % FOLDS}"


def counts(texts: Sequence[str]):
    """(n, BUCKETS) sparse: 1 + log of how often the n-grams of each place stand in each text."""
    from scipy.sparse import csr_matrix

    from ragassay.models import ngrams

    rows = [ngrams.places(text) for text in texts]
    ends = np.cumsum([0, *(len(where) for where, _ in rows)])
    values, where = np.concatenate([row for _, row in rows]), np.concatenate([where for where, _ in rows])
    return csr_matrix((values, where, ends), shape=(len(texts), ngrams.BUCKETS))


def idf_of(counted) -> NDArray:
    """(BUCKETS,) 1 + log of how rare each place is among the texts; 0 for one met in fewer than LEAST."""
    met = np.asarray((counted > 0).sum(axis=0)).ravel()
    return np.where(met >= LEAST, 1 + np.log((1 + counted.shape[0]) / (1 + met)), 0.0)


def rows_of(counted, idf: NDArray):
    """The counts weighed and each half of a row drawn to length 1, as `ngrams.weights` does it."""
    from scipy.sparse import diags, hstack
    from sklearn.preprocessing import normalize

    from ragassay.models.ngrams import HALF

    weighed = (counted @ diags(idf)).tocsc()
    return hstack([normalize(weighed[:, :HALF]), normalize(weighed[:, HALF:])]).tocsr()


def fitted(rows, labels: NDArray, importance: NDArray, strength: float) -> tuple[NDArray, NDArray]:
    """Weights (3, BUCKETS) and constants (3,): a logistic model of each label against the others."""
    from sklearn.base import clone
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=strength, solver="liblinear", random_state=data.SEED)
    every = range(len(LABELS))
    models = [clone(model).fit(rows, labels == label, sample_weight=importance) for label in every]
    return np.concatenate([one.coef_ for one in models]), np.concatenate([one.intercept_ for one in models])


def learned_from(
    written: Sequence[Written], precision: type = np.float64
) -> tuple[NDArray, NDArray, NDArray]:
    """What the head has that learns these answers and the bank's documents, which assert: how each place
    weighs (in this precision), weights and constants."""
    others = bank()
    counted = counts(own_words(written) + others)
    labels = [LABELS.index(label) for one in written for label in one.labels]
    places = np.array(labels + [LABELS.index("asserts")] * len(others))
    importance = np.repeat([1.0, BANK_WEIGHT], [len(labels), len(others)])
    idf = idf_of(counted).astype(precision).astype(float)
    return idf, *fitted(rows_of(counted, idf), places, importance, STRENGTH)


def left_out(written: Sequence[Written]) -> NDArray:
    """Scores (n, 3) of every sentence by a head that learned from the other parts alone; of ALWAYS none."""
    parts = np.array([part(i, one) for i, one in enumerate(written)])
    of_sentences = np.repeat(parts, [len(one.labels) for one in written])
    scores = np.full((len(of_sentences), len(LABELS)), np.nan)
    for one in set(parts) - {ALWAYS}:
        idf, weights, bias = learned_from([w for w, own in zip(written, parts, strict=True) if own != one])
        texts = own_words([w for w, own in zip(written, parts, strict=True) if own == one])
        scores[of_sentences == one] = rows_of(counts(texts), idf) @ weights.T + bias
    return scores


def bank() -> list[str]:
    """Sentences of the bundled bank's documents: they assert."""
    return [text for text in bank_text.sentences() if len(text.split()) >= 4]


def own_words(written: Sequence[Written]) -> list[str]:
    """The sentences of all answers as the head reads them: without citations and what they quote."""
    return [answer_state.own_words(text) for one in written for text in one.sentences]


def true_state(labels: Sequence[str]) -> str:
    """The state of an answer by the labels of its sentences."""
    return answer_state.combine("declines" in labels, "asserts" in labels)


def read_state(scores: NDArray, texts: Sequence[str]) -> str:
    """The state of an answer by the scores of its sentences, phrases beside them."""
    marks = [
        answer_state.mark(row, answer_state.refusal_phrase(text) if text else None, len(texts))
        for row, text in zip(scores, texts, strict=True)
    ]
    return answer_state.combine(any(mark[0] for mark in marks), any(mark[1] for mark in marks))


def states(written: Sequence[Written], scores: NDArray) -> tuple[NDArray, NDArray]:
    """True and read state of every answer, as places in STATES, both (n,)."""
    ends = np.cumsum([len(one.labels) for one in written])
    parts = np.split(scores, ends[:-1])
    texts = [[answer_state.own_words(text) for text in one.sentences] for one in written]
    read = [read_state(part, own) for part, own in zip(parts, texts, strict=True)]
    truth = [true_state(one.labels) for one in written]
    return np.array([STATES.index(one) for one in truth]), np.array([STATES.index(one) for one in read])


def figures_of(written: Sequence[Written], scores: NDArray) -> dict[str, object]:
    """Every figure: over the batches in English, each batch, each language."""
    truth, read = states(written, scores)
    english = np.array([one.language == "en" for one in written])
    found = of_slice("English, its batch left out", truth, read, english, FIGURES)
    for batch in sorted({one.batch for one in written if one.language == "en"}):
        kept = np.array([one.batch == batch for one in written])
        found |= of_slice(f"batch {batch}", truth, read, kept, dict(list(FIGURES.items())[:3]))
    found |= of_slice("other languages, a fifth of the answers left out", truth, read, ~english, FIGURES)
    for language in sorted({one.language for one in written} - {"en"}):
        kept = np.array([one.language == language for one in written])
        found |= of_slice(f"language {language}", truth, read, kept, dict(list(FIGURES.items())[:3]))
    return found


def of_slice(
    name: str, truth: NDArray, read: NDArray, kept: NDArray, figures: dict[str, Callable]
) -> dict[str, object]:
    """The figures of some of the answers, and how many there are."""
    rows = np.flatnonzero(kept)
    shown: dict[str, object] = {f"{name}: answers": len(rows)}
    for figure, compute in figures.items():
        shown[f"{name}: {figure}"] = data.interval(rows, partial(compute, truth[rows], read[rows]))
    return shown


def main() -> None:
    given = data.arguments(__doc__)
    written = sorted(answers(), key=lambda one: one.batch in APART)
    scores = left_out(written)
    measured = [one for one in written if one.batch not in APART]
    figures = figures_of(measured, scores[~np.isnan(scores).any(axis=1)])
    idf, weights, bias = learned_from(written, np.float16)  # as the file keeps it
    name = "answers written for ragassay (training/answer_sentences), sentences"
    sources = data.sources(
        (name, "Apache-2.0", len(scores)), ("the bundled bank's documents", "Apache-2.0", len(bank()))
    )
    tensors = {"head.idf": idf, "head.out.weight": weights, "head.out.bias": bias}
    data.write("refusals", given, tensors, data.about("ngrams", LABELS, 0, sources, figures))


if __name__ == "__main__":
    main()
