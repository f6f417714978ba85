"""Tables as a page, a web page or markdown flattens them, read back: each number with its row and its column.

Three layouts: cells parted by signs (`|`, a tab, `;`, two spaces); a label and its numbers on one line, as a
PDF gives them; one cell a line, as a web page stripped of its marks does.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_MARKS = re.compile(r"(?<!\s)\s*\|\s*|\t+|(?<!\s)\s*;\s+|[ \xa0]{2,}|(?<!\s)\s+/\s+")
_RULED = re.compile(r"[|\t]")
_RULE = re.compile(r"[\s|:+=_-]*\Z")
_BLANK = frozenset({"-", "—", "–", "--", "n/a", "na", "nil", "..", "n.a.", "nm", "$", "£", "€"})
_START = re.compile(r"[(+\-−–~<>≤≥ ]{0,3}(?:US|[A-Z]{3} ?)?[$€£¥₹]?[ (−-]{0,2}\d")
_NUMBER = re.compile(
    r"[(+\-−–]{0,2}(?:US)?[$€£¥₹]?[(−-]?\d(?:[\d.,]{0,30}\d)?\)?(?:%|pp|bp|x|bn|m|k|p)?\)?%?[*†]?"
)
_THOUSANDS = re.compile(r"\(?[$€£¥₹]?['’]?000s?\)?")
_YEAR = re.compile(
    r"(?:FY ?)?(?:19|20)\d\d(?:[/–-]\d\d)?\*?|\d{1,2}[/.]\d{1,2}[/.](?:\d{4}|\d\d)|Q[1-4](?: (?:19|20)\d\d)?"
)
WORDS = 14  # of a label at most; a longer line is prose
LONG = 60  # characters of a line that holds one cell


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
    lines = list(_joined([line.strip() for line in text.splitlines() if line.strip()]))
    return list(_with_headings(lines))


class _Raw(NamedTuple):
    cells: tuple[str, ...]
    parted: bool


def _joined(lines: Sequence[str]) -> Iterator[_Raw]:
    """Rows as lists of cells: those parted by marks, and those told one cell a line."""
    place = 0
    while place < len(lines):
        end = place
        while end < len(lines) and _is_one_cell(lines[end]):
            end += 1
        run = lines[place:end]
        if sum(map(is_number, run)) >= 4 and 2 * sum(map(is_number, run)) >= len(run) / 2:
            yield from _upright(run)
            place = end
        else:
            for line in run or lines[place : place + 1]:
                if not _RULE.match(line):
                    yield _parted(line)
            place = max(end, place + 1)


def _is_one_cell(line: str) -> bool:
    if len(line) > LONG or _MARKS.search(line):
        return False
    many, words = _trailing(line), line.split()
    return (
        is_number(line)
        or many == 0
        or (many == len(words) < 3 and not _YEAR.fullmatch(words[0]))
        or (many == 1 and bool(_YEAR.fullmatch(words[-1])))
    )


def _upright(run: Sequence[str]) -> Iterator[_Raw]:
    """One cell a line: a label and the numbers after it are a row, the texts before the first headings."""
    starts = [i for i in range(1, len(run)) if _is_value(run[i]) and not _is_value(run[i - 1])]
    if not starts:
        return
    ends = [next((j for j in range(i, len(run)) if not _is_value(run[j])), len(run)) for i in starts]
    sizes = [end - start for start, end in zip(starts, ends, strict=True)]
    width = max(set(sizes), key=lambda size: (sizes.count(size), size))
    before = list(run[: starts[0] - 1])
    heading = before[-width:] if len(before) >= width else []
    for one in before[: len(before) - len(heading)]:
        yield _Raw((one,), True)
    if heading:
        yield _Raw(("", *heading), True)
    last = starts[0] - 1
    for start, end in zip(starts, ends, strict=True):
        for one in run[last : start - 1]:
            yield _Raw((one,), True)
        yield _Raw((run[start - 1], *run[start:end]), True)
        last = end
    for one in run[last:]:
        yield _Raw((one,), True)


def _parted(line: str) -> _Raw:
    body = line.strip("|").strip()
    whole = not _RULED.search(body) and _is_prose(body) and body.endswith((".", ":", "!", "?"))
    cells = tuple(_MARKS.split(body)) if _MARKS.search(body) and not whole else (body,)
    if line.startswith("|") and line[1:].lstrip().startswith("|"):
        cells = ("", *cells)
    if "|" not in line and "\t" not in line and (len(cells) < 3 or any(map(_mixed, cells[:1]))):
        split = _trailing(body.replace(" / ", " "))
        words = re.sub(r"\s+", " ", body.replace(" / ", " ")).split(" ")
        if split:
            return _Raw((" ".join(words[:-split]), *words[-split:]), False)
    return _Raw(cells, len(cells) > 1)


def _mixed(cell: str) -> bool:
    """Whether a cell holds a label and its first number."""
    return _trailing(cell) > 0 and not is_number(cell)


def _trailing(line: str) -> int:
    """How many numbers a line ends on, after a label of at most WORDS words or none."""
    words = line.split()
    count = 0
    while count < len(words) and (is_number(words[-1 - count]) or _YEAR.fullmatch(words[-1 - count])):
        count += 1
    some = any(word.lower() not in _BLANK for word in words[len(words) - count :])
    return count if some and len(words) - count <= WORDS else 0


def is_number(cell: str) -> bool:
    """Whether a cell holds a number alone, or the sign that there is none."""
    if cell.lower() in _BLANK:
        return True
    plain = cell.replace("$ ", "$").replace("£ ", "£").replace("€ ", "€")
    return (
        bool(_NUMBER.fullmatch(plain))
        and not _THOUSANDS.fullmatch(plain)
        and ("(" in plain or ")" not in plain)
    )


def _is_value(cell: str) -> bool:
    words = cell.split()
    return is_number(words[0] if words and all(map(is_number, words)) else cell) and not _YEAR.fullmatch(cell)


def _starts_with_number(cell: str) -> bool:
    return bool(_START.match(cell)) or cell.lower() in _BLANK


def _with_headings(lines: Sequence[_Raw]) -> Iterator[Line]:
    heading, loose, rows = tuple[str, ...](), "", 0
    section = caption = ""
    for raw in lines:
        label, cells = _label(raw)
        if _is_heading(raw, cells, rows):
            upper = raw.parted and _is_upper(heading, raw.cells)
            heading, rows = _under(heading, raw.cells) if upper else (*_corner(raw), *cells), 0
            loose = "" if raw.parted or len(cells) > 1 else " ".join(raw.cells)
            caption, section = f"{caption} {raw.cells[0] if raw.parted else label}".strip()[-LONG * 4 :], ""
            if any(map(_holds_number, raw.cells)):
                yield Line(" ".join(raw.cells), prose=True)
        elif cells:
            rows += 1
            yield Line(label, cells, _aligned(heading, loose, len(cells), len(raw.cells)), section, caption)
        else:
            text = " ".join(raw.cells)
            if _is_prose(text):
                heading, loose, section = (), "", ""
            else:
                loose, section = ("", text) if rows and heading else (text, text)
            caption, rows = f"{caption} {text}"[-LONG * 4 :] if not _is_prose(text) else text[: LONG * 4], 0
            yield Line(text, prose=True)


def _label(raw: _Raw) -> tuple[str, tuple[str, ...]]:
    """The leading cells that are no numbers, and the rest; the first cell is a label in any case."""
    first = 1
    if not raw.parted and raw.cells and _starts_with_number(raw.cells[0]) and len(raw.cells[0].split()) == 1:
        first = 0 if not _YEAR.fullmatch(raw.cells[0]) else 1
    while first < len(raw.cells) and not _starts_with_number(raw.cells[first]):
        first += 1
    return " ".join(raw.cells[:first]).strip(), raw.cells[first:]


def _holds_number(cell: str) -> bool:
    """Whether a heading tells a number besides years: `Over 52 weeks`, or a sentence in a table."""
    return bool(re.search(r"\d", _YEAR.sub("", cell)))


def _corner(raw: _Raw) -> tuple[str, ...]:
    """The leading cells of a row of headings."""
    return raw.cells[: len(raw.cells) - len(_label(raw)[1])] if raw.parted else ("",)


def _is_heading(raw: _Raw, cells: Sequence[str], rows: int) -> bool:
    """Whether a row heads columns: years and dates alone, or texts that stand over a row of numbers."""
    if cells and all(map(_YEAR.fullmatch, cells)):
        return True
    if not raw.parted or len(raw.cells) < 2:
        return False
    values = [cell for cell in cells if _is_value(cell)]
    return not values and (not cells or not rows or all(map(_YEAR.search, cells)))


def _is_upper(heading: Sequence[str], lower: Sequence[str]) -> bool:
    count = len([cell for cell in heading if cell])
    return 0 < count < len(lower) and len(lower) % count == 0 and not any(map(_YEAR.search, lower))


def _under(heading: Sequence[str], lower: Sequence[str]) -> tuple[str, ...]:
    upper = [cell for cell in heading if cell]
    each = len(lower) // len(upper)
    return tuple(f"{upper[i // each]} {cell}" for i, cell in enumerate(lower))


def _aligned(heading: tuple[str, ...], loose: str, count: int, every: int) -> tuple[str, ...]:
    """The headings of the last `count` cells of a row of `every`; or a line of headings without marks, parted
    before each capital (`Line GWP Loss ratio % Expense ratio %`), if that gives as many.
    """
    if len(heading) == every or len(heading) >= count > 0:
        return heading[len(heading) - count :]
    groups = tuple(re.split(r"(?<!\s)\s+(?=[A-Z\d])", loose)) if loose else ()
    return groups[-count:] if len(groups) in (count, count + 1) and count > 1 else ("",) * count


def _is_prose(text: str) -> bool:
    return len(text) > 2 * LONG or (text.endswith(".") and len(text.split()) > WORDS / 2)
