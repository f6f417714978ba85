"""The rule of terms: which terms of our list, `toxicity_terms.txt`, stand in a text.

It reads words, not meaning: it misses contempt in polite words and strikes quotations.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

CATEGORIES = ("profanity", "insult", "slur", "threat")
_LOOKALIKES = str.maketrans("@$013457|", "asoieastl")
_GAP = r"(?:[^\w\s]|_)?"  # one sign, but no space, may stand between the letters of a longer term


@dataclass(frozen=True)
class Hit:
    """One term found: its category and where it stands in the text."""

    category: str
    start: int
    end: int


def find(text: str) -> list[Hit]:
    """The terms in the text, in order, without overlaps: whole words, however they are written."""
    folded, hits = fold(text), list[Hit]()
    taken = bytearray(len(folded))
    for category, pattern in terms():
        for match in pattern.finditer(folded):
            start, end = match.span()
            if not any(taken[start:end]):
                hits.append(Hit(category, start, end))
                taken[start:end] = b"\1" * (end - start)
    return sorted(hits, key=lambda hit: hit.start)


def fold(text: str) -> str:
    """The text in plain lower-case letters, sign for sign: no accents, look-alikes read as letters inside a
    word with more letters than digits (`$45` and `A55` stay numbers)."""
    plain = [unicodedata.normalize("NFKD", sign)[:1].lower() for sign in text]
    bare = "".join(base if len(base) == 1 else sign for base, sign in zip(plain, text, strict=True))

    def read_lookalikes(word: re.Match[str]) -> str:
        more_letters = sum(map(str.isalpha, word[0])) > sum(map(str.isdigit, word[0]))
        return word[0].translate(_LOOKALIKES) if more_letters else word[0]

    return re.sub(r"[\w@$|]+", read_lookalikes, bare)


@cache
def terms() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The list, compiled: `category: term` or `category: /regular expression/`; `#` starts a comment."""
    found = []
    text = files("ragassay.models").joinpath("toxicity_terms.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            category, term = line.split(": ", 1)
            body = term[1:-1] if term.startswith("/") else r"\s+".join(map(_word, term.split()))
            found.append((category, re.compile(rf"(?<![a-z0-9])(?:{body})(?![a-z0-9])")))
    return tuple(found)


def _word(word: str) -> str:
    """A word as a pattern: letters may be stretched, vowels starred out; `~` allows the usual endings."""
    stem = word.rstrip("~")
    runs = [run[0] for run in re.finditer(r"(.)\1*", stem)]
    letters = [
        rf"(?:{run[0]}{{{len(run)},}}|\*{{1,12}})" if run[0] in "aeiou" else rf"{run[0]}{{{len(run)},}}"
        for run in runs
    ]
    endings = "(?:e?s|e?d|ing?|ers?|y)?" if word.endswith("~") else ""
    return (_GAP if len(stem) > 3 else "").join(letters) + endings
