"""Amounts of a text as numbers: value, what its last digit is worth, unit, scale (thousand, million), sign.

A year or a date is no amount; neither is a number that is part of a name (`FY2018`, `10-K`, `P40`).
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ragassay.scores.numbers import dates
from ragassay.scores.numbers.quantities import find_quantities
from ragassay.scores.numbers.units import WORD, Unit, power_of, unit_named, units_of

_LIST_MARK = re.compile(r"\A\s{0,20}\d{1,2}[.)]\s")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_CURRENCY = re.compile(r"(US ?\$|[A-Z]{1,2}\$|[$€£¥₹]|\b[A-Z]{3})[ \xa0]?\Z")
_MINUS = re.compile(r"(?:(?:\A|[\s(|:;])[-−–][ ]?|\b(?:minus|negative)[ \xa0])\Z", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d\Z")
_YEARS = re.compile(r"(?<!\d)(?<!\d,)(?:19|20)\d\d(?!\d|[.,]\d)")
_SHORT_YEARS = re.compile(
    r"(?<!\d)\d{1,2}(?P<mark>[/.-])\d{1,2}(?P=mark)(\d\d)(?!\d)|\bFY ?['’]?(\d\d)(?!\d)"
    r"|(?<!\d)(?:19|20)\d\d[/–-](\d\d)(?!\d)"
)
_NUMBERED = re.compile(
    r"\b(?:quarter|notes?|table|pages?|items?|section|part|chapter|figure|step|phase|no\.|number|question|appendix|form"
    r"|exhibit|version|rule|article|paragraph)[ \xa0]\Z",
    re.IGNORECASE,
)
_FRACTION = re.compile(
    r"\b(?:(?:a|one)[ -](half|third|quarter|fifth|tenth)|(two)[ -]thirds|(three)[ -]quarters|(half))"
    r"(?= (?:of|the|its|their)\b)",
    re.IGNORECASE,
)
_SHARES = {
    "half": 50.0,
    "third": 100 / 3,
    "quarter": 25.0,
    "fifth": 20.0,
    "tenth": 10.0,
    "two": 200 / 3,
    "three": 75.0,
}
_ABOUT = re.compile(
    r"\b(?:about|around|some|nearly|almost|roughly|approximately|approx|over|under|close to|more than"
    r"|less than|at least|up to|just|cerca de|unos|unas|aproximadamente|casi|quase)[ \xa0(.~]{0,3}\Z",
    re.IGNORECASE,
)
_SECOND_YEAR = re.compile(r"(?:19|20)\d\d[/–-]\Z")
ROUNDED = 0.06  # of a number, what "about" may hide at most
MOST = 30  # digits of an amount; longer ones are identifiers


class Amount(NamedTuple):
    """An amount, its characters from `start` up to `end`.

    value, step : without sign; what it may be worth in full, and what its last digit is worth
    unit : dimension and name, or None; scale : the power of ten written beside it, 0 for none
    negative : a minus or brackets; signed : that or a plus; about : the writer says that it is rounded
    """

    start: int
    end: int
    value: float
    step: float
    unit: Unit | None = None
    scale: int = 0
    negative: bool = False
    signed: bool = False
    about: bool = False


@lru_cache(2048)
def find_amounts(text: str) -> list[Amount]:
    """The amounts of a text in order; digits and, from eleven or with a unit, words."""
    taken = bytearray(len(text))
    for found in dates.find(text):
        taken[found.start : found.end] = b"\1" * (found.end - found.start)
    mark = _LIST_MARK.match(text)
    matches = (
        match for match in _DIGITS.finditer(text, mark.end() if mark else 0) if not taken[match.start()]
    )
    read = [amount for match in matches if (amount := _in_digits(text, match))]
    return sorted([*read, *_in_words(text)]) if read or text else []


def plain_amounts(text: str) -> list[Amount]:
    """The amounts of a cell that holds a number alone: no dates, no words."""
    return [amount for match in _DIGITS.finditer(text) if (amount := _in_digits(text, match))]


def tolerance(amount: Amount) -> float:
    """How far off a rounded number may be: half of what its last digit is worth; with `about`, its last digit
    that is not 0, and up to ROUNDED of the number.
    """
    step = amount.step
    if amount.about and amount.value:
        while abs(amount.value / (step * 10) - round(amount.value / (step * 10))) < 1e-9:
            step *= 10
        step = max(amount.step, min(step, 2 * ROUNDED * amount.value))
    return 0.5 * step * (1 + 1e-6) + 1e-9 * amount.value


def years(text: str) -> frozenset[str]:
    """The years that a text names: `2023`, `FY23`, `12/31/23`, `2021/22` (its second)."""
    short = {f"20{match[2] or match[3] or match[4]}" for match in _SHORT_YEARS.finditer(text)}
    return frozenset(short.union(_YEARS.findall(text)))


def _in_digits(text: str, match: re.Match[str]) -> Amount | None:
    start, end, digits = *match.span(), match[0]
    before, after = text[max(0, start - 12) : start], text[end : end + 40]
    currency = _currency(before)
    head = before[: currency.start()] if currency else before
    if len(digits) > MOST or (not currency and before[-1:].isalnum()) or not digits.strip("0.,"):
        return None
    if (_SECOND_YEAR.search(before) and len(digits) == 2) or _NUMBERED.search(
        text[max(0, start - 12) : start]
    ):
        return None
    scale, unit, taken = _beside(after, currency is not None)
    glued = after[:1]
    if taken == 0 and (glued.isalpha() or (glued in "-–’'" and after[1:2].isalpha())):
        return None
    if _YEAR.match(digits) and not (scale or unit or currency):
        return None
    opened = head.rstrip().endswith("(") and after[taken:].lstrip(" %").startswith(")")
    inside = before.rstrip().endswith("(") and after[taken:].startswith(")")
    minus = bool(_MINUS.search(head)) or before.endswith(("$-", "€-", "£-"))
    negative = opened or inside or minus
    value, step = _value(digits)
    about = bool(_ABOUT.search(text[max(0, start - 30) : start - len(before) + len(head)]))
    return Amount(
        start, end + taken, value * 10.0**scale, step * 10.0**scale,
        unit_named(currency[1]) if currency else unit,
        scale, negative, negative or head.rstrip().endswith("+"), about,
    )  # fmt: skip


def _currency(before: str) -> re.Match[str] | None:
    match = _CURRENCY.search(before.rstrip("(-−–"))
    return match if match and (unit_named(match[1]) or ("",))[0] == "money" else None


def _beside(after: str, money: bool) -> tuple[int, Unit | None, int]:
    """The scale and the unit written after a number, and how many characters they take."""
    scale, taken = 0, 0
    for _ in range(2):
        gap = int(after[taken : taken + 1] in (" ", "\xa0", "-"))
        word = WORD.match(after, taken + gap)
        if not word:
            break
        power = 0 if gap and word[0] == "K" else power_of(word[0], money)
        if scale or not power:
            return scale, *_unit(after, word, taken)
        scale, taken = power, word.end()
    return scale, None, taken


def _unit(after: str, word: re.Match[str], taken: int) -> tuple[Unit | None, int]:
    following = WORD.match(after, word.end() + 1) if after[word.end() : word.end() + 1] in " -" else None
    if following and (unit := unit_named(word[0], following[0])):
        return unit, following.end()
    unit = unit_named(word[0])
    return (unit, word.end()) if unit else (None, taken)


def _value(digits: str) -> tuple[float, float]:
    """The value and what its last digit is worth: `1,250.50`, `1.250,50`; `0.125` and `1.250` are below 2."""
    marks = [sign for sign in digits if sign in ".,"]
    last = digits[max(digits.rfind("."), digits.rfind(",")) + 1 :] if marks else ""
    grouped = len(last) == 3 and (marks[-1] == "," or len(marks) > 1) and not digits.startswith("0")
    if marks and len(set(marks)) == 2:
        grouped = False
    if len(marks) > 1 and len(set(marks)) == 1 and len(last) != 3:
        grouped = False
    plain = re.sub("[.,]", "", digits)
    fraction = 0 if not marks or grouped else len(last)
    return int(plain) / 10.0**fraction, 10.0**-fraction


def _in_words(text: str) -> Iterator[Amount]:
    for start, end, quantity in find_quantities(text):
        written = text[start:end]
        if written[0].isalpha() and not any(map(str.isdigit, written)):
            value = float(quantity.value)
            if value > 10 or quantity.unit:
                yield Amount(start, end, value, 1.0, next(iter(units_of(written)), None))
    for match in _FRACTION.finditer(text):
        share = _SHARES[next(filter(None, match.groups())).lower()]
        yield Amount(match.start(), match.end(), share, share / 10, ("share", "percent"))
