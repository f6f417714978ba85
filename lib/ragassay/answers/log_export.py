"""Answers back in a tool's words: a file that the tool reads, and that we read as the same rows."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import output_files
from ragassay.answers.log_formats import export
from ragassay.answers.log_formats.schemas import schema_named
from ragassay.errors import ParameterError
from ragassay.spreadsheet_injection import guard_table

KINDS = (".jsonl", ".json", ".csv", ".tsv")


def write_answers(answers: pd.DataFrame | Iterable[pd.DataFrame], path: str | Path, schema: str) -> Path:
    """Write rows of the answers table, or batches of them, as `schema` names them; the path.

    JSON Lines, JSON, CSV or TSV by the suffix; in the last two, lists stand as JSON. Columns that the tool
    has no name for keep ours, so that nothing is lost. A file that stands there is replaced in one move.
    ParameterError if the schema or the suffix is unknown.
    """
    place, rules = check_output_path(path), schema_named(schema)
    batches = [answers] if isinstance(answers, pd.DataFrame) else answers
    records = (export(row, rules) for batch in batches for row in batch.to_dict("records"))
    with (
        output_files.draft(place) as draft,
        output_files.refusals(place),
        draft.open("w", encoding="utf-8", errors="replace", newline="") as file,
    ):
        if place.suffix.lower() in (".csv", ".tsv"):
            rows = [{name: _cell(value) for name, value in record.items()} for record in records]
            delimiter = "\t" if place.suffix.lower() == ".tsv" else ","
            table = guard_table(pd.DataFrame(rows, dtype=object))
            table.to_csv(file, sep=delimiter, index=False, lineterminator="\r\n")
        else:
            lines = (json.dumps(one, ensure_ascii=False, default=_plain) for one in records)
            is_whole = place.suffix.lower() == ".json"
            before, behind = rules.wrapped if is_whole else ("", "")
            file.write(before + (",\n" if is_whole else "\n").join(lines) + behind + "\n")
    return place


def check_output_path(path: str | Path) -> Path:
    """The path, if answers can be written there; ParameterError if its ending is none of KINDS."""
    place = Path(path)
    if place.suffix.lower() not in KINDS:
        expected = f"a file ending in {', '.join(KINDS)}"
        raise ParameterError("the answers cannot be written there", found=place.name, expected=expected)
    return place


def _cell(value: Any) -> Any:
    is_written = isinstance(value, list | dict | bool)
    return json.dumps(value, ensure_ascii=False, default=_plain) if is_written else value


def _plain(value: Any) -> Any:
    """What JSON cannot hold: arrays as lists, numbers of NumPy as numbers, the rest as its text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)
