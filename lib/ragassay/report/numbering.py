"""Numbers of headings, tables and figures, and of the chapters and annexes that words refer to.

`[chapter](#quality)` stands in a notebook's markdown, in what a cell shows, and in texts of the library that
a page prints; `[annex](#annex-files)` likewise. No number of a chapter or annex is typed anywhere.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ragassay.report.blocks import (
    Block,
    Callout,
    Chapter,
    Emphasis,
    Figure,
    Heading,
    Inline,
    Inlines,
    Link,
    Listing,
    Paragraph,
    Quote,
    Strong,
    Table,
    Text,
    plain,
)
from ragassay.report.chapters import ANCHORS

WORDS = ("chapter", "annex")  # of a link, to which the number is added
REFERENCE = re.compile(rf"\[({'|'.join(WORDS)})\]\(#([\w-]+)\)", re.IGNORECASE)


def number(chapters: list[Chapter]) -> None:
    """Number the headings of level 2 in the body, and the captioned tables and figures of every chapter:
    Table 4.1, Figure A.2; in front matter figures are Figure 1, 2, and tables go by their caption."""
    for chapter in chapters:
        _number_headings(chapter)
        _number_shown(chapter)
    resolve(chapters)


def figures_and_tables(blocks: Iterable[Block]) -> Iterator[Table | Figure]:
    """Every table and figure, in reading order, boxes and lists included."""
    for block in blocks:
        match block:
            case Table() | Figure():
                yield block
            case Callout(_, _, inner) | Quote(inner):
                yield from figures_and_tables(inner)
            case Listing(items, _):
                for item in items:
                    yield from figures_and_tables(item)


def _number_headings(chapter: Chapter) -> None:
    """Headings of level 2 as 4.1, 4.2; none skips a level: readers move by them, and PDF/UA forbids
    it."""
    above, counted = 1, 0
    for heading in (block for block in chapter.blocks if isinstance(block, Heading)):
        heading.level = above = min(heading.level, above + 1)
        counted += heading.level == 2
        if chapter.part == "body" and chapter.number and heading.level == 2:
            heading.words = (Text(f"{chapter.number}.{counted} "), *heading.words)


def _number_shown(chapter: Chapter) -> None:
    counts = {"Table": 0, "Figure": 0}
    for shown in figures_and_tables(chapter.blocks):
        kind = type(shown).__name__
        if shown.caption or kind == "Figure":
            counts[kind] += 1
            number = f"{chapter.number}.{counts[kind]}" if chapter.number else str(counts[kind])
            shown.label = f"{kind} {number}" if chapter.number or kind == "Figure" else ""
            shown.anchor = f"{kind.lower()}-{chapter.anchor}-{counts[kind]}"


def resolve(chapters: list[Chapter]) -> None:
    """Put the number behind every such word of the numbered chapters; where the document lacks what it points
    at, the word stands alone."""
    numbers = {chapter.anchor: chapter.number for chapter in chapters if chapter.number}
    for chapter in chapters:
        chapter.blocks = [_resolved(block, numbers) for block in chapter.blocks]


def in_plain_text(text: str, numbers: dict[str, str]) -> str:
    """The text with the numbers of the chapters and annexes that it names by their ids."""
    return REFERENCE.sub(lambda found: plain((_link(found, numbers),)), text)


def _resolved(block: Block, numbers: dict[str, str]) -> Block:
    match block:
        case Heading(level, words, anchor):
            return Heading(level, _named(words, numbers), anchor)
        case Paragraph(words):
            return Paragraph(_named(words, numbers))
        case Listing(items, ordered):
            return Listing([[_resolved(inner, numbers) for inner in item] for item in items], ordered)
        case Quote(inner):
            return Quote([_resolved(each, numbers) for each in inner])
        case Callout():
            return replace(block, blocks=[_resolved(each, numbers) for each in block.blocks])
        case Table():
            rows = [[_named(cell, numbers) for cell in row] for row in block.rows]
            return replace(block, rows=rows, note=in_plain_text(block.note, numbers))
        case Figure():
            return replace(block, note=in_plain_text(block.note, numbers))
    return block


def _named(words: Inlines, numbers: dict[str, str]) -> Inlines:
    return tuple(each for word in words for each in _named_word(word, numbers))


def _named_word(word: Inline, numbers: dict[str, str]) -> Inlines:
    match word:
        case Text(text):
            return tuple(_pieces(text, numbers))
        case Link(children, anchor) if plain(children).casefold() in WORDS:
            return (_numbered(plain(children), anchor, numbers),)
        case Strong(children):
            return (Strong(_named(children, numbers)),)
        case Emphasis(children):
            return (Emphasis(_named(children, numbers)),)
    return (word,)


def _pieces(text: str, numbers: dict[str, str]) -> Iterator[Inline]:
    end = 0
    for found in REFERENCE.finditer(text):
        if found.start() > end:
            yield Text(text[end : found.start()])
        yield _link(found, numbers)
        end = found.end()
    if end < len(text) or not text:
        yield Text(text[end:])


def _link(found: re.Match[str], numbers: dict[str, str]) -> Inline:
    """What such words become; those with an id that no chapter has stay letters."""
    word, name = found.groups()
    return _numbered(word, ANCHORS[name], numbers) if name in ANCHORS else Text(found[0])


def _numbered(word: str, anchor: str, numbers: dict[str, str]) -> Inline:
    return Link((Text(f"{word} {numbers[anchor]}"),), anchor) if anchor in numbers else Text(word)
