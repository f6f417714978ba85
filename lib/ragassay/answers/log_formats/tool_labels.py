"""Judgements of people that a tool's file carries, as rows of a labels file. To read those of another tool,
say where they stand."""

from collections.abc import Iterator, Mapping
from typing import Any

from ragassay.answers.log_formats.nested_values import MISSING, dig, first_value, is_empty
from ragassay.answers.log_formats.schema_detection import detect, resolve, split_mapping
from ragassay.answers.log_formats.tool_schemas import Schema
from ragassay.answers.log_formats.tool_scores import as_value, by_people, entries_of, full_name
from ragassay.errors import LabelError

RATER = "source.source_id|rater|annotator"
NOBODY = "not named"
BINARY = "0-1"
NEEDED = ("case_id", "question", "answer")
Label = dict[str, Any]


def rows(records: Iterator[Any], where: str, mapping: Mapping[str, str] | None = None) -> list[Label]:
    """The judgements of a log: case_id (the row's number where it names none), question, system, dimension,
    rater, label, scale, where; `numbered` says that the case_id is a number of ours.

    A column that the user names is `label:DIMENSION=COLUMN`, or `label:DIMENSION:1-5=COLUMN` where the scale
    is not 0-1.

    Raises
    ------
    LabelError
        If the file carries none, or one is no number.
    """
    read = [record for record in records if not record.broken]
    schema = resolve([record.values for record in read], where, mapping=mapping, needed=NEEDED)
    named = split_mapping(mapping or {})[2]
    found = [
        {**_key(record.values, schema, number), **label, "where": record.where}
        for number, record in enumerate(read, 1)
        for label in _of_record(record.values, schema, named, record.where)
    ]
    if not found:
        raise LabelError(
            "the file holds no judgements of people",
            where=where,
            found=", ".join(dict.fromkeys(name for one in read[:20] for name in one.values))[:300],
            expected="case_id, dimension, rater, label, scale; or what a tool notes of raters",
            do="name your column: label:DIMENSION=COLUMN, with its scale as label:DIMENSION:1-5=COLUMN",
        )
    return found


def _key(values: Mapping[str, Any], schema: Schema, number: int) -> Label:
    paths = {ours: schema.columns.get(ours, ours) for ours in ("case_id", "system", "question")}
    found = {ours: first_value(dict(values), path)[1] for ours, path in paths.items()}
    texts = {ours: "" if is_empty(one) or one is MISSING else str(one) for ours, one in found.items()}
    return texts | {"case_id": texts["case_id"] or str(number), "numbered": not texts["case_id"]}


def _of_record(
    values: Mapping[str, Any], schema: Schema, named: Mapping[str, str], where: str
) -> Iterator[Label]:
    for name, column in named.items():
        dimension, _, scale = name.partition(":")
        yield from _label(dimension, dig(dict(values), column), scale or BINARY, _rater(values), where)
    if named:
        return
    for column, dimension in schema.label_columns.items():
        yield from _label(dimension, values.get(column), BINARY, _rater(values), where)
    if listed := schema.score_list:
        for entry in filter(by_people, entries_of(values, listed)[1]):
            name = full_name(schema.prefix, first_value(entry, listed.name)[1]).partition(":")[2]
            value = first_value(entry, listed.passed or listed.value)[1]
            yield from _label(name, value, BINARY, _rater(entry), where)


def _rater(values: Mapping[str, Any]) -> str:
    found = first_value(dict(values), RATER)[1]
    return NOBODY if found is MISSING or is_empty(found) or not str(found).strip() else str(found)


def _label(dimension: str, value: Any, scale: str, rater: str, where: str) -> Iterator[Label]:
    """The judgement, if there is one."""
    if value is MISSING or is_empty(value) or (isinstance(value, str) and not value.strip()):
        return
    try:
        label = as_value(value)
    except (TypeError, ValueError):
        expected = "a number, true or false, yes or no, pass or fail"
        raise LabelError(
            "a label is no number", where=f"{where}, {dimension}", found=value, expected=expected
        ) from None
    yield {"dimension": dimension, "rater": rater, "label": label, "scale": scale}


def is_log(first: Mapping[str, Any], mapping: Mapping[str, str] | None) -> bool:
    """Whether a file without the columns of labels may be a log: the user names a column as labels, or its
    first record is one of a tool."""
    return bool(split_mapping(mapping or {})[2]) or detect([first]) is not None
