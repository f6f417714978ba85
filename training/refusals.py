"""Trains the head that reads refusals: python training/refusals.py [--out lib/ragassay/models/heads]

Whether a sentence of an answer declines, asserts (gives what the question asks for) or does neither: one
logistic model on its hashed n-grams (models/ngrams.py) and the encoder's inner vector. Learned are
sentences we wrote (answer_sentences/, a file a batch, the batches written apart from one another) and those
of long answers (judged_answers/). Measured are whole answers, read by a head that left their batch out.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np
from numpy.typing import NDArray

import data
import judged_pairs
from ragassay import models
from ragassay.models import ngrams
from ragassay.scores.text_reading import answer_state

LABELS = ("declines", "asserts", "neither")
STATES = (answer_state.ANSWERED, answer_state.HEDGED, answer_state.DECLINED, answer_state.EVADED)
FOLDER = Path(__file__).parent / "answer_sentences"
APART = ("common", "near_misses")  # the plainest refusals, and answers that resemble them: never measured
UNLIKE = "unlike"  # batches of answers in unusual words, by others: measured, never learned
EXPLAINED = ("explained", UNLIKE)  # batches that explain at length; "asserts" is what was asked for there
LEAST = 2  # sentences that an n-gram's place must be met in, to count
STRENGTH = 4.0  # of the regularisation
SPREAD = 0.075  # standard deviation that each place of an inner vector is drawn to
LONG_WEIGHT, EXPLAINED_WEIGHT = 0.3, 2.0  # of a sentence of a long answer or of an explained one, against 1
FOLDS = 2  # of the answers of a batch in other languages than English

FIGURES: dict[str, Callable] = {  # of true and read states and the places of the answers
    "recall of declined": lambda truth, read, i: (read[i] == 2)[truth[i] == 2].mean(),
    "precision of declined": lambda truth, read, i: (truth[i] == 2)[read[i] == 2].mean(),
    "answered, read as another": lambda truth, read, i: (read[i] > 0)[truth[i] == 0].mean(),
}


@dataclass(frozen=True)
class Written:
    """One answer: its batch, its language, its sentences and the label of each."""

    batch: str
    language: str
    sentences: tuple[str, ...]
    labels: tuple[str, ...]

    @property
    def state(self) -> str:
        """The state of the answer by the labels of its sentences; "" where it cannot be told: outside the
        explained batches what an answer asserts beside a refusal need not be what was asked for."""
        first = {label: self.labels.index(label) for label in set(self.labels)}
        if {"declines", "asserts"} <= set(first):
            if not self.batch.startswith(EXPLAINED):
                return ""
            return answer_state.HEDGED if first["declines"] < first["asserts"] else answer_state.ANSWERED
        if "declines" in first:
            return answer_state.DECLINED
        return answer_state.ANSWERED if "asserts" in first else answer_state.EVADED


def answers() -> list[Written]:
    """Every answer we wrote to be read, and the first of each set of long answers."""
    found = []
    for path in sorted(FOLDER.glob("*.jsonl")):
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            labels, texts = zip(*row["sentences"], strict=True)
            found.append(Written(path.stem, row["language"], texts, labels))
    for file, row in judged_pairs.rows():
        texts = tuple(text for text, _ in row["answers"][0])
        found.append(Written(f"long {file}", "en", texts, ("asserts",) * len(texts)))
    return found


def part(place: int, one: Written) -> str:
    """What is left out together: a batch; of the one in other languages, and of long answers, a half."""
    if one.batch.startswith("long "):
        return f"long {place % FOLDS}"
    return one.batch if one.batch in APART or one.language == "en" else f"{one.batch} {place % FOLDS}"


def weight(one: Written, label: str) -> float:
    """How much a sentence of this label counts in an answer."""
    if one.batch.startswith("long "):
        return LONG_WEIGHT
    if one.batch.startswith(EXPLAINED):
        return EXPLAINED_WEIGHT * (not one.batch.startswith(UNLIKE))
    return float(label != "asserts" or "declines" not in one.labels)


class Sentences:
    """The sentences of all answers as the head reads them: without citations and what they quote.

    answer_of : (n,) the place of each one's answer; labels, weights : (n,) ; counted : (n, BUCKETS) sparse,
    1 + log of how often the n-grams of each place stand in it; inner : (n, 384), which the head reads where
    is_english
    """

    def __init__(self, written: Sequence[Written]) -> None:
        from scipy.sparse import csr_matrix

        each = [
            (i, text, label)
            for i, one in enumerate(written)
            for text, label in zip(one.sentences, one.labels, strict=True)
        ]
        each = [
            (i, answer_state.own_words(text), label)
            for i, text, label in each
            if answer_state.own_words(text)
        ]
        self.answer_of = np.array([i for i, _, _ in each])
        self.labels = np.array([LABELS.index(label) for _, _, label in each])
        self.weights = np.array([weight(written[i], label) for i, _, label in each])
        texts = [text for _, text, _ in each]
        rows = [ngrams.places(text) for text in texts]
        ends = np.cumsum([0, *(len(where) for where, _ in rows)])
        values, where = np.concatenate([row for _, row in rows]), np.concatenate([where for where, _ in rows])
        self.counted = csr_matrix((values, where, ends), shape=(len(texts), ngrams.BUCKETS))
        self.inner = models.inner_vectors(texts).astype(float)
        self.is_english = np.array([written[i].language == "en" for i, _, _ in each])


def learn(every: Sentences, learned: NDArray) -> dict[str, NDArray]:
    """The layers of a head that learns these answers, in the precision of its file.

    learned : whether each answer is learned
    """
    from scipy.sparse import csr_matrix, diags, hstack
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import normalize

    kept = learned[every.answer_of] & (every.weights > 0)
    counted, inner = every.counted[kept], every.inner[kept]
    met = np.asarray((counted > 0).sum(axis=0)).ravel()
    idf = (
        np.where(met >= LEAST, 1 + np.log((1 + len(inner)) / (1 + met)), 0.0).astype(np.float16).astype(float)
    )
    weighed = (counted @ diags(idf)).tocsc()
    halves = [normalize(half) for half in (weighed[:, : ngrams.HALF], weighed[:, ngrams.HALF :])]
    english = every.is_english[kept]
    center, spread = inner[english].mean(axis=0), SPREAD / inner[english].std(axis=0)
    rows = hstack([*halves, csr_matrix((inner - center) * spread * english[:, None])]).tocsr()
    model = LogisticRegression(C=STRENGTH, max_iter=300, tol=1e-3)
    model.fit(rows, every.labels[kept], sample_weight=every.weights[kept])
    of_inner = model.coef_[:, ngrams.BUCKETS :] * spread
    return {
        "idf": idf,
        "out.weight": model.coef_[:, : ngrams.BUCKETS],
        "inner.weight": of_inner,
        "inner.center": center,
        "out.bias": model.intercept_,
    }


def read_left_out(written: Sequence[Written], every: Sentences) -> NDArray:
    """The place in STATES of each answer's state, (n,), read by a head that learned from the other parts
    alone; -1 for those APART."""
    parts = np.array([part(i, one) for i, one in enumerate(written)])
    read = np.full(len(written), -1)
    for own in sorted(set(parts) - set(APART)):
        head = partial(ngrams.score, layers=learn(every, parts != own))
        answer_state.read.cache_clear()
        with mock.patch.multiple(answer_state, refusals=head, _held={}):
            for i in np.flatnonzero(parts == own):
                text, language = " ".join(written[i].sentences), written[i].language
                read[i] = STATES.index(answer_state.read(text, language).state)
    answer_state.read.cache_clear()
    return read


def figures_of(written: Sequence[Written], read: NDArray) -> dict[str, object]:
    """Every figure: of each batch in English, of long answers and of other languages, each left out."""
    truth = np.array([STATES.index(one.state) if one.state else -1 for one in written])
    groups = np.array(
        [one.batch.split()[0] if one.language == "en" else "other languages" for one in written]
    )
    found: dict[str, object] = {}
    for group in sorted(set(groups) - set(APART)):
        rows = np.flatnonzero((groups == group) & (truth >= 0))
        found[f"{group}: answers"] = len(rows)
        declining = (truth[rows] == 2).any()
        for figure, compute in FIGURES.items() if declining else list(FIGURES.items())[2:]:
            found[f"{group}: {figure}"] = data.interval(rows, partial(compute, truth[rows], read[rows]))
    return found


def main() -> None:
    given = data.arguments(__doc__)
    written = answers()
    every = Sentences(written)
    figures = figures_of(written, read_left_out(written, every))
    layers = learn(every, np.ones(len(written), dtype=bool))
    name = "sentences of answers written for ragassay (training/answer_sentences, training/judged_answers)"
    sources = data.sources((name, "Apache-2.0", int((every.weights > 0).sum())))
    tensors = {f"head.{layer}": values for layer, values in layers.items()}
    data.write("refusals", given, tensors, data.about("ngrams", LABELS, 0, sources, figures))


if __name__ == "__main__":
    main()
