"""Words of a text, made comparable: stems, content words, numbers, names, negations;
synonyms and opposites (English word lists, ours).
"""

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from ragassay.scores.numbers import amounts
from ragassay.scores.text_reading import word_lists

_LIST_MARK = re.compile(r"\A\s*\d{1,3}[.)]\s")
_WORD = re.compile(r"\d[\d.,]*\d|\d|[^\W\d_]+(?:['’][^\W\d_]+)?")


class Word(NamedTuple):
    """One word of a text: as written, in lower case, its stem, and whether it opens the text."""

    written: str
    lower: str
    stem: str
    first: bool

    @property
    def content(self) -> bool:
        """Whether the word carries matter: no stop word and no single letter."""
        return self.lower not in kind("stop") and (len(self.lower) > 1 or self.lower.isdigit())

    @property
    def name(self) -> bool:
        """Whether it is written like a name: a capital, not at the beginning, and no date."""
        return (
            self.written[0].isupper() and not self.first and self.content and self.lower not in kind("date")
        )


@lru_cache(20_000)
def words(text: str) -> list[Word]:
    """The words of a text in order; numbers count as words."""
    found = _WORD.findall(text)
    lower = [one.lower().replace("’", "'") for one in found]
    return [Word(one, low, stem(low), i == 0) for i, (one, low) in enumerate(zip(found, lower, strict=True))]


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """A lower-case English word without its ending, so that forms of one word agree: `dumped` and `dumping`
    give `dump`."""
    word = word.removesuffix("'s").rstrip("'")
    ending = next((one for one in _lines()["ending"] if word.endswith(one) and len(word) - len(one) >= 3), "")
    word = word.removesuffix(ending) + ("y" if ending in ("ies", "ied") else "")
    if len(word) > 4 and word[-1] == word[-2]:
        word = word[:-1]
    return word.rstrip("e") if len(word) > 3 else word


def numbers(text: str) -> set[str]:
    """The numbers of a text in digits, in one spelling; without the mark of a numbered step, and without 1,
    which says little."""
    return amounts.numbers(_LIST_MARK.sub("", text, count=1)) - {"1"}


def number_words(text: str) -> set[str]:
    """The numbers of a text in English words (`two`, `second`, `half`), in digits; without 1 (`one`,
    `first`)."""
    values = _number_words()
    return {values[one.lower()] for one in _WORD.findall(text) if one.lower() in values} - {"1"}


def negations(found: Sequence[Word]) -> int:
    """How many of the words negate."""
    return sum(word.lower in kind("negation") or word.lower.endswith("n't") for word in found)


@cache
def kind(name: str) -> frozenset[str]:
    """The words of one kind: stop, negation, date, asking and so on. Raises KeyError for another one."""
    return frozenset(_lines()[name])


@cache
def synonyms() -> dict[str, frozenset[str]]:
    """Stem -> stems of the words that may stand in its place."""
    return groups("synonyms.txt")


@cache
def opposites() -> dict[str, frozenset[str]]:
    """Stem -> stems of the words that exclude it; a word listed as its synonym is none."""
    return {one: others - synonyms().get(one, frozenset()) for one, others in groups("opposites.txt").items()}


@cache
def _number_words() -> dict[str, str]:
    return dict(entry.split("=") for entry in _lines()["number"])


@cache
def _lines() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in word_lists.entries("text_reading/word_kinds.txt"):
        name, listed = line.split(": ", 1)
        found.setdefault(name, []).extend(listed.split())
    return found


def groups(file: str, stem: Callable[[str], str] = stem) -> dict[str, frozenset[str]]:
    """Stem -> stems of the words that a list of this room puts beside it."""
    found: dict[str, set[str]] = {}
    for line in word_lists.entries(f"text_reading/{file}"):
        stems = {stem(word) for word in line.split()}
        for one in stems:
            found.setdefault(one, set()).update(stems - {one})
    return {one: frozenset(others) for one, others in found.items()}
