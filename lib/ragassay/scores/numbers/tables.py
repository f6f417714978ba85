"""Rows and prose of a text: tables are read back in two layouts: cells parted by signs (`|`, a tab, `;`, two
spaces); a label and its numbers on one line, as a PDF gives them.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

WORDS, LONG = 14, 60  # words of a label, characters of a line that holds one cell; a longer one is prose
TITLE = 12  # words told of what stands before a table, the last ones
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


def read_lines(text: str) -> list[Line]:
    """The rows and the prose of a text in order; linear in its length."""
    found, heading, rows = list[Line](), tuple[str, ...](), 0
    section = caption = ""
    for line in map(str.strip, text.splitlines()):
        if not line or _RULE.match(line):
            continue
        parts, parted = _split(line)
        starts = [i for i, part in enumerate(parts) if _START.match(part) or part.lower() in _BLANK]
        first = next(filter(None, starts), len(parts))
        label, cells = " ".join(parts[:first]).strip(), parts[first:]
        if _is_heading(parts, parted, cells, rows):
            heading, rows = parts if parted else ("", *cells), 0
            caption, section = f"{caption} {parts[0] if parted else label}".strip()[-LONG * 4 :], ""
            if any(re.search(r"\d", _YEAR.sub("", part)) for part in parts):
                found.append(Line(" ".join(parts), prose=True))
        elif cells:
            rows += 1
            lacking = len(cells) - len(heading)
            above = ("",) * len(cells) if lacking > 0 else heading[-lacking:]
            found.append(Line(label, cells, above, section, caption))
        else:
            whole, rows = " ".join(parts), 0
            if _is_prose(whole):
                heading, section, caption = (), "", whole[: LONG * 4]
            else:
                section, caption = whole, f"{caption} {whole}"[-LONG * 4 :]
            found.append(Line(whole, prose=True))
    return found


@lru_cache(2048)
def told_rows(passage: str) -> tuple[str, ...]:
    """Every row of the passage's tables as a text of its own; linear in its length."""
    return tuple(tell(line) for line in read_lines(passage) if not line.prose)


def tell(line: Line) -> str:
    """A row: its label, each cell after its heading, then its section and the end of the table's title."""
    pairs = zip(line.headings, line.cells, strict=True)
    cells = "; ".join(f"{heading} {cell}".strip() for heading, cell in pairs)
    title = " ".join(line.caption.split()[-TITLE:])
    around = ", ".join(part for part in (line.section, title) if part and part not in line.headings)
    return (f"{line.label}: " if line.label else "") + cells + (f" ({around})" if around else "")


def is_number(cell: str) -> bool:
    """Whether a cell holds a number alone, or the sign that there is none."""
    if cell.lower() in _BLANK:
        return True
    plain = cell.replace("$ ", "$").replace("£ ", "£").replace("€ ", "€")
    is_alone = bool(_CELL.fullmatch(plain)) and not _THOUSANDS.fullmatch(plain)
    return is_alone and ("(" in plain or ")" not in plain)


def _split(line: str) -> tuple[tuple[str, ...], bool]:
    """The parts of a line, and whether signs part them; else a label and each number at the end are parts."""
    body = line.strip("|").strip()
    ruled = "|" in line or "\t" in line
    whole = not ruled and _is_prose(body) and body.endswith((".", ":", "!", "?"))
    parts = tuple(_MARKS.split(body)) if _MARKS.search(body) and not whole else (body,)
    if line.startswith("|") and line[1:].lstrip().startswith("|"):
        parts = ("", *parts)
    holds_label = _trailing(parts[0]) > 0 and not is_number(parts[0])
    if not ruled and (len(parts) < 3 or holds_label):
        words = body.replace(" / ", " ").split()
        if count := _trailing(" ".join(words)):
            return (" ".join(words[:-count]), *words[-count:]), False
    return parts, len(parts) > 1


def _trailing(line: str) -> int:
    """How many numbers a line ends on, after a label of at most WORDS words or none."""
    words, count = line.split(), 0
    while count < len(words) and (is_number(words[-1 - count]) or _YEAR.fullmatch(words[-1 - count])):
        count += 1
    some = any(word.lower() not in _BLANK for word in words[len(words) - count :])
    return count if some and len(words) - count <= WORDS else 0


def _is_heading(parts: Sequence[str], parted: bool, cells: Sequence[str], rows: int) -> bool:
    """Whether a row heads columns: years and dates alone, or texts that stand over a row of numbers."""
    if cells and all(map(_YEAR.fullmatch, cells)):
        return True
    if not parted or any(
        all(map(is_number, cell.split() or [""])) and not _YEAR.fullmatch(cell) for cell in cells
    ):
        return False
    return not cells or not rows or all(map(_YEAR.search, cells))


def _is_prose(text: str) -> bool:
    return len(text) > 2 * LONG or (text.endswith(".") and len(text.split()) > WORDS / 2)
