"""How wide each column of a printed table must be, so that no word is broken that fits.

Typst's own automatic widths were tried on the bank's report: in tables of ten columns and more they let names
run over the column beside them, for typst neither breaks a name nor takes smaller letters or a turned page.
"""

from dataclasses import dataclass

import numpy as np

from ragassay.report import shortest_widths
from ragassay.report.blocks import TONES, Table, plain
from ragassay.report.typst_text import LONGEST_WORD, breakable

SIZES = (8.6, 7.8, 7.0, 6.3)  # font sizes in points, largest that fits is taken
GUTTER = 9.0  # points between columns
TALL = 482.0  # usable width of an upright A4 page, points
WIDE = 729.0  # and of one on its side
HALF = 231.0  # and of one of two columns
# font size, page width, longest whole word, names broken at joints, least width of running text in font sizes
_LAYOUTS = (
    *((size, TALL, LONGEST_WORD, is_split, 11.0) for size in SIZES[:3] for is_split in (False, True)),
    *((size, TALL, LONGEST_WORD, True, 7.0) for size in SIZES[1:]),
    *((size, TALL, LONGEST_WORD, True, 0.0) for size in SIZES[2:]),
    *((size, WIDE, LONGEST_WORD, True, 7.0) for size in SIZES),
    *((SIZES[-1], WIDE, longest, True, 0.0) for longest in (LONGEST_WORD, 12, 6, 3, 1)),
)
# for tables of few rows, with which a turned page would be nearly empty
_NARROW_LAYOUTS = tuple((SIZES[-1], TALL, longest, True, 0.0) for longest in (12, 8, 6, 4))
_FEW_ROWS = 14
_LINE = 60  # characters that a line of a wide cell surely holds
_LEAST = 6.0  # width in font sizes that running text has where other columns need the room more
_FEW_LINES = 6  # lines that are kept together
_NARROW, _MEDIUM = set("iljtfrI.,:;'|!()[] -"), set("mwMWQO@%—…")


@dataclass(frozen=True)
class Fit:
    """How a table is set: font size, column widths in points, the longest word left whole, whether names may
    break at their joints."""

    size: float
    widths: list[float]
    longest: int
    is_split: bool
    is_turned: bool


def fit_columns(table: Table, upright: float = TALL) -> Fit:
    """Whole words in large letters if they fit; else smaller letters, names broken at their joints, a turned
    page (of few rows: broken words on an upright one), words broken anywhere.

    upright : the width there is, points; a column of a page is never turned
    """
    for size, usable, longest, is_split, comfort in _layouts(table, upright):
        floors = [floor * size + GUTTER for floor in _floors(table, longest, is_split, comfort)]
        if sum(floors) <= usable:
            least = _floors(table, longest, is_split, min(comfort, _LEAST))
            floors = [floor * size + GUTTER for floor in least]
            needs = [need * size + GUTTER for need in _needs(table)]
            return Fit(size, _shared(table, floors, needs, usable, size), longest, is_split, usable == WIDE)
    width, last = max(map(len, [table.columns, *table.rows])), WIDE if upright == TALL else upright
    return Fit(SIZES[-1], [last / width] * width, 1, True, last == WIDE)


def _layouts(table: Table, upright: float) -> list[tuple[float, float, int, bool, float]]:
    """What is tried, in order, at the width there is."""
    tall = [layout for layout in _LAYOUTS if layout[1] == TALL]
    if upright != TALL:
        narrow = [*tall, *_NARROW_LAYOUTS]
        return [(size, upright, longest, is_split, comfort) for size, _, longest, is_split, comfort in narrow]
    return [*tall, *_NARROW_LAYOUTS, *_LAYOUTS] if len(table.rows) < _FEW_ROWS else [*_LAYOUTS]


def is_card(item: Table) -> bool:
    """A table or a record of a few lines, which stays on one page; a longer one breaks between its rows, for
    kept whole it would leave a hole."""
    lines = [
        max(sum(1 + len(line) // _LINE for line in plain(cell).split("\n")) for cell in row)
        for row in item.rows
        if row
    ]
    return sum(lines) <= _FEW_LINES


def has_short_cells(item: Table) -> bool:
    """Whether every row is sure to fit a page, so that none need be torn."""
    return all(len(plain(cell)) <= 700 for row in item.rows for cell in row)


def letters(text: str) -> float:
    """Width of a text in font sizes, on the generous side."""
    return sum(
        0.31
        if letter in _NARROW
        else 0.92
        if letter in _MEDIUM
        else 0.7
        if letter.isupper() or ord(letter) > 0x24F
        else 0.53
        for letter in text
    )


def _cells(table: Table) -> list[list[str]]:
    """Columns of texts, the header first."""
    rows = [[plain(cell) for cell in row] for row in ([table.columns] if table.columns else []) + table.rows]
    width = max(map(len, rows), default=1)
    return [[row[position] if position < len(row) else "" for row in rows] for position in range(width)]


def _floors(table: Table, longest: int, is_split: bool, comfort: float) -> list[float]:
    """The longest piece of each column that must stay whole, and `comfort` for running text; a number with
    its interval is one word."""
    sides = [*table.align, *"l" * 50]
    columns = [
        [piece for text in column for piece in _pieces(text, sides[position], longest, is_split)]
        for position, column in enumerate(_cells(table))
    ]
    floors = [max(map(letters, pieces), default=1.0) * 1.03 + 0.3 for pieces in columns]
    return [max(floor, min(need, comfort)) for floor, need in zip(floors, _needs(table), strict=True)]


def _pieces(text: str, side: str, longest: int, is_split: bool) -> list[str]:
    is_one = text in TONES or (text[:1] in "0123456789−" and len(text) < 30 and (side == "r" or "[" in text))
    return [text] if is_one else breakable(text, longest, is_split=is_split).replace("\u200b", " ").split()


def _needs(table: Table) -> list[float]:
    """The longest line of each column, at most a paragraph's worth."""
    return [
        max([min(letters(line), 48.0) for text in column for line in text.split("\n")], default=1.0) * 1.03
        + 0.3
        for column in _cells(table)
    ]


def _shared(table: Table, floors: list[float], needs: list[float], usable: float, size: float) -> list[float]:
    """All columns at their need if that fits, else those that make the table shortest, or the weights asked
    for if they make it hardly taller."""
    asked = table.widths if table.widths and len(table.widths) == len(floors) else None
    wanted = [usable * weight / sum(asked) for weight in asked] if asked else None
    if sum(needs) <= usable:
        slack = usable - sum(needs)
        spread = [need + slack * need / sum(needs) for need in needs] if slack < 0.3 * usable else needs
        return _lifted(wanted, needs, usable) if wanted else spread
    lengths = np.array([[letters(text) * 1.08 * size for text in column] for column in _cells(table)]).T
    inner = np.array(floors) - GUTTER, np.array(needs) - GUTTER, usable - GUTTER * len(floors)
    best = shortest_widths.shortest(lengths, *inner)
    kept = np.array(_lifted(wanted, floors, usable)) - GUTTER if wanted else best
    chosen = kept if shortest_widths.is_near(kept, best, lengths) else best
    return [float(width) + GUTTER for width in chosen]


def _lifted(wanted: list[float], floors: list[float], usable: float) -> list[float]:
    """The wanted widths, none below its floor, the others giving way."""
    short = [floor > want for want, floor in zip(wanted, floors, strict=True)]
    if not any(short):
        return wanted
    fixed = sum(floor for floor, is_short in zip(floors, short, strict=True) if is_short)
    free = sum(want for want, is_short in zip(wanted, short, strict=True) if not is_short)
    rest = [
        floor if is_short else want * (usable - fixed) / free
        for want, floor, is_short in zip(wanted, floors, short, strict=True)
    ]
    return (
        rest
        if all(width >= floor - 0.01 for width, floor in zip(rest, floors, strict=True)) or not free
        else _lifted(rest, floors, usable)
    )
