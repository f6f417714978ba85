"""The comparison as a page: its tables in the words of a reader, set by one template, every text as data."""

import base64
import hashlib
from collections.abc import Mapping
from importlib import resources
from typing import Any

import pandas as pd

from ragassay.analysis.comparison import BETTER, WORSE
from ragassay.diff import Comparison
from ragassay.diff.run_facts import KIT, NO_GATE, RATERS
from ragassay.scores.display_names import display_name, level_name
from ragassay.scores.metric_directions import LEGEND, arrow
from ragassay.show import clean, value_text
from ragassay.stats import interval_text
from ragassay.tables import COMPARED

ROWS = 200  # of a table on the page; the JSON has all
DASH = "—"
OF_TURNED = ("turned", "metric", "question", "case_a", "case_b")
OF_FINDING = ("life", "finding_a", "finding_b", "severity", "title", "why")


def html(found: Comparison) -> str:
    """The page: one file, without script."""
    import jinja2

    folder = resources.files("ragassay.diff")
    style = folder.joinpath("diff_page.css").read_text("utf-8")
    page = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    return page.from_string(folder.joinpath("diff_page.html.j2").read_text("utf-8")).render(
        style=style,
        style_hash="sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        about=_rows(found.about),
        legend=LEGEND,
        answers=found.answers,
        pairs=_rows(found.pairs),
        reservations=reservations(found),
        gaps=[clean(gap, 400) for gap in found.gaps],
        tables=tables(found),
        rows_shown=ROWS,
    )


def tables(found: Comparison) -> dict[str, tuple[list[list[str]], int]]:
    """Each table of the page by name: its rows as texts, ROWS at most, and how many there are."""
    by_outcome = found.measures.sort_values(
        "outcome", key=lambda word: word.map(COMPARED.index), kind="stable"
    )
    severity = found.findings["severity_b"].where(
        found.findings["severity_b"] != "", found.findings["severity_a"]
    )
    findings = found.findings.assign(severity=severity)
    cells = {
        "measures": (by_outcome, _measure),
        "turned": (
            found.turned.assign(metric=found.turned["metric"].map(display_name)),
            lambda row: [row[name] for name in OF_TURNED],
        ),
        "findings": (findings, lambda row: [row[name] for name in OF_FINDING]),
        "gates": (found.gates, _gate),
        "drift": (found.drift, _drift),
        "levels": (found.levels, lambda row: _level(row, found.topics)),
        "documents": (found.documents, lambda row: [row["doc_id"], row["change"]]),
        "settings": (found.settings, lambda row: [row["kind"], row["what"], row["A"], row["B"]]),
    }
    return {
        name: ([[clean(str(cell), 400) for cell in told(row)] for row in _rows(rows.head(ROWS))], len(rows))
        for name, (rows, told) in cells.items()
    }


def reservations(found: Comparison) -> list[str]:
    """Why a difference of scores may not be the system's: "kit", "raters", "same answers"."""
    differ = found.measures["outcome"].isin([BETTER, WORSE]).any()
    same = differ and 0 < found.answers["n"] == found.answers["same"]
    kinds = set(found.settings["kind"])
    return [kind for kind in (KIT, RATERS) if kind in kinds] + ["same answers"] * bool(same)


def change_text(row: Mapping) -> str:
    """A difference with its interval, signed, to the third decimal."""
    value, low, high = (round(float(row[name]), 3) + 0.0 for name in ("difference", "low", "high"))  # no -0.0
    return interval_text(value, low, high, 3, signed=True, why=str(row.get("reason") or ""))


def _measure(row: Mapping) -> list[str]:
    left_out = f"; {row['left_out']} left out: {row['reason']}" if row["left_out"] else ""
    return [
        f"{display_name(row['metric'])} {arrow(row['metric'])}",
        row["part"].replace("_", " "),
        f"{_number(row['a'])}, {_number(row['b'])}",
        change_text(row),
        _number(row["q"]),
        f"{row['n']}{left_out}",
        f"{row['gained']} / {row['equal']} / {row['lost']}",
        row["outcome"],
    ]


def _gate(row: Mapping) -> list[str]:
    cells = [display_name(row["gate"]), level_name("origin", row["origin"])]
    for side in "ab":
        value = interval_text(*(row[f"{name}_{side}"] for name in ("value", "low", "high")), missing=DASH)
        n, required = _number(row[f"n_{side}"]), _number(row[f"threshold_{side}"])
        shown = f"{value}, n = {n}, required {required}"
        cells += [DASH if row[f"outcome_{side}"] == NO_GATE else shown, row[f"outcome_{side}"]]
    return cells


def _drift(row: Mapping) -> list[str]:
    tested = f"{row['tested_a']}, {row['tested_b']}"
    numbers = [_number(row[name]) for name in ("distance", "p", "q")]
    return [row["column"].replace("_", " "), tested, *numbers, row["reason"]]


def _level(row: Mapping, topics: dict[str, str]) -> list[str]:
    sides = [f"{row[f'n_{x}']} ({100 * row[f'share_{x}']:.0f} %)" for x in "ab"]
    return [row["column"].replace("_", " "), level_name(row["column"], row["level"], topics), *sides]


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        {str(name): clean(cell) if isinstance(cell, str) else cell for name, cell in row.items()}
        for row in table.to_dict("records")
    ]


def _number(value: Any) -> str:
    return DASH if pd.isna(value) else f"{value:.3g}" if isinstance(value, float) else value_text(value)
