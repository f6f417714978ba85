"""Facts that can be checked by reading:
the numbers, the dates and times, and the places of a text, and whether other texts hold them.

A number is a value with its unit where it has one (percent, money, a span of time): `5 %` is not `$5`, but
`5` may be either. A date is held by a fuller one: `March 2024` by `12 March 2024`. A place is held under any
name that `places.txt` lists for it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property
from importlib.resources import files
from typing import NamedTuple, Protocol

from ragassay.scores import citations, dates
from ragassay.scores.claims import folded

NUMBER, TIME, PLACE = "number", "time", "place"
KINDS = (NUMBER, TIME, PLACE)
_DIGITS = 30  # longer numbers are compared as they are written
_LIST_MARK = re.compile(r"\A\s{0,20}\d{1,2}[.)]\s")
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_ONES = "two|three|four|five|six|seven|eight|nine"
_TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_SPELLED = {word: 10 * i for i, word in enumerate(_TENS.split("|"), 2)} | {
    word: i for i, word in enumerate(["one", *_ONES.split("|"), *_TEENS.split("|")], 1)
}
_SPANS = {
    "day": "days?|días?|dias?",
    "week": "weeks?|semanas?",
    "month": "months?|mes|meses|mês",
    "year": "years?|años?|anos?",
    "hour": "hours?|horas?",
    "minute": "minutes?|minutos?",
}
_LENGTH = rf"(?:(?:business|working|calendar|full|whole|consecutive)[ -])?(?:{'|'.join(_SPANS.values())})"
_VALUE = rf"\d+(?:[.,]\d+)*|(?:{_TENS})(?:-(?:one|{_ONES}))?|{_ONES}|{_TEENS}|one(?=[ -]{_LENGTH}\b)|one(?= per ?cent\b)"
_CASH = r"€|(?:us ?)?dollars?\b|euros?\b|pounds?\b|usd\b|eur\b|gbp\b"
_UNIT = rf"(?P<percent>%|per ?cent\b|percentage|por ?cien\w{{0,2}}\b)|(?P<cash>{_CASH})|(?P<span>{_LENGTH})\b"
_SCALE = {
    "thousand": 3,
    "mil": 3,
    "k": 3,
    "million": 6,
    "millions": 6,
    "millones": 6,
    "millón": 6,
    "milhões": 6,
    "milhão": 6,
    "billion": 9,
    "bn": 9,
}
_MORE = rf"(?:[ \xa0]?(?P<scale>{'|'.join(_SCALE)})\b)?(?:[ \xa0-]?(?:{_UNIT}))?"
_QUANTITY = re.compile(
    rf"(?:(?P<sign>[$€£]|\b(?:usd|eur|gbp))[ \xa0]?|(?<![\w.,]))(?P<value>{_VALUE}){_MORE}", re.IGNORECASE
)
_WORDS = re.compile(r"[^\W_]+(?:[.'’-][^\W_]+)*\.?")


class Named(Protocol):
    """An entity found by a model."""

    @property
    def kind(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


class Quantity(NamedTuple):
    """A value in one spelling and its unit:
    percent, money, day, week, month, year, hour, minute, or "" where it has none.
    """

    value: str
    unit: str = ""


@dataclass(frozen=True)
class Fact:
    """A fact of a text, its characters from `start` up to `end`, and what it may mean:
    quantities, moments, or the name of a place.
    """

    kind: str
    text: str
    start: int
    end: int
    readings: tuple[Quantity | dates.Moment | str, ...]


@dataclass(frozen=True)
class Source:
    """Texts that facts are looked up in, read once."""

    texts: tuple[str, ...]

    @cached_property
    def units(self) -> dict[str, set[str]]:
        """The units each value is written with."""
        found: dict[str, set[str]] = {}
        for text in self.texts:
            for _, _, quantity in _quantities(text):
                found.setdefault(quantity.value, set()).add(quantity.unit)
        return found

    @cached_property
    def moments(self) -> tuple[dates.Moment, ...]:
        """The dates and times, each once."""
        return tuple(
            dict.fromkeys(
                moment for text in self.texts for one in dates.find(text) for moment in one.readings
            )
        )

    @cached_property
    def places(self) -> frozenset[str]:
        """The countries named."""
        return frozenset(country for text in self.texts for _, _, country in _countries(text))

    @cached_property
    def folded(self) -> str:
        """The words of the texts without case, accents and signs, one space around each."""
        return f" {' '.join(map(folded, self.texts))} "


def find(text: str, names: Sequence[Named] = ()) -> list[Fact]:
    """The facts of a text in order; the digits of a date are no numbers besides, the mark of a numbered step
    ("2. ") is none either.

    names : entities of the text; those of kind place and address are places, as are the countries of our list
    """
    mark = _LIST_MARK.match(text)
    moments = [Fact(TIME, text[start:end], start, end, readings) for start, end, readings in dates.find(text)]
    taken = bytearray(len(text))
    for start, end in [(one.start, one.end) for one in moments] + ([mark.span()] if mark else []):
        taken[start:end] = b"\1" * (end - start)
    numbers = [
        Fact(NUMBER, text[start:end], start, end, (one,))
        for start, end, one in _quantities(text)
        if not any(taken[start:end])
    ]
    return sorted([*moments, *numbers, *_places(text, names)], key=lambda fact: (fact.start, fact.end))


def held(fact: Fact, source: Source) -> bool:
    """Whether the texts hold the fact in one of its readings."""
    return any(_held(reading, source) for reading in fact.readings)


def consistency(verdicts: Sequence[bool]) -> float:
    """Share of a text's facts that are held, in [0, 1]; higher is better.

    Raises
    ------
    ValueError
        If it states no fact.

    Source
    ------
    Hybrid 2.1 c ("extract and match similarities between numerical, location and temporal facts"), which
    gives no formula.
    """
    if len(verdicts) == 0:
        raise ValueError("no fact to look up")
    return sum(map(bool, verdicts)) / len(verdicts)


def _held(reading: Quantity | dates.Moment | str, source: Source) -> bool:
    if isinstance(reading, Quantity):
        units = source.units.get(reading.value, set())
        return bool(units) and (not reading.unit or bool(units & {reading.unit, ""}))
    if isinstance(reading, dates.Moment):
        only_year = reading == dates.Moment(year=reading.year) and str(reading.year) in source.units
        return only_year or any(dates.meets(reading, one) for one in source.moments)
    return reading in source.places or f" {folded(reading)} " in source.folded


def _quantities(text: str) -> Iterator[tuple[int, int, Quantity]]:
    for match in _QUANTITY.finditer(text):
        yield match.start(), match.end(), Quantity(_value(match["value"], match["scale"]), _unit(match))


def _value(written: str, scale: str | None) -> str:
    """In digits: `1,250`, `twenty-five`, `1.5 million`."""
    if written[0].isdecimal():
        value = next(iter(citations.numbers(written)))
    else:
        value = str(sum(_SPELLED.get(part.casefold(), 0) for part in written.split("-")))
    power = _SCALE.get((scale or "").casefold(), 0)
    return f"{(Decimal(value) * 10**power).normalize():f}" if power and len(value) <= _DIGITS else value


def _unit(match: re.Match[str]) -> str:
    if match["percent"]:
        return "percent"
    if match["sign"] or match["cash"]:
        return "money"
    last = re.split("[ -]", (match["span"] or "").casefold())[-1]
    return next((unit for unit, forms in _SPANS.items() if re.fullmatch(forms, last)), "")


def _places(text: str, names: Sequence[Named]) -> list[Fact]:
    found = [Fact(PLACE, text[start:end], start, end, (country,)) for start, end, country in _countries(text)]
    listed = {(fact.start, fact.end) for fact in found}
    spans = dict.fromkeys((one.start, one.end) for one in names if one.kind in ("place", "address"))
    return found + [
        Fact(PLACE, text[a:b], a, b, (text[a:b],))
        for a, b in spans
        if (a, b) not in listed and folded(text[a:b])
    ]


def _countries(text: str) -> Iterator[tuple[int, int, str]]:
    """Runs of words that are a country's name, the longest first;
    abbreviations in capitals only, other names with a capital.
    """
    words = list(_WORDS.finditer(text))
    place = 0
    while place < len(words):
        size, end, country = _country(text, words[place : place + _longest()])
        if country:
            yield words[place].start(), end, country
        place += size


def _country(text: str, words: Sequence[re.Match[str]]) -> tuple[int, int, str]:
    """How many of the words to go on by, the end of the name they begin with, and the country;
    "" if they begin with none.
    """
    if not words[0][0][0].isupper() or text[words[0].end() : words[0].end() + 1] == "$":  # US$ is money
        return 1, 0, ""
    for size in range(len(words), 0, -1):
        written = text[words[0].start() : words[size - 1].end()]
        for name in (written, written.rstrip("."), re.sub(r"['’]s\Z", "", written)):
            key = " ".join(name.lower().replace("’", "'").split())
            if key in _gazetteer() and (len(key.replace(".", "")) > 3 or name.isupper()):
                return size, words[0].start() + len(name), _gazetteer()[key]
    return 1, 0, ""


@cache
def _gazetteer() -> dict[str, str]:
    lines = files("ragassay.scores").joinpath("places.txt").read_text(encoding="utf-8").splitlines()
    rows = [
        [name.strip() for name in line.split("|")]
        for line in lines
        if line.strip() and not line.startswith("#")
    ]
    return {name: row[0] for row in rows for name in row}


@cache
def _longest() -> int:
    return max(len(name.split()) for name in _gazetteer())
