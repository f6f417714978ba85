"""Where a cell's output goes: the cell tags that send it to a chapter, an annex or a file.

No tag: the body of the chapter of its notebook. `annex`: the annex of further results. `limits`: the limits
of the decision chapter. `file`: no page; what it shows is among the attached files. `chapter-ID`: the body of
that chapter (ids: `chapters.py`), after the words that open it and before its own cells, or after these where
the cell is tagged `last` too.
"""

from collections.abc import Iterable, Iterator

from ragassay.report.blocks import Block, Callout, Chapter, Heading, Text
from ragassay.report.chapters import CHAPTERS, HOMES
from ragassay.report.notebook_chapter import Part, Walked

ANNEX, FILE, LIMITS, LAST = "annex", "file", "limits", "last"
TAGS = {ANNEX, FILE, LIMITS, *(f"chapter-{name}" for name in CHAPTERS)}


def place_of(part: Part, notebook: str) -> str:
    """The chapter that a cell's output goes to, `annex` or `file`; a failure is never put out of sight."""
    home = HOMES.get(notebook, notebook)
    if any(isinstance(block, Callout) and block.kind == "failure" for block in part.blocks):
        return home
    named = [tag for tag in part.tags if tag in TAGS]
    return named[0].removeprefix("chapter-") if named else home


def chapters(notebooks: dict[str, Walked]) -> dict[str, Chapter]:
    """The chapters made of notebooks, by their ids and in the document's order; a user's own notebook is one
    before the decision."""
    own = [name for name in notebooks if name not in HOMES]
    names = [*(name for name in CHAPTERS if name != "decision"), *own, "decision"]
    return {name: _chapter(name, notebooks) for name in names}


def _chapter(name: str, notebooks: dict[str, Walked]) -> Chapter:
    home = CHAPTERS[name].notebook if name in CHAPTERS else name
    parts = [(walked.name, part) for walked in notebooks.values() for part in _parts(walked, name)]
    parts.sort(key=lambda item: _rank(item[1], is_own=item[0] == home))
    blocks = [block for _, part in parts for block in part.blocks]
    title = CHAPTERS[name].title if name in CHAPTERS else notebooks[home].chapter.title
    return Chapter("", title, f"chapter-{home}", without_empty_headings(blocks))


def _rank(part: Part, *, is_own: bool) -> int:
    """Where a cell stands in a chapter: its opening words, the cells of other notebooks, then its own."""
    if is_own:
        return 0 if part.is_opening else 2
    return 3 if LAST in part.tags else 1


def further(notebooks: dict[str, Walked]) -> list[Block]:
    """The blocks of the annex of further results, below the titles of the chapters they belong to."""
    blocks: list[Block] = []
    for notebook, walked in _in_order(notebooks):
        title = CHAPTERS[HOMES[notebook]].title if notebook in HOMES else walked.chapter.title
        blocks += [Heading(2, (Text(title),), f"further-{notebook}"), *lowered(walked, ANNEX)]
    return without_empty_headings(blocks)


def filed(notebooks: dict[str, Walked]) -> list[Block]:
    """The blocks that no page shows."""
    parts = (part for walked in notebooks.values() for part in _parts(walked, FILE))
    return [block for part in parts for block in part.blocks]


def without_empty_headings(blocks: list[Block]) -> list[Block]:
    """The blocks without the headings under which nothing is left."""
    kept: list[Block] = []
    open_level = 1  # the highest level of heading that what follows may stand under
    for block in reversed(blocks):
        if isinstance(block, Heading) and (not kept or block.level >= open_level):
            continue
        open_level = block.level if isinstance(block, Heading) else 9
        kept.append(block)
    return kept[::-1]


def _in_order(notebooks: dict[str, Walked]) -> Iterator[tuple[str, Walked]]:
    own: Iterable[str] = (name for name in notebooks if name not in HOMES)
    names = [*(place.notebook for place in CHAPTERS.values()), *own]
    return ((name, notebooks[name]) for name in names if name in notebooks)


def _parts(walked: Walked, place: str) -> list[Part]:
    return [part for part in walked.parts if place_of(part, walked.name) == place]


def lowered(walked: Walked, place: str) -> Iterator[Block]:
    """What the notebook's cells tagged for this place show, its headings one level lower."""
    for block in (block for part in _parts(walked, place) for block in part.blocks):
        if isinstance(block, Heading):
            block = Heading(block.level + 1, block.words, block.anchor)
        yield block
