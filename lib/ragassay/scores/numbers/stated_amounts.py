"""What passages state in numbers: each with its line item, column, period, unit and scale.

Tables are read back in two layouts: cells parted by signs (`|`, a tab, `;`, two spaces); a label and its
numbers on one line, as a PDF gives them. In prose a number's own clause tells what it is of.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from math import log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragassay.scores.numbers.amounts import (
    Amount,
    Unit,
    amounts_of_cell,
    find_amounts,
    is_share,
    label_scale,
    units_of,
    years,
)
from ragassay.scores.text_reading import word_comparison, word_lists

TIMES = frozenset(("time", name) for name in ("day", "week", "month", "quarter", "year"))  # often of a period
KEY = 6  # letters of a stem by which words are compared: operating, operations
NEAR = 8  # words on either side of a number in prose that tell what it is of
LONGEST = 40  # characters of a word around a number that are read
WORDS, LONG = (
    14,
    60,
)  # words of a label at most, a longer line is prose; characters of a line that holds one cell
WIDE = 160  # characters on either side of a number that are read
_MARKS = re.compile(r"(?<!\s)\s*\|\s*|\t+|(?<!\s)\s*;\s+|[ \xa0]{2,}|(?<!\s)\s+/\s+")
_RULE = re.compile(r"[\s|:+=_-]*\Z")
_BLANK = frozenset({"-", "—", "–", "--", "n/a", "na", "nil", "..", "n.a.", "nm", "$", "£", "€"})
_START = re.compile(r"[(+\-−–~<>≤≥ ]{0,3}(?:US|[A-Z]{3} ?)?[$€£¥₹]?[ (−-]{0,2}\d")
_CELL = re.compile(
    r"[(+\-−–]{0,2}(?:US)?[$€£¥₹]?[(−-]?\d(?:[\d.,]{0,30}\d)?\)?(?:%|pp|bp|x|bn|m|k|p)?\)?%?[*†]?"
)
_THOUSANDS = re.compile(r"\(?[$€£¥₹]?['’]?000s?\)?")
_YEAR = re.compile(
    r"(?:FY ?)?(?:19|20)\d\d(?:[/–-]\d\d)?\*?|\d{1,2}[/.]\d{1,2}[/.](?:\d{4}|\d\d)|Q[1-4](?: (?:19|20)\d\d)?"
)
_END = re.compile(r"[.!?](?=\s{1,4}[\"'“‘(\[*]{0,3}[^\W\d_a-z])")
_JOINT = re.compile(r";\s|,?\s(?:and|but|while|whereas|although|though|y|pero|mientras|e|mas|enquanto)\s")
_PRONOUN = re.compile(r"\b(?:it|they|this|these|that|which)\b", re.IGNORECASE)
_IN_YEAR = re.compile(
    r"[\s(]{0,2}(?:(?:in|for|at|during|of|by|en|em|the|year|end|year-end|fiscal|financial)\s){0,5}"
    r"((?:19|20)\d\d)\b(?!\s?(?:,|/|-|–|and|to|y|e)\s?(?:in\s)?(?:19|20)\d\d)"
)
_BEFORE_THAT = re.compile(
    r"\b(?:compared|earlier|before|prior|previous|preceding|last|against|versus|vs|than)\b", re.IGNORECASE
)
_OFTEN = re.compile(
    r"(?<!within )(?<!for )(?<!in )(?<!than )(?<!after )(?<!half )(?<!of )(?<!from )"
    r"\b(?:(?:per|each|every|an?)\s(?:(?:calendar|business|working|single|full)\s)?"
    r"(day|week|month|quarter|year)(?!\s(?:ago|earlier|before|later|or|after|of|in|from))"
    r"|(dai)ly|(week)ly|(month)ly|(quarter)ly|(year)ly|per\s(annum)|(annual)(?:ly)?|(AER|APR)|(p\.a)\.)\b"
    r"(?!\s(?:report|percentage|general|statement|review|meeting|equivalent|account))",
    re.IGNORECASE,
)
_OFTEN_NAMES = {"dai": "day", "annum": "year", "annual": "year", "aer": "year", "apr": "year", "p.a": "year"}
FROM = re.compile(r"\bfrom[ \xa0]\S{0,4}\Z", re.IGNORECASE)


class Line(NamedTuple):
    """A line of a text: its label, its cells in order with the heading of each; `prose` if it is no row.

    headings : as many as cells, "" where none is known
    section : the line without numbers that it stands under; caption : what was said before of all its table
    """

    label: str
    cells: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    section: str = ""
    caption: str = ""
    prose: bool = False


class Place(NamedTuple):
    """What the clause around a number says of it.

    subject : the words before it, or those of the number before where it has none of its own
    years : those told of it, None if they cannot be told apart
    often : the periods it is told for (day, month)
    """

    subject: frozenset[str]
    years: frozenset[str] | None
    often: frozenset[str]


class Item(NamedTuple):
    """A row of a table, or a number's neighbourhood in prose: its words, its cells.

    series : the same of all numbers of one row, or of one subject and unit in the prose of one passage
    often : the periods that a number is told for in its clause (day, month), in prose
    """

    label: str
    keys: frozenset[str]
    passage: int
    table: bool
    cells: tuple[int, ...]
    series: Hashable
    often: frozenset[str] = frozenset()


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
    def units(self) -> frozenset[Unit]:
        """All units of the cells."""
        return frozenset(unit for cell in self.cells for unit in cell.units)

    @cached_property
    def lengths(self) -> NDArray:
        """Of each item's label, by the weight of its words."""
        return np.array([sqrt(sum(self.rarity(key) ** 2 for key in item.keys)) or 1.0 for item in self.items])

    @cached_property
    def values(self) -> NDArray:
        """The value of each cell with and without its scale, shape (n, 2)."""
        return np.array([(cell.full, cell.amount.value) for cell in self.cells]).reshape(-1, 2)

    def rarity(self, key: str) -> float:
        """How much a word tells: less, the more items hold it."""
        return log(1 + len(self.items) / (1 + len(self.by_key.get(key, ()))))

    def between(self, low: float, high: float) -> NDArray:
        """The cells whose value, with or without its scale, lies in an interval."""
        return np.flatnonzero(((self.values >= low) & (self.values <= high)).any(axis=1))

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
            if line.prose:
                _read_prose(line.label, place, items, cells)
            _read_row(line, place, scale, items, cells)
    return StatedAmounts(tuple(items), tuple(cells))


def keys(text: str) -> list[str]:
    """The words of a text that carry matter, in the form in which line items are compared."""
    return [
        word.stem[:KEY]
        for word in word_comparison.words(text)
        if word.content and not (len(word.lower) == 4 and word.lower[:2] in ("19", "20"))
    ]


def _read_row(line: Line, passage: int, scale: int | None, items: list[Item], cells: list[Cell]) -> None:
    first, own, at = len(cells), label_scale(line.label), years(line.label)
    named, (_, _, of_all, of_table) = units_of(line.label), _read_heading(line.caption)
    numbered = [(line.label, "")] if is_number(line.label) else []
    for text, heading in [*numbered, *zip(line.cells, line.headings, strict=True)]:
        words, above, moments, units = _read_heading(heading)
        known = above if above is not None else own if own is not None else scale
        for amount in amounts_of_cell(text) if is_number(text) else find_amounts(text):
            inner = units_of(text) | ({amount.unit} if amount.unit else set())
            told = frozenset(inner) or units - TIMES or named - TIMES or units or named
            scaled = 0 if any(map(is_share, told)) or amount.scale else known
            moment, unit = moments or at or of_all, told or of_table
            cells.append(Cell(text, amount, heading, words, moment, unit, scaled, len(items)))
    if len(cells) > first:
        words = frozenset(keys(f"{line.label} {line.section}"))
        own_cells = tuple(range(first, len(cells)))
        items.append(Item(line.label, words, passage, True, own_cells, len(items)))


@lru_cache(maxsize=4096)
def _read_heading(text: str) -> tuple[frozenset[str], int | None, frozenset[str], frozenset[Unit]]:
    return frozenset(keys(text)), label_scale(text), years(text), units_of(text)


def _read_prose(text: str, passage: int, items: list[Item], cells: list[Cell]) -> None:
    found = find_amounts(text)
    words = [word[:LONGEST] for word in text.split()] if found else []
    starts = [match.start() for match in re.finditer(r"\S+", text)] if found else []
    for amount, own in zip(found, read_places(text, found), strict=True):
        at = bisect_right(starts, amount.start) - 1
        around = " ".join(words[max(0, at - NEAR) : at + NEAR])
        units = units_of(" ".join(words[at : at + 4])) | ({amount.unit} if amount.unit else set())
        when = years(around) if own.years is None else own.years
        written, scale = text[amount.start : amount.end], None if amount.unit is None else 0
        cells.append(Cell(written, amount, "", frozenset(), when, frozenset(units), scale, len(items)))
        told = frozenset(key for key in keys(around) if not key.isdecimal())
        series = (passage, amount.unit, own.subject) if own.subject else len(items)
        items.append(Item(around, told | own.subject, passage, False, (len(cells) - 1,), series, own.often))


def read_places(text: str, amounts: Sequence[Amount]) -> list[Place]:
    """What its clause says of each number of a text, which come in order; linear in its length."""
    ends = [match.end() for match in _END.finditer(text)]
    found, last, sentence, year = list[Place](), 0, -1, 0
    for place, amount in enumerate(amounts):
        before_this = bisect_right(ends, amount.start)
        goes_on = before_this == sentence
        start = max(last, year, ends[before_this - 1] if before_this else 0, amount.start - WIDE)
        following = amounts[place + 1].start if place + 1 < len(amounts) else len(text)
        stop = min(following, ends[before_this] if before_this < len(ends) else len(text), amount.end + WIDE)
        after = text[amount.end : max(stop, amount.end)]
        tail = _tail(text[start : amount.start], goes_on)
        joint = _JOINT.search(after)
        own, rest = _matter(tail), after[: joint.start()] if joint else after
        near = found and before_this - sentence < 2
        inherits = not own and near and (goes_on or _PRONOUN.search(tail))
        often = [next(filter(None, one.groups())).lower() for one in _OFTEN.finditer(f"{tail} # {rest}")]
        found.append(
            Place(
                found[-1].subject if inherits else own,
                _years_told(tail, after),
                frozenset(_OFTEN_NAMES.get(word, word) for word in often),
            )
        )
        at = _IN_YEAR.match(after)
        last, sentence, year = amount.end, before_this, amount.end + at.end() if at else 0
    return found


def _tail(before: str, goes_on: bool) -> str:
    """What stands before a number in its own clause; after another number, any conjunction begins one."""
    joints = list(_JOINT.finditer(before))
    if not joints:
        return before
    if goes_on:
        return before[joints[0].end() :]
    is_clause = word_lists.has_sign("finite", before[: joints[-1].start()])
    return before[joints[-1].end() :] if is_clause else before


def _years_told(tail: str, after: str) -> frozenset[str] | None:
    """The years told of a number: beside it (`in 2022`), else the one before it; of `from 5` none."""
    beside = _IN_YEAR.match(after)
    if "respectively" in after:
        return None
    if beside:
        return frozenset([beside[1]])
    if FROM.search(tail) or _BEFORE_THAT.search(tail) or _BEFORE_THAT.search(after[:40]):
        return frozenset()
    told = years(tail)
    return told if len(told) == 1 else None


def _matter(text: str) -> frozenset[str]:
    """The words of a clause but numbers, dates and verbs of stating."""
    return frozenset(key for key in keys(text) if key not in _stating() and not key.isdecimal())


@cache
def _stating() -> frozenset[str]:
    verbs = word_lists.alternatives("stating").replace("|", " ")
    return frozenset([*keys(verbs), *keys(" ".join(word_comparison.kind("date")))])


class _Raw(NamedTuple):
    cells: tuple[str, ...]
    parted: bool


def read_lines(text: str) -> list[Line]:
    """The rows and the prose of a text in order; linear in its length."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return list(_with_headings([_parted(line) for line in lines if not _RULE.match(line)]))


def _parted(line: str) -> _Raw:
    body = line.strip("|").strip()
    ruled = "|" in body or "\t" in body
    whole = not ruled and _is_prose(body) and body.endswith((".", ":", "!", "?"))
    cells = tuple(_MARKS.split(body)) if _MARKS.search(body) and not whole else (body,)
    if line.startswith("|") and line[1:].lstrip().startswith("|"):
        cells = ("", *cells)
    holds_label = _trailing(cells[0]) > 0 and not is_number(cells[0])
    if "|" not in line and "\t" not in line and (len(cells) < 3 or holds_label):
        split, words = _trailing(body.replace(" / ", " ")), body.replace(" / ", " ").split()
        if split:
            return _Raw((" ".join(words[:-split]), *words[-split:]), False)
    return _Raw(cells, len(cells) > 1)


def _trailing(line: str) -> int:
    """How many numbers a line ends on, after a label of at most WORDS words or none."""
    words, count = line.split(), 0
    while count < len(words) and (is_number(words[-1 - count]) or _YEAR.fullmatch(words[-1 - count])):
        count += 1
    some = any(word.lower() not in _BLANK for word in words[len(words) - count :])
    return count if some and len(words) - count <= WORDS else 0


def is_number(cell: str) -> bool:
    """Whether a cell holds a number alone, or the sign that there is none."""
    if cell.lower() in _BLANK:
        return True
    plain = cell.replace("$ ", "$").replace("£ ", "£").replace("€ ", "€")
    is_alone = bool(_CELL.fullmatch(plain)) and not _THOUSANDS.fullmatch(plain)
    return is_alone and ("(" in plain or ")" not in plain)


def _is_value(cell: str) -> bool:
    words = cell.split()
    return is_number(words[0] if words and all(map(is_number, words)) else cell) and not _YEAR.fullmatch(cell)


def _with_headings(lines: Sequence[_Raw]) -> Iterator[Line]:
    heading, rows = tuple[str, ...](), 0
    section = caption = ""
    for raw in lines:
        label, cells = _label(raw)
        if _is_heading(raw, cells, rows):
            corner = raw.cells[: len(raw.cells) - len(cells)] if raw.parted else ("",)
            heading, rows = (*corner, *cells), 0
            caption, section = f"{caption} {raw.cells[0] if raw.parted else label}".strip()[-LONG * 4 :], ""
            if any(re.search(r"\d", _YEAR.sub("", cell)) for cell in raw.cells):
                yield Line(" ".join(raw.cells), prose=True)
        elif cells:
            rows += 1
            lacking = len(cells) - len(heading)
            above = ("",) * len(cells) if lacking > 0 else heading[-lacking:]
            yield Line(label, cells, above, section, caption)
        else:
            text = " ".join(raw.cells)
            if _is_prose(text):
                heading, section, caption = (), "", text[: LONG * 4]
            else:
                section = text
                caption = f"{caption} {text}"[-LONG * 4 :]
            rows = 0
            yield Line(text, prose=True)


def _label(raw: _Raw) -> tuple[str, tuple[str, ...]]:
    """The leading cells that are no numbers, and the rest; the first cell is a label in any case."""

    def starts(cell: str) -> bool:
        return bool(_START.match(cell)) or cell.lower() in _BLANK

    first = 1
    if not raw.parted and raw.cells and starts(raw.cells[0]) and len(raw.cells[0].split()) == 1:
        first = 0 if not _YEAR.fullmatch(raw.cells[0]) else 1
    while first < len(raw.cells) and not starts(raw.cells[first]):
        first += 1
    return " ".join(raw.cells[:first]).strip(), raw.cells[first:]


def _is_heading(raw: _Raw, cells: Sequence[str], rows: int) -> bool:
    """Whether a row heads columns: years and dates alone, or texts that stand over a row of numbers."""
    if cells and all(map(_YEAR.fullmatch, cells)):
        return True
    if not raw.parted or len(raw.cells) < 2 or any(map(_is_value, cells)):
        return False
    return not cells or not rows or all(map(_YEAR.search, cells))


def _is_prose(text: str) -> bool:
    return len(text) > 2 * LONG or (text.endswith(".") and len(text.split()) > WORDS / 2)
