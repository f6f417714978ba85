"""Judgements of people that a tool's file carries, as rows of a labels file. To read those of another tool,
say where they stand."""

from collections.abc import Iterator, Mapping
from typing import Any

from ragassay.answers.log_formats.schemas import detect, resolve, split_mapping
from ragassay.answers.log_formats.tool_scores import as_value
from ragassay.answers.log_formats.values import Unfit, dig, first_value, is_empty
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
    columns = schema.labels or {dimension: column for column, dimension in schema.label_columns.items()}
    found: list[Label] = []
    for number, record in enumerate(read, 1):
        paths = {ours: schema.columns.get(ours, ours) for ours in ("case_id", "system", "question")}
        key: Label = {ours: _text(record.values, path) for ours, path in paths.items()}
        key |= {"case_id": key["case_id"] or str(number), "numbered": not key["case_id"]}
        for name, column in columns.items():
            (dimension, _, scale), value = name.partition(":"), dig(record.values, column)
            if is_empty(value) or is_blank(value):
                continue
            try:
                label = {"dimension": dimension, "label": as_value(value), "scale": scale or BINARY}
            except Unfit as why:
                place = f"{record.where}, {dimension}"
                raise LabelError("a label is no number", where=place, found=value, expected=why) from None
            rater = _text(record.values, RATER) or NOBODY
            found.append({**key, **label, "rater": rater, "where": record.where})
    if not found:
        names = ", ".join(dict.fromkeys(name for one in read[:20] for name in one.values))[:300]
        do = "name your column: label:DIMENSION=COLUMN, with its scale as label:DIMENSION:1-5=COLUMN"
        raise LabelError("the file holds no judgements of people", where=where, found=names, do=do)
    return found


def _text(values: Mapping[str, Any], paths: str) -> str:
    found = first_value(values, paths)[1]
    return "" if is_empty(found) or is_blank(found) else str(found)


def is_log(first: Mapping[str, Any], mapping: Mapping[str, str] | None) -> bool:
    """Whether a file without the columns of labels may be a log: the user names a column as labels, or its
    first record is one of a tool."""
    return bool(split_mapping(mapping or {})[2]) or detect([first]) is not None
