"""A PDF's lines with their place, size and weight, read by pdfium; pdf_blocks.py makes blocks of them."""

import re
from collections.abc import Iterator
from pathlib import Path

from ragassay.documents.pdf_blocks import RAISED, Line, blocks_of
from ragassay.documents.text_blocks import Content, clean, squeeze
from ragassay.errors import DocumentError

CELL_GAP = 1.8
SAMPLES = 5
DIGITS = re.compile(r"(?<![\d$€£.,]\d)(?<![\d$€£])\s?\d{1,3}(?![\d%])")


def pdf(path: Path, name: str) -> Content:
    """PDF: paragraphs re-joined across lines and pages; running headers, footers and contents lists dropped;
    footnotes last."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        raise _refusal(error, name) from None
    try:
        return _content(document, name)
    except pypdfium2.PdfiumError as error:
        raise _refusal(error, name) from None
    finally:
        document.close()


def _refusal(error: Exception, name: str) -> DocumentError:
    if "password" in str(error).lower():
        return DocumentError(
            "The PDF is encrypted",
            where=name,
            found="a password is needed",
            do="save a copy without a password",
        )
    return DocumentError(
        "The PDF is broken", where=name, found=str(error)[:120], do="open it in a viewer and save it again"
    )


def _content(document, name: str) -> Content:
    pages = [_lines(document[i], i) for i in range(len(document))]
    if not any(pages):
        found = f"{len(pages)} pages without text"
        raise DocumentError(
            "The PDF holds no text, only images",
            where=name,
            found=found,
            do="run text recognition (OCR) over it first",
        )
    blank = [i + 1 for i, lines in enumerate(pages) if not lines and _has_image(document[i])]
    gaps = (f"pages {', '.join(map(str, blank))} hold images and no text",) if blank else ()
    return Content(_title(document), blocks_of(pages), gaps)


def _title(document) -> str:
    """The title in the file's metadata, unless it is a file name or a placeholder."""
    title = squeeze(clean(document.get_metadata_dict().get("Title") or ""))
    return (
        ""
        if re.search(
            r"\.\w{2,4}$|^\(?(?:untitled|anonymous|microsoft|unspecified)|[\\/]", title, re.IGNORECASE
        )
        else title
    )


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
    seen = [start + i for i, c in enumerate(text) if not c.isspace() and c.isprintable()] or [start]
    boxes = {i: text_page.get_charbox(i, loose=True) for i in {seen[0], seen[-1], *_spread(seen)}}
    size = sorted(boxes[i][3] - boxes[i][1] for i in _spread(seen))[SAMPLES // 2]
    normal = [i for i in _spread(seen) if boxes[i][3] - boxes[i][1] > 0.8 * size]
    bold = sum(_weight(text_page, i) >= 600 for i in _spread(seen)) >= SAMPLES - 1
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


def _weight(text_page, index: int) -> int:
    import pypdfium2.raw as raw

    return raw.FPDFText_GetFontWeight(text_page, index)


def _mark_columns(text_page, text: str, start: int, size: float) -> str:
    """The line's text, with ` | ` at column gaps and without the raised numbers that point to footnotes."""
    edits = [*_column_gaps(text_page, text, start, size), *_raised_digits(text_page, text, start, size)]
    for begin, end, instead in sorted(edits, reverse=True):
        text = text[:begin] + instead + text[end:]
    return squeeze(text)


def _column_gaps(text_page, text: str, start: int, size: float) -> Iterator[tuple[int, int, str]]:
    for match in re.finditer(r"(?<=\S)\s+(?=\S)", text):
        left, right = (
            text_page.get_charbox(start + match.start() - 1),
            text_page.get_charbox(start + match.end()),
        )
        if right[0] - left[2] > CELL_GAP * size and abs(right[1] - left[1]) < size:
            yield match.start(), match.end(), " | "


def _raised_digits(text_page, text: str, start: int, size: float) -> Iterator[tuple[int, int, str]]:
    """Where small digits stand high: a footnote's number after a word or a point, not an exponent."""
    for match in DIGITS.finditer(text):
        box = text_page.get_charbox(start + match.end() - 1, loose=True)
        if box[3] - box[1] < 0.8 * size:
            yield (
                match.start(),
                match.end(),
                "" if text[: match.start()].strip() else RAISED + match.group().strip(),
            )
