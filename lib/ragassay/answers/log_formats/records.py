"""One record in a tool's words as one row in ours, and back: a file that the tool reads, and that we read as
the same rows."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import output_files, tables
from ragassay.answers.log_files import Flaw, Record, shorten
from ragassay.answers.log_formats import tool_scores
from ragassay.answers.log_formats.schemas import OURS, Schema, schema_named
from ragassay.answers.log_formats.values import MISSING, Unfit, first_value, is_empty, put, read_value
from ragassay.errors import ParameterError
from ragassay.spreadsheet_injection import guard_table

MEND = "correct the value, or leave it empty"
KINDS = (".jsonl", ".json", ".csv", ".tsv")
BESIDE = ("latency_s", "cost", "tokens", "citations")  # without them the rest is judged


def adapt(record: Record, schema: Schema) -> tuple[dict[str, Any], list[Flaw]]:
    """Our columns of a record, the scores of the tool (None where it gives none), its other columns as they
    are, and what could not be read.

    A value that does not fit becomes a flaw and is left empty; it spoils the row unless it only stands beside
    what is judged (BESIDE, a score). Columns that were read as a whole are not kept a second time.
    """
    values, row, flaws = record.values, dict[str, Any](), list(record.flaws)
    sources = {ours: first_value(values, theirs) for ours, theirs in schema.columns.items()}
    sources = {ours: pair for ours, pair in sources.items() if pair[1] is not MISSING}
    taken = {path for path, _ in sources.values()}
    sources |= {
        name: (name, values[name]) for name in values if name in OURS and name not in {*sources, *taken}
    }
    for ours, (path, value) in sources.items():
        try:
            row[ours], ids = read_value(ours, OURS[ours], value, schema.passage, schema.delimiter)
        except Unfit as why:
            row[ours], ids = None, []
            flaws.append(Flaw(record.where, path, shorten(value), str(why), MEND, ours not in BESIDE))
        if ours == "contexts" and is_empty(row.get("context_ids")) and (ids or row[ours] == []):
            row["context_ids"] = ids
    scores: dict[str, float | None] = {}
    whole = {path for path, _ in sources.values()} | set(OURS)
    for name, path, value in tool_scores.read(values, schema):
        try:
            scores[name] = tool_scores.as_score(name, value)
        except Unfit as why:
            scores[name] = None
            flaws.append(Flaw(record.where, path, shorten(value), str(why), MEND, False))
        if values.get(path) is value:
            whole.add(path)
    return row | {name: value for name, value in values.items() if name not in whole} | scores, flaws


def export(row: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """The record of a row in a tool's words: what `adapt` reads back as the same row; columns that the tool
    has no name for keep ours, scores that it does not keep as a column their full name."""
    given = {name: value for name, value in row.items() if not is_empty(value)}
    record = {name: v for name, v in given.items() if name not in OURS and not tool_scores.is_given(name)}
    texts, ids = given.get("contexts", ()), given.get("context_ids", ())
    with_ids = bool(schema.passage[0]) and len(ids) == len(texts) > 0
    for ours in (name for name in OURS if name in given and not (name == "context_ids" and with_ids)):
        value = list(given[ours]) if OURS[ours].kind == tables.LIST else given[ours]
        if ours == "contexts" and (with_ids or schema.objects):
            value = []
            for at, text in enumerate(texts):
                passage: dict[str, Any] = {}
                put(passage, schema.passage[0], text)
                for name in ids[at : at + 1]:  # where it has one
                    put(passage, schema.passage[1], name)
                value.append(passage)
        theirs = schema.columns.get(ours, ours)
        path, there = first_value(record, theirs)
        if there is MISSING:  # a new one, no list of messages
            path = next((one for one in theirs.split("|") if "@" not in one), path)
        if schema.flat:
            record[path] = value
        else:
            put(record, path, value)
    there = {one.name for one in tool_scores.read(record, schema)}
    for name in (name for name in given if tool_scores.is_given(name) and name not in there):
        record[tool_scores.column_of(name, schema) or name] = given[name]
    return record


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
