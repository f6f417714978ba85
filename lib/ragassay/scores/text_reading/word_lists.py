"""Lists of words, and the words of a text made comparable. Data beside the code: words and patterns, one
entry a line, `#` before a remark; tables; signs: the words by which a rule sees that a sentence makes an
exception, guesses, greets, or asks for a number (`cue_words.txt`). Of a text: stems, content words, names,
negations; synonyms and opposites (English word lists, ours).
"""

import csv
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

_WORD = re.compile(r"\d[\d.,]*\d|\d|[^\W\d_]+(?:['’][^\W\d_]+)?")


def entries(name: str) -> list[str]:
    """The entries of a list, by its place in this room: `text_reading/cue_words.txt`."""
    return [line for line in _lines(name) if line.strip() and not line.startswith("#")]


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a table: `families/metrics.csv`."""
    return list(csv.DictReader(_lines(name)))


def _lines(name: str) -> list[str]:
    return files("ragassay.scores").joinpath(name).read_text(encoding="utf-8").splitlines(keepends=False)


def patterns(name: str) -> list[tuple[str, str]]:
    """Name and expression of each entry `name = expression`; an entry `<part> = expression` is put in where
    an entry after it says `<part>`."""
    parts, found = dict[str, str](), list[tuple[str, str]]()
    for entry in entries(name):
        name, expression = entry.split(" = ", 1)
        for part, inner in parts.items():
            expression = expression.replace(part, inner)
        if name.startswith("<"):
            parts[name] = expression
        else:
            found.append((name, expression))
    return found


def has_sign(sign: str, text: str) -> bool:
    """Whether a sign stands in the text, in English, Spanish or Portuguese.

    Raises KeyError for a sign that `cue_words.txt` does not have.
    """
    return bool(expression(sign).search(text))


@cache
def expression(sign: str) -> re.Pattern[str]:
    """A sign's expression; one written with `^` holds only at the beginning of a text."""
    cues, opening = _named("cue_words.txt"), f"{sign}^"
    before = r"\A[^\w]{0,20}" if opening in cues else r"(?<!\w)"
    return re.compile(rf"{before}(?:{'|'.join(cues.get(opening) or cues[sign])})(?!\w)", re.IGNORECASE)


@cache
def alternatives(sign: str) -> str:
    """The sign's alternatives, to stand within another expression."""
    return "|".join(_named("cue_words.txt")[sign])


@cache
def _named(file: str) -> dict[str, list[str]]:
    """What stands behind each name in a list of this room: `stop: the a of`."""
    found: dict[str, list[str]] = {}
    for entry in entries(f"text_reading/{file}"):
        head, words = entry.split(": ", 1)
        found.setdefault(head.split()[0], []).append(words)
    return found


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
    found = enumerate(_WORD.findall(text))
    return [Word(one, low := one.lower().replace("’", "'"), stem(low), i == 0) for i, one in found]


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """A lower-case English word without its ending, so that forms of one word agree: `dumped` and `dumping`
    give `dump`."""
    word = word.removesuffix("'s").rstrip("'")
    endings = _named("word_kinds.txt")["ending"][0].split()
    ending = next((one for one in endings if word.endswith(one) and len(word) - len(one) >= 3), "")
    word = word.removesuffix(ending) + ("y" if ending in ("ies", "ied") else "")
    if len(word) > 4 and word[-1] == word[-2]:
        word = word[:-1]
    return word.rstrip("e") if len(word) > 3 else word


def negations(found: Sequence[Word]) -> int:
    """How many of the words negate."""
    return sum(word.lower in kind("negation") or word.lower.endswith("n't") for word in found)


@cache
def kind(name: str) -> frozenset[str]:
    """The words of one kind: stop, negation, date, asking and so on. Raises KeyError for another one."""
    return frozenset(" ".join(_named("word_kinds.txt")[name]).split())


@cache
def synonyms() -> dict[str, frozenset[str]]:
    """Stem -> stems of the words that may stand in its place."""
    return _groups("synonyms.txt")


@cache
def opposites() -> dict[str, frozenset[str]]:
    """Stem -> stems of the words that exclude it; a word listed as its synonym is none."""
    return {
        one: others - synonyms().get(one, frozenset()) for one, others in _groups("opposites.txt").items()
    }


def _groups(file: str) -> dict[str, frozenset[str]]:
    """Stem -> stems of the words that a list of this room puts beside it."""
    found: dict[str, set[str]] = {}
    for line in entries(f"text_reading/{file}"):
        stems = {stem(word) for word in line.split()}
        for one in stems:
            found.setdefault(one, set()).update(stems - {one})
    return {one: frozenset(others) for one, others in found.items()}
