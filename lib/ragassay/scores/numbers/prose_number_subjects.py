"""What a number in prose is of, told by its own clause: subject, years, how often, at least or at most."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from ragassay.scores.numbers.amounts import Amount, years
from ragassay.scores.numbers.number_words import FROM, keys
from ragassay.scores.numbers.quantities import find_quantities
from ragassay.scores.text_reading import word_comparison, word_lists

SMALL, NEAR = 10, 30  # numbers in words that are amounts only as bounds; characters before them that are read
WIDE = 160  # characters on either side of a number that are read
_END = re.compile(r"[.!?](?=\s{1,4}[\"'“‘(\[*]{0,3}[^\W\d_a-z])")
_JOINT = re.compile(r";\s|,?\s(?:and|but|while|whereas|although|though|y|pero|mientras|e|mas|enquanto)\s")
_PRONOUN = re.compile(r"\b(?:it|they|this|these|that|which)\b", re.IGNORECASE)
_IN_YEAR = re.compile(
    r"[\s(]{0,2}(?:(?:in|for|at|during|of|by|en|em|the|year|end|year-end|fiscal|financial)\s){0,5}"
    r"((?:19|20)\d\d)\b(?!\s?(?:,|/|-|–|and|to|y|e)\s?(?:in\s)?(?:19|20)\d\d)"
)
_BEFORE_THAT = re.compile(
    r"\b(?:compared|earlier|before|prior|previous|preceding|last|against|versus|vs|than)\b", re.I
)
_OFTEN = re.compile(
    r"(?<!within )(?<!for )(?<!in )(?<!than )(?<!after )(?<!half )(?<!of )(?<!from )"
    r"\b(?:(?:per|each|every|an?)\s(?:(?:calendar|business|working|single|full)\s)?"
    r"(day|week|month|quarter|year)(?!\s(?:ago|earlier|before|later|or|after|of|in|from))"
    r"|(dai)ly|(week)ly|(month)ly|(quarter)ly|(year)ly|per\s(annum)|(annual)(?:ly)?)\b"
    r"(?!\s(?:report|percentage|general|statement|review|meeting|equivalent|account))",
    re.I,
)
_OFTEN_NAMES = {"dai": "day", "annum": "year", "annual": "year"}
_LEAST = re.compile(r"\b(?:at least|no(?:t)? (?:less|fewer) than|minimum of)\s\S{0,3}\Z", re.I)
_MOST = re.compile(r"\b(?:at most|not? more than|up to|maximum of)\s\S{0,3}\Z", re.I)
_BY = re.compile(r"\bby\s\S{0,3}\Z", re.I)


class Place(NamedTuple):
    """What the clause around a number says of it.

    subject : the words before it, or those of the number before where it has none of its own
    named : the words of its clause; years : those told of it, None if they cannot be told apart
    often : the periods it is told for (day, month); bound : 1 at least, -1 at most, 0 neither
    change : whether something rose or fell by it
    """

    subject: frozenset[str]
    named: frozenset[str]
    years: frozenset[str] | None
    often: frozenset[str]
    bound: int
    change: bool


def read_places(text: str, amounts: Sequence[Amount]) -> list[Place]:
    """The place of each number of a text, which come in order; linear in its length."""
    ends = [match.end() for match in _END.finditer(text)]
    found, last, sentence, year = list[Place](), 0, -1, 0
    for place, amount in enumerate(amounts):
        before_this = bisect_right(ends, amount.start)
        goes_on = before_this == sentence
        start = max(last, year, ends[before_this - 1] if before_this else 0, amount.start - WIDE)
        stop = min(
            amounts[place + 1].start if place + 1 < len(amounts) else len(text),
            ends[before_this] if before_this < len(ends) else len(text),
            amount.end + WIDE,
        )
        before, after = text[start : amount.start], text[amount.end : max(stop, amount.end)]
        beside = found[-1].subject if found and before_this - sentence < 2 else frozenset[str]()
        found.append(_place(before, after, beside, goes_on))
        at = _IN_YEAR.match(after)
        last, sentence, year = amount.end, before_this, amount.end + at.end() if at else 0
    return found


def bounded_words(text: str) -> list[Amount]:
    """The small numbers in words after a bound (`at most three`), which are no amounts elsewhere."""
    return [
        Amount(start, end, float(quantity.value), 1.0)
        for start, end, quantity in find_quantities(text)
        if not quantity.unit and text[start].isalpha() and text[start:end].isalpha()
        and float(quantity.value) <= SMALL and _bound(text[max(0, start - NEAR) : start])
    ]  # fmt: skip


def _bound(before: str) -> int:
    """1 after `at least`, -1 after `at most`, else 0."""
    return 1 if _LEAST.search(before) else -1 if _MOST.search(before) else 0


def _place(before: str, after: str, beside: frozenset[str], goes_on: bool) -> Place:
    """The place of a number between two texts; `beside`: the subject of the number before."""
    tail, joint = _tail(before, goes_on), _JOINT.search(after)
    own, rest = _matter(tail), after[: joint.start()] if joint else after
    inherits = not own and (goes_on or _PRONOUN.search(tail))
    return Place(
        beside if inherits else own,
        own | _matter(rest),
        _years(tail, after),
        frozenset(_OFTEN_NAMES.get(word, word) for one in _OFTEN.finditer(f"{tail} # {rest}")
                  for word in [next(filter(None, one.groups())).lower()]),
        _bound(tail),
        bool(_BY.search(tail)),
    )  # fmt: skip


def _tail(before: str, goes_on: bool) -> str:
    """What stands before a number in its own clause; after another number, any conjunction begins one."""
    joints = list(_JOINT.finditer(before))
    if not joints:
        return before
    if goes_on:
        return before[joints[0].end() :]
    return (
        before[joints[-1].end() :] if word_lists.has_sign("finite", before[: joints[-1].start()]) else before
    )


def _years(tail: str, after: str) -> frozenset[str] | None:
    """The years told of a number: beside it (`in 2022`), else the one before it; of `from 5` none."""
    beside = _IN_YEAR.match(after)
    if "respectively" in after:
        return None
    if beside:
        return frozenset([beside[1]])
    if FROM.search(tail) or _BEFORE_THAT.search(tail) or _BEFORE_THAT.search(after[:40]):
        return frozenset()
    told = years(tail)
    return told if len(told) == 1 else None


def _matter(text: str) -> frozenset[str]:
    """The words of a clause but numbers, dates and verbs of stating."""
    return frozenset(key for key in keys(text) - _stating() if not key.isdecimal())


@cache
def _stating() -> frozenset[str]:
    return keys(word_lists.alternatives("stating").replace("|", " ")) | keys(
        " ".join(word_comparison.kind("date"))
    )
