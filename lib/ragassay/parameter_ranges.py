"""Ranges: what a number or a word may be, in one grammar for notebooks, parameter files and the library's own
functions.

in (0, 1)      every number between the two, they themselves excluded
in [1, inf)    one or more
one of a, b    one of these words
"""

import math
import re
from dataclasses import dataclass
from typing import Any

from ragassay.errors import ParameterError

_NUMBER = r"-?(?:inf|\d+(?:\.\d+)?)"
_INTERVAL = re.compile(rf"in ([\[(])({_NUMBER}), ({_NUMBER})([\])])")
_WORDS = re.compile(r"one of ([A-Za-z0-9][A-Za-z0-9_.-]*(?:, [A-Za-z0-9][A-Za-z0-9_.-]*)+)")
_BEGINNING = re.compile(r"\b(?:in [\[(]|one of )")


@dataclass(frozen=True)
class Range:
    """One of a few words, or the numbers from `low` to `high`; whether the two belong to it; as `written`."""

    written: str
    words: tuple[str, ...] = ()
    low: float = -math.inf
    high: float = math.inf
    with_low: bool = False
    with_high: bool = False

    def holds(self, value: Any) -> bool:
        """Whether the value is one of the words, or a number inside; NaN is in no interval."""
        if self.words or isinstance(value, str):
            return value in self.words
        above = value >= self.low if self.with_low else value > self.low
        below = value <= self.high if self.with_high else value < self.high
        return bool(above and below)

    def __str__(self) -> str:
        return self.written


def parse(text: str) -> Range:
    """The range written so.

    Raises
    ------
    ValueError
        If it follows neither form, is empty, or claims that an infinity belongs to it.
    """
    if words := _WORDS.fullmatch(text):
        return Range(text, tuple(words[1].split(", ")))
    found = _INTERVAL.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no range; write in (0, 1), in [1, inf), or one of a, b")
    low, high = float(found[2]), float(found[3])
    interval = Range(text, (), low, high, found[1] == "[", found[4] == "]")
    if interval.holds(math.inf) or interval.holds(-math.inf) or not low < high:
        raise ValueError(f"{text!r} is no range: it must go up, and be open where it is infinite")
    return interval


def at_the_end(text: str) -> Range | None:
    """The range that an explanation ends in; None if it states none.

    Raises
    ------
    ValueError
        If it begins one that is malformed, or goes on after it.
    """
    beginnings = list(_BEGINNING.finditer(text))
    return parse(text[beginnings[-1].start() :]) if beginnings else None


def check(name: str, value: Any, written: str) -> None:
    """Refuse a value outside a range written as in a notebook: `check("alpha", alpha, "in (0, 1)")`.

    Raises
    ------
    ParameterError
        With the parameter's name, the value and the range.
    """
    if not parse(written).holds(value):
        raise ParameterError(f"{name} is outside its range", where=name, found=repr(value), expected=written)
