"""Where each number of a sentence comes from: stated in the passages, stated otherwise, derivable, nowhere.

A number and one of a passage are compared in what they are of: item, column, period, unit, scale and sign.
Derivable is what follows from two stated numbers in one step: difference, share or growth. From enough
numbers anything follows: so the two must share a row, a column or a period, or stand in the sentence, the
words must be about their line items and ask for the step, and the likeliest TRIED pairs are tried.
"""

import re
from collections.abc import Hashable, Iterator, Sequence, Set
from itertools import combinations, islice
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
from ragassay.scores.numbers.stated_amounts import Cell, StatedAmounts, keys, read_places, stated_amounts

STATED, DERIVED, GIVEN, NOT_FOUND = "stated", "derivable", "given in the question", "not found"
OTHER_UNIT, OTHER_SCALE = "stated with another unit", "stated with another scale"
OTHER_SIGN, OTHER_PERIOD = "stated with another sign", "stated for another period"
OTHER_ITEM = "stated for another line item"
HELD = (STATED, DERIVED, GIVEN)
OTHERWISE = (OTHER_UNIT, OTHER_SCALE, OTHER_SIGN, OTHER_PERIOD)
WEAK = 0.5  # score of a trace below which a step is looked for
ANOTHER = 0.35  # agreement in the line item below which it is another
DERIVED_SCORE, REVERSED = 0.75, 0.1  # score of a number that is derivable; of one whose direction is wrong
CANDIDATES, TOGETHER = 16, 8  # cells that a number is compared with; numbers on either side to compute with
MOST = 60  # numbers of a sentence, from its beginning, that are traced
BEFORE, AFTER, ELSEWHERE, ASKED = 1.0, 0.6, 0.25, 0.35  # weight of a word by where it stands to the number
GENERAL = frozenset({"total", "sum", "net", "group", "overal", "all", "averag", "mean"})
LOOSE = 0.6  # agreement in the item of a number in prose, or of a general row (Total), at least
WINDOW = 400  # characters on either side of a number that can speak of it
PARTLY = 0.8  # of the agreement, where the period is told and the cell's is not known
TRIED = 12  # pairs of numbers that are tried, where they give what is near to the number looked for
ITEMS, NUMBERS = 12, 40  # line items looked at, and numbers of them
LIKE, UNTIMELY = 0.5, 0.8  # how well beside the best an item must meet the words; weight of another year
TOLD = 1.2  # weight of a number that the sentence itself tells
NEGATIVE = -2  # the sign of a number that is written or called negative; -1 is that after a word like "fell"
NEAR = 40  # characters after a number in which a word still speaks of it
_COMPARED = re.compile(
    r"\b(?:from|prior|previous|preceding|before|earlier|last|compared|versus|vs|against|than)\b",
    re.IGNORECASE,
)
LOSES = re.compile(
    r"\b(?:loss(?:es)?|lost|loses?|deficit|negative|minus|fell|fall(?:s|ing|en)?|decreas\w{0,6}|declin\w{0,6}"
    r"|drop(?:s|ped)?|down|lower(?:ed)?|fewer|less|reduc\w{0,6}|shrank|shrunk|narrow\w{0,6}|behind|below"
    r"|wors\w{0,6}|outflows?|cost|short(?:fall)?|contract(?:ed|ion)|weaken\w{0,4})\b",
    re.IGNORECASE,
)
GAINS = re.compile(
    r"\b(?:profits?|gain\w{0,4}|surplus|positive|rose|ris(?:e|es|ing|en)|increas\w{0,6}|grew|grow\w{0,4}|up"
    r"|higher|more|improv\w{0,6}|ahead|above|exceed\w{0,4}|inflows?|expand\w{0,4}|widen\w{0,4}|jump\w{0,4}"
    r"|climb\w{0,4}|better|earn\w{0,4}|made)\b",
    re.IGNORECASE,
)
_TO = re.compile(r"\bto[ \xa0]\S{0,4}\Z", re.IGNORECASE)
_LEVEL = re.compile(r"\b(?:to|from|at|of|was|were|is|are|total|totall?ed|a)[ \xa0]\S{0,4}\Z", re.IGNORECASE)
_LOSS_OF = re.compile(r"\b(?:loss|deficit|shortfall|outflow) of[ \xa0]\S{0,4}\Z", re.IGNORECASE)
_GAIN_OF = re.compile(r"\b(?:profit|surplus|gain) of[ \xa0]\S{0,4}\Z", re.IGNORECASE)
_KIND = re.compile(
    r"\W{0,3}(?:\w{1,20}\W{1,3}){0,2}(?:loss|profit|deficit|surplus|gain|fewer|less|more|behind|ahead)\b"
)
_TWO_SIDED = re.compile(
    r"\b(?:change|difference|variance|profit|result|balance|income|gain|growth)", re.IGNORECASE
)
_DIFFERS = re.compile(
    r"\b(?:increas|decreas|declin|differen|chang|rose|rise|fell|fall|drop|grew|grow|gain|los[st]|up|down"
    r"|more|less|fewer|higher|lower|exceed|short|under|over|net|gap|improv|narrow|widen|shr[aiu]nk|reduc"
    r"|remain|left|margin|behind|ahead|working)",
    re.IGNORECASE,
)


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


class Words(NamedTuple):
    """What a sentence says around one of its numbers, and how well each item meets the words.

    cover : share of the best item's words that are met; loses : whether a word speaks of a loss or a fall
    """

    weights: dict[str, float]
    years: frozenset[str]
    sign: int
    matches: NDArray
    best: float
    cover: float
    loses: bool
    often: frozenset[str]


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


def trace(sentence: str, passages: Sequence[str], question: str = "") -> list[Trace]:
    """`trace_numbers` for passages as they come."""
    return trace_numbers(sentence, stated_amounts(tuple(passages)), question)


def unsupported(unread: Set[str], traces: Sequence[Trace]) -> set[str]:
    """The numbers of a sentence, in one spelling, that the passages do not hold, by its traces.

    They are the `unread` ones (found in no spelling) that do not follow from others, and those that the
    passages state with another unit, scale, sign or period.
    """
    followed = numbers(*(one.text for one in traces if one.held or one.verdict == OTHER_ITEM))
    otherwise = numbers(*(one.text for one in traces if one.verdict in OTHERWISE))
    return (set(unread) - followed) | otherwise


def trace_numbers(sentence: str, stated: StatedAmounts, question: str = "") -> list[Trace]:
    """Where each number of a sentence comes from, in order; years, dates and small counts in words are none.

    The question's words help to tell which line item is meant; its own numbers are given.
    """
    amounts, given = find_amounts(sentence)[:MOST], find_amounts(question)[:TOGETHER]
    traces, signs = list[Trace](), list[int]()
    for place, (amount, clause) in enumerate(zip(amounts, read_places(sentence, amounts), strict=True)):
        words = _words_around(sentence, amounts, place, question, stated, clause.often)
        written = sentence[amount.start : amount.end]
        found = _trace_to_cells(amount, words, stated)
        traces.append(found._replace(text=written, start=amount.start, end=amount.end))
        signs.append(words.sign)
    for place, (amount, old) in enumerate(zip(amounts, traces, strict=True)):
        if old.score >= WEAK:
            continue
        if any(amount.unit == one.unit and isclose(amount.value, one.value) for one in given):
            traces[place] = Trace(*old[:3], GIVEN, 1.0)
            continue
        near = range(max(0, place - TOGETHER), min(len(amounts), place + TOGETHER))
        sound = [amounts[i] for i in near if i != place and traces[i].verdict in (*HELD, OTHER_ITEM)]
        around = sentence[max(0, amount.start - WINDOW) : amount.end + WINDOW]
        if step := derive(amount, around, question, stated, [*sound, *given]):
            wrong = step[1] * signs[place] < 0
            verdict, score = (OTHER_SIGN, REVERSED) if wrong else (DERIVED, DERIVED_SCORE)
            traces[place] = Trace(*old[:3], verdict, score, step=step[0])
    return traces


def _words_around(
    sentence: str,
    amounts: Sequence[Amount],
    place: int,
    question: str,
    stated: StatedAmounts,
    often: frozenset[str],
) -> Words:
    """The words of a sentence weighted by where they stand to one of its numbers, and those of the question.

    A year holds if it stands nearby, or else in the sentence, or in the question if nothing is compared.
    """
    one = amounts[place]
    start = amounts[place - 1].end if place else 0
    end = amounts[place + 1].start if place + 1 < len(amounts) else len(sentence)
    start, end = max(start, one.start - WINDOW), min(end, one.end + WINDOW)
    before, after, near = sentence[start : one.start], sentence[one.end : end], sentence[start:end]
    said = sentence[max(0, one.start - WINDOW) : one.end + WINDOW]
    parts = ((question, ASKED), (said, ELSEWHERE), (after, AFTER), (before, BEFORE))
    weights = {key: weight for text, weight in parts for key in keys(text)}
    told = years(near) or years(said) or (frozenset() if _COMPARED.search(near) else years(question))
    matches = stated.matches(weights)
    best = float(matches.max(initial=0.0))
    cover = min(1.0, best / float(stated.lengths[int(np.argmax(matches))])) if best > 0 else 0.0
    sign, loses = told_sign(before, after, one), bool(LOSES.search(near))
    return Words(weights, told, sign, matches, best, cover, loses, often)


def told_sign(before: str, after: str, amount: Amount) -> int:
    """The sign that the words around a number give it: NEGATIVE, -1, 1, or 0 for none."""
    if amount.negative or _LOSS_OF.search(before):
        return NEGATIVE
    if _LEVEL.search(before) and not (_GAIN_OF.search(before) or _KIND.match(after)):
        return 0
    words = [(found.end(), -1) for found in LOSES.finditer(before)]
    words += [(found.end(), 1) for found in GAINS.finditer(before)]
    if words:
        return max(words)[1]
    later = [(found.start(), -1) for found in LOSES.finditer(after[:NEAR])]
    later += [(found.start(), 1) for found in GAINS.finditer(after[:NEAR])]
    return min(later)[1] if later else 0


def _trace_to_cells(amount: Amount, words: Words, stated: StatedAmounts) -> Trace:
    """The best trace of a number to a cell that shows it: in any scale if it has enough digits to be known
    again, in another unit; of many cells those whose items the words are about."""
    room = tolerance(amount)
    factors = {1.0, 10.0**-amount.scale}
    if amount.value >= 100 * amount.step:
        factors |= {10.0**power for power in (-6, -3, 3, 6)}
    if amount.unit:
        factors |= {1 / size for unit in stated.units if (size := ratio(amount.unit, unit))}
    low, high = amount.value - room, amount.value + room
    found = np.unique(np.concatenate([stated.between(low * factor, high * factor) for factor in factors]))
    items = np.array([stated.cells[place].item for place in found], dtype=int)
    likely = found[np.lexsort((found, -words.matches[items]))][:CANDIDATES]
    judged = [_judge(amount, stated.cells[place], words, stated) for place in likely]
    return max(judged, key=lambda one: one.score, default=Trace("", 0, 0, NOT_FOUND, 0.0))


def _judge(amount: Amount, cell: Cell, words: Words, stated: StatedAmounts) -> Trace:
    """The trace of a number to one cell."""
    together, item, same_period = _agreement(cell, words, stated)
    verdict, score = STATED, 0.4 + 0.6 * together
    if not _units_agree(amount, cell):
        verdict, score = OTHER_UNIT, 0.2 * together
    elif not _scales_agree(amount, cell):
        verdict, score = OTHER_SCALE, 0.2 * together
    elif not _signs_agree(amount, cell, words, stated):
        verdict, score = OTHER_SIGN, 0.2 * together
    elif not same_period:
        verdict, score = OTHER_PERIOD, 0.25 * item
    elif item < ANOTHER:
        verdict, score = OTHER_ITEM, 0.25 + 0.4 * item
    where = stated.items[cell.item]
    return Trace("", 0, 0, verdict, score, cell.written, where.label, cell.heading, where.passage)


def _agreement(cell: Cell, words: Words, stated: StatedAmounts) -> tuple[float, float, bool]:
    """How well a cell's item and heading meet the words, beside those that meet them best; its item alone,
    milder the less the best is met; and whether the period may be the same (2023; a day, monthly)."""
    where, item = stated.items[cell.item], LOOSE
    if words.best > 0:
        share = float(words.matches[cell.item]) / words.best
        item = 1 - (1 - share) * (0.4 + 0.6 * words.cover)
        is_row = where.table and set(keys(where.label)) - GENERAL
        item = item if is_row else max(item, LOOSE)
    siblings = [stated.cells[i] for i in where.cells]
    met = [
        sum(words.weights.get(key, 0.0) for key in one.keys) / (len(one.keys) or 1) ** 0.5 for one in siblings
    ]
    column = met[siblings.index(cell)] / max(met) if max(met) > 0 else 1.0
    same_year = bool(words.years & cell.years)
    known = 1.0 if same_year or not words.years else PARTLY
    same_often = not (where.often and words.often) or bool(where.often & words.often)
    same = same_often and (same_year or not (words.years and cell.years))
    return item * (0.5 + 0.5 * column) * known, item, same


def _units_agree(amount: Amount, cell: Cell) -> bool:
    """Whether a number's unit may be the cell's; one that either side does not name may be any, and one made
    of the other is it where the sizes say so; percent is not percentage points."""
    if amount.unit is None or not cell.units or amount.unit in cell.units:
        return True
    if _equals_in_unit(amount, cell):
        return True
    kinds = {unit[0] for unit in cell.units}
    if is_share(amount.unit) and kinds & {"share", "points"}:
        return False
    return amount.unit[0] not in kinds and not kinds - {"time"}


def _equals_in_unit(amount: Amount, cell: Cell) -> bool:
    """Whether the cell's value, told in the amount's unit, is the amount."""
    sizes = [ratio(amount.unit, unit) for unit in cell.units] if amount.unit else []
    return any(size and abs(cell.full * size - amount.value) <= tolerance(amount) for size in sizes)


def _scales_agree(amount: Amount, cell: Cell) -> bool:
    """Whether a number is the cell's with its scale; where the passage names none, or the number repeats the
    digits without one, in any."""
    room, own = tolerance(amount), cell.amount.value
    if abs(cell.full - amount.value) <= room or _equals_in_unit(amount, cell):
        return True
    if cell.scale is None and not cell.amount.scale:
        return abs(own - amount.value / 10.0**amount.scale) <= room / 10.0**amount.scale
    return not amount.scale and abs(own - amount.value) <= 1e-9 * own


def _signs_agree(amount: Amount, cell: Cell, words: Words, stated: StatedAmounts) -> bool:
    """Whether a minus, or words like "fell" or "profit", suit the sign of the cell; of prose only a minus and
    what denies it are read."""
    item = stated.items[cell.item]
    label = f"{item.label} {cell.heading}"
    loses, two_sided = bool(LOSES.search(label)), bool(_TWO_SIDED.search(label))
    if not item.table:
        if cell.amount.sign == -2:
            return words.loses or words.sign < 0
        return amount.sign != -2 or loses or cell.amount.negative
    if not words.sign:
        return True
    if words.sign == NEGATIVE and not cell.amount.negative:
        return loses and not two_sided
    if loses and not GAINS.search(label):
        return True  # it counts what is lost, and needs no sign: `Net loss`
    if cell.amount.negative:
        mixed = any(not stated.cells[i].amount.negative for i in item.cells)
        return words.sign < 0 or not (two_sided or mixed)
    return words.sign > 0 or not (cell.amount.sign or two_sided)


def derive(
    amount: Amount, sentence: str, question: str, stated: StatedAmounts, told: Sequence[Amount]
) -> tuple[str, int] | None:
    """The step by which a number follows from two stated ones, as `390.0 - 352.4 = 37.6`, and whether it goes
    up from the earlier to the later (1), down (-1) or neither (0); None without one.

    told : the sentence's other numbers and those of the question
    """
    room, operands = tolerance(amount), _operands(sentence, question, stated, told)
    if room >= amount.value / 3:
        return None
    likely = (
        one
        for one in _steps(amount, operands, sentence, question)
        if amount.value / 2 <= one[2] <= 2 * amount.value
    )
    for _, text, value, sign in islice(likely, TRIED):
        if abs(value - amount.value) <= room:
            return f"{text} = {_shown(value)}", sign
    return None


def _operands(sentence: str, question: str, stated: StatedAmounts, told: Sequence[Amount]) -> list[Operand]:
    """The numbers of the items that the words are about, and those told."""
    weights = dict.fromkeys(keys(question), 0.5) | dict.fromkeys(keys(sentence), 1.0)
    matches, wanted = stated.matches(weights), years(sentence) | years(question)
    best, found = matches.max(initial=0.0), list[Operand]()
    for item in map(int, np.argsort(-matches, kind="stable")[:ITEMS]):
        if best <= 0 or matches[item] < LIKE * best or len(found) > NUMBERS:
            break
        for column, place in enumerate(stated.items[item].cells):
            cell = stated.cells[place]
            timely = 1.0 if not wanted or not cell.years or cell.years & wanted else UNTIMELY
            weight, percent = float(matches[item] / best) * timely, any(map(is_share, cell.units))
            series = stated.items[item].series
            found.append(Operand(cell.full, cell.written, item, column, weight, cell.years, percent, series))
    for place, one in enumerate(told):
        same = [i for i, cell in enumerate(found) if abs(cell.value - one.value) <= one.step / 2]
        for i in same:
            found[i] = found[i]._replace(weight=TOLD)
        if not same:
            share = is_share(one.unit)
            found.append(Operand(one.value, _shown(one.value), -1, place, TOLD, frozenset(), share))
    return [one for one in found if one.value]


def _steps(
    amount: Amount, operands: Sequence[Operand], sentence: str, question: str
) -> list[tuple[float, str, float, int]]:
    """What pairs of operands give by the steps that the words ask for: rank, text, value and direction, the
    likeliest first."""
    differs = bool(_DIFFERS.search(f"{question} {sentence}"))
    # what a sentence says that something came to (`rose by 2 to 5`)
    ends = [one.value for one in find_amounts(sentence) if _TO.search(sentence[: one.start])]
    final = ends[0] if len(ends) == 1 else float("nan")
    found = []
    for one, other in combinations(operands, 2):
        near = one.item == other.item or one.column == other.column or min(one.item, other.item) < 0
        if one.percent != other.percent or not (near or one.years & other.years):
            continue
        big, small = (one, other) if one.value >= other.value else (other, one)
        sign, weight = _direction(one, other, final), (one.weight + other.weight) / 2
        for text, value, bonus in _results(amount, big, small, differs):
            found.append((-weight - bonus, text, value, sign if " - " in text else 0))
    return sorted(found)


def _results(
    amount: Amount, big: Operand, small: Operand, differs: bool
) -> Iterator[tuple[str, float, float]]:
    """Growth and share in percent, or the difference, that of two percentages in points; each with a bonus.

    differs : whether the words tell of a difference
    """
    same_series, percent = big.series == small.series, is_share(amount.unit)
    if percent and not big.percent:
        if differs and (min(big.item, small.item) < 0 or same_series):
            for new, old in ((big, small), (small, big)):
                text = f"({new.written} - {old.written}) / {old.written}"
                yield text, abs(new.value - old.value) / old.value * 100, 0.1 + _succession(new, old)
        if big.item != small.item or big.item < 0:
            yield f"{small.written} / {big.written}", small.value / big.value * 100, 0.0
            yield f"{big.written} / {small.written}", big.value / small.value * 100, -0.2
        return
    fits = amount.unit is None or (percent == big.percent and amount.unit != PERCENT)
    if differs and fits:
        hundred = 100.0 if amount.unit == BASIS_POINT else 1.0
        bonus = 0.05 if same_series else 0.0
        yield f"{big.written} - {small.written}", (big.value - small.value) * hundred, bonus


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


def _shown(value: float) -> str:
    return f"{value:,.4f}".rstrip("0").rstrip(".")
