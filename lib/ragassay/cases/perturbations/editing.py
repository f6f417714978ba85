"""What a perturbation may touch in a question, and how: spans of characters, replaced at once."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).parents[1] / "data"
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
OPTIONS = re.compile(r"\(\s*[Aa1]\s*\)")  # where the answers to choose from begin
SHARES = {1: 0.15, 2: 0.3, 3: 0.5}  # level -> share of the words that may be touched
Span = tuple[int, int]


@cache
def word_list(name: str) -> Any:
    """One of the lists of `data/perturbations.json`."""
    return json.loads((DATA / "perturbations.json").read_text(encoding="utf-8"))[name]


@cache
def words_of(name: str, language: str) -> frozenset[str]:
    """The words of one list in one language; none where it has no such list."""
    return frozenset(word_list(name).get(language, "").split())


@cache
def kept_words(language: str) -> frozenset[str]:
    """Words that carry what is asked and are never touched: negations, limits and numbers."""
    return frozenset().union(*(words_of(name, language) for name in ("negations", "limiting", "numbers")))


def stem_end(question: str) -> int:
    """Where the question ends and the answers to choose from begin: `... fee? (A) $5; (B) $6`."""
    found = OPTIONS.search(question)
    return found.start() if found and found.start() else len(question)


def touchable_words(question: str, language: str, shortest: int = 1) -> list[Span]:
    """The words that may be touched, in order: of `shortest` letters or more, in the question's stem.

    Never a word with a digit, one written like a name (a capital inside the question, or at its head before
    another), an acronym, a negation, a limit (`at least`, `before`) or a number in words.
    """
    end = stem_end(question)
    return [
        match.span()
        for match in WORD.finditer(question, 0, end)
        if len(match.group()) >= shortest and _may_be_touched(question, match, language)
    ]


def _may_be_touched(question: str, match: re.Match[str], language: str) -> bool:
    word, head = match.group(), not question[: match.start()].strip("¿¡\"'“ ")
    around = question[max(0, match.start() - 1) : match.end() + 1]
    after = question[match.end() :].lstrip()[:1]
    name = word[0].isupper() and (not head or after.isupper()) and word != "I"
    plain = word.casefold().replace("’", "'")
    kept = plain in kept_words(language) or plain.replace("'", "") in kept_words(language)
    acronym = word.isupper() and len(word) > 1
    return not (name or acronym or kept or any(map(str.isdigit, around)))


def phrases_found(question: str, language: str, table: Mapping[str, str]) -> list[tuple[Span, str]]:
    """Where the words or phrases of a table stand among the touchable words, each with what the table gives
    for it; the longest first where two overlap, in order."""
    free = touchable_words(question, language)
    found: list[tuple[Span, str]] = []
    for size in sorted({len(phrase.split()) for phrase in table}, reverse=True):
        for run in (free[i : i + size] for i in range(len(free) - size + 1)):
            start, end = run[0][0], run[-1][1]
            given = table.get(question[start:end].casefold().replace("’", "'"))
            if given is not None and all(end <= a or b <= start for (a, b), _ in found):
                found.append(((start, end), given))
    return sorted(found)


def replace_some(
    question: str, places: Sequence[tuple[Span, str]], count: int, rng: np.random.Generator
) -> str:
    """The question with `count` of the places replaced, drawn by rng; unchanged if there are fewer."""
    if not 0 < count <= len(places):
        return question
    chosen = [places[i] for i in rng.choice(len(places), size=count, replace=False)]
    for (start, end), new in sorted(chosen, reverse=True):
        question = question[:start] + like_written(question[start:end], new) + question[end:]
    return " ".join(question.split())


def change_some(
    question: str, spans: Sequence[Span], level: int, change: Callable[[str], str], rng: np.random.Generator
) -> str:
    """The question with the level's share of the words changed, at least one of them."""
    count = min(len(spans), max(1, round(SHARES[level] * len(spans))))
    chosen = [spans[i] for i in rng.choice(len(spans), size=count, replace=False)] if spans else []
    for start, end in sorted(chosen, reverse=True):
        question = question[:start] + change(question[start:end]) + question[end:]
    return question


def like_written(old: str, new: str) -> str:
    """The new words with a capital at their head where the old ones had it."""
    return new[:1].upper() + new[1:] if old[:1].isupper() and old != "I" else new
