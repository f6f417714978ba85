"""From lines on pages to blocks: what repeats is dropped, what was broken is joined, what stands out is a
heading."""

import contextlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
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

CELL_GAP = 1.8
SAMPLES = 5
EDGE = 3
PAGE_NUMBER = re.compile(
    r"^(?:page|p\.|página|pág\.|seite)?\s*+(?:[-–—|]\s*+)?#\s*+(?:(?:of|/|de|von)\s*+#\s*+)?[-–—|]?$"
)
NUMERAL = re.compile(r"\b(?:\d+|[ivxlc]{1,6})\b")
LEADERS = re.compile(r"(?:\.\s?){5,}|(?:…\s?){2,}")
NOTE = re.compile(r"^(?:\d{1,3}|[*†‡§])\s+\S")
NO_TITLE = re.compile(  # of metadata: the name of a file, or a placeholder
    r"\.\w{2,4}$|^\(?(?:untitled|anonymous|microsoft|unspecified)|[\\/]", re.IGNORECASE
)
BROKEN = "\ue001"
WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
BROKEN_WORD = re.compile(rf"(?:(?<!\w)\w++)?+{BROKEN}\w*")
HALVES = re.compile(rf"((?:(?<![^\W\d_])[^\W\d_]++)?+){BROKEN}([^\W\d_]*)")


class Line(NamedTuple):
    """A line of a page: text, page, left and right edge, height at its start and end, size, weight,
    and the right edge of its column (of the page's lines that start at about the same place)."""

    text: str
    page: int
    left: float = 0.0
    right: float = 0.0
    start: float = 0.0
    end: float = 0.0
    size: float = 0.0
    bold: bool = False
    column: float = 0.0


def pdf(path: Path, name: str) -> Content:
    """PDF: paragraphs re-joined across lines and pages; running headers, footers and contents lists dropped;
    footnotes last."""
    import pypdfium2

    try:
        with contextlib.closing(pypdfium2.PdfDocument(path)) as document:
            return _content(document, name)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            what, found, do = "encrypted", "a password is needed", "save a copy without a password"
        else:
            what, found, do = "broken", str(error)[:120], "open it in a viewer and save it again"
        raise DocumentError(f"The PDF is {what}", where=name, found=found, do=do) from None


def _content(document, name: str) -> Content:
    pages = [_lines(document[i], i) for i in range(len(document))]
    if not any(pages):
        what, found = "The PDF holds no text, only images", f"{len(pages)} pages without text"
        do = "run text recognition (OCR) over it first"
        raise DocumentError(what, where=name, found=found, do=do)
    blank = [i + 1 for i, lines in enumerate(pages) if not lines and _has_image(document[i])]
    gaps = (f"pages {', '.join(map(str, blank))} hold images and no text",) if blank else ()
    title = squeeze(clean(document.get_metadata_dict().get("Title") or ""))
    return Content("" if NO_TITLE.search(title) else title, blocks_of(pages), gaps)


def _has_image(page) -> bool:
    import pypdfium2.raw as raw

    return any(True for _ in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=3))


def _lines(page, number: int) -> list[Line]:
    """Lines of text of a page, in the file's own order."""
    text_page = page.get_textpage()
    text = text_page.get_text_range()
    aligned = len(text) == text_page.count_chars()
    found, start = [], 0
    for raw_line in re.split(r"(\r?\n)", text):
        if raw_line.strip():
            found.append(
                _line(text_page, raw_line, start, number) if aligned else Line(squeeze(raw_line), number)
            )
        start += len(raw_line)
    return found


def _line(text_page, text: str, start: int, number: int) -> Line:
    import pypdfium2.raw as raw

    seen = [start + i for i, c in enumerate(text) if not c.isspace() and c.isprintable()] or [start]
    boxes = {i: text_page.get_charbox(i, loose=True) for i in {seen[0], seen[-1], *_spread(seen)}}
    size = sorted(boxes[i][3] - boxes[i][1] for i in _spread(seen))[SAMPLES // 2]
    normal = [i for i in _spread(seen) if boxes[i][3] - boxes[i][1] > 0.8 * size]
    weights = [raw.FPDFText_GetFontWeight(text_page, i) for i in _spread(seen)]
    bold = sum(weight >= 600 for weight in weights) >= SAMPLES - 1
    return Line(
        _mark_columns(text_page, text, start, size),
        number,
        boxes[seen[0]][0],
        boxes[seen[-1]][2],
        boxes[normal[0]][1],
        boxes[normal[-1]][1],
        size,
        bold,
    )


def _spread(seen: list[int]) -> list[int]:
    """SAMPLES positions spread evenly over a line."""
    return [seen[(2 * k + 1) * len(seen) // (2 * SAMPLES)] for k in range(SAMPLES)]


def _mark_columns(text_page, text: str, start: int, size: float) -> str:
    """The line's text, with ` | ` at column gaps."""
    for match in reversed(list(re.finditer(r"(?<=\S)\s+(?=\S)", text))):
        left = text_page.get_charbox(start + match.start() - 1)
        right = text_page.get_charbox(start + match.end())
        if right[0] - left[2] > CELL_GAP * size and abs(right[1] - left[1]) < size:
            text = f"{text[: match.start()]} | {text[match.end() :]}"
    return squeeze(text)


def blocks_of(pages: Sequence[Sequence[Line]]) -> list[Block]:
    """Blocks of a document in reading order, footnotes last."""
    kept = [_with_columns(page) for page in without_running(pages)]
    lines = [line for page in kept for line in page if not LEADERS.search(line.text)]
    body = _body(lines)
    notes = {id(line) for page in kept for line in footnotes(page, body.size)}
    main = [
        line._replace(text=re.sub(r"^([-−–•])(?=[^\W\d_])", r"\1 ", line.text))  # the mark of an item
        for line in lines
        if id(line) not in notes
    ]
    foot = [line for line in lines if id(line) in notes]
    blocks = _blocks(main, body)
    if foot:
        blocks.append(Block("heading", "Footnotes"))
        blocks += [block._replace(kind="text") for block in _blocks(foot, body._replace(size=0.0))]
    return rejoin_words(blocks)


def without_running(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Pages without the lines that repeat near the top or foot of many of them, and without page numbers
    standing alone there."""
    edges = [{id(line): _key(line) for line in _edges(page)} for page in pages]
    seen = Counter(key for edge in edges for key in set(edge.values()))
    often = max(2, 0.3 * len(pages)) if len(pages) < 5 else max(3, 0.3 * len(pages))
    running = {key for key, n in seen.items() if n >= often or (len(pages) > 1 and PAGE_NUMBER.match(key))}
    return [
        [line for line in page if edge.get(id(line)) not in running]
        for page, edge in zip(pages, edges, strict=True)
    ]


def _with_columns(page: Sequence[Line]) -> list[Line]:
    edges: dict[int, float] = {}
    for line in page:
        near = round(line.left / 8)
        edges |= {at: max(edges.get(at, 0.0), line.right) for at in (near - 1, near, near + 1)}
    return [line._replace(column=edges[round(line.left / 8)]) for line in page]


def _edges(page: Sequence[Line]) -> list[Line]:
    by_height = sorted(page, key=lambda line: -line.start)
    return by_height[:EDGE] + by_height[-EDGE:]


def _key(line: Line) -> str:
    """What makes two such lines the same: their words, not their page numbers; a sentence is only the same as
    itself."""
    text = line.text.lower()
    return text if re.search(r"[.!?]$", text) else NUMERAL.sub("#", text)


def _body(lines: Sequence[Line]) -> Line:
    """The usual line: the size, weight and right edge that most characters have."""
    sizes: Counter = Counter()
    for line in lines:
        sizes[(round(line.size * 2) / 2, line.bold)] += len(line.text)
    size, bold = sizes.most_common(1)[0][0] if sizes else (0.0, False)
    right = max((line.right for line in lines if abs(line.size - size) <= 0.5), default=0.0)
    return Line("", 0, right=right, size=size, bold=bold)


def footnotes(page: Sequence[Line], size: float) -> list[Line]:
    """The small lines at a page's foot, from the first that starts with a number or mark."""
    tail: list[Line] = []
    for line in sorted(page, key=lambda line: line.start):
        if line.size > 0.92 * size:
            break
        tail.insert(0, line)
    first = next((i for i, line in enumerate(tail) if NOTE.match(line.text)), len(tail))
    return tail[first:]


def _blocks(lines: Sequence[Line], body: Line) -> list[Block]:
    groups: list[list[Line]] = []
    for line in lines:
        if groups and _continues(groups[-1], line, body):
            groups[-1].append(line)
        else:
            groups.append([line])
    blocks = [_block(group, body) for group in groups]
    return promote_headings(blocks, [len(group) == 1 for group in groups])


def _continues(group: list[Line], line: Line, body: Line) -> bool:
    """Whether a line goes on with the block above it."""
    last = group[-1]
    if ROW.search(line.text) or ROW.search(last.text) or BULLET.match(line.text):
        return False
    if abs(line.size - last.size) > 0.08 * max(line.size, last.size) or line.bold != last.bold:
        return False
    unfinished, lower = not TERMINAL.search(last.text), line.text[0].islower()
    if line.page != last.page or line.start > last.end + 0.5 * last.size:
        return (
            unfinished
            and not _stands_out(last, body)
            and (lower or (not _fits(last, line) and line.page != last.page))
        )
    if abs(line.start - last.end) < 0.5 * line.size:
        return True
    if last.end - line.start > 1.55 * line.size:
        return False
    if _fits(last, line):
        return unfinished and lower
    return (
        unfinished or line.left > group[0].left + 2
        if BULLET.match(group[0].text)
        else unfinished or line.left < last.left + line.size
    )


def _fits(last: Line, line: Line) -> bool:
    """Whether the next line's first word had room on the last line: then the line was broken on purpose."""
    word = 1.2 * (len(line.text.split()[0]) + 1) * (last.right - last.left) / max(1, len(last.text))
    return last.right + word < last.column - 0.05 * (last.column - last.left)


def _stands_out(line: Line, body: Line) -> bool:
    return bool(body.size) and (line.size > 1.1 * body.size or (line.bold and not body.bold))


def _block(group: list[Line], body: Line) -> Block:
    text = join_lines(line.text for line in group)
    if ROW.search(text):
        return Block("row", text)
    if (
        len(text) <= 150
        and _stands_out(group[0], body)
        and any(map(str.isalpha, text))
        and not re.search(r"[.,;]$", text)
    ):
        return Block("heading", text)
    return Block("item" if BULLET.match(text) else "text", text)


def join_lines(lines: Iterable[str]) -> str:
    """One line of several; a hyphen at a line's end is marked where it may be only a break."""
    whole = ""
    for line in lines:
        broken = re.search(r"[^\W\d_]-$", whole[-2:])
        start = whole[:-1] + BROKEN if broken and line[:1].islower() else whole if broken else f"{whole} "
        whole = (start + line).strip()
    return whole


def rejoin_words(blocks: Sequence[Block]) -> list[Block]:
    """Words broken at a line's end made whole: the hyphen stays where the document writes it, or knows both
    halves but not the whole."""
    blocks = [block._replace(text=re.sub("[\ufffe\x02]\\s?", BROKEN, block.text)) for block in blocks]
    known = {word.lower() for block in blocks for word in WORD.findall(BROKEN_WORD.sub(" ", block.text))}
    return [
        block._replace(text=HALVES.sub(lambda halves: _whole(halves, known), block.text)) for block in blocks
    ]


def _whole(match: re.Match, known: set[str]) -> str:
    left, right = match.groups()
    plain, hyphened = (left + right).lower(), f"{left}-{right}".lower()
    both = left.lower() in known and right.lower() in known and min(len(left), len(right)) >= 3
    keep = not right or right[0].isupper() or (plain not in known and (hyphened in known or both))
    return f"{left}-{right}" if keep else left + right
