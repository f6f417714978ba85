"""A PDF as blocks: from its lines, what repeats on pages is dropped, what was broken is joined, what stands
out is a heading."""

import contextlib
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ragassay.documents.text_blocks import (
    BULLET,
    ROW,
    TERMINAL,
    Block,
    Content,
    clean,
    promote_headings,
    squeeze,
)
from ragassay.errors import DocumentError

CELL_GAP = 1.8  # of the line's height: the gap between two columns
EDGE = 3  # lines at the top and the foot of a page that may be running ones
PAGE_NUMBER = re.compile(
    r"^(?:page|p\.|página|pág\.|seite)?\s*+(?:[-–—|]\s*+)?#\s*+(?:(?:of|/|de|von)\s*+#\s*+)?[-–—|]?$"
)
NUMERAL = re.compile(r"\b(?:\d+|[ivxlc]{1,6})\b")
DIGITS = re.compile(r"(?<![\d$€£.,]\d)(?<![\d$€£])\s?\d{1,3}(?![\d%])")
LEADERS = re.compile(r"(?:\.\s?){5,}|(?:…\s?){2,}")  # of a list of contents
NO_TITLE = re.compile(  # of metadata: the name of a file, or a placeholder
    r"\.\w{2,4}$|^\(?(?:untitled|anonymous|microsoft|unspecified)|[\\/]", re.IGNORECASE
)
BROKEN = "\x02"  # as PDFium marks a word that a line's end breaks
HALVES = re.compile(r"([^\W\d_]*)[\x02\ufffe]\s?([^\W\d_]*)")
LONGEST_HEADING = 150


class Line(NamedTuple):
    """A line of a page: its text, page, edges, the height of its foot, its size, and whether it is bold."""

    text: str
    page: int
    left: float = 0.0
    right: float = 0.0
    foot: float = 0.0
    size: float = 0.0
    bold: bool = False


def pdf(path: Path, name: str) -> Content:
    """PDF: paragraphs re-joined across lines and pages; no running headers, footers and contents lists."""
    import pypdfium2

    with contextlib.closing(pypdfium2.PdfDocument(path)) as document:
        pages = [_lines(document[i], i) for i in range(len(document))]
        if not any(pages):
            what, found = "The PDF holds no text, only images", f"{len(pages)} pages without text"
            do = "run text recognition (OCR) over it first"
            raise DocumentError(what, where=name, found=found, do=do)
        images = {"filter": [pypdfium2.raw.FPDF_PAGEOBJ_IMAGE], "max_depth": 3}
        blank = [
            str(i + 1)
            for i, lines in enumerate(pages)
            if not lines and any(document[i].get_objects(**images))
        ]
        title = squeeze(clean(document.get_metadata_dict().get("Title") or ""))
    gaps = (f"pages {', '.join(blank)} hold images and no text",) if blank else ()
    return Content("" if NO_TITLE.search(title) else title, blocks_of(pages), gaps)


def _lines(page, number: int) -> list[Line]:
    """Lines of text of a page, in the file's own order."""
    import pypdfium2.raw as raw

    text_page = page.get_textpage()
    text = text_page.get_text_range()
    if len(text) != text_page.count_chars():  # places of characters are not known
        return [Line(squeeze(line), number) for line in text.splitlines() if line.strip()]
    found, start = [], 0
    for line in re.split(r"(\r?\n)", text):
        seen = [start + i for i, c in enumerate(line) if not c.isspace() and c.isprintable()]
        if seen:
            some = [seen[k * (len(seen) - 1) // 4] for k in range(5)]
            boxes = [text_page.get_charbox(i, loose=True) for i in some]
            size = sorted(box[3] - box[1] for box in boxes)[2]
            foot = next(box[1] for box in boxes if box[3] - box[1] > 0.8 * size)
            bold = sum(raw.FPDFText_GetFontWeight(text_page, i) >= 600 for i in some) >= 4
            told = _with_columns(text_page, line, start, size)
            found.append(Line(told, number, boxes[0][0], boxes[4][2], foot, size, bold))
        start += len(line)
    return found


def _with_columns(text_page, text: str, start: int, size: float) -> str:
    """The line's text, with ` | ` at column gaps and without the small raised numbers of footnotes."""
    edits = []
    for match in re.finditer(r"(?<=\S)\s+(?=\S)", text):
        left = text_page.get_charbox(start + match.start() - 1)
        right = text_page.get_charbox(start + match.end())
        if right[0] - left[2] > CELL_GAP * size and abs(right[1] - left[1]) < size:
            edits.append((match.start(), match.end(), " | "))
    for match in DIGITS.finditer(text):
        box = text_page.get_charbox(start + match.end() - 1, loose=True)
        if box[3] - box[1] < 0.8 * size:
            edits.append((match.start(), match.end(), ""))
    for begin, end, instead in sorted(edits, reverse=True):
        text = text[:begin] + instead + text[end:]
    return squeeze(text)


def blocks_of(pages: Sequence[Sequence[Line]]) -> list[Block]:
    """Blocks of a document in reading order."""
    lines = [line for page in _without_running(pages) for line in page if not LEADERS.search(line.text)]
    sizes: Counter = Counter()
    for line in lines:
        sizes[(round(line.size * 2) / 2, line.bold)] += len(line.text)
    size, bold = sizes.most_common(1)[0][0] if sizes else (0.0, False)
    known = {word.lower() for line in lines for word in re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", line.text)}
    columns: dict[
        tuple[int, int], float
    ] = {}  # the right edge of lines that start at about the same place of a page
    for line in lines:
        for near in (-1, 0, 1):
            place = line.page, round(line.left / 8) + near
            columns[place] = max(columns.get(place, 0.0), line.right)
    groups: list[list[Line]] = []
    for line in lines:
        line = line._replace(text=re.sub(r"^([-−–•])(?=[^\W\d_])", r"\1 ", line.text))
        if groups and line.text and _continues(groups[-1], line, columns):
            groups[-1].append(line)
        elif line.text:
            groups.append([line])
    blocks = []
    for group in groups:
        text, first = join_lines([line.text for line in group], known), group[0]
        stands_out = size and (first.size > 1.1 * size or (first.bold and not bold))
        is_title = len(text) <= LONGEST_HEADING and any(map(str.isalpha, text)) and text[-1] not in ".,;"
        if ROW.search(text):
            blocks.append(Block("row", text))
        elif stands_out and is_title:
            blocks.append(Block("heading", text))
        else:
            blocks.append(Block("item" if BULLET.match(text) else "text", text))
    return promote_headings(blocks, [len(group) == 1 for group in groups])


def _without_running(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Pages without the lines that repeat near the top or foot of many of them, and without page numbers
    standing alone there."""
    edges: list[dict[int, str]] = []
    for page in pages:
        by_height = sorted(page, key=lambda line: -line.foot)
        edges.append({id(line): _key(line) for line in by_height[:EDGE] + by_height[-EDGE:]})
    seen = Counter(key for edge in edges for key in set(edge.values()))
    often = max(2 if len(pages) < 5 else 3, 0.3 * len(pages))
    running = {key for key, n in seen.items() if n >= often or (len(pages) > 1 and PAGE_NUMBER.match(key))}
    return [
        [line for line in page if edge.get(id(line)) not in running]
        for page, edge in zip(pages, edges, strict=True)
    ]


def _key(line: Line) -> str:
    """What makes two such lines the same: their words, not their page numbers; a sentence is only the same as
    itself."""
    text = line.text.lower()
    return text if re.search(r"[.!?]$", text) else NUMERAL.sub("#", text)


def _continues(group: list[Line], line: Line, columns: dict[tuple[int, int], float]) -> bool:
    """Whether a line goes on with the block above it."""
    last, unfinished = group[-1], not TERMINAL.search(group[-1].text)
    if ROW.search(line.text) or ROW.search(last.text) or BULLET.match(line.text):
        return False
    if abs(line.size - last.size) > 0.08 * max(line.size, last.size) or line.bold != last.bold:
        return False
    word = 1.2 * (len(line.text.split()[0]) + 1) * (last.right - last.left) / len(last.text)
    column = columns[last.page, round(last.left / 8)]
    # where the next word had room on the last line, that was broken on purpose
    was_full = last.right + word >= column - 0.05 * (column - last.left)
    if line.page != last.page or line.foot > last.foot + 0.5 * last.size:
        return unfinished and (was_full or line.text[0].islower())
    if last.foot - line.foot > 1.55 * line.size:
        return False
    return was_full or (unfinished and line.text[0].islower())


def join_lines(lines: Sequence[str], known: set[str]) -> str:
    """One line of several. A hyphen at the end of a line goes where it only breaks a word: it
    stays where the document writes it so elsewhere, or knows both halves but not the whole.

    known : the words of the document, in small letters
    """
    whole = lines[0]
    for line in lines[1:]:
        broken = re.search(r"[^\W\d_]-$", whole)
        if broken and line[:1].islower():
            whole = whole[:-1] + BROKEN + line
        else:
            whole += line if broken else f" {line}"

    def join_halves(found: re.Match) -> str:
        left, right = found[1], found[2]
        plain, hyphened = (left + right).lower(), f"{left}-{right}".lower()
        both = {left.lower(), right.lower()} <= known and min(len(left), len(right)) >= 3
        stays = plain not in known and (hyphened in known or both)
        return f"{left}-{right}" if stays else left + right

    return HALVES.sub(join_halves, whole)
