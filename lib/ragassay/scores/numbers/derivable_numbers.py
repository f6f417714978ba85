"""Numbers that follow from two stated ones in one step: difference, sum, ratio, share, growth, average.

From enough numbers anything follows. So the two must share a row, a column or a period, or stand in the
sentence; their line items must be those that the words are about; the step must be one that the words ask
for; and pairs are tried in the order of how well they meet the words, no further than until they would reach
BUDGET of all numbers of the size of the one looked for.
"""

import re
from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ragassay.scores.numbers.amounts import Amount, find_amounts, tolerance, years
from ragassay.scores.numbers.number_words import TO, places_of_keys
from ragassay.scores.numbers.stated_amounts import StatedAmounts
from ragassay.scores.numbers.units import is_share

BUDGET, LEAST = (
    0.05,
    3,
)  # share of numbers that pairs may reach before the search ends; pairs tried in any case
ITEMS, NUMBERS = 12, 40  # line items looked at, and numbers of them
LIKE, UNTIMELY = 0.5, 0.8  # how well beside the best an item must meet the words; weight of another year
TOLD = 1.2  # weight of a number that the sentence itself tells
_CUES = {
    "-": r"\b(?:increas|decreas|declin|differen|chang|rose|rise|fell|fall|drop|grew|grow|gain|los[st]|up|down"
    r"|more|less|fewer|higher|lower|exceed|short|under|over|net|gap|improv|narrow|widen|shr[aiu]nk|reduc"
    r"|remain|left|margin|behind|ahead|working)",
    "+": r"\b(?:total|sum|combined|together|both|plus|altogether|aggregate|add)",
    "/": r"\b(?:ratio|per|times|turnover|multiple|each|every|yield|return|intensity|coverage|average|rate)"
    r"|\dx\b",
    "mean": r"\b(?:average|mean)",
}
CUES = {step: re.compile(pattern, re.IGNORECASE) for step, pattern in _CUES.items()}


class Step(NamedTuple):
    """A step as it is shown; sign: 1 if it goes up from the earlier number to the later, -1 down, else 0."""

    text: str
    sign: int = 0


class Operand(NamedTuple):
    """A number to compute with: value, as written, item (-1: told in the sentence), column, weight.

    series : of the numbers of one row, or of one subject in prose, the same
    """

    value: float
    written: str
    item: int
    column: int
    weight: float
    years: frozenset[str]
    percent: bool
    series: Hashable = None


class _Result(NamedTuple):
    """What a pair gives; `rank` orders them, the likeliest first."""

    rank: float
    text: str
    value: float
    sign: int


def derive(
    amount: Amount, sentence: str, question: str, stated: StatedAmounts, told: Sequence[Amount]
) -> Step | None:
    """The step by which a number follows from two stated ones, as `390.0 - 352.4 = 37.6`; None without one.

    told : the sentence's other numbers and those of the question
    """
    room = tolerance(amount)
    if room >= amount.value / 3:
        return None
    reached, tried = 0.0, 0
    for result in _results(amount, _operands(sentence, question, stated, told), sentence, question):
        if abs(result.value - amount.value) <= room:
            return Step(f"{result.text} = {_shown(result.value)}", result.sign)
        if amount.value / 2 <= result.value <= 2 * amount.value:
            reached, tried = reached + 2 * room / (1.5 * amount.value), tried + 1
        if reached > BUDGET and tried >= LEAST:
            return None
    return None


def _operands(sentence: str, question: str, stated: StatedAmounts, told: Sequence[Amount]) -> list[Operand]:
    """The numbers of the items that the words are about, and those told."""
    found = list(_of_items(sentence, question, stated))
    for place, one in enumerate(told):
        same = [i for i, cell in enumerate(found) if abs(cell.value - one.value) <= one.step / 2]
        for i in same:
            found[i] = found[i]._replace(weight=TOLD)
        if not same:
            found.append(
                Operand(one.value, _shown(one.value), -1, place, TOLD, frozenset(), is_share(one.unit))
            )
    return [one for one in found if one.value]


def _of_items(sentence: str, question: str, stated: StatedAmounts) -> Iterator[Operand]:
    weights = dict.fromkeys((key for _, key in places_of_keys(question)), 0.5)
    matches = stated.matches(weights | dict.fromkeys((key for _, key in places_of_keys(sentence)), 1.0))
    best, wanted, count = matches.max(initial=0.0), years(sentence) | years(question), 0
    for item in map(int, np.argsort(-matches, kind="stable")[:ITEMS]):
        if best <= 0 or matches[item] < LIKE * best or count > NUMBERS:
            return
        for column, place in enumerate(stated.items[item].cells):
            cell = stated.cells[place]
            timely = 1.0 if not wanted or not cell.years or cell.years & wanted else UNTIMELY
            weight = float(matches[item] / best) * timely
            percent, series = any(map(is_share, cell.units)), stated.items[item].series
            yield Operand(cell.full, cell.written, item, column, weight, cell.years, percent, series)
        count += len(stated.items[item].cells)


def _results(amount: Amount, operands: Sequence[Operand], sentence: str, question: str) -> list[_Result]:
    """What pairs of operands give by the steps that the words ask for, the likeliest first."""
    asked = {step for step, cue in CUES.items() if cue.search(f"{question} {sentence}")}
    final = _final(sentence)
    found = list[_Result]()
    for one, other in combinations(operands, 2):
        if _related(one, other):
            big, small = (one, other) if one.value >= other.value else (other, one)
            steps = (
                _shares(big, small, asked)
                if is_share(amount.unit) and not one.percent
                else _plain(amount, big, small, asked)
            )
            sign = _direction(one, other, final)
            weight = (one.weight + other.weight) / 2
            found += [
                _Result(-weight - bonus, text, value, sign if " - " in text else 0)
                for text, value, bonus in steps
            ]
    return sorted(found)


def _related(one: Operand, other: Operand) -> bool:
    """Whether two numbers, both shares or neither, share a row, a column or a period, or one is told."""
    if one.percent != other.percent:
        return False
    if one.item == other.item or one.column == other.column:
        return True
    return one.item < 0 or other.item < 0 or bool(one.years & other.years)


def _shares(big: Operand, small: Operand, asked: set[str]) -> Iterator[tuple[str, float, float]]:
    """Growth and shares, in percent."""
    same_row = big.item == small.item and big.item >= 0
    one_subject = big.series == small.series and min(big.item, small.item) >= 0
    if "-" in asked and (one_subject or min(big.item, small.item) < 0):
        for new, old in ((big, small), (small, big)):
            text = f"({new.written} - {old.written}) / {old.written}"
            yield text, abs(new.value - old.value) / old.value * 100, 0.1 + _succession(new, old)
    if not same_row:
        yield f"{small.written} / {big.written}", small.value / big.value * 100, 0.0
        yield f"{big.written} / {small.written}", big.value / small.value * 100, -0.2


def _plain(
    amount: Amount, big: Operand, small: Operand, asked: set[str]
) -> Iterator[tuple[str, float, float]]:
    """Differences, sums, averages and ratios."""
    if is_share(amount.unit) != big.percent and amount.unit is not None:
        return
    same_row = 0.05 if big.series == small.series else 0.0
    if "-" in asked:
        hundred = 100.0 if amount.unit == ("points", "basis point") else 1.0
        yield f"{big.written} - {small.written}", (big.value - small.value) * hundred, same_row
    if "+" in asked and not big.percent:
        yield f"{big.written} + {small.written}", big.value + small.value, 0.0
    if "mean" in asked:
        yield f"({big.written} + {small.written}) / 2", (big.value + small.value) / 2, same_row
    if "/" in asked and not big.percent:
        yield f"{big.written} / {small.written}", big.value / small.value, 0.0
        yield f"{small.written} / {big.written}", small.value / big.value, 0.0


def _direction(one: Operand, other: Operand, final: float) -> int:
    """Whether the later of two numbers is the larger (1) or the smaller (-1); 0 if none is known as later."""
    for new, old in ((one, other), (other, one)):
        if abs(new.value - final) <= 1e-9 * abs(final) or _succession(new, old) > 0:
            return (new.value > old.value) - (new.value < old.value)
    return 0


def _succession(new: Operand, old: Operand) -> float:
    """A bonus for one row's later year after an earlier, more for years in a row; a malus for the reverse."""
    after, before = min(new.years, default=""), min(old.years, default="")
    if not after or not before or after == before or new.series != old.series:
        return 0.0
    return 0.2 if int(after) - int(before) == 1 else 0.01 if after > before else -0.2


def _final(sentence: str) -> float:
    """The number that a sentence says something came to (`rose by 2 to 5`); NaN for none."""
    ends = [one.value for one in find_amounts(sentence) if TO.search(sentence[: one.start])]
    return ends[0] if len(ends) == 1 else float("nan")


def _shown(value: float) -> str:
    return f"{value:,.4f}".rstrip("0").rstrip(".")
