"""What a topic is about: its words by class-based TF-IDF, its number, its label."""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from ragassay.sanitized_text import clean

NOISE = "noise"
COMMON = 0.4  # share of documents above which a word describes no topic
WORDS, LABEL_WORDS = 8, 3
TOKEN = r"(?u)\b[^\W\d_][^\W\d_]{2,}\b"


def describe_topics(
    chunks: pd.DataFrame, labels: np.ndarray, called: Sequence[str] | None = None
) -> tuple[list[str], pd.DataFrame]:
    """A name for each passage's topic, and one row per topic, largest first.

    Parameters
    ----------
    chunks : text, doc_id
    labels : (n,) cluster numbers; -1 is noise, which becomes the topic "noise", last
    called : the names of clusters 0, 1, ..., where they have some already

    Returns
    -------
    topic of each passage; topics: topic (T01 is the largest; ties by label), label (3 words), words (8),
    n_chunks, n_documents, share
    """
    clusters = sorted(set(labels.tolist()))
    common = common_words(chunks)
    words = dict(
        zip(
            clusters,
            class_words([chunks["text"][labels == c].tolist() for c in clusters], leave_out=common),
            strict=True,
        )
    )
    order = sorted((c for c in clusters if c >= 0), key=lambda c: (-int((labels == c).sum()), words[c], c))
    names = {c: called[c] if called else f"T{i:02d}" for i, c in enumerate(order, start=1)} | {-1: NOISE}
    rows = [
        _row(names[c], words[c], chunks[labels == c], len(chunks))
        for c in order + [c for c in clusters if c < 0]
    ]
    return [names[c] for c in labels.tolist()], pd.DataFrame(
        rows, columns=["topic", "label", "words", "n_chunks", "n_documents", "share"]
    )


def class_words(
    classes: Sequence[Sequence[str]], top: int = WORDS, leave_out: frozenset[str] = frozenset()
) -> list[list[str]]:
    """The `top` words of each class of texts, most telling first; ties in alphabetical order.

    W = tf * log(1 + A / f): tf the word's count in the class, f its count in all classes, A the mean number
    of words per class. A word that only adds an "s" to one already chosen is passed over. English, Spanish
    and Portuguese stop words are left out.

    Source
    ------
    Grootendorst (2022), BERTopic, section 3.3 (c-TF-IDF), the count not normalised, as printed.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(stop_words=sorted(stop_words() | leave_out), token_pattern=TOKEN)
    try:
        counts = vectorizer.fit_transform([" ".join(texts) for texts in classes]).toarray().astype(float)
    except ValueError:
        return [[] for _ in classes]
    weights = np.round(counts * np.log1p(counts.sum() / len(classes) / counts.sum(axis=0)), 9)
    vocabulary = vectorizer.get_feature_names_out()
    return [_best(vocabulary, row, top) for row in weights]


def common_words(chunks: pd.DataFrame) -> frozenset[str]:
    """Words found in more than 40 % of the documents, where there are 10 or more:
    they tell no topic from another."""
    pattern = re.compile(TOKEN)
    found = [
        set(pattern.findall(" ".join(texts).lower()))
        for _, texts in chunks.groupby("doc_id", sort=True)["text"]
    ]
    counts = Counter(word for words in found for word in words)
    return frozenset(
        word for word, count in counts.items() if len(found) >= 10 and count > COMMON * len(found)
    )


@cache
def stop_words() -> frozenset[str]:
    """English (scikit-learn's), Spanish and Portuguese words that say nothing about a topic."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    ours = json.loads((Path(__file__).parent / "data" / "stop_words.json").read_text(encoding="utf-8"))
    return frozenset(ENGLISH_STOP_WORDS) | {word for text in ours.values() for word in text.split()}


def _best(vocabulary: np.ndarray, weights: np.ndarray, top: int) -> list[str]:
    chosen: list[str] = []
    for i in np.lexsort((vocabulary, -weights)):
        if len(chosen) == top or weights[i] <= 0:
            break
        if not {vocabulary[i] + "s", vocabulary[i].removesuffix("s")} & set(chosen):
            chosen.append(str(vocabulary[i]))
    return chosen


def _row(name: str, words: list[str], inside: pd.DataFrame, total: int) -> dict[str, object]:
    label = ", ".join(words[:LABEL_WORDS]) or "(no words)"
    return {
        "topic": name,
        "label": "noise: " + label if name == NOISE else label,
        "words": ", ".join(words),
        "n_chunks": len(inside),
        "n_documents": inside["doc_id"].nunique(),
        "share": round(len(inside) / total, 4),
    }


LONGEST, MOST = 44, 400  # letters of a name; headings of a topic that are compared
_LEVELS = " > "  # between a heading and those below it


def named_by_headings(topics: pd.DataFrame, chunks: pd.DataFrame, encode: Callable) -> pd.DataFrame:
    """The topics with a heading as their label, none used twice, the largest topic choosing first; a topic
    keeps its words where no heading is left, and so does noise.

    Parameters
    ----------
    topics : of `topic_words.describe_topics`: topic, label, words
    chunks : topic; heading, which may be missing
    encode : texts to unit vectors (n, d)
    """
    if "heading" not in chunks or not topics["words"].any():
        return topics
    taken: set[str] = set()
    labels = []
    for topic, label, words in zip(topics["topic"], topics["label"], topics["words"], strict=True):
        found = _headings(chunks.loc[chunks["topic"] == topic, "heading"], taken) if topic != NOISE else []
        name = _nearest(found, words, encode) if found and words else label
        taken.add(name.casefold())
        labels.append(name)
    return topics.assign(label=labels)


def _headings(column: pd.Series, taken: set[str]) -> list[str]:
    """The uppermost headings of these passages, the most frequent first, short enough for a name."""
    tops = column.dropna().astype(str).str.split(_LEVELS, n=1, regex=False).str[0].str.strip()
    usable = (clean(text, 0) for text in tops.value_counts(sort=True).index)
    kept = [text for text in usable if any(map(str.isalpha, text)) and len(text) <= LONGEST]
    return [text for text in kept if text.casefold() not in taken][:MOST]


def _nearest(headings: list[str], words: str, encode: Callable) -> str:
    vectors = np.asarray(encode([words, *headings]), dtype=np.float64)
    return headings[int(np.argmax(np.round(vectors[1:] @ vectors[0], 6)))]
