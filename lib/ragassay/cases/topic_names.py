"""What a reader calls a topic: the heading of its documents that is nearest to its characteristic words."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from ragassay.cases.topic_words import NOISE
from ragassay.sanitized_text import clean

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
