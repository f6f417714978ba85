"""Which made questions are kept: near their passage, answerable from it by a plain reader, not contradicted
by it, none asked twice.

The reader knows nothing of how a question was made. It takes the pieces of a passage (sentences, rows,
items), and prefers those that share the question's rarer words and are near it in meaning; if the answer is
in neither of its first two, the question does not lead to it.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from math import log
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay.documents import sentences

NEAR_ENOUGH = 0.35  # cosine of a question with its passage, [-1, 1]
SAME = 0.97  # cosine of two questions
READ = 2  # pieces the reader may name
TOLD = 0.6  # share of an answer's words to be found in them
SAID = (
    0.8  # share of a question's words, by rarity, that a passage may hold before it might answer the question
)
CONTRADICTED = 0.95  # probability from which an answer counts as contradicted by its passages
VERDICT = re.compile(r"^(?:Yes|No|\([A-Z]\) [^.]*)\.\s*")
TOP = 10  # passages looked at for an answer there should not be
WORD = re.compile(r"\w+")
SMALL = frozenset(
    json.loads((Path(__file__).parent / "data" / "words.json").read_text(encoding="utf-8"))["small"].split()
)


class Index:
    """Passages by their words: rarity of words, and Okapi BM25 (k1 = 1.5, b = 0.75) over them.

    Source
    ------
    Robertson and Zaragoza (2009), The Probabilistic Relevance Framework: BM25 and Beyond, section 3; idf with
    1 added inside the logarithm.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.counts = [Counter(content_words(text)) for text in texts]
        self.lengths = np.array([sum(count.values()) for count in self.counts], dtype=float)
        self.places: dict[str, list[int]] = {}
        for i, count in enumerate(self.counts):
            for word in count:
                self.places.setdefault(word, []).append(i)

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
        for word in _words(text)
    ]


def _words(text: str) -> list[str]:
    return [word for word in WORD.findall(text.lower()) if word not in SMALL]


def screen_questions(pool: Sequence[dict], chunks: pd.DataFrame, index: Index, encode: Callable) -> None:
    """Give each row its `similarity` and, where it fails, a `reason`;
    rows come in the order in which the first of two alike is kept."""
    if not pool:
        return
    text = chunks.set_index("chunk_id")["text"]
    passages = [[str(text[name]) for name in row["reference_chunk_ids"]] for row in pool]
    questions = [row["stem"] for row in pool]
    vectors = encode(questions)
    near = similarities(vectors, passages, encode)
    found = find_pieces(questions, vectors, passages, index, encode)
    twice = find_repeats(vectors, [row["fact"] for row in pool])
    for row, similarity, pieces, again in zip(pool, near, found, twice, strict=True):
        row["similarity"] = float(similarity)
        row["reason"] = _reason(row, float(similarity), " ".join(pieces), bool(again))


def reject_contradicted(pool: Sequence[dict], chunks: pd.DataFrame, entail: Callable) -> None:
    """Give a `reason` to each English row left whose answer its passages contradict, by the entailment head;
    `entail` is `models.entail`."""
    text = chunks.set_index("chunk_id")["text"]
    left = [
        row
        for row in pool
        if not row["reason"]
        and row["reference_answer"]
        and row["language"] == "en"
        and row["reference_chunk_ids"]
    ]
    pairs = [
        (
            " ".join(str(text[name]) for name in row["reference_chunk_ids"]),
            VERDICT.sub("", row["reference_answer"]),
        )
        for row in left
    ]
    known = [i for i, (premise, answer) in enumerate(pairs) if premise.strip() and answer.strip()]
    chances = entail([pairs[i] for i in known]).probabilities[:, 2] if known else []
    for i, chance in zip(known, chances, strict=True):
        if chance >= CONTRADICTED:
            left[i]["reason"] = "has an answer that its passage contradicts"


def _reason(row: dict, similarity: float, pieces: str, again: bool) -> str:
    if similarity < NEAR_ENOUGH:
        return "is far from its passage"
    if again:
        return "is asked already in nearly the same words"
    wanted = row["told"]
    return "does not lead a reader to its answer" if share_of(wanted, pieces) < TOLD else ""


def similarities(vectors: NDArray, passages: Sequence[Sequence[str]], encode: Callable) -> NDArray:
    """Cosine of each question with the nearest of its passages, (n,), in [-1, 1], 4 decimals;
    higher is nearer."""
    names = sorted({text for own in passages for text in own})
    place = {text: i for i, text in enumerate(names)}
    known = encode(names)
    return np.round(
        [
            max(float(vector @ known[place[text]]) for text in own)
            for vector, own in zip(vectors, passages, strict=True)
        ],
        4,
    )


def find_pieces(
    questions: Sequence[str],
    vectors: NDArray,
    passages: Sequence[Sequence[str]],
    index: Index,
    encode: Callable,
) -> list[list[str]]:
    """The pieces of its passages that a reader would name for each question:
    the best two of every passage."""
    pieces = {text: split(text) for own in passages for text in own}
    names = sorted({piece for found in pieces.values() for piece in found})
    place = {piece: i for i, piece in enumerate(names)}
    known = encode(names)

    def best(question: str, vector: NDArray, text: str) -> list[str]:
        scored = [
            (index.share(question, piece) + float(vector @ known[place[piece]]), -i)
            for i, piece in enumerate(pieces[text])
        ]
        return [pieces[text][-i] for _, i in sorted(scored, reverse=True)[:READ]]

    return [
        [piece for text in own for piece in best(q, vector, text)]
        for q, vector, own in zip(questions, vectors, passages, strict=True)
    ]


def split(text: str) -> list[str]:
    """The pieces of a passage a reader may point at: its sentences, line by line;
    the passage itself where it has none."""
    return sentences(text) or [text]


def find_repeats(vectors: NDArray, facts: Sequence) -> NDArray:
    """Whether a question is nearly an earlier one about another fact (cosine of 0.97 or more), (n,) of bool;
    one that is itself a repeat counts too. What is made of one fact (the fact asked, and asked with answers
    to choose from) is told apart where questions are drawn.
    """
    number = {fact: i for i, fact in enumerate(dict.fromkeys(facts))}
    about = np.array([number[fact] for fact in facts])
    found = np.zeros(len(vectors), dtype=bool)
    for start in range(0, len(vectors), 1024):
        alike = vectors[start : start + 1024] @ vectors.T >= SAME
        earlier = np.arange(len(vectors)) < np.arange(start, start + len(alike))[:, None]
        apart = about != about[start : start + len(alike), None]
        found[start : start + 1024] = (alike & earlier & apart).any(axis=1)
    return found


def share_of(wanted: str, text: str) -> float:
    """The share of the telling words of one text that another holds, in [0, 1];
    1 where there are none to hold."""
    asked = set(content_words(wanted))
    return len(asked & set(content_words(text))) / len(asked) if asked else 1.0


def might_be_answered(question: str, texts: Sequence[str], index: Index) -> bool:
    """Whether one of the passages nearest to a question by its words holds so many of them that it might
    answer it."""
    return any(index.share(question, texts[i]) > SAID for i in index.top(question))
