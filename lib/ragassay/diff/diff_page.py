"""The comparison as a document, and as a page: the report's own blocks, so that every text is data."""

from collections.abc import Callable
from typing import Any

import pandas as pd

from ragassay.diff import Comparison, diff_sentences
from ragassay.diff.gate_comparison import NO_GATE
from ragassay.report.block_builders import bullets, data_table, paragraph
from ragassay.report.blocks import Block, Callout, Chapter, Document, Listing
from ragassay.scores.display_names import display_name, level_name
from ragassay.scores.metric_directions import LEGEND, arrow
from ragassay.show import clean, value_text
from ragassay.stats import interval_text
from ragassay.tables import COMPARED

ROWS = 200  # of a table on the page; the JSON has all
STATES = ("In A", "In B", "Severity")
LIFE = (
    "Carried over: raised in both. Not retested: B did not measure it, so it stays open. Retested: measured "
    "again and met; a person closes it."
)


def document(found: Comparison) -> Document:
    """The comparison in chapters of tables."""
    about = dict(zip(found.about["what"], zip(found.about["A"], found.about["B"], strict=True), strict=True))
    cover = [(what, f"A: {clean(a)}  ·  B: {clean(b)}") for what, (a, b) in about.items()]
    chapters = [
        Chapter("1", "What changed from A to B", "changes", _summary(found)),
        Chapter("2", "Paired measures", "measures", [*_measures(found), *_turned(found)]),
        Chapter("3", "Findings", "findings", _findings(found)),
        Chapter("4", "Gates", "gates", _gates(found)),
        Chapter("5", "Drift of questions, topics and documents", "drift", _drift(found)),
        Chapter("6", "What else differs", "settings", _settings(found)),
    ]
    names = " and ".join(dict.fromkeys(clean(name) for name in about["System"]))
    title = f"{names}: two validations compared"
    return Document(
        title, "comparison", about["Date of the report"][1], cover, "", chapters, subtitle="B against A"
    )


def html(found: Comparison) -> str:
    """The page: one file, without script."""
    from ragassay.report.exporter import AuditHTMLExporter

    return AuditHTMLExporter().from_document(document(found))


def _summary(found: Comparison) -> list[Block]:
    """What to read first, and the result; a line that is indented belongs to the one above it."""
    items: list[list[str]] = []
    for line in diff_sentences.summary(found):
        if line.startswith(" "):
            items[-1].append(line.strip())
        else:
            items.append([line])
    told = Listing([[paragraph(first), *([bullets(rest)] if rest else [])] for first, *rest in items])
    warned = diff_sentences.warnings(found)
    return [*([Callout("warning", "Read first", [bullets(warned)])] if warned else []), told]


def _measures(found: Comparison) -> list[Block]:
    columns = [
        "Measure",
        "Cases",
        "A, B",
        "B minus A [95 %]",
        "q",
        "n",
        "Better / equal / worse",
        "Outcome of B",
    ]

    def cells(row: dict) -> list[str]:
        name = f"{display_name(row['metric'])} {arrow(row['metric'])}"
        means = f"{_number(row['a'])}, {_number(row['b'])}"
        left_out = f"; {row['left_out']} left out: {row['reason']}" if row["left_out"] else ""
        counts = f"{row['gained']} / {row['equal']} / {row['lost']}"
        head = [
            name,
            diff_sentences.part_name(row["part"]),
            means,
            diff_sentences.change_text(row),
            _number(row["q"]),
        ]
        return [*head, f"{row['n']}{left_out}", counts, row["outcome"]]

    note = (
        f"{LEGEND}. Pairs by case; bootstrap and sign-flip test over clusters; q by Benjamini-Hochberg over "
        "all rows."
    )
    rows = found.measures.sort_values("outcome", key=lambda word: word.map(COMPARED.index), kind="stable")
    widths = [2, 1.4, 1.2, 1.6, 0.6, 1.6, 1.2, 1.2]
    return _table("Measures of both runs on the same cases", columns, rows, cells, note, widths)


def _turned(found: Comparison) -> list[Block]:
    def cells(row: dict) -> list[str]:
        return [row["turned"], display_name(row["metric"]), row["question"], row["case_a"], row["case_b"]]

    columns = ["In B", "By", "Question", "Case in A", "Case in B"]
    return _table("Answers that are right in one run alone", columns, found.turned, cells)


def _findings(found: Comparison) -> list[Block]:
    def cells(row: dict) -> list[str]:
        return [
            row["life"],
            row["finding_a"],
            row["finding_b"],
            row["severity_b"] or row["severity_a"],
            row["title"],
            row["why"],
        ]

    columns = ["Life", "A", "B", "Severity", "Finding", "Why"]
    return _table("What became of the findings of A, and new ones", columns, found.findings, cells, LIFE)


def _gates(found: Comparison) -> list[Block]:
    def side(row: dict, letter: str) -> str:
        if row[f"outcome_{letter}"] == NO_GATE:
            return "—"
        value = interval_text(*(row[f"{name}_{letter}"] for name in ("value", "low", "high")), missing="—")
        return f"{value}, n = {_number(row[f'n_{letter}'])}, required {_number(row[f'threshold_{letter}'])}"

    def cells(row: dict) -> list[str]:
        name = [display_name(row["gate"]), level_name("origin", row["origin"])]
        return [*name, side(row, "a"), row["outcome_a"], side(row, "b"), row["outcome_b"]]

    columns = ["Gate", "Questions", "A", "In A", "B", "In B"]
    return _table("Gates of both runs", columns, found.gates, cells, "Each on its own questions, not paired.")


def _drift(found: Comparison) -> list[Block]:
    def level(row: dict) -> list[str]:
        change = diff_sentences.change_text(row)
        name = level_name(row["column"], row["level"], found.topics)
        sides = [f"{row[f'n_{x}']} ({100 * row[f'share_{x}']:.0f} %)" for x in "ab"]
        return [row["column"].replace("_", " "), name, *sides, change]

    tests = bullets([diff_sentences.drift_line(row) for _, row in found.drift.iterrows()])
    note = "Topics are those of B, for the questions of both runs. Percentile bootstrap over clusters."
    shares = _table(
        "Questions by level", ["Column", "Level", "A", "B", "B minus A [95 %]"], found.levels, level, note
    )
    changed = _table(
        "Documents that are not the same",
        ["Document", "Change"],
        found.documents,
        lambda row: [row["doc_id"], row["change"]],
    )
    return [tests, *shares, *changed]


def _settings(found: Comparison) -> list[Block]:
    def cells(row: dict) -> list[str]:
        return [row["what"], row["A"], row["B"]]

    return _table("Kit, packages, models and parameters", ["What", "A", "B"], found.settings, cells)


def _table(
    caption: str,
    columns: list[str],
    rows: pd.DataFrame,
    cells: Callable[[dict[str, Any]], list[Any]],
    note: str = "",
    widths: list[float] | None = None,
) -> list[Block]:
    if rows.empty:
        return [paragraph(f"{caption}: none.")]
    lines = [[clean(_text(cell), 400) for cell in cells(row)] for row in rows.head(ROWS).to_dict("records")]
    cut = f"The first {ROWS} of {len(rows)} rows; the JSON has all." if len(rows) > ROWS else ""
    return [
        data_table(
            caption, columns, lines, note=" ".join(filter(None, [note, cut])), states=STATES, widths=widths
        )
    ]


def _text(cell: Any) -> str:
    return cell if isinstance(cell, str) else value_text(cell)


def _number(value: float) -> str:
    return "—" if pd.isna(value) else f"{value:.3g}"
