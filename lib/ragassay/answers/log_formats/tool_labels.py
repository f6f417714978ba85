"""Judgements of people that a tool's file carries, as rows of a labels file. To read those of another tool,
say where they stand."""

from collections.abc import Iterator, Mapping
from typing import Any

from ragassay.answers.log_formats.schemas import Schema, detect, resolve, split_mapping
from ragassay.answers.log_formats.tool_scores import NUMBER, as_value
from ragassay.answers.log_formats.values import dig, first_value, is_empty
from ragassay.errors import LabelError
from ragassay.tables import is_blank

RATER = "rater|annotator"
NOBODY = "not named"
BINARY = "0-1"
NEEDED = ("case_id", "question", "answer")
Label = dict[str, Any]


def rows(records: Iterator[Any], where: str, mapping: Mapping[str, str] | None = None) -> list[Label]:
    """The judgements of a log: case_id (the row's number where it names none), question, system, dimension,
    rater, label, scale, where; `numbered` says that the case_id is a number of ours.

    A column that the user names is `label:DIMENSION=COLUMN`, or `label:DIMENSION:1-5=COLUMN` where the scale
    is not 0-1. LabelError if the file carries none, or one is no number.
    """
    read = [record for record in records if not record.broken]
    schema = resolve([record.values for record in read], where, mapping=mapping, needed=NEEDED)
    found: list[Label] = []
    for number, record in enumerate(read, 1):
        paths = {ours: schema.columns.get(ours, ours) for ours in ("case_id", "system", "question")}
        key: Label = {ours: _text(record.values, path) for ours, path in paths.items()}
        key |= {"case_id": key["case_id"] or str(number), "numbered": not key["case_id"]}
        for dimension, value, scale, rater in _judgements(record.values, schema):
            try:
                label = as_value(value)
            except (TypeError, ValueError):
                place = f"{record.where}, {dimension}"
                raise LabelError("a label is no number", where=place, found=value, expected=NUMBER) from None
            given = {"dimension": dimension, "rater": rater or NOBODY, "label": label, "scale": scale}
            found.append({**key, **given, "where": record.where})
    if not found:
        columns = ", ".join(dict.fromkeys(name for one in read[:20] for name in one.values))[:300]
        do = "name your column: label:DIMENSION=COLUMN, with its scale as label:DIMENSION:1-5=COLUMN"
        raise LabelError("the file holds no judgements of people", where=where, found=columns, do=do)
    return found


def _text(values: Mapping[str, Any], paths: str) -> str:
    found = first_value(values, paths)[1]
    return "" if is_empty(found) or is_blank(found) else str(found)


def _judgements(values: Mapping[str, Any], schema: Schema) -> Iterator[tuple[str, Any, str, str]]:
    """Dimension, value, scale and rater: of the columns that the user names, else of those of the tool."""
    found: list[tuple[str, Any, str, str]] = []
    for name, column in schema.labels.items():
        dimension, _, scale = name.partition(":")
        found.append((dimension, dig(values, column), scale or BINARY, _text(values, RATER)))
    if not schema.labels:
        for column, dimension in schema.label_columns.items():
            found.append((dimension, values.get(column), BINARY, _text(values, RATER)))
    yield from (one for one in found if not is_empty(one[1]) and not is_blank(one[1]))


def is_log(first: Mapping[str, Any], mapping: Mapping[str, str] | None) -> bool:
    """Whether a file without the columns of labels may be a log: the user names a column as labels, or its
    first record is one of a tool."""
    return bool(split_mapping(mapping or {})[2]) or detect([first]) is not None
