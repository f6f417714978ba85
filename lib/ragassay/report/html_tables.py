"""The tables of an output's HTML, as pandas, its Styler or anything else writes it, to blocks.

What a cell holds is data: its letters without its tags.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile
from typing import Any

from lxml.html import HTMLParser, fragment_fromstring

from ragassay.report.blocks import Block, Table, data_table, gap, paragraph
from ragassay.sanitized_text import clean
from ragassay.show import csv_of_rows

MOST_ROWS, MOST_COLUMNS = 25, 20  # in print; the others are attached
MOST_SPAN = 1000  # places that one cell covers
MOST_LETTERS = 2200  # of a cell
MISSING, CUT = ("NaN", "nan", "NaT", "<NA>"), ("...", "…")
UNPRINTED = {"audio", "canvas", "embed", "iframe", "img", "object", "script", "svg", "video"}
_DIMENSIONS = re.compile(r"(\d+) rows × \d+ columns")
_NUMBER = re.compile(r"[-−+<>≈]?\s?[$€£]?\d[\d,.]*(?:e[-+]?\d+)?\s?%?(?:\s*\[[^\]]*\])?", re.IGNORECASE)


def blocks(html: str) -> list[Block]:
    """The tables that a reader sees, then the words outside of them; nothing where there is no table."""
    page = fragment_fromstring(clean(html, 0), "div", parser=HTMLParser(huge_tree=True))
    found = page.xpath(".//table[not(ancestor::table) and not(ancestor::details)]")
    for each in [*page.xpath(".//style"), *found] if found else []:
        each.drop_tree()
    outside = " ".join(page.text_content().split()) if found else ""
    total = sum(map(int, _DIMENSIONS.findall(outside)[:1]))
    shown: list[Block] = [_table(each, total) for each in found]
    if rest := _DIMENSIONS.sub("", outside).strip():
        shown.append(paragraph(rest))
    lost = sorted({each.tag for each in page.iter() if each.tag in UNPRINTED} if found else ())
    return [*shown, gap(f"Not printable: {', '.join(lost)}.")] if lost else shown


def _table(element: Any, total: int) -> Table:
    lines = [(is_head, line) for is_head, line in _grid(element) if line]
    heads, body = ([line for is_head, line in lines if is_head is wanted] for wanted in (True, False))
    width = max(map(len, [*heads, *body]), default=0)
    index = len(list(takewhile(lambda cell: cell.tag == "th", body[0]))) if body else 0  # its columns
    names = [_name([line[at] for line in heads if at < len(line)], at < index) for at in range(width)]
    rows = [[*map(_text, line), *[""] * (width - len(line))] for line in body]
    if index == 1 and not names[0] and _is_count([row[0] for row in rows]):
        names, rows, index = names[1:], [row[1:] for row in rows], 0
    rows = [row[:index] + ["–" if text in MISSING else text for text in row[index:]] for row in rows]
    note, whole = _cut(names, rows, total)
    caption = clean(" ".join(element.xpath("string(./caption)").split()))
    if not rows:
        return Table(caption, [], [], [])
    names, rows = names[:MOST_COLUMNS], [row[:MOST_COLUMNS] for row in rows]
    sides = "".join(_side([row[at] for row in rows]) for at in range(len(names)))
    table = data_table(caption, names, rows[:MOST_ROWS], align=sides, note=note)
    return replace(table, whole=whole)


def _grid(table: Any) -> Iterator[tuple[bool, list[Any]]]:
    """Each row, whether of the head, with its cells: one that covers several places is in each of them."""
    held: dict[int, tuple[Any, int]] = {}  # by place: a cell from above, for so many rows more
    for row in table.xpath("./tr|./*/tr"):
        line: list[Any] = []
        for cell in [*row.xpath("./th|./td"), None]:
            while len(line) in held:
                above, left = held.pop(len(line))
                if left > 1:
                    held[len(line)] = (above, left - 1)
                line.append(above)
            for _ in range(0 if cell is None else _span(cell, "colspan")):
                if (rows := _span(cell, "rowspan")) > 1:
                    held[len(line)] = (cell, rows - 1)
                line.append(cell)
        yield row.getparent().tag == "thead", line


def _span(cell: Any, name: str) -> int:
    given = cell.get(name, "1")
    return min(int(given), MOST_SPAN) if re.fullmatch("[1-9][0-9]{0,8}", given) else 1


def _text(cell: Any) -> str:
    for line in cell.iter("br"):
        line.tail = f"\n{line.tail or ''}"
    return clean(str(cell.text_content()).strip(), MOST_LETTERS)


def _name(heads: list[Any], is_index: bool) -> str:
    """The words over a column; of an index the lowest, which is its own name."""
    named = [text for text in dict.fromkeys(map(_text, heads)) if text]
    return "".join(named[-1:]) if is_index else " · ".join(named)


def _is_count(labels: list[str]) -> bool:
    """Whether an index counts the rows from 0, as far as the first that are left out."""
    first = list(takewhile(lambda label: label not in CUT, labels))
    return first == [str(place) for place in range(len(first))]


def _side(texts: list[str]) -> str:
    said = [text for text in texts if text not in ("", "–", *CUT)]
    return "r" if said and all(map(_NUMBER.fullmatch, said)) else "l"


def _cut(names: list[str], rows: list[list[str]], total: int) -> tuple[str, bytes]:
    """How many rows and columns are printed if not all, and all of them as CSV where they are there."""
    is_cut = any(row and set(row) <= set(CUT) for row in rows)  # pandas has left rows out
    total = total or (0 if is_cut else len(rows))
    printed = min(len(rows), MOST_ROWS) - (is_cut and len(rows) <= MOST_ROWS)
    notes = []
    if printed != total:
        first = "First " * (len(rows) > MOST_ROWS)
        notes.append(f"{first}{printed} of {total:,} rows" if total else f"{first}{printed} rows of more")
    if len(names) > MOST_COLUMNS:
        notes.append(f"First {MOST_COLUMNS} of {len(names)} columns")
    return ", ".join(notes), csv_of_rows(names, rows) if notes and total == len(rows) else b""
