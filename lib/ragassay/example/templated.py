"""A second example assistant, of another make: words are looked up, sentences filled into templates, and no
model is run.

Search is by rare words; the best sentences are told as `According to TITLE, ...`. A short question after
others is taken to be about the subject of the last. Its faults are its own and left in: it always agrees with
a question that can be answered by yes or no, declines only where hardly a word is found, replies in English
whatever the language, and reads documents for staff and old versions like any other.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ragassay import documents as reading
from ragassay.provenance import source

PASSAGES, SENTENCES = 3, 2  # retrieved; told at most
ENOUGH = 0.3  # share of the question's words, by rarity, that the best sentence or its heading must hold
NEARLY = 0.8  # of the best sentence's share, from which another is told too
FOLLOW_UP = 6  # words of a question that may leave out its subject
SORRY = "Sorry, I do not know that one from our documents. You can ask at any branch."
YES_NO = re.compile(
    r"(?:[^,]{0,80}+, )?(?:is|are|can|may|must|do|does|will|would|should|has|have|am)\b", re.I
)
WORD = re.compile(r"[^\W_]+(?:[.,]\d+)*")
SMALL = frozenset(
    WORD.findall("""
    a about after all am an and any are as at be been before but by can cannot could did do does for from get
    had has have how i if in into is it its many may me much must my no not of on one or our shall should so
    some than that the their them then there these they this to under up was we were what when where which
    who why will with would you your according long happens""")
)


@dataclass(frozen=True)
class Passage:
    """A passage, where it stands, and its words."""

    name: str
    title: str
    text: str
    words: Counter[str]


def open_assistant(documents: str | Path = "bundled:documents") -> Callable[..., dict]:
    """Read a folder (or `bundled:documents`) and return `ask(question, history=None, passages=None)`."""
    read, _ = reading.load(source(documents))
    table = reading.chunk(read).merge(read[["doc_id", "title"]], on="doc_id", how="left", sort=False)
    library = _passages(table)
    rarity = _rarity(library)

    def ask(
        question: str,
        history: Sequence[dict[str, str]] | None = None,
        passages: Sequence[dict[str, str]] | None = None,
    ) -> dict:
        asked = _words(_with_subject(question, history or ()))
        found = _search(asked, library, rarity) if passages is None else [_given(one) for one in passages]
        return {
            "answer": _answer(question, asked, found, rarity),
            "contexts": [one.text for one in found],
            "context_ids": [one.name for one in found],
        }

    return ask


def _passages(table: pd.DataFrame) -> list[Passage]:
    return [
        Passage(row.chunk_id, row.title, row.text, Counter(_words(f"{row.title} {row.heading} {row.text}")))
        for row in table.itertuples()
    ]


def _given(passage: dict[str, str]) -> Passage:
    """A passage that somebody else retrieved; its title is the name of its document."""
    title = passage["id"].split("#")[0].replace("-", " ").capitalize()
    return Passage(passage["id"], title, passage["text"], Counter(_words(passage["text"])))


def _rarity(library: Iterable[Passage]) -> dict[str, float]:
    passages = list(library)
    held = Counter(word for one in passages for word in one.words)
    return {word: math.log(1 + len(passages) / count) for word, count in held.items()}


def _words(text: str) -> list[str]:
    """Words in lower case without small ones, each cut to its first seven letters."""
    return [word[:7] for word in WORD.findall(text.lower()) if word not in SMALL]


def _with_subject(question: str, history: Sequence[dict[str, str]]) -> str:
    """A short question with the capitalised words of the last one that was asked before it."""
    before = [turn["content"] for turn in history if turn["role"] == "user"]
    if not before or len(question.split()) > FOLLOW_UP:
        return question
    return f"{question} {before[-1]}"


def _search(asked: Sequence[str], library: Sequence[Passage], rarity: dict[str, float]) -> list[Passage]:
    """The passages that hold most of the question's words, rare ones counting more; best first."""
    scores = [_weight(asked, one.words, rarity) / (1 + 0.002 * one.words.total()) for one in library]
    best = sorted(range(len(library)), key=lambda i: (-scores[i], i))[:PASSAGES]
    return [library[i] for i in best if scores[i] > 0]


def _weight(asked: Iterable[str], held: Iterable[str], rarity: dict[str, float]) -> float:
    unknown = max(rarity.values(), default=1.0)
    return sum(rarity.get(word, unknown) for word in set(asked) & set(held))


def _answer(question: str, asked: Sequence[str], found: Sequence[Passage], rarity: dict[str, float]) -> str:
    """The best sentences in templates, or the refusal."""
    unknown = max(rarity.values(), default=1.0)
    whole = sum(rarity.get(word, unknown) for word in set(asked)) or 1.0
    told = [
        (_weight(asked, [*_words(sentence), *_words(one.title)], rarity) / whole, -i, one, sentence)
        for i, one in enumerate(found)
        for sentence in reading.sentences(one.text)
    ]
    ranked = sorted(told, key=lambda each: each[:2], reverse=True)[:SENTENCES]
    if not ranked or ranked[0][0] < ENOUGH:
        return SORRY
    kept = [each for each in ranked if each[0] >= NEARLY * ranked[0][0]]
    opening = "Yes. " if YES_NO.match(question) else ""
    return opening + " ".join(_told(one, sentence) for _, _, one, sentence in kept)


def _told(passage: Passage, sentence: str) -> str:
    plain = sentence.strip().rstrip(".")
    return f"According to {passage.title}: {plain} [{passage.name}]."
