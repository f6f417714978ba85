"""Annex D: what every number means, as it is computed here, where it comes from, and where it departs from that."""

import csv
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ragassay.errors import InputError
from ragassay.report import mathematics
from ragassay.report.blocks import (
    Block,
    Chapter,
    Display,
    Emphasis,
    Heading,
    Paragraph,
    Strong,
    Text,
    Verbatim,
    data_table,
    gap,
    paragraph,
    words,
)
from ragassay.show import clean, value_text

HERE = Path(__file__).parent
SHOWN = str | int | float | bool | tuple | list


def annex() -> Chapter:
    """Methods with their formulas and departures, the metrics of the kit, the sources."""
    blocks: list[Block] = [
        Heading(2, words("Methods"), "methods"),
        *(block for row in rows("methods") for block in _method(row)),
    ]
    blocks += [Heading(2, words("Metrics"), "metrics"), *_metrics()]
    table = data_table(
        "Sources",
        ["Short name", "Work"],
        [[row["name"], row["reference"]] for row in rows("references")],
        widths=[1, 4],
    )
    return Chapter(
        "D",
        "Formulas and references",
        "annex-d",
        [*blocks, Heading(2, words("References"), "references"), table],
        "annex",
    )


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a CSV file of this room."""
    with (HERE / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _method(row: dict[str, str]) -> Iterator[Block]:
    yield Heading(3, words(row["name"]))
    if row["tex"]:
        yield Display(row["tex"])
    yield Paragraph((Text(f"{row['meaning']} "), Emphasis(words(f"Source: {row['source']}."))))
    for label, text in (("Departure or decision", row["departure"]), ("Limits", row["limits"])):
        if text:
            yield Paragraph((Strong(words(f"{label}: ")), Text(text)))


def _metrics() -> list[Block]:
    try:
        from ragassay.scores import METRICS
    except ImportError:
        return [gap("No metric cards: ragassay.scores.METRICS is not there.")]
    opening = paragraph(
        "Every metric of the kit, whether this run used it or not: its name, what it tells, how it is computed, and what it needs."
    )
    return [opening, *(block for name, metric in METRICS.items() for block in metric_card(name, metric))]


def metric_card(name: str, metric: Any) -> Iterator[Block]:
    """What it means, its formula, and its other fields on one line; a field that is absent is passed over."""
    fields = {
        key: value
        for key, value in _fields(metric)
        if value not in (None, "", (), []) and isinstance(value, SHOWN) and key != "name"
    }
    yield Heading(3, words(name))
    if "meaning" in fields:
        yield Paragraph(words(_sentence(str(fields.pop("meaning")))))
    if "formula" in fields:
        yield _formula(str(fields.pop("formula")))
    if fields:
        facts = "; ".join(
            f"{key.replace('_', ' ')}: {value_text(value, limit=2000)}" for key, value in fields.items()
        )
        yield Paragraph((Emphasis(words(_sentence(facts))),))


def _formula(text: str) -> Block:
    """TeX as a formula where it can be read as one, else the words as they are."""
    tex = text.strip().strip("$")
    if not any(mark in text for mark in ("\\", "$")):
        return Paragraph((Strong(words("Computed as: ")), Text(clean(text, 0))))
    try:
        mathematics.mathml(tex, True), mathematics.typst(tex, True)
    except InputError:
        return Verbatim(clean(text, 0), "", "Formula")
    return Display(tex)


def _sentence(text: str) -> str:
    return clean(text[:1].upper() + text[1:].rstrip(".") + ".", 0)


def _fields(metric: Any) -> list[tuple[str, Any]]:
    if dataclasses.is_dataclass(metric):
        return [(field.name, getattr(metric, field.name)) for field in dataclasses.fields(metric)]
    return sorted(vars(metric).items())
