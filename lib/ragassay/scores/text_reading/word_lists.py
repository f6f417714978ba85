"""What stands beside the code as data: lists of words and patterns, one entry a line, `#` before a remark;
tables; and signs: the words by which a rule sees that a sentence makes an exception, guesses, greets, or asks
for a number (`cue_words.txt`).
"""

import csv
import re
from collections import defaultdict
from functools import cache
from importlib.resources import files


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
    return bool(signs()[sign].search(text))


@cache
def signs() -> dict[str, re.Pattern[str]]:
    """Each sign's expression; one written with `^` holds only at the beginning of a text."""
    found = {}
    for name, words in _read().items():
        before = r"\A[^\w]{0,20}" if name.endswith("^") else r"(?<!\w)"
        found[name.rstrip("^")] = re.compile(rf"{before}(?:{'|'.join(words)})(?!\w)", re.IGNORECASE)
    return found


@cache
def alternatives(sign: str) -> str:
    """The sign's alternatives, to stand within another expression."""
    return "|".join(_read()[sign])


def _read() -> dict[str, list[str]]:
    found = defaultdict[str, list[str]](list)
    for entry in entries("text_reading/cue_words.txt"):
        head, words = entry.split(": ", 1)
        found[head.split()[0]].append(words)
    return dict(found)
