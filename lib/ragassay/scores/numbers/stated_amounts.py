"""What passages state in numbers: each with its line item, column, period, unit and scale."""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragassay.scores.numbers.amounts import Amount, find_amounts, plain_amounts, years
from ragassay.scores.numbers.number_words import keys
from ragassay.scores.numbers.prose_number_subjects import Place, bounded_words, read_places
from ragassay.scores.numbers.table_cells import Line, is_number, read_lines
from ragassay.scores.numbers.units import Unit, is_share, label_scale, units_of

TIMES = frozenset(("time", name) for name in ("day", "week", "month", "quarter", "year"))  # often of a period
_WORDS = re.compile(r"\S+")
WIDE = 50  # cells of a row that are read together
NEAR = 8  # words on either side of a number in prose that tell what it is of
ALIKE = 50  # items of subjects that begin alike that are read
LONGEST = 40  # characters of a word around a number that are read


class Item(NamedTuple):
    """A row of a table, or a number's neighbourhood in prose: its words, the years it names, its cells.

    series : the same of all numbers of one row, or of one subject and unit in the prose of one passage
    place : what a number's own clause says of it, in prose
    """

    label: str
    keys: frozenset[str]
    years: frozenset[str]
    passage: int
    table: bool
    cells: tuple[int, ...]
    series: Hashable
    place: Place | None = None


class Cell(NamedTuple):
    """A number of a passage: as written, its amount, heading, period, units, scale (None: not said), item."""

    written: str
    amount: Amount
    heading: str
    keys: frozenset[str]
    years: frozenset[str]
    units: frozenset[Unit]
    scale: int | None
    item: int

    @property
    def full(self) -> float:
        """Its value with its scale."""
        return self.amount.value if self.amount.scale else self.amount.value * 10.0 ** (self.scale or 0)


@dataclass(frozen=True)
class StatedAmounts:
    """The numbers of some passages."""

    items: tuple[Item, ...]
    cells: tuple[Cell, ...]

    @cached_property
    def by_key(self) -> dict[str, list[int]]:
        """The items that hold a word."""
        found = defaultdict(list)
        for place, item in enumerate(self.items):
            for key in item.keys:
                found[key].append(place)
        return found

    @cached_property
    def by_subject(self) -> dict[str, list[int]]:
        """The prose items whose subject begins with a word, in the order of the alphabet; at most ALIKE."""
        found = defaultdict[str, list[int]](list)
        for place, item in enumerate(self.items):
            if item.place and item.place.subject and len(of_word := found[min(item.place.subject)]) < ALIKE:
                of_word.append(place)
        return found

    @cached_property
    def lengths(self) -> NDArray:
        """Of each item's label, by the weight of its words."""
        return np.array([sqrt(sum(self.rarity(key) ** 2 for key in item.keys)) or 1.0 for item in self.items])

    @cached_property
    def sorted(self) -> tuple[NDArray, NDArray]:
        """The values with and without their scale in order, and the cells they stand in."""
        values = [value for cell in self.cells for value in (cell.full, cell.amount.value)]
        order = np.argsort(values, kind="stable")
        return np.array(values, dtype=float)[order], np.repeat(np.arange(len(self.cells)), 2)[order]

    def rarity(self, key: str) -> float:
        """How much a word tells: less, the more items hold it."""
        return log(1 + len(self.items) / (1 + len(self.by_key.get(key, ()))))

    @cached_property
    def item_of_cell(self) -> NDArray:
        """(cells,) the number of each cell's item."""
        return np.array([cell.item for cell in self.cells], dtype=int)

    def between(self, low: float, high: float) -> NDArray:
        """The cells whose value, with or without its scale, lies in an interval."""
        values, places = self.sorted
        return np.unique(places[np.searchsorted(values, low) : np.searchsorted(values, high, "right")])

    def matches(self, weights: dict[str, float]) -> NDArray:
        """How well each item's words meet weighted words: a cosine, from 0 upwards."""
        found = np.zeros(len(self.items))
        for key, weight in weights.items():
            found[self.by_key.get(key, [])] += weight * self.rarity(key) ** 2
        return found / self.lengths if len(found) else found


@lru_cache(maxsize=64)
def stated_amounts(passages: tuple[str, ...]) -> StatedAmounts:
    """Every number of the passages; linear in their length."""
    items, cells = list[Item](), list[Cell]()
    for place, passage in enumerate(passages):
        scale = None
        for line in read_lines(passage):
            own = label_scale(line.caption or (line.label if line.prose else ""))
            scale = scale if own is None else own
            for part in [line] if line.prose else _parts(line):
                (_prose if line.prose else _row)(part, place, scale, items, cells)
    return StatedAmounts(tuple(items), tuple(cells))


def _parts(line: Line) -> Iterator[Line]:
    """A row, in parts of WIDE cells if it has more."""
    for start in range(0, len(line.cells), WIDE):
        end = start + WIDE
        yield line._replace(cells=line.cells[start:end], headings=line.headings[start:end])


def _row(line: Line, passage: int, scale: int | None, items: list[Item], cells: list[Cell]) -> None:
    first, label = len(cells), f"{line.label} {line.section}"
    named, own, at = units_of(line.label), label_scale(line.label), years(line.label)
    _, _, of_all, of_table = _read_heading(line.caption)
    numbered = [(line.label, "")] if is_number(line.label) else []
    for text, heading in [*numbered, *zip(line.cells, line.headings, strict=True)]:
        words, above, moments, units = _read_heading(heading)
        for amount in plain_amounts(text) if is_number(text) else find_amounts(text):
            inner = units_of(text) | ({amount.unit} if amount.unit else set())
            told = frozenset(inner) or units - TIMES or named - TIMES or units or named
            known = above if above is not None else own if own is not None else scale
            percent = any(map(is_share, told))
            cells.append(
                Cell(text, amount, heading, words, moments or at or of_all, told or of_table,
                     0 if percent or amount.scale else known, len(items))
            )  # fmt: skip
    if len(cells) > first:
        items.append(
            Item(line.label, keys(label), at, passage, True, tuple(range(first, len(cells))), len(items))
        )


def _prose(line: Line, passage: int, scale: int | None, items: list[Item], cells: list[Cell]) -> None:
    text = line.label
    found = sorted([*find_amounts(text), *bounded_words(text)])
    words = [word[:LONGEST] for word in text.split()] if found else []
    starts = np.array([match.start() for match in _WORDS.finditer(text)] if found else [])
    for amount, own in zip(found, read_places(text, found), strict=True):
        at = int(np.searchsorted(starts, amount.start, "right")) - 1
        around = " ".join(words[max(0, at - NEAR) : at + NEAR])
        units = units_of(" ".join(words[at : at + 4])) | ({amount.unit} if amount.unit else set())
        when = years(around) if own.years is None else own.years
        cells.append(
            Cell(text[amount.start : amount.end], amount, "", frozenset(), when, frozenset(units),
                 None if amount.unit is None else 0, len(items))
        )  # fmt: skip
        told = frozenset(key for key in keys(around) if not key.isdecimal())
        series = (passage, amount.unit, own.subject) if own.subject else len(items)
        items.append(Item(around, told | own.subject, when, passage, False, (len(cells) - 1,), series, own))


@lru_cache(maxsize=4096)
def _read_heading(text: str) -> tuple[frozenset[str], int | None, frozenset[str], frozenset[Unit]]:
    return keys(text), label_scale(text), years(text), units_of(text)
