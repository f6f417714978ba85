"""One record in a tool's words as one row in ours, and back."""

from collections.abc import Mapping
from typing import Any

from ragassay import tables
from ragassay.answers.adapters.paths import MISSING, UNREAD, empty, first, put
from ragassay.answers.adapters.schema import OURS, Flaw, Record, Schema, shortened
from ragassay.answers.adapters.values import Unfit, read

RAW = "raw:"  # before the name of a foreign column that is kept beside what was read from it
MEND = "correct the value, or leave it empty"


def adapt(record: Record, schema: Schema) -> tuple[dict[str, Any], list[Flaw]]:
    """Our columns of a record, its other columns as they are, and what could not be read.

    A value that does not fit is told as a flaw and left empty (UNREAD where scoring can tell it from one that was not given). A foreign
    column that is not what was read from it (a dict, a list of objects, a name that means something else with us) is kept under
    `raw:<name>`, so that `export` can give it back.
    """
    row: dict[str, Any] = {}
    flaws = list(record.flaws)
    sources = {ours: first(record.values, theirs) for ours, theirs in schema.columns.items()}
    used = {path for path, value in sources.values() if value is not MISSING}
    given = {ours: pair for ours, pair in sources.items() if pair[1] is not MISSING}
    same = {
        name: (name, value)
        for name, value in record.values.items()
        if name in OURS and name not in used and name not in given
    }
    for ours, (path, value) in (same | given).items():
        try:
            row[ours], ids = read(ours, value, schema)
            row |= (
                {"context_ids": ids} if ids and ours == "contexts" and empty(row.get("context_ids")) else {}
            )
        except Unfit as why:
            row[ours] = UNREAD if OURS[ours].kind in (tables.TEXT, tables.LIST) else None
            flaws.append(Flaw(record.where, path, shortened(value), str(why), MEND))
    exact = {
        path
        for ours, (path, value) in given.items()
        if path == schema.columns[ours].split("|")[0] and _same(value, row[ours])
    }
    return row | _kept(record.values, exact | set(same), used - exact), flaws


def export(row: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """The record of a row in a tool's words: what `adapt` reads back as the same row; columns that the tool has no name for keep ours."""
    record = {
        name.removeprefix(RAW): value for name, value in row.items() if name not in OURS and not empty(value)
    }
    for ours in (name for name in OURS if name in row and not empty(row[name])):
        theirs = schema.columns.get(ours, ours)
        path, value = first(record, theirs)
        if value is not MISSING and _reads_as(ours, value, schema, row[ours]):
            continue
        path = path if value is not MISSING and path in theirs.split("|") else theirs.split("|")[0]
        put(record, path, _written(ours, row, schema))
    return _without_carried_ids(record, row, schema)


def _kept(values: Mapping[str, Any], exact: set[str], partly: set[str]) -> dict[str, Any]:
    """Foreign columns: under their own name if nothing was read from them, as raw if they hold more than was read or share a name with us."""
    others = {name: value for name, value in values.items() if name not in exact}
    touched = {path.partition(".")[0] for path in partly | exact} | partly | set(OURS)
    return {(RAW + name if name in touched else name): value for name, value in others.items()}


def _same(value: Any, read_as: Any) -> bool:
    """Whether nothing is lost by keeping only what was read."""
    plain = isinstance(value, str | int | float) or (
        isinstance(value, list) and all(isinstance(one, str) for one in value)
    )
    return plain and type(value) is type(read_as) and value == read_as


def _reads_as(ours: str, value: Any, schema: Schema, wanted: Any) -> bool:
    try:
        return read(ours, value, schema)[0] == (list(wanted) if OURS[ours].kind == tables.LIST else wanted)
    except Unfit:
        return False


def _written(ours: str, row: Mapping[str, Any], schema: Schema) -> Any:
    """The value as the tool writes it: passages as objects with their ids where it has such, else as it is."""
    value = row[ours]
    if OURS[ours].kind != tables.LIST:
        return value
    words, name = schema.passage
    ids = _ids(row)
    if ours != "contexts" or not words or len(ids) != len(value):
        return list(value)
    passages: list[dict] = [{} for _ in value]
    for passage, text, one in zip(passages, value, ids, strict=True):
        put(passage, words, text)
        put(passage, name, one)
    return passages


def _without_carried_ids(record: dict[str, Any], row: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """The record without a column `context_ids` of ours where its passages carry the ids."""
    value = first(record, schema.columns.get("contexts", "contexts"))[1]
    objects = value is not MISSING and isinstance(value, list) and all(isinstance(one, dict) for one in value)
    if objects and "context_ids" not in schema.columns and _carries(value, schema, _ids(row)):
        record.pop("context_ids", None)
    return record


def _carries(passages: list[dict], schema: Schema, ids: list) -> bool:
    try:
        return read("contexts", passages, schema)[1] == ids
    except Unfit:
        return False


def _ids(row: Mapping[str, Any]) -> list:
    ids: Any = row.get("context_ids")
    return [] if empty(ids) else list(ids)
