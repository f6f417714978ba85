"""Answers back in a tool's words: a file that the tool reads, and that we read as the same rows."""

import csv
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import output_files
from ragassay.answers.log_formats import export
from ragassay.answers.log_formats.schemas import schema_named
from ragassay.errors import ParameterError
from ragassay.spreadsheet_injection import guarded

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
        if place.suffix.lower() == ".jsonl":
            file.writelines(json.dumps(one, ensure_ascii=False, default=_plain) + "\n" for one in records)
        elif place.suffix.lower() == ".json":
            file.write(rules.wrapped[0])
            for number, one in enumerate(records):
                text = json.dumps(one, ensure_ascii=False, indent=1, default=_plain)
                file.write(f"{',' if number else ''}\n{text}")
            file.write(f"\n{rules.wrapped[1]}\n")
        else:
            _write_cells(file, records, "\t" if place.suffix.lower() == ".tsv" else ",")
    return place


def check_output_path(path: str | Path) -> Path:
    """The path, if answers can be written there; ParameterError if its ending is none of KINDS."""
    place = Path(path)
    if place.suffix.lower() not in KINDS:
        expected = f"a file ending in {', '.join(KINDS)}"
        raise ParameterError("the answers cannot be written there", found=place.name, expected=expected)
    return place


def _write_cells(file: Any, records: Iterator[dict], delimiter: str) -> None:
    """The header holds the columns of all records; texts that would run in a spreadsheet are guarded."""
    rows = [{name: _cell(value) for name, value in record.items()} for record in records]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.writer(file, delimiter=delimiter)
    writer.writerow(map(guarded, columns))
    writer.writerows([row.get(name) for name in columns] for row in rows)


def _cell(value: Any) -> Any:
    if isinstance(value, list | dict | bool):
        return json.dumps(value, ensure_ascii=False, default=_plain)
    return guarded(value) if isinstance(value, str) else value


def _plain(value: Any) -> Any:
    """What JSON cannot hold: arrays as lists, numbers of NumPy as numbers, the rest as its text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)
