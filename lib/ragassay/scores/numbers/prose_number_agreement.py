"""Whether the clauses around a number of an answer and one of a passage's prose contradict each other:
another subject, another period (monthly, a year), the other bound (at least, at most).

Each asks for more than a difference in words, so that the same said in other words is no contradiction.
"""

import functools
from collections.abc import Iterator

from ragassay.scores.numbers.amounts import Amount, tolerance
from ragassay.scores.numbers.number_agreement import Words
from ragassay.scores.numbers.number_words import keys
from ragassay.scores.numbers.prose_number_subjects import Place
from ragassay.scores.numbers.stated_amounts import Cell, Item, StatedAmounts

ALIKE = 0.75  # share of the words of an answer's clause that the passage's must hold for bounds to compare
_PARTS = ("day week month quarter half year", "first second third fourth", "Q1 Q2 Q3 Q4 H1 H2")


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


@functools.cache
def _parts() -> frozenset[str]:
    """Words for parts of a year, as they are compared."""
    return keys(" ".join(_PARTS))
