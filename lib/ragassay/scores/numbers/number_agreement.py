"""Whether a number of an answer and one of a passage agree in what they are of: item, column, period, unit,
scale, sign; and whether the clauses around two numbers in prose contradict each other: another subject,
another period (monthly, a year), the other bound (at least, at most). Each asks for more than a difference in
words, so that the same said in other words is no contradiction.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragassay.scores.numbers import number_words
from ragassay.scores.numbers.amounts import Amount, tolerance, years
from ragassay.scores.numbers.number_words import keys, places_of_keys
from ragassay.scores.numbers.prose_number_subjects import Place
from ragassay.scores.numbers.stated_amounts import Cell, Item, StatedAmounts
from ragassay.scores.numbers.units import is_share

BEFORE, AFTER, ELSEWHERE, ASKED = 1.0, 0.6, 0.25, 0.35  # weight of a word by where it stands to the number
GENERAL = frozenset({"total", "sum", "net", "group", "overal", "all", "averag", "mean"})
LOOSE = 0.6  # agreement in the item of a number in prose, or of a general row (Total), at least
WINDOW = 400  # characters on either side of a number that can speak of it
PARTLY = 0.8  # of the agreement, where the period is told and the cell's is not known
ALIKE = 0.75  # share of the words of an answer's clause that the passage's must hold for bounds to compare
_PARTS = ("day week month quarter half year", "first second third fourth", "Q1 Q2 Q3 Q4 H1 H2")
_COMPARED = re.compile(
    r"\b(?:from|prior|previous|preceding|before|earlier|last|compared|versus|vs|against|than)\b",
    re.IGNORECASE,
)


class Words(NamedTuple):
    """What a sentence says around one of its numbers, and how well each item meets the words."""

    weights: dict[str, float]
    years: frozenset[str]
    sign: int
    matches: NDArray
    best: float
    cover: float  # share of the best item's words that are met
    place: Place | None = None


class Agreement(NamedTuple):
    """How well a cell is what the words are about, each in [0, 1]; whether the period may be the same."""

    together: float
    item: float
    period: bool


def words_around(
    sentence: str, amounts: Sequence[Amount], place: int, question: str, stated: StatedAmounts
) -> Words:
    """The words of a sentence weighted by where they stand to one of its numbers, and those of the question.

    A year holds if it stands nearby, or else in the sentence, or in the question if nothing is compared.
    """
    one = amounts[place]
    start = amounts[place - 1].end if place else 0
    end = amounts[place + 1].start if place + 1 < len(amounts) else len(sentence)
    start, end = max(start, one.start - WINDOW), min(end, one.end + WINDOW)
    before, after = sentence[start : one.start], sentence[one.end : end]
    said = sentence[max(0, one.start - WINDOW) : one.end + WINDOW]
    parts = ((question, ASKED), (said, ELSEWHERE), (after, AFTER), (before, BEFORE))
    weights = {key: weight for text, weight in parts for _, key in places_of_keys(text)}
    near = sentence[start:end]
    told = years(near) or years(said) or (frozenset() if _COMPARED.search(near) else years(question))
    sign, matches = number_words.told_sign(before, after, one), stated.matches(weights)
    place = int(np.argmax(matches)) if len(matches) else 0
    best = float(matches[place]) if len(matches) else 0.0
    cover = min(1.0, best / float(stated.lengths[place])) if best > 0 else 0.0
    return Words(weights, told, sign, matches, best, cover)


def agreement(cell: Cell, words: Words, stated: StatedAmounts) -> Agreement:
    """How well a cell's item and heading meet the words, beside those that meet them best."""
    item = _item(cell, words, stated)
    siblings = [stated.cells[i] for i in stated.items[cell.item].cells]
    met = [_met(one, words) for one in siblings]
    top = max(met, default=0.0)
    column = met[siblings.index(cell)] / top if top > 0 else 1.0
    same = bool(words.years & cell.years)
    known = 1.0 if same or not words.years else PARTLY
    return Agreement(item * (0.5 + 0.5 * column) * known, item, same or not (words.years and cell.years))


def _met(cell: Cell, words: Words) -> float:
    """How well a cell's heading meets the words."""
    return sum(words.weights.get(key, 0.0) for key in cell.keys) / (len(cell.keys) or 1) ** 0.5


def _item(cell: Cell, words: Words, stated: StatedAmounts) -> float:
    """How well the cell's item meets the words, as a share of the best; milder, the less the best is met."""
    if words.best <= 0:
        return LOOSE
    share = 1 - (1 - float(words.matches[cell.item]) / words.best) * (0.4 + 0.6 * words.cover)
    where = stated.items[cell.item]
    return share if where.table and keys(where.label) - GENERAL else max(share, LOOSE)


def units_agree(amount: Amount, cell: Cell) -> bool:
    """Whether a number's unit may be the cell's; one that either side does not name may be any."""
    if amount.unit is None or not cell.units or amount.unit in cell.units:
        return True
    if is_share(amount.unit) and any(map(is_share, cell.units)):
        return ("points", "basis point") not in {amount.unit, *cell.units}
    kinds = {unit[0] for unit in cell.units}
    return amount.unit[0] not in kinds and not kinds - {"time"}


def scales_agree(amount: Amount, cell: Cell) -> bool:
    """Whether a number is the cell's with its scale; where the passage names none, or the number repeats the
    digits without one, in any.
    """
    room, own = tolerance(amount), cell.amount.value
    if abs(cell.full - amount.value) <= room:
        return True
    if cell.scale is None and not cell.amount.scale:
        return abs(own - amount.value / 10.0**amount.scale) <= room / 10.0**amount.scale
    return not amount.scale and abs(own - amount.value) <= 1e-9 * own


def signs_agree(cell: Cell, words: Words, stated: StatedAmounts) -> bool:
    """Whether words like "fell" or "profit" suit the sign of the cell; of prose the words are not read."""
    item = stated.items[cell.item]
    label = f"{item.label} {cell.heading}"
    if not words.sign or not item.table:
        return True
    if words.sign == number_words.NEGATIVE and not cell.amount.negative:
        return bool(number_words.LOSES.search(label)) and not number_words.is_two_sided(label)
    if number_words.LOSES.search(label) and not number_words.GAINS.search(label):
        return True  # it counts what is lost, and needs no sign: `Net loss`
    two_sided = number_words.is_two_sided(label)
    if cell.amount.negative:
        mixed = any(not stated.cells[i].amount.negative for i in item.cells)
        return words.sign < 0 or not (two_sided or mixed)
    return words.sign > 0 or not (cell.amount.signed or two_sided)


def subjects_agree(amount: Amount, cell: Cell, words: Words, stated: StatedAmounts) -> bool:
    """False if the passage's prose says the number of what the answer does not name, and states another
    amount of its unit for the very subject that the answer's clause names.
    """
    item, told = stated.items[cell.item], words.place
    if not (
        amount.unit and told and told.subject and item.place and item.place.subject - words.weights.keys()
    ):
        return True
    return not any(
        _is_rival(other, item.place, told, words) and _differs(amount, stated.cells[other.cells[0]], words)
        for other in _of_subject(told, stated)
    )


def often_agree(cell: Cell, words: Words, stated: StatedAmounts) -> bool:
    """Whether a number is told for the same period (a day, monthly), where both sides name one."""
    said = stated.items[cell.item].place
    if not (said and said.often and words.place and words.place.often):
        return True
    return bool(said.often & words.place.often)


def bounds_agree(cell: Cell, words: Words, stated: StatedAmounts) -> bool:
    """False if one side says `at least` and the other `at most` of the number, in much the same words."""
    said, told = stated.items[cell.item].place, words.place
    if not (said and told and said.bound * told.bound < 0 and told.named):
        return True
    return len(told.named & (said.named | said.subject)) < ALIKE * len(told.named)


def _of_subject(told: Place, stated: StatedAmounts) -> Iterator[Item]:
    """The prose items whose subject the answer's clause names."""
    for key in told.subject:
        for place in stated.by_subject.get(key, ()):
            yield stated.items[place]


def _is_rival(other: Item, said: Place, told: Place, words: Words) -> bool:
    """Whether an item's subject is the one that the answer's clause names, and not that of the number."""
    place = other.place
    if place is None or not place.subject <= told.subject or place.change != told.change:
        return False
    named = told.subject <= place.subject | other.keys
    apart = not (said.subject & told.subject) - place.subject
    return named and apart and place.bound == told.bound and not place.named & _parts() - words.weights.keys()


def _differs(amount: Amount, cell: Cell, words: Words) -> bool:
    """Whether an item's number is another amount of the same unit, of no other year than the answer's."""
    if cell.amount.unit != amount.unit or (words.years and cell.years and not words.years & cell.years):
        return False
    return abs(cell.full - amount.value) > tolerance(amount)


@cache
def _parts() -> frozenset[str]:
    """Words for parts of a year, as they are compared."""
    return keys(" ".join(_PARTS))
