"""What was the toxicity head chosen by? Writes bench/toxicity_nested.json: python bench/toxicity_nested.py

Each half of the functions (training/toxicity_rows.py) is cut into five parts, twice. A head learns four parts
of its half, and what stands beside them, and ranks the fifth: the mean AUROC of the twenty is the figure. The
other half is not touched, so a choice by this figure leaves the figure of the card unspent.

shipped          inner vectors, the rule of terms, a tweet at TWEET
...              the same with one thing as it is named
nearest          how near the sentences that we wrote come to what a head that learned them is judged on, by
                 cosine of sentence vectors: the nearest pair, and the shares of sentences above 0.6 and 0.7;
                 of all that were written, and of those that come near no function that is judged
"""

import functools
import json
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from unittest import mock

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
sys.path.insert(0, str(ROOT / "training"))

import data  # noqa: E402
import toxicity  # noqa: E402
import toxicity_rows  # noqa: E402
import toxicity_written  # noqa: E402
from ragassay.models import classifier, encode, encoder, inner_vectors  # noqa: E402

PARTS, TURNS, STRENGTH = 5, 2, 3.0
_FEATURES = classifier.toxicity_features  # before anything stands in its place
Features = Callable[[Sequence[str]], NDArray]


def main() -> int:
    """Print and write every figure."""
    if not (DATA / "toxicity").is_dir():
        print(f"skipped: {DATA / 'toxicity'} is not here")
        return 0
    found = {
        "nested AUROC": variants(),
        "nearest": nearest(lambda judged: toxicity_written.sentences()),
        "nearest, nothing near learned": nearest(toxicity_written.far_from),
    }
    text = json.dumps(found, indent=1)
    (ROOT / "bench/toxicity_nested.json").write_text(text + "\n", encoding="utf-8")
    print(text)
    return 0


def variants() -> dict[str, float]:
    """The mean AUROC of the shipped settings, and with one of them changed."""
    with mock.patch.object(toxicity_written, "sentences", list):
        unwritten = nested(_FEATURES)
    with mock.patch.object(toxicity, "of_functions", functools.partial(toxicity.of_functions, near=False)):
        far = nested(_FEATURES)
    with mock.patch.object(toxicity, "TWEET", 1.0):
        full = nested(_FEATURES)
    return {
        "shipped": nested(_FEATURES),
        "without the rule of terms": nested(inner_vectors),
        "sentence vectors in place of inner ones": nested(_outer),
        "without training/toxicity_sentences": unwritten,
        "nothing near what is judged": far,
        "a tweet weighs 1": full,
    }


def _outer(texts: Sequence[str]) -> NDArray:
    return np.hstack([encode(texts, "minilm"), _FEATURES(texts)[:, encoder.WIDTH :]])


def nested(features: Features) -> float:
    """Mean over halves, turns and parts of the AUROC on functions that were not learned."""
    tweets = toxicity.learned(data.read(DATA / "toxicity/davidson.jsonl.gz"), 4000)
    with mock.patch.object(classifier, "toxicity_features", _once(features)):
        areas = [
            _area(half - part, part, tweets)
            for half in _halves()
            for turn in range(TURNS)
            for part in parts(half, turn)
        ]
    return round(float(np.mean(areas)), 4)


def _once(features: Features) -> Features:
    """The same features, computed once a text."""
    known: dict[str, NDArray] = {}

    def look_up(texts: Sequence[str]) -> NDArray:
        new = sorted(set(texts) - known.keys())
        known.update(zip(new, features(new), strict=True) if new else ())
        return np.stack([known[text] for text in texts])

    return look_up


def _halves() -> list[set[str]]:
    fold_of = toxicity_rows.folds()
    return [{name for name in fold_of if fold_of[name] == fold} for fold in range(toxicity_rows.FOLDS)]


def parts(half: set[str], turn: int) -> list[set[str]]:
    """The functions of a half in PARTS, each with toxic and clean ones; drawn by the turn."""
    toxic = {row.function for row in toxicity_rows.rows() if row.toxic}
    draw, found = random.Random(turn), [set[str]() for _ in range(PARTS)]
    for names in (sorted(half & toxic), sorted(half - toxic)):
        draw.shuffle(names)
        for place, name in enumerate(names):
            found[place % PARTS].add(name)
    return found


def _area(learn: set[str], judge: set[str], tweets: Sequence[toxicity.Pair]) -> float:
    from sklearn.metrics import roc_auc_score

    model = toxicity.of_functions(learn, tweets, STRENGTH)
    rows = [row for row in toxicity_rows.rows() if row.function in judge]
    return float(
        roc_auc_score([row.toxic for row in rows], toxicity.judged(model, [row.text for row in rows]))
    )


def nearest(written_beside: Callable[[set[str]], list[toxicity_written.Sentence]]) -> dict[str, object]:
    """The nearest of what is learned of what we wrote to what is judged, over both halves."""
    found: dict[str, tuple[float, str]] = {}
    for half in _halves():
        written = [one.text for one in written_beside(half)]
        tests = [row.text for row in toxicity_rows.rows() if row.function in half]
        cosines = encode(written, "minilm") @ encode(tests, "minilm").T
        for text, row in zip(written, cosines, strict=True):
            found[text] = max(found.get(text, (-1.0, "")), (float(row.max()), tests[row.argmax()]))
    values, first = np.array([value for value, _ in found.values()]), max(found, key=lambda text: found[text])
    shares = {f"above {at}": round(float((values > at).mean()), 4) for at in (0.6, 0.7)}
    return {"cosine": round(found[first][0], 4), "pair": [first, found[first][1]], "n": len(found), **shares}


if __name__ == "__main__":
    sys.exit(main())
