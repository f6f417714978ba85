"""Trains the toxicity head: python training/toxicity.py [--data ../shared/data] [--out
lib/ragassay/models/heads]

The probability that a text insults, threatens or demeans, from the sentence's unit vector: the encoder is not
changed, so nothing is encoded twice. It learns from tweets judged by a crowd (Davidson et al. 2017, MIT), as
they are and without their signs of Twitter, from sentences we wrote (toxic_sentences.txt), and takes the
bundled bank's documents for clean. Measured on a fifth of the tweets, no copy of which was learned.
"""

import html
import random
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import bank_text
import data

LABELS = ("clean", "toxic")
FOLDS = 5
TWITTER = re.compile(r"\bRT\b|@\w+:?|https?://\S+|&#?\w+;|#")
OWN_WEIGHT = 5.0  # of a sentence we wrote, against 1 of a tweet


def plain(tweet: str) -> str:
    """The tweet without retweet signs, names, links and signs of numbering."""
    return " ".join(TWITTER.sub(" ", html.unescape(tweet)).strip(' "!:').split()) or "."


def own() -> list[tuple[str, int]]:
    """The sentences we wrote and whether they are toxic."""
    lines = (Path(__file__).parent / "toxic_sentences.txt").read_text(encoding="utf-8").splitlines()
    return [(line[2:], int(line[0] == "+")) for line in lines if line[:2] in ("+ ", "- ")]


def fitted(vectors: NDArray, truth: NDArray, weights: NDArray, strength: float):
    """A logistic model in which toxic and clean weigh alike."""
    from sklearn.linear_model import LogisticRegression

    share = weights[truth == 1].sum() / weights.sum()
    balance = np.where(truth == 1, 0.5 / share, 0.5 / (1 - share))
    return LogisticRegression(C=strength, max_iter=2000).fit(vectors, truth, sample_weight=weights * balance)


def measured(rows: Sequence[dict], probability: NDArray, groups: Sequence[str]) -> dict[str, object]:
    from sklearn.metrics import roc_auc_score

    from ragassay.scores.families import toxicity

    truth = np.array([row["label"] != "neither" for row in rows])
    rule = np.array([bool(toxicity.find(row["text"])) for row in rows])
    hate = np.array([row["label"] == "hate" for row in rows])
    return {
        "Davidson hold-out AUROC": data.interval(
            groups, lambda i: float(roc_auc_score(truth[i], probability[i]))
        ),
        "the rule of terms alone, AUROC": data.interval(
            groups, lambda i: float(roc_auc_score(truth[i], rule[i]))
        ),
        "either, AUROC of the mean": data.interval(
            groups, lambda i: float(roc_auc_score(truth[i], (probability + rule)[i]))
        ),
        "hate found at 0.5": data.interval(groups, lambda i: float((probability[i] > 0.5)[hate[i]].mean())),
        "neither flagged at 0.5": data.interval(
            groups, lambda i: float((probability[i] > 0.5)[~truth[i]].mean())
        ),
        "hold-out tweets": len(rows),
    }


def group(row: dict) -> str:
    """What copies of one tweet share."""
    return plain(row["text"]).lower()


def held(row: dict) -> bool:
    """Whether the tweet is kept to measure."""
    return data.fold(group(row), FOLDS) == 0


def main() -> None:
    given = data.arguments(__doc__, strength=3.0, tweets=6000)
    from ragassay.models import encode

    rows = data.read(given.data / "toxicity/davidson.jsonl.gz")
    learn, keep = [row for row in rows if not held(row)], [row for row in rows if held(row)]
    learn = random.Random(data.SEED).sample(learn, min(given.tweets, len(learn)))
    tweets = [
        (text, int(row["label"] != "neither")) for row in learn for text in (row["text"], plain(row["text"]))
    ]
    clean = [(sentence, 0) for sentence in bank_text.sentences()]
    texts = tweets + own() + clean
    weights = np.repeat([1.0, OWN_WEIGHT, 1.0], [len(tweets), len(own()), len(clean)])
    model = fitted(
        encode([text for text, _ in texts]), np.array([label for _, label in texts]), weights, given.strength
    )
    figures = measured(
        keep, model.predict_proba(encode([row["text"] for row in keep]))[:, 1], [group(row) for row in keep]
    )
    write(given, model, figures, [len(learn), len(own()), len(clean)])


def write(given, model, figures: dict[str, object], counts: Sequence[int]) -> None:
    """A row of zeros for "clean", the logistic model for "toxic"."""
    names = (
        "Davidson et al. (2017), tweets",
        "sentences written for ragassay (training/toxic_sentences.txt)",
        "the bundled bank's documents",
    )
    sources = [
        {"name": name, "licence": licence, "rows": count}
        for name, licence, count in zip(names, ("MIT", "Apache-2.0", "Apache-2.0"), counts, strict=True)
    ]
    tensors = {
        "head.out.weight": np.concatenate([0 * model.coef_, model.coef_]),
        "head.out.bias": np.append(0.0, model.intercept_),
    }
    about = {
        "kind": "sentence",
        "labels": list(LABELS),
        "max_length": 256,
        "training_data": sources,
        "measured": figures,
    }
    data.write("toxicity", given, tensors, about)


if __name__ == "__main__":
    main()
