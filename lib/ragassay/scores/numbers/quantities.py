"""Numbers of a text with their units, in one spelling: `5 %`, `$1,250`, `twenty-five days`, `1.5 million`."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from ragassay.scores.numbers.written_numbers import numbers

_DIGITS = 30  # longer numbers are compared as they are written
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
_VALUE = (
    rf"\d+(?:[.,]\d+)*|(?:{_TENS})(?:-(?:one|{_ONES}))?|{_ONES}|{_TEENS}"
    + rf"|one(?=[ -]{_LENGTH}\b)|one(?= per ?cent\b)"
)
_CASH = r"€|(?:us ?)?dollars?\b|euros?\b|pounds?\b|usd\b|eur\b|gbp\b"
_UNIT = (
    r"(?P<percent>%|per ?cent\b|percentage|por ?cien\w{0,2}\b)"
    rf"|(?P<cash>{_CASH})|(?P<span>{_LENGTH})\b"
)
_SCALE = {"thousand": 3, "mil": 3, "k": 3, "million": 6, "millions": 6, "millones": 6, "millón": 6}
_SCALE |= {"milhões": 6, "milhão": 6, "billion": 9, "bn": 9}
_MORE = rf"(?:[ \xa0]?(?P<scale>{'|'.join(_SCALE)})\b)?(?:[ \xa0-]?(?:{_UNIT}))?"
_QUANTITY = re.compile(
    rf"(?:(?P<sign>[$€£]|\b(?:usd|eur|gbp))[ \xa0]?|(?<![\w.,]))(?P<value>{_VALUE}){_MORE}", re.IGNORECASE
)


class Quantity(NamedTuple):
    """A value in one spelling and its unit:
    percent, money, day, week, month, year, hour, minute, or "" where it has none.
    """

    value: str
    unit: str = ""


def find_quantities(text: str) -> Iterator[tuple[int, int, Quantity]]:
    """The quantities of a text in order, each with its characters from `start` up to `end`."""
    for match in _QUANTITY.finditer(text):
        yield match.start(), match.end(), Quantity(_value(match["value"], match["scale"]), _unit(match))


def _value(written: str, scale: str | None) -> str:
    """In digits: `1,250`, `twenty-five`, `1.5 million`."""
    if written[0].isdecimal():
        value = next(iter(numbers(written)))
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
