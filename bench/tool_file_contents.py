"""A file of each tool as the tool would leave it: 24 made-up answers on a house of rented boats, in the
tool's own columns, nesting and kind of file. Nothing here is written by the library's own way back."""

import csv
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from answers.tool_records import P1, P2, RECORDS, SCORED, A, Q, R
from kit.made_log import BOATS

REFUSAL = "The documents do not say this; I cannot answer."
WRONG = (4, 13)  # items whose answer names another figure
SHORT_SCORE = 0.4  # what is left of a tool's score of them
WITHOUT_ANSWERS = {"ragas_testset", "trulens_ground_truth", "llamaindex_dataset"}


@dataclass(frozen=True)
class Item:
    """One question with what was answered and retrieved."""

    number: int
    question: str
    answer: str
    reference: str
    passages: tuple[str, str]
    passage_ids: tuple[str, str]

    @property
    def case_id(self) -> str:
        return f"q{self.number:02}"


def items() -> list[Item]:
    """Three questions to each boat; to the third no passage has an answer."""
    return [_item(3 * i + kind, kind, *boat) for i, boat in enumerate(BOATS) for kind in range(3)]


def _item(number: int, kind: int, boat: str, fee: int, seats: int) -> Item:
    passages = (
        f"The {boat} costs {fee} dollars a day. The fee is paid before the boat leaves the quay. "
        "Fuel is included.",
        f"Up to {seats} people may board the {boat}. Children count as people. "
        "Dogs are welcome at no charge.",
    )
    asked = (
        f"What does the {boat} cost for a day?",
        f"How many people may board the {boat}?",
        f"In which year was the {boat} built?",
    )
    right = (f"The {boat} costs {fee} dollars a day.", f"Up to {seats} people may board the {boat}.", REFUSAL)
    said = right[kind].replace(str(fee if kind == 0 else seats), "99") if number in WRONG else right[kind]
    ids = (f"fees#{boat.lower()}", f"boarding#{boat.lower()}")
    return Item(number, asked[kind], said, right[kind], passages, ids)


def record_of(tool: str) -> dict:
    """A record of the tool with its scores beside the answer, as `tool_records` holds it."""
    scored = SCORED.get(tool, ({}, {}))[0]
    if tool in ("promptfoo", "langsmith_experiment"):
        return scored | (
            {"reference.answer": R, "example_id": "e1"} if tool == "langsmith_experiment" else {}
        )
    if tool == "deepeval":
        scored = {"metrics_data": scored["metricsData"]}
    return scored | RECORDS[tool][0]


def records(tool: str) -> list[dict]:
    """The items as the tool's records."""
    return [_filled(record_of(tool), _places(tool, item), item) for item in items()]


def wanted(tool: str, item: Item) -> dict[str, Any]:
    """What the item says in our words, in the columns that the tool has."""
    places = _places(tool, item)
    return {ours: _filled(value, places, item) for ours, value in RECORDS[tool][1].items()}


def _places(tool: str, item: Item) -> dict[str, str]:
    """What stands in the record for which part of the item."""
    known = RECORDS[tool][1]
    ids = {str(known["case_id"]): item.case_id} if "case_id" in known else {}
    ids |= dict(zip(known.get("context_ids", ()), item.passage_ids, strict=False))
    texts = {Q: item.question, A: item.answer, R: item.reference}
    return texts | dict(zip((P1, P2), item.passages, strict=True)) | ids


def _filled(value: Any, places: dict[str, str], item: Item) -> Any:
    if isinstance(value, dict):
        return {name: _filled(below, places, item) for name, below in value.items()}
    if isinstance(value, list):
        return [_filled(below, places, item) for below in value]
    if isinstance(value, float) and 0 < value < 1 and item.number in WRONG:
        return round(value * SHORT_SCORE, 3)
    return places.get(str(value), value) if isinstance(value, str | int) else value


def _lines(path: Path, rows: list[dict]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def _json(*holders: str) -> Callable[[Path, list[dict]], None]:
    def write(path: Path, rows: Any) -> None:
        for holder in reversed(holders):
            rows = {holder: rows}
        path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")

    return write


def _sheet(spell: Callable[[Any], str], delimiter: str = ",") -> Callable[[Path, list[dict]], None]:
    def write(path: Path, rows: list[dict]) -> None:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=delimiter)
            writer.writerow(rows[0])
            writer.writerows(
                [spell(cell) if isinstance(cell, dict | list) else cell for cell in row.values()]
                for row in rows
            )

    return write


def _parquet(path: Path, rows: list[dict]) -> None:
    pd.DataFrame(rows).to_parquet(path)


FILES: dict[str, tuple[str, Callable[[Path, list[dict]], None]]] = {  # tool -> ending of the file, its writer
    "ours": (".jsonl", _lines),
    "ragas": (".csv", _sheet(repr)),
    "ragas_multi_turn": (".jsonl", _lines),
    "ragas_0_1": (".parquet", _parquet),
    "deepeval": (".json", _json("test_cases")),
    "grouse": (".jsonl", _lines),
    "h2o_sonar": (".json", _json()),
    "ragchecker": (".json", _json("results")),
    "giskard": (".jsonl", _lines),
    "ares": (".tsv", _sheet(repr, "\t")),
    "trulens_otel": (".jsonl", _lines),
    "trulens": (".csv", _sheet(repr)),
    "trulens_records": (".csv", _sheet(repr)),
    "langchain": (".jsonl", _lines),
    "langchain_qa": (".jsonl", _lines),
    "langsmith": (".jsonl", _lines),
    "langsmith_experiment": (".csv", _sheet(repr)),
    "llamaindex": (".jsonl", _lines),
    "llamaindex_predictions": (".json", _json("predictions")),
    "mlflow": (".json", _json()),
    "databricks_agents": (".parquet", _parquet),
    "evidently": (".csv", _sheet(repr)),
    "promptfoo": (".json", _json("results", "results")),
    "inspect_ai": (".json", _json("samples")),
    "langtest": (".csv", _sheet(repr)),
    "otel_genai": (".jsonl", _lines),
    "lesson": (".json", _json("items")),
}


def write(tool: str, folder: Path) -> Path:
    """The tool's file of the items, in the folder."""
    ending, writer = FILES[tool]
    path = folder / f"{tool}{ending}"
    writer(path, records(tool))
    return path
