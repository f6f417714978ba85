"""The annexes that no notebook makes: methods of what is reported, environment and attached files."""

import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from ragassay.report import attachments
from ragassay.report import blocks as model
from ragassay.report.blocks import annex, data_table, gap, letters, paragraph, words
from ragassay.report.run_folder import Run
from ragassay.report.templates import read_rows
from ragassay.scores.display_names import in_words
from ragassay.scores.metric import Method
from ragassay.scores.metric_registry import METHODS, METRICS
from ragassay.show import clean, value_text

LINE = 62  # characters of a line that says what a file holds


def methods_annex(body: Iterable[model.Chapter]) -> model.Chapter:
    """The measures that these chapters name, the statistical methods, and their sources: what the numbers
    mean, where they come from, and where they depart from that. All metrics stand in an attached file."""
    printed = " ".join(map(letters, body)).casefold()
    named = [metric for metric in METRICS.values() if metric.display.casefold() in printed]
    table = data_table(
        "Measures named in this report",
        ["Measure", "What it says", "Source"],
        [[metric.display, metric.meaning, metric.source] for metric in named],
        widths=[1.4, 4, 1.8],
    )
    statistics = [Method(**row) for row in read_rows("methods")]
    sources = " ".join([*(metric.source for metric in named), *(method.source for method in statistics)])
    works = [row for row in read_rows("references") if row["name"] in sources]
    blocks: list[model.Block] = [
        *([table] if named else []),
        model.Heading(2, words("Statistical methods"), "methods"),
        *(block for method in statistics for block in _method(method)),
        model.Heading(2, words("References"), "references"),
        *(_named(row["name"], row["reference"]) for row in works),
    ]
    return annex("annex-methods", blocks)


def _named(name: str, text: str, source: str = "") -> model.Paragraph:
    """A name in bold, what is said of it, and its source in italics."""
    return model.Paragraph((*words(f"{name}. ", bold=True), *words(text), *words(source, italic=True)))


def _method(method: Method) -> Iterator[model.Block]:
    text = f"{in_words(method.meaning)} {in_words(method.departure)}".strip()
    yield _named(in_words(method.name), text, f" {method.source}." if method.source else "")
    if method.tex:
        yield model.Paragraph(words(method.tex, kind="display"))


def methods() -> list[Method]:
    """All methods: those of the families of metrics, then the others (methods.csv)."""
    return [*METHODS, *(Method(**row) for row in read_rows("methods"))]


def environment_annex(run: Run, attached: list[model.Attached]) -> model.Chapter:
    """What it takes to do this again, whether the run's files are what they were, and those attached."""
    shown = [
        [
            words(item.name, kind="file", target=f"{attachments.FOLDER}/{item.name}"),
            words(clean(textwrap.shorten(item.about, LINE, placeholder="…"))),
            words(value_text(-(-len(item.data) // 1000))),
        ]
        for item in attached
    ]
    large = ", ".join(item.name for item in attached if not item.is_inside)
    besides = f", but for {large} (too large)" if large else ""
    note = f"They stand in the folder attachments, their SHA-256 in SHA256SUMS, and in the PDF{besides}."
    heads = list(map(words, ("File", "What it holds", "kB")))
    table = model.Table("Attached files", heads, shown, ["l", "l", "r"], note)
    program: model.Block = gap("No environment record: the runner has not written manifest.json.")
    if run.manifest:
        program = data_table("Program and network", [], list(_program(run)), widths=[1, 3])
    return annex("annex-environment", [program, _evidence(run), table])


def _program(run: Run) -> Iterator[list[str]]:
    """What the manifest holds of the program and the network, in words."""
    for row in read_rows("document_control"):
        if row["place"] == "environment":
            value: Any = run.manifest
            for key in row["key"].split("."):
                value = (value or {}).get(key)
            if isinstance(value, dict):
                value = [f"{clean(name, 100)} = {value_text(each)}" for name, each in value.items() if each]
            lines = value if isinstance(value, list) else [value or row["otherwise"]]
            yield [row["words"], "\n".join(map(value_text, lines)) or row["otherwise"]]
    changed = [
        f"{clean(each['notebook'], 80)} (+{each['added']} and -{each['removed']} lines)"
        for each in attachments.departures(run)
    ]
    yield ["Notebooks of the engagement's own", "; ".join(changed) or "none: every notebook is the kit's"]


def _evidence(run: Run) -> model.Block:
    """How many files the manifest lists, and which of them are not what they were."""
    if not run.states:
        return gap("No evidence index: manifest.json lists no file.")
    odd = [f"{clean(item['path'], 120)} ({state})" for item, state in run.states if state != "same"]
    listed = f"The run's manifest lists {len(run.states):,} files with their hashes (evidence_index.csv). "
    if not odd:
        return paragraph(f"{listed}When this report was made, each was as the run left it.")
    return paragraph(f"{listed}Not as the run left them: {clean('; '.join(odd))}.")
