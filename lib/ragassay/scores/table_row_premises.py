"""Premises: the passages' sentences and, beside them, every row of a table told with its headings.

A row of figures says nothing by itself. It is told as `Bakery: 2023 412.6; 2022 388.1 (Revenue, £ million)`,
so that what is compared with an answer's sentence holds the words above the column too.
"""

from ragassay.scores.memo import remembered
from ragassay.scores.numbers.table_cells import Line, read_lines
from ragassay.scores.prepared_answer import Sample, Sentence

TITLE = 12  # words told of what stands before a table, the last ones


def premises(sample: Sample) -> tuple[list[Sentence], list[int]]:
    """The sentences of all passages, then their told rows; and which of the contexts each stands in."""
    told = [(place, row) for place, passage in enumerate(sample.contexts or ()) for row in told_rows(passage)]
    sources = {
        place: one.source for place, one in zip(sample.context_places, sample.context_sentences, strict=True)
    }
    rows = [Sentence(row, sources.get(place)) for place, row in told]
    return [*sample.context_sentences, *rows], [*sample.context_places, *(place for place, _ in told)]


@remembered
def told_rows(passage: str) -> tuple[str, ...]:
    """Every row of the passage's tables as a text of its own; linear in its length."""
    return tuple(tell(line) for line in read_lines(passage) if not line.prose)


def tell(line: Line) -> str:
    """A row: its label, each cell after its heading, then its section and the end of the table's title."""
    pairs = zip(line.headings, line.cells, strict=True)
    cells = "; ".join(f"{heading} {cell}".strip() for heading, cell in pairs)
    title = " ".join(line.caption.split()[-TITLE:])
    around = ", ".join(part for part in (line.section, title) if part and part not in line.headings)
    return (f"{line.label}: " if line.label else "") + cells + (f" ({around})" if around else "")
