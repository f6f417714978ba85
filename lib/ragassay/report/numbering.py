"""Numbers of headings, tables and figures, and the words of links to them."""

from collections.abc import Iterable, Iterator

from ragassay.report import cross_references
from ragassay.report.blocks import (
    Block,
    Callout,
    Chapter,
    Figure,
    Heading,
    Link,
    Listing,
    Paragraph,
    Quote,
    Table,
    Text,
)

_SMALL = 3  # rows


def number(chapters: list[Chapter]) -> None:
    """Number the headings of level 2 in the body, and the captioned tables and figures of every chapter:
    Table 4.1, Figure A.2; in front matter figures are Figure 1, 2, and tables go by their caption."""
    references = without_repeats(chapters)
    for chapter in chapters:
        _step(chapter)
        _number_headings(chapter)
        _number_shown(chapter)
    _refer(references)
    cross_references.resolve(chapters)


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


def without_repeats(chapters: list[Chapter]) -> list[tuple[Paragraph, Table | Figure]]:
    """Put a paragraph in the place of each table or figure that was shown before; returns each with what it
    is to refer to."""
    shown: dict[object, Table | Figure] = {}
    references: list[tuple[Paragraph, Table | Figure]] = []
    for chapter in chapters:
        for place, block in enumerate(chapter.blocks):
            content = _content(block)
            if content in shown:
                references.append((Paragraph(()), shown[content]))
                chapter.blocks[place] = references[-1][0]
            elif isinstance(block, Table | Figure) and content:
                shown[content] = block
    return references


def _content(block: Block) -> object:
    """What makes two tables or figures the same; nothing for a table without rows and for other blocks. Small
    tables that happen to agree differ by their captions."""
    match block:
        case Figure():
            return block.data
        case Table() if block.rows:
            caption = block.caption if len(block.rows) < _SMALL else ""
            return caption, repr(block.columns), repr(block.rows)
    return None


def _refer(references: list[tuple[Paragraph, Table | Figure]]) -> None:
    for paragraph, shown in references:
        named = Link((Text(shown.label or shown.caption),), shown.anchor)
        paragraph.words = (Text("See "), named, Text("."))


def _step(chapter: Chapter) -> None:
    """No heading skips a level: readers who listen move by them, and PDF/UA forbids it."""
    above = 1
    for heading in _headings(chapter):
        heading.level = above = min(heading.level, above + 1)


def _number_headings(chapter: Chapter) -> None:
    """Headings of level 2 as 4.1, 4.2."""
    counted = 0
    for heading in _headings(chapter):
        counted += heading.level == 2
        is_numbered = chapter.part == "body" and bool(chapter.number) and heading.level == 2
        if is_numbered:
            heading.words = (Text(f"{chapter.number}.{counted} "), *heading.words)


def _headings(chapter: Chapter) -> list[Heading]:
    return [block for block in chapter.blocks if isinstance(block, Heading)]


def _number_shown(chapter: Chapter) -> None:
    counts = {"Table": 0, "Figure": 0}
    for shown in figures_and_tables(chapter.blocks):
        kind = type(shown).__name__
        if shown.caption or kind == "Figure":
            counts[kind] += 1
            shown.label = _label(kind, chapter.number, counts[kind])
            shown.anchor = f"{kind.lower()}-{chapter.anchor}-{counts[kind]}"


def _label(kind: str, chapter: str, place: int) -> str:
    if chapter:
        return f"{kind} {chapter}.{place}"
    return f"{kind} {place}" if kind == "Figure" else ""
