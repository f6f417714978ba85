"""Where each number of a sentence comes from: stated in the passages, stated otherwise, derivable, nowhere.

A number and one of a passage are compared in what they are of: item, column, period, unit, scale, sign,
limit. Derivable is what follows in one step: the difference, growth or share of two numbers, a told multiple.
From enough numbers anything follows: so the two must share a row, a column or a period, or stand in the
sentence, and the words must be about their line items and ask for the step.
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
from ragassay.scores.numbers.stated_amounts import (
    NEGATIVE,
    Stated,
    StatedAmounts,
    keys,
    read_prose,
    stated_amounts,
)

STATED, DERIVED, GIVEN, NOT_FOUND = "stated", "derivable", "given in the question", "not found"
OTHER_UNIT, OTHER_SCALE = "stated with another unit", "stated with another scale"
OTHER_SIGN, OTHER_PERIOD = "stated with another sign", "stated for another period"
OTHER_LIMIT, OTHER_ITEM = "stated as the other limit", "stated for another line item"
HELD = (STATED, DERIVED, GIVEN)
OTHERWISE = (OTHER_UNIT, OTHER_SCALE, OTHER_SIGN, OTHER_PERIOD, OTHER_LIMIT)
WEAK = 0.5  # score of a trace below which a step is looked for
ANOTHER = 0.35  # agreement in the line item below which it is another
DERIVED_SCORE, REVERSED = 0.75, 0.1  # score of a number that is derivable; of one whose direction is wrong
CANDIDATES, TOGETHER = 16, 8  # cells that a number is compared with; numbers on either side to compute with
MOST = 60  # numbers of a sentence, from its beginning, that are traced
ELSEWHERE, ASKED = 0.25, 0.35  # weight of a word of the sentence, of the question, beside 1 of its clause
LOOSE = 0.6  # agreement in the item of a number in prose, at least
WINDOW = 400  # characters on either side of a number that can speak of it
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
    found : as the passages write it; item, column : its row and its heading; passage : its place, from 0
    step : the arithmetic, for one that is derivable
    """

    text: str
    start: int
    end: int
    verdict: str
    score: float
    found: str = ""
    item: str = ""
    column: str = ""
    passage: int | None = None
    step: str = ""

    @property
    def held(self) -> bool:
        """Whether the passages state it, or it follows from them in one step, or the question gives it."""
        return self.verdict in HELD


class Wanted(NamedTuple):
    """A number of a sentence, its words by weight, and how well each stated number meets them.

    around : the words of its sentence
    years : those it is told for, if need be by the sentence or the question
    """

    said: Stated
    weights: dict[str, float]
    matches: NDArray
    around: frozenset[str]
    years: frozenset[str]


def unsupported(unread: Set[str], traces: Sequence[Trace]) -> set[str]:
    """The numbers of a sentence, in one spelling, that the passages do not hold, by its traces.

    They are the `unread` ones (found in no spelling) that do not follow from others, and those that the
    passages state with another unit, scale, sign or period, as the other limit, or in a column for another
    row.
    """
    another = [one for one in traces if one.verdict == OTHER_ITEM]
    wrong = [one for one in traces if one.verdict in OTHERWISE] + [one for one in another if one.column]
    followed = numbers(*(one.text for one in traces if one.held), *(one.text for one in another))
    otherwise = numbers(*(one.text for one in wrong))
    return (set(unread) - followed) | otherwise


@lru_cache(2048)  # several measures of an answer ask for the same
def trace(sentence: str, passages: tuple[str, ...], question: str = "") -> list[Trace]:
    """Where each number of a sentence comes from, in order; years, dates and small counts in words are none.

    The question's words help to tell which line item is meant; its own numbers are given.
    """
    stated = stated_amounts(passages)
    said, given = read_prose(sentence, MOST), find_amounts(question)[:TOGETHER]
    traces = [_trace_to_cells(one, sentence, question, stated) for one in said]
    for place, (one, old) in enumerate(zip(said, traces, strict=True)):
        if old.score >= WEAK:
            continue
        if any(one.amount.unit == each.unit and isclose(one.full, each.value) for each in given):
            traces[place] = Trace(*old[:3], GIVEN, 1.0)
            continue
        near = range(max(0, place - TOGETHER), min(len(said), place + TOGETHER))
        sound = [said[i].amount for i in near if i != place and traces[i].verdict in (*HELD, OTHER_ITEM)]
        if step := derive(one.amount, sentence, question, stated, [*sound, *given]):
            wrong = step[1] * one.sign < 0
            verdict, score = (OTHER_SIGN, REVERSED) if wrong else (DERIVED, DERIVED_SCORE)
            traces[place] = Trace(*old[:3], verdict, score, step=step[0])
    return traces


def _trace_to_cells(said: Stated, sentence: str, question: str, stated: StatedAmounts) -> Trace:
    """The best trace of a number to a cell that shows it: in any scale if it has enough digits to be known
    again, in another unit; of many cells those whose items the words are about."""
    around = sentence[max(0, said.amount.start - WINDOW) : said.amount.end + WINDOW]
    weights = dict.fromkeys(keys(question), ASKED) | dict.fromkeys(keys(around), ELSEWHERE)
    weights |= dict.fromkeys(said.words, 1.0)
    when = frozenset[str]() if said.years is None else said.years or years(around) or years(question)
    words = frozenset(keys(around)) - set(keys(said.written))
    wanted = Wanted(said, weights, stated.matches(weights), words, when)
    room = tolerance(said.amount)
    factors = {1.0, 10.0**-said.amount.scale}
    if said.full >= 100 * said.amount.step:
        factors |= {10.0**power for power in (-6, -3, 3, 6)}
    if unit := said.amount.unit:
        factors |= {1 / size for cell in stated.cells for other in cell.units if (size := ratio(unit, other))}
    is_near = np.zeros(len(stated.cells), dtype=bool)
    for factor in factors:
        is_near |= (abs(stated.values - said.full * factor) <= room * factor).any(axis=1)
    near = sorted(np.flatnonzero(is_near), key=lambda place: -wanted.matches[place])[:CANDIDATES]
    judged = [_judge(wanted, stated.cells[place], wanted.matches[place], stated) for place in near]
    best = max(judged, key=lambda one: one.score, default=Trace("", 0, 0, NOT_FOUND, 0.0))
    return best._replace(text=said.written, start=said.amount.start, end=said.amount.end)


def _judge(wanted: Wanted, cell: Stated, match: float, stated: StatedAmounts) -> Trace:
    """The trace of a number to one cell."""
    amount, item = wanted.said.amount, _item_agrees(wanted, cell, match, stated)
    row = [one for one in stated.cells if one.place == cell.place]
    met = [
        sum(wanted.weights.get(key, 0.0) for key in one.columns) / (len(one.columns) or 1) ** 0.5
        for one in (cell, *row)
    ]
    column = met[0] / max(met) if max(met) > 0 else 1.0
    together, sign = item * (0.5 + 0.5 * column), wanted.said.sign * cell.sign
    other_year = wanted.years and cell.years and not wanted.years & cell.years
    often, verdict, score = wanted.said.often, STATED, 0.4 + 0.6 * together
    if not _units_agree(amount, cell):
        verdict, score = OTHER_UNIT, 0.2 * together
    elif not _scales_agree(amount, cell):
        verdict, score = OTHER_SCALE, 0.2 * together
    elif sign < 0 or (sign == 0 and NEGATIVE in (wanted.said.sign, cell.sign)):
        # one is told up and the other down, or a minus is left out, as brackets may be
        verdict, score = OTHER_SIGN, 0.2 * together
    elif other_year or (often and not cell.table and not often & (cell.often or stated.often[cell.passage])):
        # a number told by the month is none by the year, nor one by the month where the prose says no month
        verdict, score = OTHER_PERIOD, 0.25 * item
    elif cell.limit and wanted.said.limit not in ("", cell.limit):
        verdict, score = OTHER_LIMIT, 0.25 * item
    elif item < ANOTHER:
        verdict, score = OTHER_ITEM, 0.25 + 0.4 * item
    return Trace("", 0, 0, verdict, score, cell.written, cell.label, cell.heading, cell.passage)


def _item_agrees(wanted: Wanted, cell: Stated, match: float, stated: StatedAmounts) -> float:
    """How well a number's row or clause meets the words, beside the one that meets them best, milder the less
    that is met; 0 where the words that tell it from another number of its column, or of its unit in prose,
    are all the other's."""
    best = int(np.argmax(wanted.matches))
    if wanted.matches[best] <= 0:
        return LOOSE
    cover = min(1.0, wanted.matches[best] / max(1, len(stated.cells[best].words)) ** 0.5)
    item = float(1 - (1 - match / wanted.matches[best]) * (0.4 + 0.6 * cover))
    words = wanted.around if cell.table else wanted.said.words
    for place in {one for word in words for one in stated.by_word.get(word, ())}:
        other = stated.cells[place]
        alike = (other.passage, other.units, other.heading) == (cell.passage, cell.units, cell.heading)
        tells = words & (other.words - cell.words) and not words & (cell.words - other.words)
        if alike and other.full != cell.full and tells:
            return 0.0
    return item if cell.table else max(item, LOOSE)


def _units_agree(amount: Amount, cell: Stated) -> bool:
    """Whether a number's unit may be the cell's; one that either side does not name may be any, and one made
    of the other is it where the sizes say so; percent is not percentage points."""
    if amount.unit is None or not cell.units or amount.unit in cell.units or _is_converted(amount, cell):
        return True
    kinds = {unit[0] for unit in cell.units}
    if is_share(amount.unit) and kinds & {"share", "points"}:
        return False
    return amount.unit[0] not in kinds and not kinds - {"time"}


def _is_converted(amount: Amount, cell: Stated) -> bool:
    """Whether the cell's value, told in the amount's unit, is the amount."""
    sizes = [ratio(amount.unit, unit) for unit in cell.units] if amount.unit else []
    return any(size and abs(cell.full * size - amount.value) <= tolerance(amount) for size in sizes)


def _scales_agree(amount: Amount, cell: Stated) -> bool:
    """Whether a number is the cell's with its scale; where the passage names none, or the number repeats the
    digits without one, in any."""
    room, own = tolerance(amount), cell.amount.value
    if abs(cell.full - amount.value) <= room or _is_converted(amount, cell):
        return True
    if cell.scale is None and not cell.amount.scale:
        return abs(own - amount.value / 10.0**amount.scale) <= room / 10.0**amount.scale
    return not amount.scale and abs(own - amount.value) <= 1e-9 * own


def derive(
    amount: Amount, sentence: str, question: str, stated: StatedAmounts, told: Sequence[Amount]
) -> tuple[str, int] | None:
    """The step by which a number follows from stated ones, as `390.0 - 352.4 = 37.6`, and whether it goes
    up from the earlier to the later (1), down (-1) or neither (0); None without one.

    told : the sentence's other numbers and those of the question
    """
    room, around = tolerance(amount), sentence[max(0, amount.start - WINDOW) : amount.end + WINDOW]
    if room >= amount.value / 3:
        return None
    matches = stated.matches(dict.fromkeys(keys(question), 0.5) | dict.fromkeys(keys(around), 1.0))
    places = np.argsort(-matches, kind="stable")[:OPERANDS]
    about = [stated.cells[place] for place in places if matches[place] >= LIKE * matches.max() > 0]
    operands = list[Stated]()  # what no passage states, then what the words are about, the nearest first
    for one in told:
        if one.value and not any(abs(cell.full - one.value) <= one.step / 2 for cell in about):
            units = frozenset([one.unit] if one.unit else [])
            operands.append(Stated(_shown(one.value), one, one.value, frozenset(), units=units))
    operands += [one for one in about if one.full]
    steps = [  # what a count that the sentence tells makes of a number: `four times 20 g`
        (f"{_shown(count.value)} x {one.written}", count.value * one.full, 0)
        for count in find_amounts(around, True)
        for one in operands
        if 2 <= count.value <= 99 and not count.unit and amount.unit in one.units
    ]
    for text, value, sign in (*_steps(amount, around, question, operands), *steps):
        if abs(value - amount.value) <= room:
            return f"{text} = {_shown(value)}", sign
    return None


def _steps(
    amount: Amount, sentence: str, question: str, operands: Sequence[Stated]
) -> Iterator[tuple[str, float, int]]:
    """What follows from two operands by the steps that the words ask for: text, value and direction."""
    differs = bool(_DIFFERS.search(f"{question} {sentence}"))
    # what a sentence says that something came to (`rose by 2 to 5`)
    final = [one.value for one in find_amounts(sentence) if _TO.search(sentence[: one.start])]
    for one, other in combinations(operands, 2):
        told, same_row = -1 in (one.place, other.place), one.place == other.place
        share, in_table = any(map(is_share, one.units)), one.table and other.table
        beside = bool(one.columns & other.columns or (one.years or set()) & (other.years or set()))
        if share != any(map(is_share, other.units)) or (in_table and not same_row and not beside):
            continue
        later = _later(one, other, final)
        if is_share(amount.unit) and not share:
            for new, old, sign in ((one, other, 1), (other, one, -1)):
                if differs and (told or one.series == other.series):
                    text = f"({new.written} - {old.written}) / {old.written}"
                    direction = 0 if later != sign else 1 if new.full > old.full else -1
                    yield text, abs(new.full - old.full) / old.full * 100, direction
                if told or not same_row:
                    yield f"{new.written} / {old.written}", new.full / old.full * 100, 0
        elif differs and (amount.unit is None or (is_share(amount.unit) == share and amount.unit != PERCENT)):
            big, small = (one, other) if one.full >= other.full else (other, one)
            value = (big.full - small.full) * (100.0 if amount.unit == BASIS_POINT else 1.0)
            yield f"{big.written} - {small.written}", value, later if big is one else -later


def _later(one: Stated, other: Stated, final: Sequence[float]) -> int:
    """1 if the first of two numbers is the later, -1 if the second is, 0 if that is not known: by what it
    came to in the end, or by the years of one series."""
    if len(final) == 1 and (one.full == final[0]) != (other.full == final[0]):
        return 1 if one.full == final[0] else -1
    first, second = (min(each.years or (), default="") for each in (one, other))
    known = first and second and one.series == other.series
    return (first > second) - (first < second) if known else 0


def _shown(value: float) -> str:
    return f"{value:,.4f}".rstrip("0").rstrip(".")
