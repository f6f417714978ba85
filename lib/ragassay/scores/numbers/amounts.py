"""Amounts of a text as numbers: value, what its last digit is worth, unit, scale (thousand), sign; in
digits and in English words.

A year or a date is no amount; neither is a number that is part of a name (`FY2018`, `10-K`, `P40`). Units are
those that units.txt lists.
"""

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from ragassay.scores.numbers import dates
from ragassay.scores.text_reading import word_lists

Unit = tuple[str, str]  # dimension and name: ("length", "mile")
PERCENT, POINTS, BASIS_POINT = ("share", "percent"), ("points", "percentage point"), ("points", "basis point")
_POWERS = {
    2: "hundred",
    3: "thousand mil k",
    5: "lakh",
    6: "million millón millones milhão milhões mn mln",
    7: "crore",
    9: "billion bn",
    12: "trillion tn",
}
SCALES = {word: power for power, words in _POWERS.items() for word in words.split()}
OF_MONEY = {"m": 6, "mm": 6, "b": 9, "000": 3, "000s": 3}  # beside a currency; elsewhere metre, millimetre
ROUNDED = 0.06  # of a number, what "about" may hide at most
MOST = 30  # digits of an amount; longer ones are identifiers
SMALL = 10  # counts in words up to it are amounts only with a unit
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_ONES = "two|three|four|five|six|seven|eight|nine"
_TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
SPELLED = {word: 10 * i for i, word in enumerate(_TENS.split("|"), 2)} | {
    word: i for i, word in enumerate(["zero", "one", *_ONES.split("|"), *_TEENS.split("|")])
}
_OF_DAYS = "(?:business|working|calendar|full|whole|consecutive|operating)[ -]"
_TIME = rf"(?:{_OF_DAYS})?(?:days?|weeks?|months?|years?|hours?|minutes?)\b"
_GROUPS = "\u2009\u202f\xa0'’"  # what parts thousands, beside a comma, a point, and a space in prose
_DIGITS = re.compile(
    rf"\d{{1,3}}(?:[{_GROUPS}]\d{{3}})+(?!\d)(?:[.,]\d+)?"
    r"|(?<![\d.,])(?<!\d )\d{1,3}(?: \d{3})+(?:[.,]\d\d(?!\d)|(?= ?[^\W\d_]| ?[%$€£]))"
    r"|(?<=[$€£])\d{1,3}(?: \d{3})+(?!\d)|\d+(?:[.,]\d+)*"
)
_NUMBER = re.compile(
    rf"(?:{_DIGITS.pattern})|(?<![\w.,-])(?:(?:{_TENS})(?:-(?:one|{_ONES}))?|{_ONES}|{_TEENS}"
    rf"|one(?=[ -](?:{_TIME}|per ?cent\b)))\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+[²³]?|[%$€£¥₹¢]|°[CF]")
_UNIT_AFTER = re.compile(
    rf"[ \xa0-]?(?:{_OF_DAYS}(?=[a-z]))?({_WORD.pattern})(?:[ \xa0-]([^\W\d_]+))?", re.IGNORECASE
)
_LIST_MARK = re.compile(r"\A\s{0,20}\d{1,2}[.)]\s+")
_CURRENCY = re.compile(r"(US ?\$|[A-Z]{1,2}\$|[$€£¥₹]|\b[A-Z]{3})[ \xa0]?\Z")
_MINUS = re.compile(r"(?:(?:\A|[\s(|:;])[-−–]|\b(?:minus|negative)[ \xa0])\Z", re.IGNORECASE)
_YEARS = re.compile(r"(?<!\d)(?<!\d,)(?:19|20)\d\d(?!\d|[.,]\d)")
_SHORT_YEARS = re.compile(
    r"(?<!\d)\d{1,2}(?P<mark>[/.-])\d{1,2}(?P=mark)(\d\d)(?!\d)|\bFY ?['’]?(\d\d)(?!\d)"
    r"|(?<!\d)(?:19|20)\d\d[/–-](\d\d)(?!\d)"
)
_NAMED = re.compile(  # what stands before a number that is part of a name, or the second year of two
    r"(?:\b(?:quarter|notes?|table|pages?|items?|section|part|chapter|figure|step|phase|no\.|number|question"
    r"|appendix|form|exhibit|version|rule|article|paragraph)[ \xa0]|(?:19|20)\d\d[/–-])\Z",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"\b(?:about|around|some|nearly|almost|roughly|approximately|approx|over|under|close to|more than"
    r"|less than|at least|up to|just|cerca de|unos|unas|aproximadamente|casi|quase)[ \xa0(.~]{0,3}\Z",
    re.IGNORECASE,
)
_LABEL_SCALE = re.compile(
    r"(?<!\d)(?<!\d )\b(?i:(thousand|million|billion|trillion|millones|milhões)s?)\b"
    r"|(?:[$€£¥₹]|\b[A-Z]{3})[ \xa0]?['’]?(m|mn|mm|bn|b|k|000)s?\b|\(['’]?(000)['’]?s?\)"
)

# the units by name (single words, then forms of two words), and the sizes of those made of one another
_UNITS, _SIZES = dict[str, Unit](), dict[Unit, float]()
for _line in word_lists.entries("numbers/units.txt"):  # `weight milligram = 0.001: mg milligram`
    _head, _names = _line.split(":", 1)
    _title, _, _size = _head.partition(" = ")
    _unit = (_title.split(" ", 1)[0], _title.split(" ", 1)[1])
    _single, *_pairs = _names.split("|")
    _UNITS |= {name.strip(): _unit for name in (*_single.split(), *_pairs)}
    if _size:
        _SIZES[_unit] = float(_size)
# plural forms of words of three letters or more
_UNITS = {
    name + end: unit for name, unit in _UNITS.items() for end in ("s", "es") if len(name + end) > 3
} | _UNITS


class Amount(NamedTuple):
    """An amount, its characters from `start` up to `end`.

    value, step : without sign; what it may be worth in full, and what its last digit is worth
    unit : dimension and name, or None; scale : the power of ten written beside it, 0 for none
    sign : -2 for a minus, -1 for brackets around it, 1 for a plus, 0 for none
    about : the writer says that it is rounded
    """

    start: int
    end: int
    value: float
    step: float
    unit: Unit | None = None
    scale: int = 0
    sign: int = 0
    about: bool = False


@lru_cache(20_000)
def find_amounts(text: str, every: bool = False) -> list[Amount]:
    """The amounts of a text in order; digits and, from eleven or with a unit, words.

    every : small counts in words, years and numbers of names too; no dates
    """
    taken = {place for found in dates.find(text) for place in range(found.start, found.end)}
    mark = _LIST_MARK.match(text)
    matches = _NUMBER.finditer(text, mark.end() if mark else 0)
    found = (_amount(text, match, every) for match in matches if match.start() not in taken)
    return list(filter(None, found))


def with_plain_amounts(text: str) -> str:
    """The text with each amount as its value in full with its unit, in the base of those that have sizes:
    `0.412 billion dollars` and `$412m` are `412000000 dollar`, `5 mg` is `0.005 weight`."""
    for one in reversed(find_amounts(text)):
        size = _SIZES.get(one.unit, 0.0) if one.unit else 0.0
        kind = one.unit[0 if size else 1] if one.unit else ""
        text = f"{text[: one.start]} {one.value * (size or 1.0):.9g} {kind} {text[one.end :]}"
    return text


def numbers(*texts: str) -> set[str]:
    """The numbers written in digits, in one spelling: `1,250.50`, `1.250,50` and `1 250.5` are one; a last
    mark before other than three digits is the decimal mark, every other mark groups thousands."""
    found = set()
    for written in (match[0] for text in texts for match in _DIGITS.finditer(text)):
        *whole, last = re.split("[.,]", re.sub(f"[ {_GROUPS}]", "", written))
        mark = "." if whole and len(last) != 3 else ""
        found.add(f"{Decimal(''.join(whole) + mark + last).normalize():f}")
    return found


def stated_numbers(sentence: str) -> set[str]:
    """The numbers of one sentence; the mark of a numbered step ("2. ") is none."""
    return numbers(_LIST_MARK.sub("", sentence, count=1))


def missing_numbers(sentence: str, passages: Sequence[str]) -> set[str]:
    """The sentence's numbers that stand in none of the passages."""
    return stated_numbers(sentence) - numbers(*passages)


def tolerance(amount: Amount) -> float:
    """How far off a rounded number may be: half of what its last digit is worth; with `about`, its last digit
    that is not 0, and up to ROUNDED of the number."""
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


def is_share(unit: Unit | None) -> bool:
    """Whether a number is of a hundred: percent, percentage or basis points."""
    return unit is not None and unit[0] in ("share", "points")


def ratio(one: Unit, other: Unit) -> float:
    """How many of `one` make one of `other`: of gram and kilogram 1000; 0 where none do, as of percent and
    percentage points."""
    kin = one[0] == other[0] or (is_share(one) and is_share(other))
    if not kin or {one, other} == {PERCENT, POINTS} or one not in _SIZES or other not in _SIZES:
        return 0.0
    return _SIZES[other] / _SIZES[one]


def label_scale(text: str) -> int | None:
    """The power of ten that a heading gives its numbers: `in millions` 6, `£000` 3; None if it says none."""
    match = _LABEL_SCALE.search(text)
    return (SCALES | OF_MONEY).get(next(filter(None, match.groups())).lower()) if match else None


def units_of(text: str) -> frozenset[Unit]:
    """The units that a heading or the words beside a number name; words in capitals only of money, energy and
    volume: `BP` and `HA` are rather names."""
    words = _WORD.findall(text)
    named = {word: unit for word in words if (unit := _unit_named(word))}
    found = {
        unit for word, unit in named.items() if not word.isupper() or unit[0] in ("money", "energy", "volume")
    }
    found |= {unit for pair in pairwise(words) if (unit := _unit_named(*pair))}
    # "percentage points"
    return frozenset(found - {PERCENT} if found & {POINTS, BASIS_POINT} else found)


def _amount(text: str, match: re.Match[str], every: bool) -> Amount | None:
    """The amount at a number, or None: of `every` number those of names and years too."""
    start, end, written = *match.span(), match[0]
    before, after = text[max(0, start - 30) : start], text[end : end + 2]
    currency = _CURRENCY.search(before.rstrip("(-−–"))
    money = _unit_named(currency[1]) if currency else None
    money = money if money and money[0] == "money" else None
    scale, unit, stop = _scale_and_unit(text, end, money is not None)
    if written[0].isalpha():
        value, step = float(sum(SPELLED[part] for part in written.lower().split("-"))), 1.0
        if not every and value <= SMALL and not (scale or unit):
            return None
    else:
        if len(written) > MOST or (before[-1:].isalnum() and not money):
            return None
        value, step = _value(written)
        glued = after[:1].isalpha() or (after[:1] in "-–’'" and after[1:].isalpha())
        is_year = bool(_YEARS.fullmatch(written)) and not (scale or unit or money)
        if not every and (_NAMED.search(before) or is_year or not value or (stop == end and glued)):
            return None
    head = before[: currency.start()] if currency and money else before
    closed = text[stop : stop + 2].lstrip(" %").startswith(")")
    sign = 1 if head.rstrip().endswith("+") else 0
    if closed and (head.rstrip().endswith("(") or before.rstrip().endswith("(")):
        sign = -1
    if _MINUS.search(head) or before.endswith(("$-", "€-", "£-")):
        sign = -2
    about, power = bool(_ABOUT.search(head)), 10.0**scale
    return Amount(start, stop, value * power, step * power, money or unit, scale, sign, about)


def _scale_and_unit(text: str, end: int, money: bool) -> tuple[int, Unit | None, int]:
    """The scale and the unit written after a number, and where they end."""
    word = _UNIT_AFTER.match(text, end)
    scales = SCALES | OF_MONEY if money else SCALES
    scale = scales.get(word[1].lower().removesuffix("s"), 0) if word else 0
    if word and scale:
        end = word.end(1)
        word = _UNIT_AFTER.match(text, end)
    for last in (2, 1):
        if word and word[last] and (unit := _unit_named(*word.groups()[:last])):
            return scale, unit, word.end(last)
    return scale, None, end


def _value(written: str) -> tuple[float, float]:
    """The value and what its last digit is worth: `1,250.50`, `1.250,50`; `0.125` and `1.250` are below 2."""
    digits = re.sub(f"[ {_GROUPS}]", "", written)
    *whole, last = re.split("[.,]", digits)
    groups = "," in digits or len(whole) > 1  # by one kind of mark alone: a second one marks the fraction
    is_grouped = groups and len(last) == 3 and digits == written and not {".", ","} <= set(digits)
    fraction = 0 if not whole or (is_grouped and digits[0] != "0") else len(last)
    return int("".join([*whole, last])) / 10.0**fraction, 10.0**-fraction


def _unit_named(*words: str) -> Unit | None:
    """The unit that one word, or two after one another, name."""
    return _UNITS.get(" ".join(word.lower().replace(" ", "") for word in words))
