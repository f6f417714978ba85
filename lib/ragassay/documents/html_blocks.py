"""HTML (and rendered Markdown) as blocks, in document order."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ragassay.documents.text_blocks import Block, squeeze

LINE_BREAK = "\ue000"
_DROPPED = "script style noscript template head nav svg iframe object form button"
_BLOCKS = (
    "html body main article section header footer aside div p blockquote pre hr address fieldset "
    "h1 h2 h3 h4 h5 h6 ul ol li dl dt dd figure figcaption details summary "
    "table caption thead tbody tfoot tr"
)
DROPPED, BLOCKS = _DROPPED.split(), _BLOCKS.split()


class _Holders(NamedTuple):
    """The ids of a page's elements that hold blocks, and of those that hold tables."""

    blocks: frozenset[int]
    tables: frozenset[int]


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
    return title, list(_walk(soup, _Holders(_around(soup, BLOCKS), _around(soup, "table"))))


def _is_hidden(tag) -> bool:
    style = tag.get("style", "")
    return tag.has_attr("hidden") or "display:none" in style or "display: none" in style


def _around(soup, names: str | list[str]) -> frozenset[int]:
    """The ids of the elements that hold one of this name, each found once however many it holds."""
    found = set[int]()
    for tag in soup(names):
        for parent in tag.parents:
            if id(parent) in found:
                break
            found.add(id(parent))
    return frozenset(found)


def _number(tag) -> None:
    """Write each item's number on it."""
    start = str(tag.get("start", ""))
    for number, item in enumerate(
        tag.find_all("li", recursive=False), start=int(start) if start.isdecimal() else 1
    ):
        item["data-mark"] = f"{number}."


def _walk(tag, holders: _Holders) -> Iterator[Block]:
    """Blocks of an element in document order; text between block elements is a paragraph of its own."""
    from bs4.element import NavigableString, Tag

    loose: list[str] = []
    for child in tag.children:
        if isinstance(child, Tag) and (child.name in BLOCKS or id(child) in holders.blocks):
            yield from _text("".join(loose))
            loose = []
            yield from _element(child, holders)
        elif isinstance(child, Tag):
            loose.append(child.get_text())
        elif type(child) is NavigableString:
            loose.append(str(child))
    yield from _text("".join(loose))


def _element(tag, holders: _Holders) -> Iterator[Block]:
    if re.fullmatch("h[1-6]", tag.name):
        yield Block("heading", squeeze(tag.get_text(" ")))
    elif tag.name == "tr" and id(tag) not in holders.tables:
        yield Block("row", " | ".join(squeeze(cell.get_text(" ")) for cell in tag.find_all(["td", "th"])))
    elif tag.name == "pre":
        yield Block("text", tag.get_text())
    elif tag.name in ("li", "dt", "dd"):
        yield from _item(tag, holders)
    else:
        yield from _walk(tag, holders)


def _item(tag, holders: _Holders) -> Iterator[Block]:
    """A list item's own text, marked with its number or a hyphen, then whatever it holds."""
    mark = tag.get("data-mark", "-")
    for i, block in enumerate(_walk(tag, holders)):
        own = block.kind == "text"
        yield Block("item", f"{mark} {block.text}" if i == 0 else block.text) if own else block


def _text(text: str) -> Iterator[Block]:
    lines = [squeeze(line) for line in text.split(LINE_BREAK)]
    if any(lines):
        yield Block("text", "\n".join(filter(None, lines)))
