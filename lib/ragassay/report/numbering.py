"""Numbers of headings, tables and figures, and of the chapters and annexes that words refer to.

`[chapter](#quality)` stands in a notebook's markdown, in what a cell shows, and in texts of the library that
a page prints; `[annex](#annex-methods)` likewise. No number of a chapter or annex is typed anywhere.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from ragassay.report import blocks as model
from ragassay.report.blocks import ANCHORS, Span, plain, words

WORDS = ("chapter", "annex")  # of a link, to which the number is added
REFERENCE = re.compile(rf"\[({'|'.join(WORDS)})\]\(#([\w-]+)\)", re.IGNORECASE)


def number(chapters: list[model.Chapter]) -> None:
    """Number the headings of level 2 in the body, and the captioned tables and figures of every chapter:
    Table 4.1, Figure A.2; in front matter figures are Figure 1, 2, and tables go by their caption. None of
    the headings skips a level: readers move by them, and PDF/UA forbids it.

    Words that refer to a chapter or annex get its number; a link to what the document lacks is words alone.
    """
    numbers = {chapter.anchor: chapter.number for chapter in chapters}
    for chapter in chapters:
        chapter.blocks = _resolved(chapter.blocks, numbers)
        above, counted = 1, 0
        for heading in (block for block in chapter.blocks if isinstance(block, model.Heading)):
            heading.level = above = min(heading.level, above + 1)
            counted += heading.level == 2
            if chapter.part == "body" and chapter.number and heading.level == 2:
                heading.words = (*words(f"{chapter.number}.{counted} "), *heading.words)
        counts = {"Table": 0, "Figure": 0}
        for shown in figures_and_tables(chapter.blocks):
            kind = type(shown).__name__
            if shown.caption or kind == "Figure":
                counts[kind] += 1
                place = f"{chapter.number}.{counts[kind]}" if chapter.number else str(counts[kind])
                shown.label = f"{kind} {place}" if chapter.number or kind == "Figure" else ""
                shown.anchor = f"{kind.lower()}-{chapter.anchor}-{counts[kind]}"


def figures_and_tables(blocks: Iterable[model.Block]) -> Iterator[model.Table | model.Figure]:
    """Every table and figure, in reading order, boxes and lists included."""
    for block in blocks:
        match block:
            case model.Table() | model.Figure():
                yield block
            case model.Callout(_, _, inner) | model.Quote(inner):
                yield from figures_and_tables(inner)
            case model.Listing(items):
                for item in items:
                    yield from figures_and_tables(item)


def _resolved(item: Any, numbers: dict[str, str]) -> Any:
    """A block, or a part of one, with the numbers of what its words refer to; words stand in tuples."""
    if isinstance(item, tuple):
        return tuple(span for each in item for span in _spans(each, numbers))
    if isinstance(item, list):
        return [_resolved(part, numbers) for part in item]
    if not is_dataclass(item) or isinstance(item, type):
        return item
    parts = {part.name: _resolved(getattr(item, part.name), numbers) for part in fields(item)}
    if "note" in parts:
        parts["note"] = plain(tuple(_spans(Span(parts["note"]), numbers)))
    return replace(item, **parts)


def _spans(span: Span, numbers: dict[str, str]) -> Iterator[Span]:
    """The pieces of a span: what refers to a chapter becomes a link with its number."""
    if span.kind == "link":
        yield _link(span, span.text, numbers)
    elif span.kind == "text":
        end = 0
        for found in REFERENCE.finditer(span.text):
            if found[2] in ANCHORS:
                yield replace(span, text=span.text[end : found.start()])
                yield _link(replace(span, target=ANCHORS[found[2]]), found[1], numbers)
                end = found.end()
        yield replace(span, text=span.text[end:])
    else:
        yield span


def _link(span: Span, text: str, numbers: dict[str, str]) -> Span:
    if span.target not in numbers:
        return replace(span, text=text, kind="text", target="")
    has_number = text.casefold() in WORDS and numbers[span.target]
    return replace(span, kind="link", text=f"{text} {numbers[span.target]}" if has_number else text)
