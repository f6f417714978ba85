"""Trains the toxicity head: python training/toxicity.py [--data ../shared/data] [--out
lib/ragassay/models/heads]

The probability that a text insults, threatens or demeans, from its inner vector and the rule of terms
(`classifier.toxicity_features`): the encoder is not changed, so nothing is encoded twice. It learns from
tweets judged by a crowd (Davidson et al. 2017, MIT), as they are and without their signs of Twitter, from
functional tests and sentences we wrote (toxicity_rows.py, toxicity_rows.py, toxic_sentences.txt,
feelings.txt), and takes the bundled bank's documents for clean. Measured on a fifth of the tweets, no copy
of which was learned, and on functions that were not learned: half of them at a time, by a head that learned
the other half, no sentence that comes near the first, and none of toxic_sentences.txt, where all functions
are mixed. The threshold is chosen on both. A looser figure stands beside, "unseen tests": by heads that
learned the sentences that come near, too. What is learned, and how it weighs, was chosen inside the learned
halves: functions left out in turn, the other half untouched.
"""

import html
import random
import re
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import bank_text
import data
import toxicity_figures
import toxicity_rows

FOLDER = Path(__file__).parent
LABELS = ("clean", "toxic")
FOLDS = 5
TWITTER = re.compile(r"\bRT\b|@\w+:?|https?://\S+|&#?\w+;|#")
TWEET = 0.1  # weight of a tweet, against 1 of any other text
Pair = tuple[str, int]
SOURCES = (
    ("Davidson et al. (2017), tweets", "MIT"),
    ("functional tests written for ragassay (training/toxicity_functions)", "Apache-2.0"),
    ("sentences written for ragassay (training/toxicity_sentences)", "Apache-2.0"),
    ("sentences written for ragassay (training/toxic_sentences.txt)", "Apache-2.0"),
    ("sentences written for ragassay (training/feelings.txt)", "Apache-2.0"),
    ("the bundled bank's documents", "Apache-2.0"),
)


def plain(tweet: str) -> str:
    """The tweet without retweet signs, names, links and signs of numbering."""
    return " ".join(TWITTER.sub(" ", html.unescape(tweet)).strip(' "!:').split()) or "."


def group(row: dict) -> str:
    """What copies of one tweet share."""
    return plain(row["text"]).lower()


def held(row: dict) -> bool:
    """Whether the tweet is kept to measure."""
    return data.fold(group(row), FOLDS) == 0


def learned(tweets: Sequence[dict], n: int) -> list[Pair]:
    """So many of the tweets that are not kept, each as it is and plain."""
    drawn = random.Random(data.SEED).sample([row for row in tweets if not held(row)], n)
    both = [(row, text) for row in drawn for text in (row["text"], plain(row["text"]))]
    return [(text, int(row["label"] != "neither")) for row, text in both]


def own() -> list[Pair]:
    """The sentences we wrote and whether they are toxic."""
    lines = data.lines(FOLDER / "toxic_sentences.txt")
    return [(line[2:], int(line[0] == "+")) for line in lines if line[:2] in ("+ ", "- ")]


def feelings() -> list[str]:
    """Our sentences of feeling and stance that name no group; all are clean."""
    return data.lines(FOLDER / "feelings.txt")


def labelled(rows: Sequence[toxicity_rows.Row] | Sequence[toxicity_rows.Sentence]) -> list[Pair]:
    """Functional tests or written sentences as texts with their labels."""
    return [(row.text, int(row.toxic)) for row in rows]


def beside(names: Collection[str], near: bool = True) -> list[Pair]:
    """Sentences we wrote, and the bank's, that a head learns beside these functions; without `near`, nothing
    that comes near another function."""
    judged = set(toxicity_rows.folds()) - set(names)
    found = toxicity_rows.sentences() if near else toxicity_rows.far_from(judged)
    return labelled(found) + [(text, 0) for text in (*feelings(), *bank_text.sentences())]


def fitted(pairs: Sequence[Pair], tweets: Sequence[Pair], strength: float):
    """A logistic model in which toxic and clean weigh alike, a tweet TWEET."""
    from ragassay.models.classifier import toxicity_features

    texts, labels = zip(*(*pairs, *tweets), strict=True)
    weights = np.repeat([1.0, TWEET], [len(pairs), len(tweets)])
    return logistic(toxicity_features(texts), np.array(labels), weights, strength)


def logistic(vectors: NDArray, truth: NDArray, weights: NDArray, strength: float):
    """A logistic model in which toxic and clean weigh alike."""
    from sklearn.linear_model import LogisticRegression

    share = weights[truth == 1].sum() / weights.sum()
    balance = np.where(truth == 1, 0.5 / share, 0.5 / (1 - share))
    return LogisticRegression(C=strength, max_iter=2000).fit(vectors, truth, sample_weight=weights * balance)


def judged(model, texts: Sequence[str]) -> NDArray:
    """The probability that each text is toxic."""
    from ragassay.models.classifier import toxicity_features

    return model.predict_proba(toxicity_features(texts))[:, 1]


def unseen(fold: int, tweets: Sequence[Pair], strength: float, near: bool = True) -> tuple[NDArray, NDArray]:
    """The probabilities of the rows of this fold's functions, and of plain mentions of every group among
    them, by a head that learned the other functions."""
    fold_of = toxicity_rows.folds()
    names = {name for name in fold_of if fold_of[name] != fold}
    rows = [row for row in toxicity_rows.rows() if row.function in names]
    model = fitted(labelled(rows) + beside(names, near), tweets, strength)
    asked = (toxicity_rows.rows(), toxicity_rows.mentions())
    first, second = ([row.text for row in rows if fold_of[row.function] == fold] for rows in asked)
    return judged(model, first), judged(model, second)


def main() -> None:
    given = data.arguments(__doc__, strength=3.0, tweets=4000)
    rows = data.read(given.data / "toxicity/davidson.jsonl.gz")
    kept, tweets = [row for row in rows if held(row)], learned(rows, given.tweets)
    every = range(toxicity_rows.FOLDS)
    folds, beside_near = (
        [unseen(fold, tweets, given.strength, near) for fold in every] for near in (False, True)
    )
    ours = labelled(toxicity_rows.rows()) + own() + beside(toxicity_rows.folds())
    model = fitted(ours, tweets, given.strength)
    of_tweets = judged(model, [row["text"] for row in kept])
    copies = [group(row) for row in kept]
    figures, threshold = toxicity_figures.measured(folds, kept, copies, of_tweets)
    figures |= toxicity_figures.tests_unseen(beside_near)
    texts = (toxicity_rows.rows(), toxicity_rows.sentences(), own(), feelings(), bank_text.sentences())
    rows_of = (given.tweets, *map(len, texts))
    sources = data.sources(*((*source, n) for source, n in zip(SOURCES, rows_of, strict=True)))
    about = data.about("sentence", LABELS, 256, sources, figures) | {"threshold": threshold}
    tensors = {  # a row of zeros for "clean", the logistic model for "toxic"
        "head.out.weight": np.concatenate([0 * model.coef_, model.coef_]),
        "head.out.bias": np.append(0.0, model.intercept_),
    }
    data.write("toxicity", given, tensors, about)


if __name__ == "__main__":
    main()
