"""Answers back in a tool's words: a file that the tool reads, and that we read as the same rows."""

import csv
import json
import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import output_files
from ragassay.answers.log_formats import Schema, export
from ragassay.answers.log_formats.schema_detection import schema_named
from ragassay.errors import ParameterError
from ragassay.spreadsheet_injection import guarded

KINDS = (".jsonl", ".json", ".csv", ".tsv")


def write_answers(answers: pd.DataFrame | Iterable[pd.DataFrame], path: str | Path, schema: str) -> Path:
    """Write rows of the answers table, or batches of them, as `schema` names them; the path.

    JSON Lines, JSON, CSV or TSV by the suffix; in the last two, lists stand as JSON. Columns that the tool
    has no name for (case_id, say) keep ours, and scores stand where the tool keeps its own, so that nothing
    is lost. Lone surrogates, which no file can hold, become question marks. A file that stands there is
    replaced in one move. Memory does not grow with the number of batches.

    Raises
    ------
    ParameterError
        If the schema or the suffix is unknown.
    """
    place, rules = check_output_path(path), schema_named(schema)
    batches = [answers] if isinstance(answers, pd.DataFrame) else answers
    records = (export(row, rules) for batch in batches for row in batch.to_dict("records"))
    with (
        output_files.draft(place) as draft,
        output_files.refusals(place),
        draft.open("w", encoding="utf-8", errors="replace", newline="") as file,
    ):
        _WRITERS[place.suffix.lower()](file, records, rules)
    return place


def check_output_path(path: str | Path) -> Path:
    """The path, if answers can be written there; ParameterError if its ending is none of KINDS."""
    place = Path(path)
    if place.suffix.lower() not in KINDS:
        expected = f"a file ending in {', '.join(KINDS)}"
        raise ParameterError("the answers cannot be written there", found=place.name, expected=expected)
    return place


def _lines(file: Any, records: Iterable[dict], rules: Schema) -> None:
    file.writelines(json.dumps(record, ensure_ascii=False, default=_plain) + "\n" for record in records)


def _whole(file: Any, records: Iterable[dict], rules: Schema) -> None:
    before, after = rules.wrapped
    file.write(before)
    for number, record in enumerate(records):
        text = json.dumps(record, ensure_ascii=False, indent=1, default=_plain)
        file.write(f"{',' if number else ''}\n{text}")
    file.write(f"\n{after}\n")


def _delimited(file: Any, records: Iterable[dict], rules: Schema, delimiter: str = ",") -> None:
    """The header holds the columns of all records: they wait in a file of their own until it is known."""
    columns: dict[str, None] = {}
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as waiting:
        for record in records:
            columns |= dict.fromkeys(record)
            waiting.write(json.dumps(record, default=_plain) + "\n")
        waiting.seek(0)
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(map(guarded, columns))
        for line in waiting:
            record = json.loads(line)
            writer.writerow([_cell(record.get(name)) for name in columns])


def _cell(value: Any) -> Any:
    """What a cell holds: lists as JSON, texts that would run in a spreadsheet guarded, numbers as such."""
    if isinstance(value, list | dict | bool):
        return json.dumps(value, ensure_ascii=False, default=_plain)
    return guarded(value) if isinstance(value, str) else value


def _plain(value: Any) -> Any:
    """What JSON cannot hold: arrays as lists, numbers of NumPy as numbers, the rest as its text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


_WRITERS: dict[str, Callable[[Any, Iterable[dict], Schema], None]] = {
    ".jsonl": _lines,
    ".json": _whole,
    ".csv": _delimited,
    ".tsv": partial(_delimited, delimiter="\t"),
}
