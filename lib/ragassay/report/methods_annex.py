"""The annex of methods: what every number means, as it is computed here, where it comes from, and where it
departs from that."""

import csv
import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path

from ragassay.errors import InputError
from ragassay.report import block_builders, mathematics
from ragassay.report.block_builders import paragraph, term_entry, words
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
)
from ragassay.scores.display_names import in_words, plain_sentence
from ragassay.scores.metric import Method, Metric
from ragassay.scores.metric_registry import GLOSSARY, METHODS
from ragassay.show import clean, value_text

HERE = Path(__file__).parent
SHOWN = str | int | float | bool | tuple  # kinds of fields of a metric that its card prints


def annex() -> Chapter:
    """Methods with their formulas and departures, and the sources; each metric has its card in an attached
    file."""
    blocks: list[Block] = [
        Heading(2, words("Methods"), "methods"),
        *(block for method in methods() for block in _method(method)),
    ]
    attached = "The card of every metric is attached: metric_cards.txt"
    blocks.append(paragraph(f"{attached} ([annex](#annex-files))."))
    works = [term_entry(row["name"], row["reference"]) for row in rows("references")]
    sources = Heading(2, words("References"), "references")
    return block_builders.annex("annex-methods", [*blocks, sources, *works])


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a CSV file of this room."""
    with (HERE / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def methods() -> list[Method]:
    """The methods of that annex: those of the families of metrics, then the others (methods.csv)."""
    return [*METHODS, *(Method(**row) for row in rows("methods"))]


def terms(by_raters: Mapping[str, str] | None = None) -> dict[str, str]:
    """The glossary: terms of the families of metrics, and those of glossary_besides_metrics.csv, by alphabet;
    `by_raters`, term -> what the raters' guide says of it, stands behind what the kit does."""
    found = GLOSSARY | {row["term"]: row["meaning"] for row in rows("glossary_besides_metrics")}
    for term, text in (by_raters or {}).items():
        name = term[:1].upper() + term[1:]
        found[name] = f"{found.get(name, '')} By the raters' guide: {text.strip().rstrip('.')}.".strip()
    return dict(sorted(found.items(), key=lambda item: item[0].casefold()))


def _method(method: Method) -> Iterator[Block]:
    yield Heading(3, words(in_words(method.name)))
    if method.tex:
        yield Display(method.tex)
    yield Paragraph((Text(f"{in_words(method.meaning)} "), Emphasis(words(f"Source: {method.source}."))))
    for label, text in (("Departure or decision", method.departure), ("Limits", method.limits)):
        if text:
            yield Paragraph((Strong(words(f"{label}: ")), Text(in_words(text))))


def metric_card(metric: Metric) -> Iterator[Block]:
    """What it means, its formula, and its other fields on one line; a field that is empty is passed over."""
    shown = {one.name: getattr(metric, one.name) for one in dataclasses.fields(metric) if one.repr}
    fields = {
        key: value for key, value in shown.items() if value not in ("", ()) and isinstance(value, SHOWN)
    }
    yield Heading(3, words(metric.display))
    yield Paragraph(words(plain_sentence(metric.name)))
    yield _formula(metric.formula)
    facts = "; ".join(
        f"{key.replace('_', ' ')}: {value_text(value, limit=2000)}"
        for key, value in fields.items()
        if key not in ("meaning", "formula")
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
