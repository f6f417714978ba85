"""One record in a tool's words as one row in ours, and back."""

from collections.abc import Mapping
from typing import Any

from ragassay import tables
from ragassay.answers.log_files import Flaw, Record, shorten
from ragassay.answers.log_formats import tool_scores
from ragassay.answers.log_formats.schemas import OURS, Schema
from ragassay.answers.log_formats.values import MISSING, Unfit, first_value, is_empty, put, read_value

MEND = "correct the value, or leave it empty"
BESIDE = ("latency_s", "cost", "tokens")  # measured beside the answer: without them the rest is judged


def adapt(record: Record, schema: Schema) -> tuple[dict[str, Any], list[Flaw]]:
    """Our columns of a record, its other columns as they are, and what could not be read.

    A value that does not fit becomes a flaw and is left empty; it spoils the row unless it only stands beside
    what is judged (BESIDE). Columns that were read as a whole are not kept a second time.
    """
    values, row = record.values, dict[str, Any]()
    sources = {ours: first_value(values, theirs) for ours, theirs in schema.columns.items()}
    sources = {ours: pair for ours, pair in sources.items() if pair[1] is not MISSING}
    taken = {path for path, _ in sources.values()}
    sources |= {
        name: (name, values[name]) for name in values if name in OURS and name not in {*sources, *taken}
    }
    read = {path.partition(".")[0] for path, _ in sources.values()}
    flaws = [flaw._replace(spoils=not flaw.column or flaw.column in read) for flaw in record.flaws]
    for ours, (path, value) in sources.items():
        try:
            row[ours], ids = read_value(ours, OURS[ours], value, schema.passage, schema.delimiter)
        except Unfit as why:
            row[ours], ids = None, []
            flaws.append(Flaw(record.where, path, shorten(value), str(why), MEND, ours not in BESIDE))
        if ours == "contexts" and is_empty(row.get("context_ids")) and (ids or row[ours] == []):
            row["context_ids"] = ids
    whole = {path for path, _ in sources.values() if path in values}
    scores, score_columns, unread = _scores(record, schema)
    gone = whole | score_columns | set(OURS)
    others = {name: value for name, value in values.items() if name not in gone}
    return row | others | scores, flaws + unread


def _scores(record: Record, schema: Schema) -> tuple[dict[str, float | None], set[str], list[Flaw]]:
    """The scores that the record carries, None where it gives none; the columns that hold nothing else; and
    what is no number, or none that the score can have, which spoils no row."""
    row: dict[str, float | None] = {}
    columns, flaws = set(), []
    for name, path, value in tool_scores.read(record.values, schema):
        known, expected = tool_scores.card(name), tool_scores.NUMBER
        try:
            number = tool_scores.as_value(value)
            if number < known.low or number > known.high:
                expected = f"{known.low:g} to {known.high:g}"
                raise ValueError(expected)
        except (TypeError, ValueError):
            flaws.append(Flaw(record.where, path, shorten(value), expected, MEND, False))
            number = float("nan")
        row[name] = None if number != number else number
        if record.values.get(path) is value:
            columns.add(path)
    return row, columns, flaws


def export(row: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """The record of a row in a tool's words: what `adapt` reads back as the same row; columns that the tool
    has no name for keep ours, scores that it does not keep as a column their full name."""
    record = {
        name: value
        for name, value in row.items()
        if name not in OURS and not is_empty(value) and not tool_scores.is_given(name)
    }
    for ours in (name for name in OURS if not is_empty(row.get(name))):
        theirs = schema.columns.get(ours, ours)
        path, value = first_value(record, theirs)
        if value is MISSING or path not in theirs.split("|"):  # a new one, no list of messages
            path = next((one for one in theirs.split("|") if "@" not in one), theirs.split("|")[0])
        if schema.flat:
            record[path] = _exported(ours, row, schema)
        else:
            put(record, path, _exported(ours, row, schema))
    there = {one.name: one.value for one in tool_scores.read(record, schema)}
    for name, value in row.items():
        if tool_scores.is_given(name) and not is_empty(value) and name not in there:
            record[tool_scores.column_of(name, schema) or name] = value
    if not is_empty(row.get("contexts")) and len(row["contexts"]) and _carries_ids(row, schema):
        record.pop("context_ids", None)
    return record


def _carries_ids(row: Mapping[str, Any], schema: Schema) -> bool:
    """Whether the passages are written as objects with their ids."""
    ids = row.get("context_ids")
    return bool(schema.passage[0]) and not is_empty(ids) and len(ids or ()) == len(row["contexts"])


def _exported(ours: str, row: Mapping[str, Any], schema: Schema) -> Any:
    """The value as the tool writes it: passages as objects with their ids where it has such, else as it
    is."""
    value = row[ours]
    if OURS[ours].kind != tables.LIST:
        return value
    with_ids = ours == "contexts" and _carries_ids(row, schema)
    if not with_ids and not (ours == "contexts" and schema.objects):
        return list(value)
    passages: list[dict] = [{} for _ in value]
    for number, (passage, text) in enumerate(zip(passages, value, strict=True)):
        put(passage, schema.passage[0], text)
        if with_ids:
            put(passage, schema.passage[1], row["context_ids"][number])
    return passages
