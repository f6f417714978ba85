"""Units and scales of numbers: the names that units.txt lists, `in millions`, `£000`."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from ragassay.scores.text_reading import word_lists

Unit = tuple[str, str]  # dimension and name: ("length", "mile")
_SCALES = {
    "hundred": 2,
    "thousand": 3,
    "mil": 3,
    "k": 3,
    "million": 6,
    "millón": 6,
    "millones": 6,
    "milhão": 6,
}
_SCALES |= {"milhões": 6, "mn": 6, "mln": 6, "billion": 9, "bn": 9, "trillion": 12, "tn": 12}
_OF_MONEY = {"m": 6, "mm": 6, "b": 9, "000": 3, "000s": 3}  # beside a currency; elsewhere metre, millimetre
WORD = re.compile(r"[^\W\d_]+[²³]?|[%$€£¥₹¢]|°[CF]")
_LABEL_SCALE = re.compile(
    r"(?<!\d)(?<!\d )\b(?i:(thousand|million|billion|trillion|millones|milhões)s?)\b"
    r"|(?:[$€£¥₹]|\b[A-Z]{3})[ \xa0]?['’]?(m|mn|mm|bn|b|k|000)s?\b|\(['’]?(000)['’]?s?\)"
)


def is_share(unit: Unit | None) -> bool:
    """Whether a number is of a hundred: percent, percentage or basis points."""
    return unit is not None and unit[0] in ("share", "points")


def label_scale(text: str) -> int | None:
    """The power of ten that a heading gives its numbers: `in millions` 6, `£000` 3; None if it says none."""
    match = _LABEL_SCALE.search(text)
    if match is None:
        return None
    word = next(filter(None, match.groups())).lower()
    return (_SCALES | _OF_MONEY).get(word)


def units_of(text: str) -> frozenset[Unit]:
    """The units that a heading or the words beside a number name."""
    words = WORD.findall(text)
    found = {unit_named(word) for word in words if not _is_code(word)}
    found |= {unit_named(*pair) for pair in pairwise(words)}
    glued = {_units().get(sign[1].lower()) for sign in re.finditer(r"\b([A-Z]{3})(?:m|mn|bn|k)\b", text)}
    return frozenset(one for one in found | glued if one)


def power_of(word: str, money: bool) -> int:
    """The power of ten that a word beside a number gives it, else 0; `m` and `b` only beside a currency."""
    return (_SCALES | _OF_MONEY if money else _SCALES).get(word.lower().removesuffix("s"), 0)


def unit_named(*words: str) -> Unit | None:
    """The unit that one word, or two after one another, name."""
    return _units().get(" ".join(map(_singular, words)))


def _is_code(word: str) -> bool:
    """Whether a word in capitals is rather a name than a unit: `BP`, `HA`; `EUR` and `MWH` are units."""
    return word.isupper() and _units().get(word.lower(), ("money",))[0] not in ("money", "energy", "volume")


def _singular(word: str) -> str:
    low = word.lower().replace(" ", "")
    if low in _units() or len(low) < 4:
        return low
    return next((one for one in (low.removesuffix("es"), low.removesuffix("s")) if one in _units()), low)


@cache
def _units() -> dict[str, Unit]:
    return {name: unit for entry in word_lists.entries("numbers/units.txt") for name, unit in _line(entry)}


def _line(line: str) -> Iterator[tuple[str, Unit]]:
    """`time minute: min | clock minute`: single words, then forms of two words."""
    head, names = line.split(":", 1)
    dimension, name = head.split(" ", 1)
    single, *pairs = names.split("|")
    for one in (*single.split(), *(pair.strip() for pair in pairs)):
        yield one.strip(), (dimension, name)
