"""What texts state in numbers: each with its line item, column, period, unit, scale and sign. Of a table the
row and its heading tell what a number is of, in prose its clause.
"""

import re
from bisect import bisect_right
from collections.abc import Hashable, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from ragassay.scores.numbers.amounts import Amount, Unit, find_amounts, is_share, label_scale, units_of, years
from ragassay.scores.text_reading import word_lists

TIMES = frozenset(("time", name) for name in ("day", "week", "month", "quarter", "year"))  # often of a period
KEY = 6  # letters of a stem by which words are compared: operating, operations
WIDE, NEAR = 160, 40  # characters on either side of a number that are read; that speak of it alone
NEGATIVE = -2  # the sign of a number with a minus; brackets and words like "fell" give -1
_END = re.compile(r"[.!?](?=\s{1,4}[\"'“‘(\[*]{0,3}[^\W\d_a-z])|[;\n]")
_JOINT = re.compile(r",?\s(?:and|but|while|whereas|although|though|y|pero|mientras|e|mas|enquanto)\s")
_IN_YEAR = re.compile(
    r"[\s(]{0,2}(?:(?:in|for|at|during|of|by|en|em|the|year|end|year-end|fiscal|financial)\s){0,5}"
    r"((?:19|20)\d\d)\b(?!\s?(?:,|/|-|–|and|to|y|e)\s?(?:in\s)?(?:19|20)\d\d)"
)
_COMPARED = re.compile(
    r"\b(?:from|prior|previous|preceding|before|earlier|last|compared|versus|vs|against|than)\b",
    re.IGNORECASE,
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
_CHANGE = re.compile(
    r"\b(?:(?P<loss>loss(?:es)?|lost|loses?|deficit|fell|fall(?:s|ing|en)?|decreas\w{0,6}"
    r"|declin(?:e|es|ing|ed (?:by|to|from))|drop(?:s|ped)?"
    r"|down|lower(?:ed)?|fewer|less(?! than)|reduc\w{0,6}|shrank|shrunk|narrow\w{0,6}|behind|below"
    r"|wors\w{0,6}|outflows?|short(?:fall)?|contract(?:ed|ion)|weaken\w{0,4})"
    r"|(?P<gain>profits?|gain\w{0,4}|surplus|positive|rose|ris(?:e|es|ing|en)|increas\w{0,6}|grew|grow\w{0,4}"
    r"|up(?! to)|higher|more(?! than)|improv\w{0,6}|ahead|above|exceed\w{0,4}|inflows?|expand\w{0,4}"
    r"|widen\w{0,4}|jump\w{0,4}|climb\w{0,4}|better|earn\w{0,4}|made))\b",
    re.IGNORECASE,
)
_LEVEL = re.compile(r"\b(?:to|from|at|the)[ \xa0]\S{0,4}\Z", re.IGNORECASE)
_LIMIT = re.compile(
    r"\b(?:(?P<most>up to|at most|(?:no|not) more than|a maximum of|limited to)"
    r"|(?P<least>at least|(?:no|not) (?:less|fewer) than|a minimum of))\W{1,3}\Z",
    re.IGNORECASE,
)

WORDS, LONG = 14, 60  # words of a label, characters of a line that holds one cell; a longer one is prose
TITLE = 12  # words told of what stands before a table, the last ones
_MARKS = re.compile(r"(?<!\s)\s*\|\s*|\t+|(?<!\s)\s*;\s+|[ \xa0]{2,}|(?<!\s)\s+/\s+")
_RULE = re.compile(r"[\s|:+=_-]*\Z")
_BLANK = frozenset({"-", "—", "–", "--", "n/a", "na", "nil", "..", "n.a.", "nm", "$", "£", "€"})
_START = re.compile(r"[(+\-−–~<>≤≥ ]{0,3}(?:US|[A-Z]{3} ?)?[$€£¥₹]?[ (−-]{0,2}\d")
_CELL = re.compile(
    r"[(+\-−–]{0,2}(?:US)?(?:[$€£] ?|[¥₹])?[(−-]?\d(?:[\d.,]{0,30}\d)?\)?(?:%|pp|bp|x|bn|m|k|p)?\)?%?[*†]?"
)
_THOUSANDS = re.compile(r"\(?[$€£¥₹]?['’]?000s?\)?")
_YEAR = re.compile(
    r"(?:FY ?)?(?:19|20)\d\d(?:[/–-]\d\d)?\*?|\d{1,2}[/.]\d{1,2}[/.](?:\d{4}|\d\d)|Q[1-4](?: (?:19|20)\d\d)?"
)


class Line(NamedTuple):
    """A line of a text: its label, its cells in order with the heading of each; prose has no cell.

    headings : as many as cells, "" where none is known
    section : the line without numbers that it stands under; caption : what was said before of all its table
    """

    label: str
    cells: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    section: str = ""
    caption: str = ""


def read_lines(text: str) -> list[Line]:
    """The rows and the prose of a text in order; linear in its length."""
    found, heading, rows, ruled = list[Line](), tuple[str, ...](), 0, False
    section = caption = ""
    for line in map(str.strip, text.splitlines()):
        if not line or _RULE.match(line):
            ruled = "|" in line  # below a heading as Markdown has it, where cells may be words
            continue
        parts, parted = _split(line)
        starts = [i for i, part in enumerate(parts) if _START.match(part) or part.lower() in _BLANK]
        first = next(filter(None, starts), 1 if ruled and parted else len(parts))
        label, cells = " ".join(parts[:first]).strip(), parts[first:]
        ruled = ruled and parted
        if not ruled and _is_heading(parts, parted, cells, rows):
            heading, rows = parts if parted else ("", *cells), 0
            caption, section = f"{caption} {parts[0] if parted else label}".strip()[-LONG * 4 :], ""
            if any(re.search(r"\d", _YEAR.sub("", part)) for part in parts):
                found.append(Line(" ".join(parts)))
        elif cells:
            rows += 1
            above = heading[len(heading) - len(cells) :] if len(heading) >= len(cells) else ("",) * len(cells)
            found.append(Line(label, cells, above, section, caption))
        else:
            whole, rows = " ".join(parts), 0
            if _is_prose(whole):
                heading, section, caption = (), "", whole[: LONG * 4]
            else:
                section, caption = whole, f"{caption} {whole}"[-LONG * 4 :]
            found.append(Line(whole))
    return found


@lru_cache(2048)
def told_rows(passage: str) -> tuple[str, ...]:
    """Every row of the passage's tables as a text: its label, each cell after its heading, then its section
    and the end of the table's title; linear in its length."""
    found = list[str]()
    for line in (line for line in read_lines(passage) if line.cells):
        cells = "; ".join(
            f"{one} {cell}".strip() for one, cell in zip(line.headings, line.cells, strict=True)
        )
        beside = (line.section, " ".join(line.caption.split()[-TITLE:]))
        around = ", ".join(part for part in beside if part and part not in line.headings)
        found.append(f"{line.label}: {cells} ({around})".removeprefix(": ").removesuffix(" ()"))
    return tuple(found)


def crossed(rows: Sequence[Line], sentences: Sequence[str]) -> list[bool]:
    """Of each row of a table whether the words of a cell stand in a sentence beside the label of a row that
    has another cell there, and in none beside its own label; cells with a digit are not looked at."""
    held, labels = [_stems(text) for text in sentences if rows], [_stems(row.label) for row in rows]

    def is_crossed(row: Line, label: set[str], column: int, cell: str) -> bool:
        wanted, others = _stems(cell), zip(rows, labels, strict=True)
        beside = [one for one in held if wanted and wanted <= one and not re.search(r"\d", cell)]
        rivals = [one for other, one in others if one - label and other.cells[column : column + 1] != (cell,)]
        return any(one <= each for each in beside for one in rivals) and not any(map(label.issubset, beside))

    return [
        any(is_crossed(row, label, column, cell) for column, cell in enumerate(row.cells))
        for row, label in zip(rows, labels, strict=True)
    ]


def _stems(text: str) -> set[str]:
    return {word.stem for word in word_lists.words(text) if word.content}


def is_number(cell: str) -> bool:
    """Whether a cell holds a number alone, or the sign that there is none."""
    is_alone = bool(_CELL.fullmatch(cell)) and not _THOUSANDS.fullmatch(cell)
    return cell.lower() in _BLANK or (is_alone and ("(" in cell or ")" not in cell))


def _split(line: str) -> tuple[tuple[str, ...], bool]:
    """The parts of a line, and whether signs part them; else a label and each number at the end are parts."""
    body = line.removeprefix("|").removesuffix("|").strip()
    ruled = "|" in line or "\t" in line
    whole = not ruled and _is_prose(body) and body.endswith((".", ":", "!", "?"))
    parts = tuple(_MARKS.split(body)) if _MARKS.search(body) and not whole else (body,)
    holds_label = _trailing(parts[0]) > 0 and not is_number(parts[0])
    if not ruled and (len(parts) < 3 or holds_label):
        words = body.replace(" / ", " ").split()
        if count := _trailing(" ".join(words)):
            return (" ".join(words[:-count]), *words[-count:]), False
    return parts, len(parts) > 1


def _trailing(line: str) -> int:
    """How many numbers a line ends on, after a label of at most WORDS words or none."""
    words = line.split()
    last = list(takewhile(lambda word: is_number(word) or _YEAR.fullmatch(word), reversed(words)))
    some = any(word.lower() not in _BLANK for word in last)
    return len(last) if some and len(words) - len(last) <= WORDS else 0


def _is_heading(parts: Sequence[str], parted: bool, cells: Sequence[str], rows: int) -> bool:
    """Whether a row heads columns: years and dates alone, or texts that stand over a row of numbers."""
    is_years = bool(cells) and all(map(_YEAR.fullmatch, cells))
    held = [cell for cell in cells if all(map(is_number, cell.split() or [""])) and not _YEAR.fullmatch(cell)]
    return is_years or (parted and not held and not (cells and rows))


def _is_prose(text: str) -> bool:
    return len(text) > 2 * LONG or (text.endswith(".") and len(text.split()) > WORDS / 2)


class Stated(NamedTuple):
    """A number of a text and what it is said of.

    written, label, heading : as the text has them; in prose the label is what stands around it
    full : its value with the scale of its table; scale : None where none is said
    words : of its row, or of its clause and the one that this goes on from
    often : the periods it is told for (day, month)
    sign : NEGATIVE, -1, 1 or 0 for none; limit : what it bounds, "most", "least" or ""
    series : the same of all numbers of one row, or of one subject and unit in the prose of one passage
    """

    written: str
    amount: Amount
    full: float
    words: frozenset[str]
    label: str = ""
    heading: str = ""
    years: frozenset[str] | None = frozenset()
    often: frozenset[str] = frozenset()
    units: frozenset[Unit] = frozenset()
    scale: int | None = 0
    sign: int = 0
    limit: str = ""
    series: Hashable = None
    passage: int = 0
    table: bool = False


@lru_cache(maxsize=512)
def stated_amounts(passages: tuple[str, ...]) -> tuple[Stated, ...]:
    """Every number of the passages; linear in their length."""
    cells = list[Stated]()
    for passage, text in enumerate(passages):
        scale, often = None, _periods(text)
        for place, line in enumerate(read_lines(text)):
            scale = label_scale(line.caption or ("" if line.cells else line.label)) or scale
            for cell in read_prose(line.label) if not line.cells else _read_row(line, scale):
                series = (passage, place if line.cells else cell.series)
                cells.append(cell._replace(passage=passage, series=series, often=cell.often or often))
    return tuple(cells)


def keys(text: str) -> list[str]:
    """The words of a text that carry matter, in the form in which line items are compared."""
    return [
        word.stem[:KEY]
        for word in word_lists.words(text)
        if word.content and not (len(word.lower) == 4 and word.lower[:2] in ("19", "20"))
    ]


_STATING = frozenset(
    keys(f"{word_lists.alternatives('stating').replace('|', ' ')} {' '.join(word_lists.kind('date'))}")
)


def _periods(text: str) -> frozenset[str]:
    """The periods for which a text tells numbers: `monthly`, `a year`, `per day`."""
    found = (next(filter(None, one.groups())).lower() for one in _OFTEN.finditer(text))
    return frozenset(_OFTEN_NAMES.get(one, one) for one in found)


def _read_row(line: Line, scale: int | None) -> list[Stated]:
    found, words = list[Stated](), frozenset(keys(f"{line.label} {line.section}"))
    for text, heading in [(line.label, ""), *zip(line.cells, line.headings, strict=True)]:
        above, label = label_scale(heading), f"{line.label} {heading}"
        for amount in find_amounts(text):
            inner = units_of(text) | ({amount.unit} if amount.unit else set())
            over, beside = units_of(heading), units_of(line.label)
            told = inner or over - TIMES or beside - TIMES or over or beside
            known = (
                0 if any(map(is_share, told)) or amount.scale else above or label_scale(line.label) or scale
            )
            sign = amount.sign
            if {one.lastgroup for one in _CHANGE.finditer(label)} == {"loss"}:
                sign = -1  # it counts what is lost: `Net loss`
            found.append(
                Stated(
                    text,
                    amount,
                    amount.value * 10.0 ** (known or 0),
                    words,
                    line.label,
                    heading,
                    years(heading) or years(line.label) or years(line.caption),
                    units=told or units_of(line.caption),
                    scale=known,
                    sign=sign,
                    table=True,
                )
            )
    return found


def read_prose(text: str, most: int | None = None) -> list[Stated]:
    """The numbers of a text, at most so many, each with what its clause says of it; linear in its length."""
    amounts, ends = find_amounts(text)[:most], [match.end() for match in _END.finditer(text)]
    joints, found = sorted([*ends, *(match.end() for match in _JOINT.finditer(text))]), list[Stated]()
    last, subject = -1, frozenset[str]()
    for place, amount in enumerate(amounts):
        at, sentence = bisect_right(joints, amount.start), bisect_right(ends, amount.start)
        start = max(joints[at - 1] if at else 0, amount.start - WIDE)
        stop = min(joints[at] if at < len(joints) else len(text), amount.end + WIDE)
        begin = max(start, amounts[place - 1].end if place else 0)
        end = amounts[place + 1].start if place + 1 < len(amounts) else len(text)
        before, after = text[begin : amount.start], text[amount.end : max(min(stop, end), amount.end)]
        close = min(end, ends[sentence] if sentence < len(ends) else len(text), amount.end + WIDE)
        words, own = _matter(text[start:stop]), frozenset(_matter(before))
        if sentence != last or own:
            subject = own
        opens = ends[sentence - 1] if sentence else 0
        opening = _matter(text[opens : min(opens + WIDE, amount.start)])[:1]
        goes_on = sentence == last and not word_lists.has_sign("finite", before)
        around = text[max(0, amount.start - NEAR) : amount.end + NEAR]
        # the years beside it (`in 2022`), else those before it, else around it; None for what is compared
        told: frozenset[str] | None = years(before) if len(years(before)) == 1 else years(around)
        if beside := _IN_YEAR.match(text[amount.end : close]):
            told = frozenset([beside[1]])
        elif _COMPARED.search(before) or _COMPARED.search(after[:NEAR]):
            told = None
        # the nearest word of a loss or a gain gives the sign, unless a level is told (`rose to 5`)
        changes = [(-one.end(), 1 if one["gain"] else -1) for one in _CHANGE.finditer(before)]
        changes = changes or [
            (one.start(), 1 if one["gain"] else -1) for one in _CHANGE.finditer(after[:NEAR])
        ]
        is_level = amount.sign == NEGATIVE or _LEVEL.search(before)
        sign = min(amount.sign, 0) if is_level else min(changes, default=(0, amount.sign))[1]
        limit = _LIMIT.search(before)
        found.append(
            Stated(
                text[amount.start : amount.end],
                amount,
                amount.value,
                frozenset([*words, *(opening if goes_on else ()), *(subject if not own else ())]),
                around,
                years=told,
                often=_periods(f"{before} # {after}"),
                units=frozenset([amount.unit])
                if amount.unit
                else units_of(text[amount.start : amount.end + NEAR // 2]),
                scale=None if amount.unit is None and not amount.scale else 0,
                sign=sign,
                limit=limit.lastgroup or "" if limit else "",
                series=(amount.unit, subject or place),
            )
        )
        last = sentence
    return found


def _matter(text: str) -> list[str]:
    """The words of a clause but numbers, dates and verbs of stating."""
    return [key for key in keys(text) if key not in _STATING and not key[0].isdecimal()]
