"""One record in a tool's words as one row in ours, and back."""

import contextlib
import math
from collections.abc import Mapping
from typing import Any

from ragassay import tables
from ragassay.answers.log_files import Flaw, Record, shorten
from ragassay.answers.log_formats import tool_scores
from ragassay.answers.log_formats.nested_values import (
    MISSING,
    UNREAD,
    first_value,
    is_broken_list,
    is_empty,
    parse_literal,
    put,
)
from ragassay.answers.log_formats.schema_detection import contradictions, detect
from ragassay.answers.log_formats.tool_schemas import OURS, Schema
from ragassay.answers.log_formats.value_conversion import Unfit, read_value

RAW = "raw:"  # before the name of a foreign column that is kept beside what was read from it
MEND = "correct the value, or leave it empty"
OBJECT = "an object or a list, as JSON or Python, not cut short"
JSON = (".jsonl", ".ndjson", ".json")
TEXTS = {name for name, rule in OURS.items() if rule.kind == tables.TEXT} - {"case_id", "system"}
_DIGITS = tuple("0123456789.-+")
Sources = dict[str, tuple[str, Any]]  # ours -> the path it stands at, and the value
BESIDE = ("latency_s", "cost", "tokens")  # measured beside the answer: without them the rest is judged


def adapt(record: Record, schema: Schema) -> tuple[dict[str, Any], list[Flaw]]:
    """Our columns of a record, its other columns as they are, and what could not be read.

    A value that does not fit becomes a flaw and is left empty (UNREAD where scoring can tell it from one that
    was not given); it spoils the row unless it only stands beside what is judged (BESIDE). A foreign column
    that is not what was read from it (a dict, a list of objects, a name that means something else with us) is
    kept under `raw:<name>`, so that `export` can give it back.
    """
    row: dict[str, Any] = {}
    given, same = _sources(record.values, schema)
    read = {path.partition(".")[0] for path, _ in (same | given).values()}
    flaws = [_of_row(flaw, read) for flaw in record.flaws] + _cut_short(record, schema)
    for ours, (path, value) in (same | given).items():
        try:
            _check_text(record.where, ours, path, value)
            row[ours], ids = read_value(ours, value, schema)
        except Unfit as why:
            row[ours], ids = UNREAD if OURS[ours].kind in (tables.TEXT, tables.LIST) else None, []
            flaws.append(Flaw(record.where, path, shorten(value), str(why), MEND, ours not in BESIDE))
        if ids and ours == "contexts" and is_empty(row.get("context_ids")):
            row["context_ids"] = ids
    exact = {
        path
        for ours, (path, value) in given.items()
        if path == schema.columns[ours].split("|")[0] and _is_lossless(value, row[ours])
    }
    partly = {path for path, _ in given.values()} - exact
    scores, columns, unread = _scores(record, schema)
    others = _other_columns(record.values, exact | set(same) | columns, partly)
    unsure = _of_another_tool(record, given | same, schema) + contradictions(
        record.values, record.where, schema
    )
    return row | others | scores, flaws + unread + unsure


def _scores(record: Record, schema: Schema) -> tuple[dict[str, float | None], set[str], list[Flaw]]:
    """The scores that the record carries, None where it gives none; the columns that hold nothing else; and
    what is no number, which spoils no row."""
    row: dict[str, float | None] = {}
    columns, flaws = set(), []
    for name, path, value in tool_scores.read(record.values, schema):
        try:
            number = tool_scores.as_value(value)
        except (TypeError, ValueError):
            found, do = shorten(value), "correct it, or leave it empty"
            flaws.append(Flaw(record.where, path, found, tool_scores.NUMBER, do, False))
            row[name] = None
            continue
        row[name] = None if math.isnan(number) else number
        plain = isinstance(value, int | float | None) and not isinstance(value, bool)
        whole = plain or is_empty(value) or (isinstance(value, str) and value.strip()[:1] in _DIGITS)
        columns |= {path} if whole and tool_scores.column_of(name, schema) == path else set()
        columns |= {path} if name == path else set()
    return row, columns, flaws


def _of_another_tool(record: Record, read: Sources, schema: Schema) -> list[Flaw]:
    """A flaw where a record without an answer is one that another tool writes, with its answer."""
    if "answer" in read or record.broken or not record.values:
        return []
    other = detect([record.values])
    if other is None or other.prefix == schema.prefix:
        return []
    if first_value(record.values, other.columns["answer"])[1] is MISSING:
        return []
    found, expected = f"a record of {other.name}", f"one of {schema.name}, as the file is read"
    return [Flaw(record.where, "", found, expected, "give each tool a file of its own")]


def _check_text(where: str, ours: str, path: str, value: Any) -> None:
    """Unfit for a number, list or object in one of our own text columns in JSON, which tells them from texts.

    A sheet cannot, and a tool writes its own columns as it likes: there they are read as
    `value_conversion` says.
    """
    of_json = where.rpartition(", ")[0].lower().removesuffix(".gz").endswith(JSON)
    if of_json and path == ours and ours in TEXTS and not isinstance(value, str | None):
        raise Unfit("a text")


def _of_row(flaw: Flaw, read: set[str]) -> Flaw:
    """A flaw of the file: it spoils the row only if something was read from the columns it is in."""
    columns = set(filter(None, flaw.column.split(", ")))
    return flaw._replace(spoils=not columns or bool(columns & read))


def _cut_short(record: Record, schema: Schema) -> list[Flaw]:
    """Columns that should hold an object or list, as text, and hold one that cannot be read."""
    paths = {path for theirs in schema.columns.values() for path in theirs.split("|")}
    heads = sorted({path.partition(".")[0] for path in paths if "." in path} - paths)
    texts = {head: text for head in heads if isinstance(text := record.values.get(head), str)}
    return [
        Flaw(record.where, head, shorten(text), OBJECT, MEND)
        for head, text in texts.items()
        if parse_literal(text) is text and is_broken_list(text)
    ]


def _sources(values: dict[str, Any], schema: Schema) -> tuple[Sources, Sources]:
    """What the schema finds in a record; and the columns that bear our own names and stand for nothing
    else."""
    found = {ours: first_value(values, theirs) for ours, theirs in schema.columns.items()}
    given = {ours: pair for ours, pair in found.items() if pair[1] is not MISSING}
    taken = {*given, *(path for path, _ in given.values())}
    return given, {
        name: (name, value) for name, value in values.items() if name in OURS and name not in taken
    }


def export(row: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """The record of a row in a tool's words: what `adapt` reads back as the same row; columns that the tool
    has no name for keep ours."""
    record = {
        name.removeprefix(RAW): value
        for name, value in row.items()
        if name not in OURS and not is_empty(value) and not tool_scores.is_given(name)
    }
    for ours in (name for name in OURS if name in row and not is_empty(row[name])):
        theirs = schema.columns.get(ours, ours)
        path, value = first_value(record, theirs)
        if value is not MISSING and _reads_as(ours, value, schema, row[ours]):
            continue
        path = path if value is not MISSING and path in theirs.split("|") else theirs.split("|")[0]
        if schema.flat:
            record[path] = _value_for(ours, row, schema)
        else:
            put(record, path, _value_for(ours, row, schema))
    for path, value in schema.fixed.items():
        put(record, path, value)
    scores = {name: row[name] for name in row if tool_scores.is_given(name) and not is_empty(row[name])}
    tool_scores.write(record, scores, schema)
    return _without_carried_ids(record, row, schema)


def _other_columns(values: Mapping[str, Any], exact: set[str], partly: set[str]) -> dict[str, Any]:
    """Foreign columns: under their own name if nothing was read from them, as raw if they hold more than was
    read or share a name with us."""
    others = {name: value for name, value in values.items() if name not in exact}
    touched = {path.partition(".")[0] for path in partly | exact} | partly | set(OURS)
    return {(RAW + name if name in touched else name): value for name, value in others.items()}


def _is_lossless(value: Any, read_as: Any) -> bool:
    """Whether nothing is lost by keeping only what was read."""
    plain = isinstance(value, str | int | float) or (
        isinstance(value, list) and all(isinstance(one, str) for one in value)
    )
    return plain and type(value) is type(read_as) and value == read_as


def _reads_as(ours: str, value: Any, schema: Schema, wanted: Any) -> bool:
    wanted = list(wanted) if OURS[ours].kind == tables.LIST else wanted
    try:
        return read_value(ours, value, schema)[0] == wanted
    except Unfit:
        return False


def _value_for(ours: str, row: Mapping[str, Any], schema: Schema) -> Any:
    """The value as the tool writes it: passages as objects with their ids where it has such, else as it
    is."""
    value = row[ours]
    if OURS[ours].kind != tables.LIST:
        return value
    words, name = schema.passage
    ids = _ids(row)
    known = len(ids) == len(value)
    if ours != "contexts" or not words or not (known or schema.objects):
        return list(value)
    passages: list[dict] = [{} for _ in value]
    for passage, text, one in zip(passages, value, ids if known else [None] * len(value), strict=True):
        put(passage, words, text)
        if one is not None:
            put(passage, name, one)
    return passages


def _without_carried_ids(record: dict[str, Any], row: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """The record without a column `context_ids` of ours where its passages carry the ids."""
    value = first_value(record, schema.columns.get("contexts", "contexts"))[1]
    objects = isinstance(value, list) and all(isinstance(one, dict) for one in value)
    if objects and "context_ids" not in schema.columns:
        with contextlib.suppress(Unfit):
            if read_value("contexts", value, schema)[1] == _ids(row):
                record.pop("context_ids", None)
    return record


def _ids(row: Mapping[str, Any]) -> list:
    ids: Any = row.get("context_ids")
    return [] if is_empty(ids) else list(ids)
