"""One file as blocks of text: a reader per format, every failure named as a DocumentError."""

import re
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import Path

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
FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
HIDDEN = '[hidden], [style*="display:none"], [style*="display: none"]'


def read(path: Path, name: str) -> Content:
    """The document in a file; `name` is the path shown in messages."""
    suffix = path.suffix.lower()
    if suffix not in READERS:
        what, found, do = "The file's format is not read", suffix or "no suffix", "convert it, or remove it"
        raise DocumentError(what, where=name, found=found, expected=", ".join(READERS), do=do)
    if path.stat().st_size == 0:
        raise DocumentError("The file is empty", where=name, do="remove it, or put its text into it")
    return READERS[suffix](path, name)


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

    source = FRONT_MATTER.sub("", decode(path.read_bytes(), name).replace("\r\n", "\n"))
    plugins = ["table", "strikethrough", "footnotes", "task_lists", "def_list"]
    return html_content(str(mistune.create_markdown(escape=False, plugins=plugins)(source)))


def html(path: Path, name: str) -> Content:
    """HTML: scripts, styles and navigation dropped; headings, paragraphs, list items and table rows in
    document order."""
    return html_content(decode(path.read_bytes(), name))


def html_content(source: str) -> Content:
    """HTML as its title and blocks, without what is hidden."""
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(source, "lxml")
    title = soup.title.get_text() if soup.title else ""
    for tag in soup(DROPPED):  # emptied, not removed: removing looks through all its siblings
        tag.clear(decompose=True)
    for tag in soup.select(HIDDEN):
        tag.decompose()
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
        mark = tag.get("data-mark", "-")
        for i, block in enumerate(_walk(tag)):
            marked = Block("item", f"{mark} {block.text}" if i == 0 else block.text)
            yield marked if block.kind == "text" else block
    else:
        yield from _walk(tag)


def _paragraph_of(text: str) -> Iterator[Block]:
    lines = [squeeze(line) for line in text.split(LINE_BREAK)]
    if any(lines):
        yield Block("text", "\n".join(filter(None, lines)))


def docx(path: Path, name: str) -> Content:
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


READERS: dict[str, Callable[[Path, str], Content]] = {
    ".txt": text,
    ".md": markdown,
    ".markdown": markdown,
    ".html": html,
    ".htm": html,
    ".pdf": pdf,
    ".docx": docx,
}
