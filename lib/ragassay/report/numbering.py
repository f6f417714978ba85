"""Numbers of headings, tables and figures, and of the chapters and annexes that words refer to.

`[chapter](#quality)` stands in a notebook's markdown, in what a cell shows, and in texts of the library that
a page prints; `[annex](#annex-methods)` likewise. No number of a chapter or annex is typed anywhere.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ragassay.report import blocks as model
from ragassay.report.blocks import plain, with_parts, words
from ragassay.report.chapters import ANCHORS

WORDS = ("chapter", "annex")  # of a link, to which the number is added
REFERENCE = re.compile(rf"\[({'|'.join(WORDS)})\]\(#([\w-]+)\)", re.IGNORECASE)


def number(chapters: list[model.Chapter]) -> None:
    """Number the headings of level 2 in the body, and the captioned tables and figures of every chapter:
    Table 4.1, Figure A.2; in front matter figures are Figure 1, 2, and tables go by their caption."""
    for chapter in chapters:
        _number_headings(chapter)
        _number_shown(chapter)
    resolve(chapters)


def figures_and_tables(blocks: Iterable[model.Block]) -> Iterator[model.Table | model.Figure]:
    """Every table and figure, in reading order, boxes and lists included."""
    for block in blocks:
        match block:
            case model.Table() | model.Figure():
                yield block
            case model.Callout(_, _, inner) | model.Quote(inner):
                yield from figures_and_tables(inner)
            case model.Listing(items, _):
                for item in items:
                    yield from figures_and_tables(item)


def _number_headings(chapter: model.Chapter) -> None:
    """Headings of level 2 as 4.1, 4.2; none skips a level: readers move by them, and PDF/UA forbids
    it."""
    above, counted = 1, 0
    for heading in (block for block in chapter.blocks if isinstance(block, model.Heading)):
        heading.level = above = min(heading.level, above + 1)
        counted += heading.level == 2
        if chapter.part == "body" and chapter.number and heading.level == 2:
            heading.words = (model.Text(f"{chapter.number}.{counted} "), *heading.words)


def _number_shown(chapter: model.Chapter) -> None:
    counts = {"Table": 0, "Figure": 0}
    for shown in figures_and_tables(chapter.blocks):
        kind = type(shown).__name__
        if shown.caption or kind == "Figure":
            counts[kind] += 1
            number = f"{chapter.number}.{counts[kind]}" if chapter.number else str(counts[kind])
            shown.label = f"{kind} {number}" if chapter.number or kind == "Figure" else ""
            shown.anchor = f"{kind.lower()}-{chapter.anchor}-{counts[kind]}"


def resolve(chapters: list[model.Chapter]) -> None:
    """Put the number behind every such word of the numbered chapters; where the document lacks what it points
    at, the word stands alone."""
    numbers = {chapter.anchor: chapter.number for chapter in chapters if chapter.number}
    for chapter in chapters:
        chapter.blocks = _resolved(chapter.blocks, numbers)


def _resolved(item: Any, numbers: dict[str, str]) -> Any:
    """A block, or a part of one, with the numbers of what its words refer to; words stand in tuples."""
    if isinstance(item, tuple):
        return tuple(piece for word in item for piece in _named(word, numbers))
    made = with_parts(item, lambda part: _resolved(part, numbers))
    if isinstance(made, model.Table | model.Figure):
        made.note = REFERENCE.sub(lambda found: plain((_link(found, numbers),)), made.note)
    return made


def _named(word: model.Inline, numbers: dict[str, str]) -> Iterator[model.Inline]:
    match word:
        case model.Text(text):
            end = 0
            for found in REFERENCE.finditer(text):
                yield from [model.Text(text[end : found.start()])] if found.start() > end else []
                yield _link(found, numbers)
                end = found.end()
            if end < len(text) or not text:
                yield model.Text(text[end:])
        case model.Link(children, anchor) if plain(children).casefold() in WORDS:
            yield _numbered(plain(children), anchor, numbers)
        case _:
            yield _resolved(word, numbers)


def _link(found: re.Match[str], numbers: dict[str, str]) -> model.Inline:
    """What such words become; those with an id that no chapter has stay letters."""
    word, name = found.groups()
    return _numbered(word, ANCHORS[name], numbers) if name in ANCHORS else model.Text(found[0])


def _numbered(word: str, anchor: str, numbers: dict[str, str]) -> model.Inline:
    if anchor not in numbers:
        return model.Text(word)
    return model.Link(words(f"{word} {numbers[anchor]}"), anchor)
