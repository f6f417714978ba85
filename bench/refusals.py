"""How well are refusals read? Writes bench/refusals.json: python bench/refusals.py

written   answers we wrote (training/answer_sentences), each batch judged by a head that has not learned from
          it: the figures of the head's own file, made by training/refusals.py
rivals    recall of refusals in English at precision 0.95 (answers ranked by their most declining sentence):
          our n-grams, and the encoder's sentence vectors, learned and left out alike
MTRAG     `../shared/data/mtrag_human`, learned by nothing here (but see answer_state.py on thresholds): how
          many answers are read as answered, hedged, declined, by the answerability of their case
"""

import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
sys.path.insert(0, str(ROOT / "training"))

import data  # noqa: E402
import refusals as training  # noqa: E402
from ragassay import models  # noqa: E402
from ragassay.models import headfile  # noqa: E402
from ragassay.scores import answer_state  # noqa: E402


def main() -> int:
    """Print and write every figure."""
    found = {
        "written": headfile.read(headfile.find_head("refusals")).about["measured"],
        "rivals": rivals(),
        "MTRAG": mtrag(),
    }
    text = json.dumps(found, indent=1, ensure_ascii=False)
    (ROOT / "bench/refusals.json").write_text(text + "\n", encoding="utf-8")
    print(text)
    return 0


def rivals() -> dict[str, float]:
    """Recall at precision 0.95 in English, of n-grams and of sentence vectors."""
    written = [one for one in training.answers() if one.batch not in training.APART]
    texts = [text or "." for text in training.own_words(written)]
    labels = np.array([training.LABELS.index(label) for one in written for label in one.labels])
    parts = np.array([training.part(i, one) for i, one in enumerate(written) for _ in one.labels])
    ngrams = training.left_out(training.counts(texts), labels, np.ones(len(labels)), parts, 10.0)
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
