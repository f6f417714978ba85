"""Where each number of a sentence comes from: stated in the passages, stated otherwise, derivable, nowhere.

A number and one of a passage are compared in what they are of: item, column, period, unit, scale, sign,
limit. Derivable is what follows in one step: the difference, growth or share of two numbers, a told multiple.
From enough numbers anything follows: so the two must share a row, a column or a period, and the words must be
about their line items and ask for the step.
"""

import re
from collections.abc import Iterator, Sequence, Set
from functools import lru_cache
from itertools import combinations
from math import isclose
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragassay.scores.numbers.amounts import (
    BASIS_POINT,
    PERCENT,
    Amount,
    find_amounts,
    is_share,
    numbers,
    ratio,
    tolerance,
    years,
)
from ragassay.scores.numbers.stated_amounts import NEGATIVE, Stated, keys, read_prose, stated_amounts

STATED, DERIVED, GIVEN, NOT_FOUND = "stated", "derivable", "given in the question", "not found"
OTHER_UNIT, OTHER_SCALE = "stated with another unit", "stated with another scale"
OTHER_SIGN, OTHER_PERIOD = "stated with another sign", "stated for another period"
OTHER_LIMIT, OTHER_ITEM = "stated as the other limit", "stated for another line item"
HELD = (STATED, DERIVED, GIVEN)
OTHERWISE = (OTHER_UNIT, OTHER_SCALE, OTHER_SIGN, OTHER_PERIOD, OTHER_LIMIT)
WEAK = 0.5  # score of a trace below which a step is looked for
ANOTHER = 0.35  # agreement in the line item below which it is another
DERIVED_SCORE, REVERSED = 0.75, 0.1  # score of a number that is derivable; of one whose direction is wrong
CANDIDATES, ASKED_MOST = 16, 8  # cells that a number is compared with; numbers of a question that are read
MOST = 60  # numbers of a sentence, from its beginning, that are traced
ELSEWHERE, ASKED = 0.25, 0.35  # weight of a word of the sentence, of the question, beside 1 of its clause
LOOSE = 0.6  # agreement in the item of a number in prose, at least
OPERANDS = 40  # numbers to compute with
LIKE = 0.5  # how well beside the best a number must meet the words to be computed with
_DIFFERS = re.compile(
    r"\b(?:increas|decreas|declin|differen|chang|rose|rise|fell|fall|drop|grew|grow|gain|los[st]|up|down"
    r"|more|less|fewer|higher|lower|exceed|short|under|over|net|gap|improv|narrow|widen|shr[aiu]nk|reduc"
    r"|remain|left|margin|behind|ahead|working)|\bby [\d$€£]",
    re.IGNORECASE,
)
_TO = re.compile(r"\bto[ \xa0]\S{0,4}\Z", re.IGNORECASE)


class Trace(NamedTuple):
    """A number of a sentence and where it comes from.

    verdict : one of the words above; score : how far it is borne out, in [0, 1]
    cell : the number of the passages that it was traced to
    step : the arithmetic, for one that is derivable
    """

    text: str
    verdict: str = NOT_FOUND
    score: float = 0.0
    cell: Stated | None = None
    step: str = ""

    @property
    def held(self) -> bool:
        """Whether the passages state it, or it follows from them in one step, or the question gives it."""
        return self.verdict in HELD


def unsupported(unread: Set[str], traces: Sequence[Trace]) -> set[str]:
    """The numbers of a sentence, in one spelling, that the passages do not hold, by its traces.

    They are the `unread` ones (found in no spelling) that do not follow from others, and those that the
    passages state with another unit, scale, sign or period, as the other limit, or in a column for another
    row.
    """
    followed = numbers(*(one.text for one in traces if one.held or one.verdict == OTHER_ITEM))
    of_row = [one.text for one in traces if one.verdict == OTHER_ITEM and one.cell and one.cell.heading]
    otherwise = numbers(*of_row, *(one.text for one in traces if one.verdict in OTHERWISE))
    return (set(unread) - followed) | otherwise


@lru_cache(2048)  # several measures of an answer ask for the same
def trace(sentence: str, passages: tuple[str, ...], question: str = "") -> list[Trace]:
    """Where each number of a sentence comes from, in order; years, dates and small counts in words are none.

    The question's words help to tell which line item is meant; its own numbers are given.
    """
    cells, traces = stated_amounts(passages), list[Trace]()
    own, asked, given = keys(sentence), keys(question), find_amounts(question)[:ASKED_MOST]
    told = years(sentence) or years(question)
    differs = bool(_DIFFERS.search(f"{question} {sentence}"))
    for said in read_prose(sentence, MOST):
        weights = dict.fromkeys(asked, ASKED) | dict.fromkeys(own, ELSEWHERE) | dict.fromkeys(said.words, 1.0)
        when = frozenset[str]() if said.years is None else said.years or told
        found = _trace_to_cells(said, cells, weights, frozenset(own), when)
        if found.score < WEAK and any(
            said.amount.unit == one.unit and isclose(said.full, one.value) for one in given
        ):
            found = Trace(said.written, GIVEN, 1.0)
        elif found.score < WEAK:
            weights = dict.fromkeys(asked, 0.5) | dict.fromkeys(own, 1.0)
            if step := derive(said.amount, sentence, cells, weights, differs):
                wrong = step[1] * said.sign < 0
                verdict, score = (OTHER_SIGN, REVERSED) if wrong else (DERIVED, DERIVED_SCORE)
                found = Trace(said.written, verdict, score, step=step[0])
        traces.append(found)
    return traces


def _trace_to_cells(
    said: Stated,
    cells: Sequence[Stated],
    weights: dict[str, float],
    around: frozenset[str],
    when: frozenset[str],
) -> Trace:
    """The best trace of a number to a cell that shows it, in any scale and unit; of many cells those whose
    items the words are about.

    weights : of the words that tell which item is meant; around : those of the sentence
    when : the years that the number is told for
    """
    amount, room, matches = said.amount, tolerance(said.amount), _match(cells, weights)
    factors = {10.0**power for power in (-amount.scale, -6, -3, 0, 3, 6)}
    if amount.unit:
        factors |= {1 / size for cell in cells for unit in cell.units if (size := ratio(amount.unit, unit))}
    values = np.array([(cell.full, cell.amount.value) for cell in cells]).reshape(-1, 2, 1)
    scales = np.array(sorted(factors))
    near = np.flatnonzero((abs(values - said.full * scales) <= room * scales).any(axis=(1, 2))).tolist()
    traces = []
    for place in sorted(near, key=lambda place: -matches[place])[:CANDIDATES]:
        cell = cells[place]
        item = _item_agrees(said, cells, place, matches, around - {*keys(said.written)})
        row = (one for one in cells if one.series == cell.series and one.table)
        columns = [frozenset(keys(one.heading)) for one in (cell, *row)]
        met = [sum(weights.get(key, 0.0) for key in own) / max(1, len(own)) ** 0.5 for own in columns]
        together = item * (0.5 + 0.5 * (met[0] / max(met) if max(met) > 0 else 1.0))
        verdict, score, sign = _unit_and_scale(amount, cell), 0.2 * together, said.sign * cell.sign
        if verdict == STATED and (sign < 0 or (sign == 0 and NEGATIVE in (said.sign, cell.sign))):
            # one is told up and the other down, or a minus is left out, as brackets may be
            verdict = OTHER_SIGN
        elif verdict == STATED and (
            (when and cell.years and not when & cell.years)
            or (said.often and not cell.table and not said.often & cell.often)
        ):
            # one told by the month is none by the year, nor one by the month where the prose names none
            verdict, score = OTHER_PERIOD, 0.25 * item
        elif verdict == STATED and cell.limit and said.limit not in ("", cell.limit):
            verdict, score = OTHER_LIMIT, 0.25 * item
        elif verdict == STATED:
            verdict = OTHER_ITEM if item < ANOTHER else STATED
            score = 0.25 + 0.4 * item if item < ANOTHER else 0.4 + 0.6 * together
        traces.append(Trace(said.written, verdict, score, cell))
    return max(traces, key=lambda one: one.score, default=Trace(said.written))


def _match(cells: Sequence[Stated], weights: dict[str, float]) -> NDArray:
    """How well the words of each number meet weighted words: the sum over the root of their count."""
    sums = [sum(weights.get(word, 0.0) for word in one.words) for one in cells]
    return np.array(sums) / np.sqrt([max(1, len(one.words)) for one in cells])


def _item_agrees(
    said: Stated, cells: Sequence[Stated], place: int, matches: NDArray, around: Set[str]
) -> float:
    """How well a number's row or clause meets the words, beside the one that meets them best, milder the less
    that is met; 0 where the words that tell it from another number of its column, or of its unit in prose,
    are all the other's."""
    cell, best = cells[place], int(np.argmax(matches))
    if matches[best] <= 0:
        return LOOSE
    words = around if cell.table else said.words
    for other in cells:
        alike = (other.passage, other.units, other.heading) == (cell.passage, cell.units, cell.heading)
        tells = words & (other.words - cell.words) and not words & (cell.words - other.words)
        if alike and other.full != cell.full and tells:
            return 0.0
    cover = min(1.0, matches[best] / max(1, len(cells[best].words)) ** 0.5)
    item = float(1 - (1 - matches[place] / matches[best]) * (0.4 + 0.6 * cover))
    return item if cell.table else max(item, LOOSE)


def _unit_and_scale(amount: Amount, cell: Stated) -> str:
    """STATED, OTHER_UNIT or OTHER_SCALE: whether a number is the cell's in its unit and scale.

    A unit that either side does not name may be any, and one made of the other is it where the sizes say so.
    Where the passage names no scale, or the number repeats the digits without one, it may be any.
    """
    room, own = tolerance(amount), cell.amount.value
    sizes = [ratio(amount.unit, unit) for unit in cell.units] if amount.unit else []
    if any(size and abs(cell.full * size - amount.value) <= room for size in sizes):
        return STATED
    kinds = {unit[0] for unit in cell.units}
    may_be = kinds == {"time"} and amount.unit and amount.unit[0] != "time"  # of a quantity in a month
    if amount.unit and cell.units and amount.unit not in cell.units and not may_be:
        return OTHER_UNIT
    any_scale = cell.scale is None and not cell.amount.scale
    return (
        STATED
        if abs(cell.full - amount.value) <= room
        or (any_scale and abs(own * 10.0**amount.scale - amount.value) <= room)
        or (not any_scale and not amount.scale and isclose(own, amount.value))
        else OTHER_SCALE
    )


def derive(
    amount: Amount, sentence: str, cells: Sequence[Stated], weights: dict[str, float], differs: bool
) -> tuple[str, int] | None:
    """The step by which a number follows from stated ones, as `390.0 - 352.4 = 37.6`, and whether it goes
    up from the earlier to the later (1), down (-1) or neither (0); None without one.

    weights : of the words that tell which numbers are meant; differs : whether they ask for a difference
    """
    matches = _match(cells, weights)
    operands = [
        cells[place]
        for place in np.argsort(-matches, kind="stable")[:OPERANDS].tolist()
        if matches[place] >= LIKE * matches.max() > 0 and cells[place].full
    ]
    times = [  # what a count that the sentence tells makes of a number: `four times 20 g`
        (f"{_shown(count.value)} x {one.written}", count.value * one.full, 0)
        for count in find_amounts(sentence, True)
        for one in operands
        if 2 <= count.value <= 99 and not count.unit and amount.unit in one.units
    ]
    for text, value, sign in (*_steps(amount, operands, sentence, differs), *times):
        if abs(value - amount.value) <= tolerance(amount):
            return f"{text} = {_shown(value)}", sign
    return None


def _steps(
    amount: Amount, operands: Sequence[Stated], sentence: str, differs: bool
) -> Iterator[tuple[str, float, int]]:
    """What follows from two operands by the steps that the words ask for: text, value and direction."""
    # what a sentence says that something came to (`rose by 2 to 5`)
    final = [one.value for one in find_amounts(sentence) if _TO.search(sentence[: one.start])]
    for one, other in combinations(operands, 2):
        same, share = one.series == other.series, any(map(is_share, one.units))
        when = [each.years or frozenset[str]() for each in (one, other)]
        beside = {*keys(one.heading)} & {*keys(other.heading)} or when[0] & when[1]
        if share != any(map(is_share, other.units)) or (
            one.table and other.table and not same and not beside
        ):
            continue
        first, second = (min(each, default="") for each in when)
        later = (first > second) - (first < second) if first and second and same else 0
        if len(final) == 1 and (one.full == final[0]) != (other.full == final[0]):
            later = 1 if one.full == final[0] else -1
        if is_share(amount.unit) and not share:
            for new, old, sign in ((one, other, 1), (other, one, -1)):
                if differs and same:
                    text = f"({new.written} - {old.written}) / {old.written}"
                    direction = 0 if later != sign else 1 if new.full > old.full else -1
                    yield text, abs(new.full - old.full) / old.full * 100, direction
                if not (same and one.table):
                    yield f"{new.written} / {old.written}", new.full / old.full * 100, 0
        elif differs and (amount.unit is None or (is_share(amount.unit) == share and amount.unit != PERCENT)):
            big, small = (one, other) if one.full >= other.full else (other, one)
            value = (big.full - small.full) * (100.0 if amount.unit == BASIS_POINT else 1.0)
            yield f"{big.written} - {small.written}", value, later if big is one else -later


def _shown(value: float) -> str:
    return f"{value:,.4f}".rstrip("0").rstrip(".")
