"""One file as blocks of text: a reader per format, every failure named as a DocumentError."""

import gzip
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from ragassay.documents.pdf_blocks import pdf
from ragassay.documents.text_blocks import Block, Content, plain_blocks, squeeze
from ragassay.errors import DocumentError

LINE_BREAK = "\ue000"
DROPPED = "script style noscript template head nav svg iframe object form button".split()
BLOCKS = (
    "html body main article section header footer aside div p blockquote pre hr address fieldset "
    "h1 h2 h3 h4 h5 h6 ul ol li dl dt dd figure figcaption details summary "
    "table caption thead tbody tfoot tr"
).split()


def html_blocks(source: str) -> tuple[str, list[Block]]:
    """Title and blocks of an HTML page; what is hidden is not text."""
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(source, "lxml")
    title = soup.title.get_text() if soup.title else ""
    for tag in soup(DROPPED):  # emptied, not removed: removing looks through all its siblings
        tag.clear(decompose=True)
    for tag in filter(_is_hidden, soup.find_all(True)):
        tag.decompose()
    for tag in soup("ol"):
        _number(tag)
    for tag in soup("br"):
        tag.append(LINE_BREAK)
    return title, list(_walk(soup))


def _is_hidden(tag) -> bool:
    style = tag.get("style", "")
    return tag.has_attr("hidden") or "display:none" in style or "display: none" in style


def _number(tag) -> None:
    """Write each item's number on it."""
    start = str(tag.get("start", ""))
    for number, item in enumerate(
        tag.find_all("li", recursive=False), start=int(start) if start.isdecimal() else 1
    ):
        item["data-mark"] = f"{number}."


def _walk(tag) -> Iterator[Block]:
    """Blocks of an element in document order; text between block elements is a paragraph of its own."""
    from bs4.element import NavigableString, Tag

    loose: list[str] = []
    for child in tag.children:
        if isinstance(child, Tag) and (child.name in BLOCKS or child.find(BLOCKS)):
            yield from _text("".join(loose))
            loose = []
            yield from _element(child)
        elif isinstance(child, Tag):
            loose.append(child.get_text())
        elif type(child) is NavigableString:
            loose.append(str(child))
    yield from _text("".join(loose))


def _element(tag) -> Iterator[Block]:
    if re.fullmatch("h[1-6]", tag.name):
        yield Block("heading", squeeze(tag.get_text(" ")))
    elif tag.name == "tr" and not tag.find("table"):
        yield Block("row", " | ".join(squeeze(cell.get_text(" ")) for cell in tag.find_all(["td", "th"])))
    elif tag.name == "pre":
        yield Block("text", tag.get_text())
    elif tag.name in ("li", "dt", "dd"):
        yield from _item(tag)
    else:
        yield from _walk(tag)


def _item(tag) -> Iterator[Block]:
    """A list item's own text, marked with its number or a hyphen, then whatever it holds."""
    mark = tag.get("data-mark", "-")
    for i, block in enumerate(_walk(tag)):
        own = block.kind == "text"
        yield Block("item", f"{mark} {block.text}" if i == 0 else block.text) if own else block


def _text(text: str) -> Iterator[Block]:
    lines = [squeeze(line) for line in text.split(LINE_BREAK)]
    if any(lines):
        yield Block("text", "\n".join(filter(None, lines)))


BROKEN_DOCX = (zipfile.BadZipFile, KeyError, ValueError, AttributeError, OSError, SyntaxError, RuntimeError)


class Loaded(NamedTuple):
    """A document before it is a row: its name (the future doc_id) and its content."""

    name: str
    content: Content


def read(path: Path, name: str) -> list[Loaded]:
    """The documents in one file (several in a .jsonl, else one); `name` is the path shown in messages."""
    stem, suffix = _suffix(path)
    if suffix not in FORMATS:
        what, found, do = "The file's format is not read", suffix or "no suffix", "convert it, or remove it"
        raise DocumentError(what, where=name, found=found, expected=", ".join(FORMATS), do=do)
    if path.stat().st_size == 0:
        raise DocumentError("The file is empty", where=name, do="remove it, or put its text into it")
    if suffix.startswith(".jsonl"):
        return _jsonl(path, name)
    return [Loaded(stem, READERS[suffix](path, name))]


def _suffix(path: Path) -> tuple[str, str]:
    suffix = ".jsonl.gz" if path.name.lower().endswith(".jsonl.gz") else path.suffix.lower()
    return path.name[: len(path.name) - len(suffix)], suffix


def decode(data: bytes, name: str) -> str:
    """UTF-8 (with or without a byte-order mark), or an error that names the byte: an encoding is never
    guessed."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found = f"byte 0x{data[error.start]:02x} at offset {error.start}"
        raise DocumentError("The file is not UTF-8", where=name, found=found, do="save it as UTF-8") from None


def text(path: Path, name: str) -> Content:
    """Plain text."""
    blocks = plain_blocks(decode(path.read_bytes(), name))
    opening = list(takewhile(lambda block: block.kind == "heading", blocks))
    return Content(": ".join(block.text for block in opening), blocks)


def markdown(path: Path, name: str) -> Content:
    """Markdown: rendered, then read as HTML, so that only what a reader would see is kept."""
    import mistune

    source = re.sub(
        r"\A---\n.*?\n---\n", "", decode(path.read_bytes(), name).replace("\r\n", "\n"), flags=re.DOTALL
    )
    render = mistune.create_markdown(
        escape=False, plugins=["table", "strikethrough", "footnotes", "task_lists", "def_list"]
    )
    return html_content(str(render(source)), name)


def html(path: Path, name: str) -> Content:
    """HTML: scripts, styles and navigation dropped; headings, paragraphs, list items and table rows in
    document order."""
    return html_content(decode(path.read_bytes(), name), name)


def html_content(source: str, name: str) -> Content:
    """HTML as blocks; a page nested beyond reason is refused."""
    try:
        return Content(*html_blocks(source))
    except RecursionError:
        raise DocumentError(
            "The HTML is nested too deeply to read", where=name, do="simplify the page, or remove it"
        ) from None


def docx(path: Path, name: str) -> Content:
    """Word: paragraphs and tables in document order; headings and lists by their style."""
    import docx as python_docx
    from docx.opc.exceptions import OpcError

    try:
        document = python_docx.Document(str(path))
        blocks = [block for part in document.iter_inner_content() for block in _part(part)]
        return Content(document.core_properties.title or "", blocks)
    except (OpcError, *BROKEN_DOCX) as error:
        what, do = "The Word file is broken or protected", "save it again as .docx without a password"
        raise DocumentError(what, where=name, found=_brief(error), do=do) from None


def _part(part) -> list[Block]:
    if hasattr(part, "rows"):
        return [Block("row", " | ".join(_cells(row))) for row in part.rows]
    return [_paragraph(part)]


def _paragraph(paragraph) -> Block:
    style = (paragraph.style.name or "").lower() if paragraph.style is not None else ""
    numbered = paragraph._p.pPr is not None and paragraph._p.pPr.numPr is not None
    if style.startswith("heading") or style in ("title", "subtitle"):
        return Block("heading", paragraph.text)
    if (numbered or "list" in style) and paragraph.text.strip():
        return Block("item", "- " + squeeze(paragraph.text))
    return Block("text", paragraph.text)


def _cells(row) -> list[str]:
    """Texts of a row's cells; a merged cell counts once."""
    seen: list = []
    for cell in row.cells:
        if not seen or seen[-1]._tc is not cell._tc:
            seen.append(cell)
    return [squeeze(cell.text) for cell in seen]


def _brief(error: Exception) -> str:
    return f"{type(error).__name__}: {squeeze(str(error))[:120]}"


def _jsonl(path: Path, name: str) -> list[Loaded]:
    """Documents of a .jsonl(.gz): records with one doc_id (else id) are one document, their texts its
    paragraphs."""
    titles: dict[str, str] = {}
    texts: dict[str, list[str]] = {}
    for number, line in enumerate(decode(_bytes(path, name), name).split("\n"), start=1):
        if not line.strip():
            continue
        record = _record(line, f"{name}, line {number}")
        key = str(next((record[k] for k in ("doc_id", "id") if record.get(k) not in (None, "")), number))
        title = record.get("title")
        titles.setdefault(key, title if isinstance(title, str) else "")
        texts.setdefault(key, []).append(record["text"])
    whole = {key: "\n\n".join(parts) for key, parts in texts.items()}
    return [
        Loaded(key, Content(titles[key], plain_blocks(text))) for key, text in whole.items() if text.strip()
    ]


def _bytes(path: Path, name: str) -> bytes:
    try:
        return gzip.decompress(path.read_bytes()) if path.name.lower().endswith(".gz") else path.read_bytes()
    except (OSError, EOFError, zlib.error) as error:
        what, do = "The file cannot be decompressed", "compress it again with gzip"
        raise DocumentError(what, where=name, found=_brief(error), do=do) from None


def _record(line: str, where: str) -> dict:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        what, do = f"A line is not JSON ({where})", "correct the line: one JSON object per line"
        raise DocumentError(what, where=where, found=_brief(error), do=do) from None
    if isinstance(record, dict) and isinstance(record.get("text"), str):
        return record
    found = f"keys {sorted(record)}" if isinstance(record, dict) else type(record).__name__
    what, do = f"A record has no text ({where})", "give it a text, or remove the file"
    raise DocumentError(what, where=where, found=found, expected="doc_id (or id), text", do=do)


READERS: dict[str, Callable[[Path, str], Content]] = {
    ".txt": text,
    ".md": markdown,
    ".markdown": markdown,
    ".html": html,
    ".htm": html,
    ".pdf": pdf,
    ".docx": docx,
}
FORMATS = (*READERS, ".jsonl", ".jsonl.gz")
