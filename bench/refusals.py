"""How well are refusals read? Writes bench/refusals.json: python bench/refusals.py

written   answers we wrote (training/answer_sentences), each batch judged by a head that has not learned from
          it: the figures of the head's own file, made by training/refusals.py
rivals    recall of refusals in English at precision 0.95 (answers ranked by their most declining sentence):
          our n-grams, and the encoder's sentence vectors, learned and left out alike
whole     the same answers read as scores/text_reading/answer_state.py reads them, clauses of declining
          sentences included, by the same left-out heads; and the share that passes as an explicit refusal
MTRAG     `../shared/data/mtrag_human`, learned by nothing here (but see answer_state.py on thresholds): how
          many answers are read as answered, hedged, declined, by the answerability of their case
"""

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
sys.path.insert(0, str(ROOT / "training"))

STRENGTH = 10.0  # of the heads' regularisation, as training/refusals.py has it

import data  # noqa: E402
import refusal_figures  # noqa: E402
import refusals as training  # noqa: E402
from ragassay import models  # noqa: E402
from ragassay.models import head_file  # noqa: E402
from ragassay.scores.text_reading import answer_state  # noqa: E402


def main() -> int:
    """Print and write every figure."""
    found = {
        "written": head_file.read(head_file.find_head("refusals")).about["measured"],
        "whole": whole(),
        "rivals": rivals(),
        "MTRAG": mtrag(),
    }
    text = json.dumps(found, indent=1, ensure_ascii=False)
    (ROOT / "bench/refusals.json").write_text(text + "\n", encoding="utf-8")
    print(text)
    return 0


def whole() -> dict[str, object]:
    """The figures of whole answers, and of those labelled declined and those that assert, the share that
    passes as an explicit refusal."""
    everything = training.answers()
    parts = np.array([training.part(i, one) for i, one in enumerate(everything)])
    heads = {part: left_out_head(everything, parts != part) for part in set(parts) - {training.ALWAYS}}
    written = [one for one in everything if one.batch not in training.APART]
    truth = np.array([refusal_figures.STATES.index(refusal_figures.true_state(w.labels)) for w in written])
    read, explicit = read_whole(written, parts[parts != training.ALWAYS], heads)
    english = np.array([one.language == "en" for one in written])
    found: dict[str, object] = {}
    for name, kept in (("English", english), ("other languages", ~english)):
        figures = refusal_figures.FIGURES | explicit_figures(explicit[kept])
        found |= refusal_figures.of_slice(name, truth, read, kept, figures)
    return found


def explicit_figures(explicit: NDArray) -> dict[str, Callable]:
    """Of the answers labelled declined, and of those that assert, the share that refuses explicitly."""
    return {
        "declined, and passes as an explicit refusal": lambda t, r, rows: explicit[rows][t[rows] == 2].mean(),
        "asserts, and passes as an explicit refusal": lambda t, r, rows: explicit[rows][t[rows] < 2].mean(),
    }


def read_whole(written: list, parts: NDArray, heads: dict) -> tuple[NDArray, NDArray]:
    """The place of every answer's state in STATES, and whether it refuses explicitly, each read by the head
    that left its part out."""
    read, explicit = np.empty(len(written), dtype=int), np.empty(len(written), dtype=bool)
    for part, head in heads.items():
        answer_state.read.cache_clear()
        with mock.patch.object(answer_state, "refusals", head):
            for i in np.flatnonzero(parts == part):
                text, language = " ".join(written[i].sentences), written[i].language
                read[i] = refusal_figures.STATES.index(answer_state.state(text, language))
                explicit[i] = answer_state.refuses_explicitly(text, language)
    answer_state.read.cache_clear()
    return read, explicit


def left_out_head(written: list, learned: NDArray) -> Callable[[list[str]], NDArray]:
    """What scores sentences as the shipped head does, having learned from these answers alone."""
    kept, others = [one for one, learn in zip(written, learned, strict=True) if learn], training.bank()
    labels = [training.LABELS.index(label) for one in kept for label in one.labels]
    counted = training.counts(training.own_words(kept) + others)
    idf = training.idf_of(counted)
    places = np.array(labels + [training.LABELS.index("asserts")] * len(others))
    importance = np.repeat([1.0, training.BANK_WEIGHT], [len(labels), len(others)])
    weights, bias = training.fitted(training.rows_of(counted, idf), places, importance, STRENGTH)
    return lambda texts: training.rows_of(training.counts(texts), idf) @ weights.T + bias


def rivals() -> dict[str, float]:
    """Recall at precision 0.95 in English, of n-grams and of sentence vectors."""
    written = [one for one in training.answers() if one.batch not in training.APART]
    texts = [text or "." for text in training.own_words(written)]
    labels = np.array([training.LABELS.index(label) for one in written for label in one.labels])
    parts = np.array([training.part(i, one) for i, one in enumerate(written) for _ in one.labels])
    ngrams = training.left_out(training.counts(texts), labels, np.ones(len(labels)), parts, STRENGTH)
    scores = {
        "n-grams": ngrams[:, 0],
        "sentence vectors": of_vectors(models.encode(texts, "minilm"), labels, parts),
    }
    return {name: recall_at(written, values) for name, values in scores.items()}


def of_vectors(vectors: NDArray, labels: NDArray, parts: NDArray) -> NDArray:
    """Scores that each sentence declines, by a logistic model of its vector that left its part out."""
    from sklearn.linear_model import LogisticRegression

    scores = np.empty(len(labels))
    for one in np.unique(parts):
        kept = parts == one
        model = LogisticRegression(C=10.0, max_iter=2000).fit(vectors[~kept], labels[~kept] == 0)
        scores[kept] = model.decision_function(vectors[kept])
    return scores


def recall_at(written: list, scores: NDArray, precision: float = 0.95) -> float:
    """Greatest recall of refusals in English with at least this precision."""
    ends = np.cumsum([len(one.labels) for one in written])[:-1]
    rows = [
        (part.max(), "declines" in one.labels)
        for part, one in zip(np.split(scores, ends), written, strict=True)
        if one.language == "en"
    ]
    truth = np.array([refuses for _, refuses in sorted(rows, key=lambda row: -row[0])])
    right = np.cumsum(truth)
    enough = right / np.arange(1, len(truth) + 1) >= precision
    return round(float(right[enough].max(initial=0) / truth.sum()), 4)


def mtrag() -> dict[str, int]:
    """Answers by answerability and state; empty without the data."""
    path = DATA / "mtrag_human/dev.jsonl.gz"
    if not path.exists():
        print(f"MTRAG: skipped, {path.name} is not here")
        return {}
    rows = data.read(path)
    return dict(
        sorted(
            Counter(f"{row['answerability']}, {answer_state.state(row['answer'])}" for row in rows).items()
        )
    )


if __name__ == "__main__":
    sys.exit(main())
