"""One file as blocks of text: a reader per format, every failure named as a DocumentError.

Of a PDF's lines, what repeats on pages is dropped, what was broken is joined, what stands out is a heading.
"""

import contextlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from ragassay.documents.text_blocks import (
    BULLET,
    ROW,
    TERMINAL,
    Block,
    Content,
    clean,
    plain_blocks,
    promote_headings,
    squeeze,
)
from ragassay.errors import DocumentError

LINE_BREAK = "\ue000"
BLOCKS = (
    "html body main article section header footer aside div p blockquote pre hr address fieldset "
    "h1 h2 h3 h4 h5 h6 ul ol li dl dt dd figure figcaption details summary "
    "table caption thead tbody tfoot tr"
).split()
PAGE_NUMBER = re.compile(
    r"^(?:page|p\.|página|pág\.|seite)?\s*+(?:[-–—|]\s*+)?#\s*+(?:(?:of|/|de|von)\s*+#\s*+)?[-–—|]?$"
)
NUMERAL = re.compile(r"\b(?:\d+|[ivxlc]{1,6})\b")
DIGITS = re.compile(r"(?<![\d$€£.,]\d)(?<![\d$€£])\s?\d{1,3}(?![\d%])")
LEADERS = re.compile(r"(?:\.\s?){5,}|(?:…\s?){2,}")  # of a list of contents
NO_TITLE = re.compile(  # of metadata: the name of a file, or a placeholder
    r"\.\w{2,4}$|^\(?(?:untitled|anonymous|microsoft|unspecified)|[\\/]", re.IGNORECASE
)
HALVES = re.compile(r"([^\W\d_]*)[\x02\ufffe]\s?([^\W\d_]*)")


def read(path: Path, name: str) -> Content:
    """The document in a file; `name` is the path shown in messages."""
    suffix = path.suffix.lower()
    if suffix not in READERS:
        raise DocumentError(
            "The file's format is not read",
            where=name,
            found=suffix or "no suffix",
            do=f"convert it to one of {', '.join(READERS)}, or remove it",
        )
    if suffix in OF_BYTES:
        return OF_BYTES[suffix](path)
    data = path.read_bytes()
    try:
        return OF_TEXT[suffix](data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:  # an encoding is never guessed
        raise DocumentError(
            "The file is not UTF-8",
            where=name,
            found=f"byte 0x{data[error.start]:02x} at offset {error.start}",
            do="save it as UTF-8",
        ) from None


def text(source: str) -> Content:
    """Plain text."""
    blocks = plain_blocks(source)
    opening = takewhile(lambda block: block.kind == "heading", blocks)
    return Content(": ".join(block.text for block in opening), blocks)


def markdown(source: str) -> Content:
    """Markdown: rendered, then read as HTML, so that only what a reader would see is kept."""
    import mistune

    text = re.sub(r"\A---\n.*?\n---\n", "", source.replace("\r\n", "\n"), flags=re.DOTALL)  # front matter
    render = mistune.create_markdown(
        escape=False, plugins=["table", "strikethrough", "footnotes", "task_lists", "def_list"]
    )
    return html(str(render(text)))


def html(source: str) -> Content:
    """HTML: headings, paragraphs, list items and table rows in document order; no scripts, styles or
    navigation, nor what is hidden."""
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(source, "lxml")
    title = soup.title.get_text() if soup.title else ""
    # emptied, not removed: removing looks through all its siblings
    unread = "script, style, noscript, template, head, nav, svg, iframe, object, form, button"
    for tag in soup.select(f'{unread}, [hidden], [style*="display:none"], [style*="display: none"]'):
        tag.clear(decompose=True)
    for tag in soup("ol"):
        start = str(tag.get("start", ""))
        first = int(start) if start.isdecimal() else 1
        for number, item in enumerate(tag.find_all("li", recursive=False), start=first):
            item["data-mark"] = f"{number}."
    for tag in soup("br"):
        tag.append(LINE_BREAK)
    return Content(title, list(_walk(soup)))


def _walk(tag) -> Iterator[Block]:
    """Blocks of an element in document order; text between block elements is a paragraph of its own."""
    from bs4.element import NavigableString, Tag

    loose: list[str] = []
    for child in tag.children:
        if isinstance(child, Tag) and (child.name in BLOCKS or child.find(BLOCKS)):
            yield from _paragraph_of("".join(loose))
            loose = []
            yield from _element(child)
        elif isinstance(child, Tag):
            loose.append(child.get_text())
        elif type(child) is NavigableString:
            loose.append(str(child))
    yield from _paragraph_of("".join(loose))


def _element(tag) -> Iterator[Block]:
    if re.fullmatch("h[1-6]", tag.name):
        yield Block("heading", squeeze(tag.get_text(" ")))
    elif tag.name == "tr" and not tag.find("table"):
        yield Block("row", " | ".join(squeeze(cell.get_text(" ")) for cell in tag.find_all(["td", "th"])))
    elif tag.name == "pre":
        yield Block("text", tag.get_text())
    elif tag.name in ("li", "dt", "dd"):  # its own text, marked with its number or a hyphen, then its blocks
        for i, block in enumerate(_walk(tag)):
            marked = Block("item", f"{tag.get('data-mark', '-')} {block.text}" if i == 0 else block.text)
            yield marked if block.kind == "text" else block
    else:
        yield from _walk(tag)


def _paragraph_of(text: str) -> Iterator[Block]:
    lines = [squeeze(line) for line in text.split(LINE_BREAK)]
    if any(lines):
        yield Block("text", "\n".join(filter(None, lines)))


def docx(path: Path) -> Content:
    """Word: paragraphs and tables in document order; headings and lists by their style."""
    import docx as python_docx

    document = python_docx.Document(str(path))
    blocks = []
    for part in document.iter_inner_content():
        if hasattr(part, "rows"):
            for row in part.rows:
                cells = {id(cell._tc): squeeze(cell.text) for cell in row.cells}  # a merged one counts once
                blocks.append(Block("row", " | ".join(cells.values())))
            continue
        style = (part.style.name or "").lower() if part.style is not None else ""
        is_numbered = part._p.pPr is not None and part._p.pPr.numPr is not None
        if style.startswith("heading") or style in ("title", "subtitle"):
            blocks.append(Block("heading", part.text))
        elif (is_numbered or "list" in style) and part.text.strip():
            blocks.append(Block("item", "- " + squeeze(part.text)))
        else:
            blocks.append(Block("text", part.text))
    return Content(document.core_properties.title or "", blocks)


class Line(NamedTuple):
    """A line of a page: its text, page, edges, the height of its foot, its size, and whether it is bold."""

    text: str
    page: int
    left: float = 0.0
    right: float = 0.0
    foot: float = 0.0
    size: float = 0.0
    bold: bool = False


def pdf(path: Path) -> Content:
    """PDF: paragraphs re-joined across lines and pages; no running headers, footers and contents lists."""
    import pypdfium2

    with contextlib.closing(pypdfium2.PdfDocument(path)) as document:
        pages = [_lines(document[i], i) for i in range(len(document))]
        if not any(pages):
            raise DocumentError(
                f"The {len(pages)} pages hold no text, only images",
                do="run text recognition (OCR) over it first",
            )
        blank = [
            str(i + 1)
            for i, lines in enumerate(pages)
            if not lines
            and any(document[i].get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE], max_depth=3))
        ]
        title = squeeze(clean(document.get_metadata_dict().get("Title") or ""))
    return Content(
        "" if NO_TITLE.search(title) else title,
        blocks_of(pages),
        (f"pages {', '.join(blank)} hold images and no text",) if blank else (),
    )


def _lines(page, number: int) -> list[Line]:
    import pypdfium2.raw as raw

    text_page = page.get_textpage()
    text = text_page.get_text_range()
    if len(text) != text_page.count_chars():  # places of characters are not known
        return [Line(squeeze(line), number) for line in text.splitlines() if line.strip()]
    found, start = [], 0
    for line in re.split(r"(\r?\n)", text):
        if seen := [start + i for i, c in enumerate(line) if not c.isspace() and c.isprintable()]:
            some = [seen[k * (len(seen) - 1) // 4] for k in range(5)]
            boxes = [text_page.get_charbox(i, loose=True) for i in some]
            size = sorted(box[3] - box[1] for box in boxes)[2]
            foot = next(box[1] for box in boxes if box[3] - box[1] > 0.8 * size)
            bold = sum(raw.FPDFText_GetFontWeight(text_page, i) >= 600 for i in some) >= 4
            found.append(
                Line(
                    _with_columns(text_page, line, start, size),
                    number,
                    boxes[0][0],
                    boxes[4][2],
                    foot,
                    size,
                    bold,
                )
            )
        start += len(line)
    return found


def _with_columns(text_page, text: str, start: int, size: float) -> str:
    """The line's text, with ` | ` at column gaps and without the small raised numbers of footnotes."""
    edits = []
    for match in re.finditer(r"(?<=\S)\s+(?=\S)", text):
        left = text_page.get_charbox(start + match.start() - 1)
        right = text_page.get_charbox(start + match.end())
        if right[0] - left[2] > 1.8 * size and abs(right[1] - left[1]) < size:
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
    sizes = Counter((round(line.size * 2) / 2, line.bold) for line in lines for _ in line.text)
    size, bold = sizes.most_common(1)[0][0] if sizes else (0.0, False)
    texts = [re.sub(r"[^\W\d_]+-$", "", HALVES.sub(" ", line.text)) for line in lines]  # no half of a word
    known = {word.lower() for text in texts for word in re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", text)}
    # the right edge of lines that start at about the same place of a page
    columns: dict[tuple[int, int], float] = {}
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
        is_title = len(text) <= 150 and any(map(str.isalpha, text)) and text[-1] not in ".,;"
        if ROW.search(text):
            blocks.append(Block("row", text))
        elif stands_out and is_title:
            blocks.append(Block("heading", text))
        else:
            blocks.append(Block("item" if BULLET.match(text) else "text", text))
    return promote_headings(blocks, [len(group) == 1 for group in groups])


def _without_running(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Pages without what repeats near the top or foot of many, and without page numbers alone there."""
    edges: list[dict[int, str]] = []
    for page in pages:
        by_height = sorted(page, key=lambda line: -line.foot)
        edge = {id(line): line.text.lower() for line in by_height[:3] + by_height[-3:]}
        # the same by their words, not their page numbers; a sentence is only the same as itself
        edges.append({n: s if re.search(r"[.!?]$", s) else NUMERAL.sub("#", s) for n, s in edge.items()})
    seen = Counter(key for edge in edges for key in set(edge.values()))
    often = max(2 if len(pages) < 5 else 3, 0.3 * len(pages))
    running = {key for key, n in seen.items() if n >= often or (len(pages) > 1 and PAGE_NUMBER.match(key))}
    return [
        [line for line in page if edge.get(id(line)) not in running]
        for page, edge in zip(pages, edges, strict=True)
    ]


def _continues(group: list[Line], line: Line, columns: dict[tuple[int, int], float]) -> bool:
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
            whole = whole[:-1] + "\x02" + line  # as PDFium marks it
        else:
            whole += line if broken else f" {line}"

    def join_halves(found: re.Match) -> str:
        left, right = found[1], found[2]
        plain, hyphened = (left + right).lower(), f"{left}-{right}".lower()
        both = {left.lower(), right.lower()} <= known and min(len(left), len(right)) >= 3
        stays = plain not in known and (hyphened in known or both)
        return f"{left}-{right}" if stays else left + right

    return HALVES.sub(join_halves, whole)


OF_TEXT: dict[str, Callable[[str], Content]] = {
    ".txt": text,
    ".md": markdown,
    ".markdown": markdown,
    ".html": html,
    ".htm": html,
}
OF_BYTES: dict[str, Callable[[Path], Content]] = {".pdf": pdf, ".docx": docx}
READERS = [*OF_TEXT, *OF_BYTES]
