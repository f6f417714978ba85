"""How wide each column of a printed table must be, so that no word is broken that fits.

Typst's own automatic widths were tried on the bank's report: in tables of ten columns and more they let names
run over the column beside them, for typst neither breaks a name nor takes smaller letters or a turned page.
"""

from dataclasses import dataclass

import numpy as np

from ragassay.report.blocks import TONES, Inlines, Table, plain
from ragassay.report.printed_text import BREAK, LONGEST_WORD, breakable

SIZES = (8.6, 7.8, 7.0, 6.3)  # font sizes in points, the largest that fits is taken
GUTTER = 9.0  # points between columns
TALL = 482.0  # usable width of an upright A4 page, points
WIDE = 729.0  # and of one on its side
HALF = 231.0  # and of one of two columns
FEW_ROWS = 14  # with which a turned page would be nearly empty
_NARROW, _MEDIUM = set("iljtfrI.,:;'|!()[] -"), set("mwMWQO@%—…")
# font size, longest whole word, names broken at joints, least width of running text in font sizes
_WHOLE = tuple((size, LONGEST_WORD, is_split, 11.0) for size in SIZES[:3] for is_split in (False, True))
_TIGHT = tuple((size, LONGEST_WORD, True, 6.0) for size in SIZES[1:])
_BROKEN = tuple((SIZES[-1], longest, True, 0.0) for longest in (LONGEST_WORD, 12, 8, 6, 4))
_TURNED = (*((size, LONGEST_WORD, True, 7.0) for size in SIZES), *_BROKEN, (SIZES[-1], 1, True, 0.0))


@dataclass(frozen=True)
class Fit:
    """How a table is set: font size, column widths in points, the longest word left whole, whether names may
    break at their joints."""

    size: float
    widths: list[float]
    longest: int
    is_split: bool
    is_turned: bool


def fit_columns(table: Table, upright: float = TALL, turned: float = 0.0) -> Fit:
    """Whole words in large letters if they fit; else smaller letters, names broken at their joints, a turned
    page (of few rows: broken words on an upright one), words broken anywhere.

    upright, turned : the widths there are, points; without a second the page cannot be turned
    """
    is_short = len(table.rows) < FEW_ROWS or not turned
    tries = [(upright, *each) for each in (*_WHOLE, *_TIGHT, *(_BROKEN if is_short else ()))]
    tries += [(turned, *each) for each in _TURNED] if turned else []
    columns = _columns(table)
    sides = [*table.align, *"l" * len(columns)]
    lines = [max(map(_line_width, cells)) for cells in columns]
    for usable, size, longest, is_split, least in tries:
        words = [_word_width(*each, longest, is_split) for each in zip(columns, sides, strict=False)]
        floors = [
            max(word, min(line, max(least, line / 9) if least > 6 else least))
            for word, line in zip(words, lines, strict=True)
        ]
        if sum(floors) * size + GUTTER * len(floors) <= usable:
            floors = [max(word, min(line, least, 6.0)) for word, line in zip(words, lines, strict=True)]
            least_points, most_points = (
                [width * size + GUTTER for width in each] for each in (floors, lines)
            )
            widths = _shared(table, columns, least_points, most_points, usable)
            return Fit(size, widths, longest, is_split, usable == turned)
    last = turned or upright
    return Fit(SIZES[-1], [last / len(columns)] * len(columns), 1, True, bool(turned))


def is_card(item: Table) -> bool:
    """A table of at most six lines, which stays on one page; a longer one breaks between its rows, for kept
    whole it would leave a hole."""
    rows = [[plain(cell).split("\n") for cell in row] for row in item.rows if row]
    return sum(max(sum(1 + len(line) // 60 for line in cell) for cell in row) for row in rows) <= 6


def is_short_row(row: list[Inlines]) -> bool:
    """Whether the row is sure to fit a page, so that it need not be torn."""
    return all(len(plain(cell)) <= 700 for cell in row)


def _columns(table: Table) -> list[list[str]]:
    """Columns of texts, the header first."""
    rows = [[plain(cell) for cell in row] for row in ([table.columns] if table.columns else []) + table.rows]
    width = max(map(len, rows), default=1) or 1
    return [[row[place] if place < len(row) else "" for row in rows] for place in range(width)]


def _width(text: str) -> float:
    """Width of a text in font sizes, on the generous side."""
    width = 0.0
    for letter in text:
        if letter in _NARROW:
            width += 0.31
        elif letter in _MEDIUM:
            width += 0.92
        else:
            width += 0.7 if letter.isupper() or ord(letter) > 0x24F else 0.53
    return width * 1.03 + 0.3


def _line_width(text: str) -> float:
    """Of its longest line."""
    return max(map(_width, text.split("\n")))


def _word_width(cells: list[str], side: str, longest: int, is_split: bool) -> float:
    """The longest piece of a column that must stay whole; a judgement, or a number with its interval, is one
    word."""
    width = 1.0
    for text in cells:
        is_number = text[:1] in "0123456789−" and len(text) < 30 and (side == "r" or "[" in text)
        is_one = text in TONES or is_number
        pieces = [text] if is_one else breakable(text, longest, is_split=is_split).replace(BREAK, " ").split()
        width = max([width, *map(_width, pieces)])
    return width


def _shared(
    table: Table, columns: list[list[str]], floors: list[float], lines: list[float], usable: float
) -> list[float]:
    """Widths that sum to the room: each between its floor and its longest line, in proportion to the weights
    that were asked for, or to those that make the sum of the squared numbers of lines least."""
    most = np.maximum(lines, floors)
    if table.widths and len(table.widths) == len(columns):
        weights, most = np.array(table.widths), np.full(len(columns), usable)
    elif most.sum() <= usable:
        return list(min(usable / most.sum(), 1.3) * most)
    else:
        weights = np.array([sum(_width(text) ** 2 for text in cells) + 1 for cells in columns]) ** (1 / 3)
    low, high = 0.0, 2 * usable / weights.min()
    for _ in range(50):
        factor = (low + high) / 2
        widths = np.clip(factor * weights, floors, most)
        low, high = (low, factor) if widths.sum() > usable else (factor, high)
    return widths.tolist()
