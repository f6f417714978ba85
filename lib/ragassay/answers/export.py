"""Answers back in a tool's words: a file that the tool reads, and that we read as the same rows."""

import csv
import json
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import output_files
from ragassay.answers.log_formats import Schema, export
from ragassay.answers.log_formats.detection import schema_named
from ragassay.errors import ParameterError
from ragassay.spreadsheet_cells import guarded

KINDS = (".jsonl", ".json", ".csv", ".tsv")


def write_answers(answers: pd.DataFrame, path: str | Path, schema: str) -> Path:
    """Write rows of the answers table as `schema` names them; the path.

    JSON Lines, JSON, CSV or TSV by the suffix; in the last two, lists stand as JSON. Columns that the tool
    has no name for (case_id, say, or scores that were joined) keep ours, so that nothing is lost. Lone
    surrogates, which no file can hold, become question marks. A file that stands there is replaced in one
    move.

    Raises
    ------
    ParameterError
        If the schema or the suffix is unknown.
    """
    place, rules = check_output_path(path), schema_named(schema)
    records = [export(row, rules) for row in answers.to_dict("records")]
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


def _lines(file: Any, records: list[dict], rules: Schema) -> None:
    file.writelines(json.dumps(record, ensure_ascii=False, default=_plain) + "\n" for record in records)


def _whole(file: Any, records: list[dict], rules: Schema) -> None:
    content: Any = {"results": records} if rules.name == "ragchecker" else records
    json.dump(content, file, ensure_ascii=False, indent=1, default=_plain)


def _delimited(file: Any, records: list[dict], rules: Schema, delimiter: str = ",") -> None:
    columns = list(dict.fromkeys(name for record in records for name in record))
    writer = csv.writer(file, delimiter=delimiter)
    writer.writerow(map(guarded, columns))
    for record in records:
        writer.writerow([_cell(record.get(name)) for name in columns])


def _tab_separated(file: Any, records: list[dict], rules: Schema) -> None:
    _delimited(file, records, rules, "\t")


def _cell(value: Any) -> Any:
    """What a cell holds: lists as JSON, texts that would run in a spreadsheet guarded, numbers as such."""
    if isinstance(value, list | dict | bool):
        return json.dumps(value, ensure_ascii=False, default=_plain)
    return guarded(value) if isinstance(value, str) else value


def _plain(value: Any) -> Any:
    """What JSON cannot hold: arrays as lists, numbers of NumPy as numbers, the rest as its text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


_WRITERS = {".jsonl": _lines, ".json": _whole, ".csv": _delimited, ".tsv": _tab_separated}
