"""Where each number of a sentence comes from: stated in the passages, stated otherwise, derivable, nowhere.

`trace_numbers` says it of every number of a sentence; `stated_amounts` reads the passages once.
"""

from collections.abc import Mapping, Sequence, Set
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ragassay.scores.numbers import derivable_numbers
from ragassay.scores.numbers.amounts import Amount, find_amounts, tolerance
from ragassay.scores.numbers.number_agreement import (
    WINDOW,
    Words,
    agreement,
    bounds_agree,
    often_agree,
    scales_agree,
    signs_agree,
    subjects_agree,
    units_agree,
    words_around,
)
from ragassay.scores.numbers.number_words import FROM, TO, told_sign
from ragassay.scores.numbers.prose_number_subjects import bounded_words, read_places
from ragassay.scores.numbers.stated_amounts import Cell, StatedAmounts, stated_amounts
from ragassay.scores.numbers.written_numbers import numbers

STATED, DERIVED, GIVEN, NOT_FOUND = "stated", "derivable", "given in the question", "not found"
OTHER_UNIT, OTHER_SCALE = "stated with another unit", "stated with another scale"
OTHER_SIGN, OTHER_PERIOD = "stated with another sign", "stated for another period"
OTHER_ITEM, OTHER_SUBJECT = "stated for another line item", "stated of another subject"
OTHER_BOUND = "stated as a bound the other way"
HELD = (STATED, DERIVED, GIVEN)
OTHERWISE = (OTHER_UNIT, OTHER_SCALE, OTHER_SIGN, OTHER_PERIOD, OTHER_SUBJECT, OTHER_BOUND)
WEAK = 0.5  # score of a trace below which a step is looked for
ANOTHER = 0.35  # agreement in the line item below which it is another
DERIVED_SCORE, REVERSED = 0.75, 0.1  # score of a number that is derivable; of one whose direction is wrong
CANDIDATES, TOGETHER = 16, 8  # cells that a number is compared with; numbers on either side to compute with
STEPS = 60  # numbers of a sentence, from its beginning, for which a step is looked for
ROUNDS = 2  # a number that follows from others may be computed with once
CLOSE = 60  # characters between the two numbers of "from 5 to 3"

_Spot = tuple[int, str]


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
    year: str = ""
    step: str = ""

    @property
    def held(self) -> bool:
        """Whether the passages state it, or it follows from them in one step, or the question gives it."""
        return self.verdict in HELD


def trace(sentence: str, passages: Sequence[str], question: str = "") -> list[Trace]:
    """`trace_numbers` for passages as they come."""
    return trace_numbers(sentence, stated_amounts(tuple(passages)), question)


def unsupported(unread: Set[str], traces: Sequence[Trace]) -> set[str]:
    """The numbers of a sentence, in one spelling, that the passages do not hold, by its traces.

    They are the `unread` ones (found in no spelling) that do not follow from others, and those that the
    passages state with another unit, scale, sign, period or bound or of another subject.
    """
    followed = numbers(*(one.text for one in traces if one.held or one.verdict == OTHER_ITEM))
    otherwise = [one.text for one in traces if one.verdict in OTHERWISE]
    in_words = {text for text in otherwise if not numbers(text)}
    return (set(unread) - followed) | numbers(*otherwise) | in_words


def trace_numbers(sentence: str, stated: StatedAmounts, question: str = "") -> list[Trace]:
    """Where each number of a sentence comes from, in order; years, dates and small counts in words are none,
    but for a small count in words as a bound (`at most three`) that the passages state.

    The question's words help to tell which line item is meant; its own numbers are given.
    """
    small, given = bounded_words(sentence), find_amounts(question)[:TOGETHER]
    amounts = sorted([*find_amounts(sentence), *small])
    spots, known, words = [_spot(sentence, one) for one in amounts], dict[_Spot, Trace](), list[Words]()
    clauses = read_places(sentence, amounts)
    for place, (amount, spot) in enumerate(zip(amounts, spots, strict=True)):
        if place < STEPS or spot not in known:
            told = words_around(sentence, amounts, place, question, stated)._replace(place=clauses[place])
            known[spot] = _stated(amount, told, stated)
            words += [told] if place < STEPS else []
    for _ in range(ROUNDS):
        found = _derived(amounts, spots, words, known, question, stated, given)
        known |= found
        if all(one.verdict != DERIVED for one in found.values()):
            break
    traces = [
        known[spot]._replace(text=sentence[one.start : one.end], start=one.start, end=one.end)
        for one, spot in zip(amounts, spots, strict=True)
    ]
    unread = {one.start for one in small}
    traces = _in_order(sentence, amounts, traces)
    return [one for one in traces if one.start not in unread or one.verdict in (STATED, OTHER_BOUND)]


def _spot(sentence: str, amount: Amount) -> _Spot:
    """Where a number stands in the text around it; of many numbers one told in the same words is the same."""
    first = max(0, amount.start - WINDOW)
    return amount.start - first, sentence[first : amount.end + WINDOW]


def _derived(
    amounts: Sequence[Amount],
    spots: Sequence[_Spot],
    words: Sequence[Words],
    known: Mapping[_Spot, Trace],
    question: str,
    stated: StatedAmounts,
    given: Sequence[Amount],
) -> dict[_Spot, Trace]:
    """The traces of the numbers that no cell bears out, by steps from cells, from the question's numbers, and
    from those of the sentence that are themselves borne out.
    """
    sound = [known[spot].verdict in (*HELD, OTHER_ITEM) for spot in spots]
    found = dict[_Spot, Trace]()
    for place, told in enumerate(words):
        spot = spots[place]
        if known[spot].score < WEAK and not known[spot].step:
            near = [*range(max(0, place - TOGETHER), place), *range(place + 1, place + TOGETHER)]
            beside = [amounts[i] for i in near if i < len(amounts) and sound[i]]
            step = derivable_numbers.derive(amounts[place], spot[1], question, stated, [*beside, *given])
            best = _otherwise(amounts[place], given, told, step)
            found |= {spot: best} if best else {}
    return found


def _stated(amount: Amount, words: Words, stated: StatedAmounts) -> Trace:
    """The best trace of a number to a cell."""
    judged = [_judged(amount, cell, words, stated) for cell in _candidates(amount, words, stated)]
    return max(judged, key=lambda one: one.score, default=_empty(NOT_FOUND, 0.0))


def _candidates(amount: Amount, words: Words, stated: StatedAmounts) -> list[Cell]:
    """The cells that show the number, in any scale if it has enough digits to be known again; of many those
    whose items the words are about.
    """
    room = tolerance(amount)
    powers = {0, -amount.scale} | ({-6, -3, 3, 6} if amount.value >= 100 * amount.step else set())
    places = []
    for power in powers:
        factor = 10.0**power
        places.append(stated.between((amount.value - room) * factor, (amount.value + room) * factor))
    found = np.unique(np.concatenate(places))
    likely = found[np.lexsort((found, -words.matches[stated.item_of_cell[found]]))][:CANDIDATES]
    return [stated.cells[i] for i in likely]


def _judged(amount: Amount, cell: Cell, words: Words, stated: StatedAmounts) -> Trace:
    """The trace of a number to one cell."""
    meets = agreement(cell, words, stated)
    verdict, score = STATED, 0.4 + 0.6 * meets.together
    if not units_agree(amount, cell):
        verdict, score = OTHER_UNIT, 0.2 * meets.together
    elif not scales_agree(amount, cell):
        verdict, score = OTHER_SCALE, 0.2 * meets.together
    elif not signs_agree(cell, words, stated):
        verdict, score = OTHER_SIGN, 0.2 * meets.together
    elif not subjects_agree(amount, cell, words, stated):
        verdict, score = OTHER_SUBJECT, 0.2 * meets.together
    elif not bounds_agree(cell, words, stated):
        verdict, score = OTHER_BOUND, 0.2 * meets.together
    elif not meets.period or not often_agree(cell, words, stated):
        verdict, score = OTHER_PERIOD, 0.25 * meets.item
    elif meets.item < ANOTHER:
        verdict, score = OTHER_ITEM, 0.25 + 0.4 * meets.item
    where = stated.items[cell.item]
    year = max(cell.years, default="")
    return _empty(verdict, score)._replace(
        found=cell.written, item=where.label, column=cell.heading, passage=where.passage, year=year
    )


def _otherwise(
    amount: Amount, given: Sequence[Amount], words: Words, step: derivable_numbers.Step | None
) -> Trace | None:
    """A number that no cell bears out: given in the question, derivable in the direction told, or neither."""
    if any(abs(amount.value - one.value) <= 1e-9 * one.value and amount.unit == one.unit for one in given):
        return _empty(GIVEN, 1.0)
    if step is None:
        return None
    if step.sign * words.sign < 0:
        return _empty(OTHER_SIGN, REVERSED)._replace(step=step.text)
    return _empty(DERIVED, DERIVED_SCORE)._replace(step=step.text)


def _in_order(sentence: str, amounts: Sequence[Amount], traces: list[Trace]) -> list[Trace]:
    """The traces, with "rose from 5 to 3" and "from 3 (2022) to 5 (2021)" found out."""
    for i, (one, other) in enumerate(pairwise(amounts)):
        between, before = sentence[one.end : other.start], sentence[max(0, one.start - WINDOW) : one.start]
        if len(between) > CLOSE or not (FROM.search(before) and TO.search(between)):
            continue
        told = told_sign(FROM.sub("", before), "", one._replace(negative=False))
        wrong = OTHER_SIGN if told * (other.value - one.value) < 0 else ""
        if not wrong and traces[i].year > traces[i + 1].year > "":
            wrong = OTHER_PERIOD
        for place in (i, i + 1) if wrong else ():
            traces[place] = traces[place]._replace(verdict=wrong, score=min(traces[place].score, REVERSED))
    return traces


def _empty(verdict: str, score: float) -> Trace:
    return Trace("", 0, 0, verdict, score)
