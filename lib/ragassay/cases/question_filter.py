"""Which made questions are kept: near their passage, answerable from it by a plain reader, none asked twice.

The reader knows nothing of how a question was made. It takes the sentences of a passage that share the
question's rarer words; if the answer is in neither of the first two, the question does not lead to it.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from math import log

import numpy as np
import pandas as pd

from ragassay.cases.case_table import DATA
from ragassay.documents import sentences
from ragassay.documents.collection import STATUS, SUPERSEDED

NEAR_ENOUGH = 0.35  # cosine of a question with its passage, [-1, 1]
SAME = 0.97  # cosine of two questions
READ = 2  # pieces the reader may name
TOLD = 0.6  # share of an answer's words to be found in them
SAID = 0.8  # share of a question's words, by rarity, above which a passage might answer it
TOP = 10  # passages looked at for an answer there should not be
SMALL = frozenset(json.loads((DATA / "words.json").read_text(encoding="utf-8"))["small"].split())


def in_force(chunks: pd.DataFrame) -> pd.DataFrame:
    """The passages that may be a reference: not of a superseded document; all where no status is known."""
    return chunks[chunks[STATUS] != SUPERSEDED] if STATUS in chunks else chunks


class Index:
    """Passages by their words: rarity of words, and Okapi BM25 (k1 = 1.5, b = 0.75) over them.

    Source
    ------
    Robertson and Zaragoza (2009), The Probabilistic Relevance Framework: BM25 and Beyond, section 3; idf with
    1 added inside the logarithm.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.counts = [Counter(content_words(text)) for text in texts]
        self.lengths = np.array([count.total() for count in self.counts], dtype=float)
        self.places = defaultdict[str, list[int]](list)
        for i, count in enumerate(self.counts):
            for word in count:
                self.places[word].append(i)

    def rarity(self, word: str) -> float:
        """log(1 + (N - n + 0.5) / (n + 0.5)) for a word in n of N passages;
        above 0, higher for rarer words."""
        n = len(self.places.get(word, ()))
        return log(1 + (len(self.counts) - n + 0.5) / (n + 0.5))

    def top(self, question: str, count: int = TOP) -> list[int]:
        """The passages that fit a question's words best, best first; none that shares no word with it."""
        scores: dict[int, float] = {}
        mean = self.lengths.mean() or 1.0
        for word in sorted(set(content_words(question))):
            rarity = self.rarity(word)
            for i in self.places.get(word, ()):
                n, size = self.counts[i][word], 0.25 + 0.75 * self.lengths[i] / mean
                scores[i] = scores.get(i, 0.0) + rarity * n * 2.5 / (n + 1.5 * size)
        return sorted(scores, key=lambda i: (-scores[i], i))[:count]

    def share(self, question: str, text: str) -> float:
        """How much of a question's words, weighted by rarity, a text holds, in [0, 1];
        0 for a question without words."""
        asked, there = sorted(set(content_words(question))), set(content_words(text))
        whole = sum(self.rarity(word) for word in asked)
        return sum(self.rarity(word) for word in asked if word in there) / whole if whole else 0.0


def content_words(text: str) -> list[str]:
    """A text's words in lower case without the small ones; a plural `s` is dropped."""
    return [
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
        for word in re.findall(r"\w+", text.lower())
        if word not in SMALL
    ]


def screen_questions(pool: Sequence[dict], chunks: pd.DataFrame, index: Index, encode: Callable) -> None:
    """Give each row its `similarity` (cosine with the nearest of its passages, in [-1, 1], 4 decimals) and,
    where it fails, a `reason`; of two alike the first is kept.

    pool : rows with stem (the question without answers to choose from), reference_chunk_ids, expected (what
        its answer must hold) and fact (what two questions about the same thing share)
    """
    if not pool:
        return
    text = chunks.set_index("chunk_id")["text"]
    passages = [[str(text[name]) for name in row["reference_chunk_ids"]] for row in pool]
    names = sorted({one for own in passages for one in own})
    known = dict(zip(names, encode(names), strict=True))
    vectors = encode([row["stem"] for row in pool])
    number = {fact: i for i, fact in enumerate(dict.fromkeys(row["fact"] for row in pool))}
    about = np.array([number[row["fact"]] for row in pool])
    alike = (vectors @ vectors.T >= SAME) & (
        about[:, None] != about
    )  # in nearly the same words, another fact
    repeated = np.tril(alike, k=-1).any(axis=1)
    for row, own, vector, again in zip(pool, passages, vectors, repeated, strict=True):
        wanted, named = set(content_words(row["expected"])), set[str]()
        for passage in own:  # a reader names the sentences that hold most of the question's words, by rarity
            said = sentences(passage) or [passage]
            for piece in sorted(said, key=lambda one: -index.share(row["stem"], one))[:READ]:
                named.update(content_words(piece))
        row["similarity"] = round(max(float(vector @ known[one]) for one in own), 4)
        if row["similarity"] < NEAR_ENOUGH:
            row["reason"] = "is far from its passage"
        elif again:
            row["reason"] = "is asked already in nearly the same words"
        elif len(wanted & named) < TOLD * len(wanted):
            row["reason"] = "does not lead a reader to its answer"
