"""Dates and times of day as they are written: `12 March 2024`, `2024-03-12`, `Q3 2024`, `10 a.m.`, `Mondays`;
English, Spanish, Portuguese.
"""

import datetime
import re
from collections import namedtuple
from functools import lru_cache
from typing import NamedTuple

from ragassay.scores.text_reading import word_lists

_FILE = word_lists.patterns("numbers/dates.txt")
_MONTHS = [names for kind, names in _FILE if kind == "month"]
_MONTH = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split("|")}
_SPOKEN = {"first": 1, "second": 2, "third": 3, "fourth": 4} | dict.fromkeys(
    ("noon", "midday", "mediodía", "meio-dia"), 12
)
# no other word is written like these
_CLEAR = "|".join(name for name in _MONTH if len(name) > 3 and name not in ("march", "mayo", "sept"))
_AMBIGUOUS = ("may", "march", "mar")  # in lower case: words of another kind, unless a year follows
_ANY_MONTH = rf"(?P<m>{'|'.join(_MONTH)})\b\.?"


# what is said of a date or a time of day; None is what is not said; weekdays count from Monday, 1
Moment = namedtuple(
    "Moment",
    ["year", "quarter", "month", "day", "weekday", "hour", "minute"],
    defaults=[None, None, None, None, None, None, None],
)


class Found(NamedTuple):
    """A date or time in a text: its characters from `start` up to `end`, and what it may mean (03/12/2024 has
    two readings)."""

    start: int
    end: int
    readings: tuple[Moment, ...]


@lru_cache(20_000)
def find(text: str) -> list[Found]:
    """The dates and times of a text in order; of two that overlap, the fuller form counts.

    Impossible ones (31 February) are none.
    """
    taken = bytearray(len(text))
    found = []
    for kind, pattern in _FORMS:
        for match in pattern.finditer(text):
            start, end = match.span("all") if "all" in pattern.groupindex else match.span()
            readings = tuple(moment for moment in _read(kind, match) if _possible(moment))
            if readings and not any(taken[start:end]):
                taken[start:end] = b"\1" * (end - start)
                found.append(Found(start, end, readings))
    return sorted(found)


def meets(stated: Moment, offered: Moment) -> bool:
    """Whether all that is stated is offered: `March 2024` and `Q1 2024` are met by `12 March 2024`, not the
    reverse."""
    return all(one is None or one == other for one, other in zip(stated, complete(offered), strict=True))


def complete(moment: Moment) -> Moment:
    """A date with the quarter its month is in and the weekday it falls on."""
    if moment.month and not moment.quarter:
        moment = moment._replace(quarter=(moment.month + 2) // 3)
    if not (moment.year and moment.month and moment.day):
        return moment
    return moment._replace(weekday=datetime.date(moment.year, moment.month, moment.day).isoweekday())


def months_and_weekdays(text: str, vouched: bool = False) -> set[str]:
    """The months and weekdays that a text names, as `month 3` and `weekday 1`; a date with two readings
    (03/12/2024) names none. Of a text that vouches those of every reading, and the weekday that a full date
    falls on."""
    found = [one.readings for one in find(text) if vouched or len(one.readings) == 1]
    moments = [complete(one) if vouched else one for readings in found for one in readings]
    months = {f"month {one.month}" for one in moments if one.month}
    return months | {f"weekday {one.weekday}" for one in moments if one.weekday}


def _possible(moment: Moment) -> bool:
    """Whether the calendar and the clock have it."""
    try:
        datetime.datetime(
            moment.year or 2024, moment.month or 1, moment.day or 1, moment.hour or 0, moment.minute or 0
        )
    except ValueError:
        return False
    return True


def _read(kind: str, match: re.Match[str]) -> list[Moment]:
    """What a date or time of this kind may mean."""
    parts = match.groupdict()
    if kind == "weekday":
        return [Moment(weekday=match.lastindex)]
    if kind == "hour":
        return [Moment(hour=_SPOKEN.get(match[0].casefold(), 0), minute=0)]
    if kind == "clock":
        hour, half = int(match["h"]), parts.get("half")
        hour = hour % 12 + 12 * (half in "pP") if half and hour <= 12 else hour
        return [Moment(hour=hour, minute=_number(parts.get("min")) or 0)]
    if kind == "slashed":
        one, other, said = (int(match[name]) for name in ("one", "other", "y"))
        said += 0 if said > 99 else 2000 if said < 70 else 1900
        return list(dict.fromkeys([Moment(said, month=one, day=other), Moment(said, month=other, day=one)]))
    written, year = parts.get("m") or "", _number(parts.get("y"))
    number = int(written) if written.isdecimal() else _MONTH.get(written.casefold())
    if (written in _AMBIGUOUS and not year) or (written and not number):
        return []
    return [Moment(year, _number(parts.get("q")), number, _number(parts.get("d")))]


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() else _SPOKEN.get((text or "").casefold())


_FORMS = tuple(
    (kind, re.compile(pattern.replace("<month>", _ANY_MONTH).replace("<plain month>", _CLEAR), re.IGNORECASE))
    for kind, pattern in _FILE
    if kind != "month"
)
