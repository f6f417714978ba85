"""The annex of methods: what the numbers of this report mean, where they come from, and where they depart
from that."""

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from ragassay.report import blocks as block_builders
from ragassay.report import long_texts
from ragassay.report.blocks import (
    Block,
    Chapter,
    Display,
    Emphasis,
    Heading,
    Inlines,
    Paragraph,
    Strong,
    Text,
    data_table,
    term_entry,
    words,
)
from ragassay.scores.display_names import in_words, plain_sentence
from ragassay.scores.metric import Method
from ragassay.scores.metric_registry import METHODS, METRICS

HERE = Path(__file__).parent


def annex(body: Iterable[Chapter]) -> Chapter:
    """The measures that these chapters name, the statistical methods, and their sources; all metrics stand in
    an attached file."""
    printed = " ".join(map(long_texts.letters, body)).casefold()
    named = [metric for metric in METRICS.values() if metric.display.casefold() in printed]
    table = data_table(
        "Measures named in this report",
        ["Measure", "What it says", "Source"],
        [[metric.display, plain_sentence(metric.name), metric.source] for metric in named],
        widths=[1.4, 4, 1.8],
    )
    statistics = [Method(**row) for row in rows("methods")]
    sources = " ".join([*(metric.source for metric in named), *(method.source for method in statistics)])
    works = [row for row in rows("references") if row["name"] in sources]
    blocks: list[Block] = [
        *([table] if named else []),
        Heading(2, words("Statistical methods"), "methods"),
        *(block for method in statistics for block in _method(method)),
        Heading(2, words("References"), "references"),
        *(term_entry(row["name"], row["reference"]) for row in works),
    ]
    return block_builders.annex("annex-methods", blocks)


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a CSV file of this room."""
    with (HERE / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def methods() -> list[Method]:
    """The methods of that annex: those of the families of metrics, then the others (methods.csv)."""
    return [*METHODS, *(Method(**row) for row in rows("methods"))]


def _method(method: Method) -> Iterator[Block]:
    text = f"{in_words(method.meaning)} {in_words(method.departure)}".strip()
    source: Inlines = (Emphasis(words(f" {method.source}.")),) if method.source else ()
    yield Paragraph((Strong(words(f"{in_words(method.name)}. ")), Text(text), *source))
    if method.tex:
        yield Display(method.tex)
