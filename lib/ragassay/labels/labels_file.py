"""The rows of a labels file: read, and checked line by line and beside each other."""

import csv
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ragassay.answers import mtrag_logs
from ragassay.answers.log_files import read_records
from ragassay.answers.log_formats import tool_labels
from ragassay.answers.log_formats.values import is_empty
from ragassay.errors import LabelError
from ragassay.spreadsheet_injection import unguarded

COLUMNS = ("case_id", "dimension", "rater", "label", "scale")
OF_TABLE = {*COLUMNS, "system", "labelled_at", "answer_sha256", "drawn"}  # what a mapping may name
READ_AS_CSV = (".csv", "", ".txt")
RANDOM, ACTIVE = DRAWN = ("random", "active")


def read_rows(path: Path, system: str, mapping: Mapping[str, str] | None = None) -> list[dict]:
    """The rows of a file of labels, or of a log that holds judgements; `system`: of rows that name none.

    mapping : ours -> theirs: case_id, dimension, rater, label, scale; or label:DIMENSION, of a log

    Raises LabelError if the file cannot be read, a column is absent, or a label or its scale is no number.
    """
    if mtrag_logs.fits(path):
        return [parse_row(row["where"], row, system) for row in mtrag_logs.labels(path)]
    names = dict(mapping or {})
    own = {theirs: ours for ours, theirs in names.items() if ours in OF_TABLE}
    header = _header(path)
    renamed = [own.get(name, name) for name in header]
    if set(COLUMNS) <= set(renamed) or not tool_labels.is_log(dict.fromkeys(header, "x"), names):
        refuse_absent_columns(renamed, path.name)
        return [parse_row(where, row, system) for where, row in _table_rows(path, own)]
    found = tool_labels.rows(read_records(path), path.name, names)
    return [parse_row(row["where"], row, system) for row in found]


def _header(path: Path) -> list[str]:
    """The columns of the first record, or of a CSV without any its header."""
    try:
        if path.suffix.lower() in READ_AS_CSV:
            with path.open(encoding="utf-8-sig", newline="") as file:
                return next(csv.reader(file), [])
        return list(next((record.values for record in read_records(path)), {}))
    except OSError as problem:
        raise LabelError(
            "the labels cannot be read", where=path, found=problem.strerror, expected="a file of labels"
        ) from problem
    except UnicodeDecodeError as problem:
        raise _not_utf8(path, problem) from problem


def _table_rows(path: Path, own: Mapping[str, str]) -> Iterator[tuple[str, dict]]:
    """The rows of a table of labels, each with its place, in columns of ours."""
    if path.suffix.lower() not in READ_AS_CSV:
        for record in read_records(path):
            if record.broken:
                flaw = record.flaws[0]
                raise LabelError("a label cannot be read", where=flaw.where, found=flaw.found, do=flaw.do)
            texts = {name: None if is_empty(v) else str(v) for name, v in record.values.items()}
            yield record.where, {own.get(name, name): text for name, text in texts.items()}
        return
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            for row in reader:
                written = {own.get(name, name): cell for name, cell in _as_written(row).items()}
                yield f"{path.name}, line {reader.line_num}", written
    except UnicodeDecodeError as problem:
        raise _not_utf8(path, problem) from problem


def _not_utf8(path: Path, problem: UnicodeDecodeError) -> LabelError:
    where = f"{path.name}, byte {problem.start}"
    return LabelError("the labels are not UTF-8", where=where, do="save the file as CSV UTF-8")


def _as_written(row: dict) -> dict:
    """The row without the guards that keep its cells from running in a spreadsheet."""
    return {name: unguarded(cell) if isinstance(cell, str) else cell for name, cell in row.items()}


def refuse_absent_columns(given: Iterable, where: str) -> None:
    """LabelError if a column that every labels file has is not among these."""
    absent = [name for name in COLUMNS if name not in given]
    if absent:
        raise LabelError(
            f"column {absent[0]!r} is missing",
            where=where,
            found=list(given),
            expected=", ".join(COLUMNS),
            do="add it, or rename yours",
        )


def check_rows(rows: list[dict], known: set | None) -> None:
    """LabelError at the first row that is wrong by itself or beside another; `known`: the cases there are."""
    for row in rows:
        _check_alone(row, {row["case_id"]} if known is None else known)
    _check_together(rows)


def parse_row(where: str, row: dict, system: str) -> dict:
    """The row with its label and the ends of its scale as numbers; LabelError if they are none."""
    low, _, high = (row["scale"] or "").partition("-")
    try:
        label, bounds = float(row["label"]), (float(low), float(high))
    except (TypeError, ValueError):
        raise LabelError(
            "a label or its scale is no number",
            where=where,
            found=f"label {row['label']!r}, scale {row['scale']!r}",
            expected="a number, and a scale such as 1-5",
            do="correct the row, or remove it",
        ) from None
    return row | {
        "label": label,
        "bounds": bounds,
        "where": where,
        "system": row.get("system") or system,
        "labelled_at": row.get("labelled_at") or None,
        **({"drawn": row["drawn"] or RANDOM} if "drawn" in row else {}),
    }


def _check_alone(row: dict, known: set) -> None:
    low, high = row["bounds"]
    if not (math.isfinite(row["label"]) and low <= row["label"] <= high):
        raise LabelError(
            "a label is outside its scale",
            where=row["where"],
            found=row["label"],
            expected=f"{low:g} to {high:g}",
            do="correct the label or the scale",
        )
    if row["case_id"] not in known:
        raise LabelError(
            "a label is for an unknown case",
            where=row["where"],
            found=row["case_id"],
            expected=f"one of the {len(known)} cases asked",
            do="label the answers of this run, or remove the row",
        )
    if (row.get("drawn") or RANDOM) not in DRAWN:
        raise LabelError(
            "it is not known how an answer was drawn",
            where=row["where"],
            found=row["drawn"],
            expected=", ".join(DRAWN),
        )


def _check_together(rows: list[dict]) -> None:
    seen: dict[tuple, str] = {}
    scales: dict[str, tuple[str, str]] = {}
    for row in rows:
        key = (row["case_id"], row["system"], row["dimension"], row["rater"])
        if key in seen:
            raise LabelError(
                "a rater judged one answer twice",
                where=f"{row['where']} and {seen[key]}",
                found=key,
                do="keep the later judgement",
            )
        scale, first = scales.setdefault(row["dimension"], (row["scale"], row["where"]))
        if row["scale"] != scale:
            raise LabelError(
                "one dimension has two scales",
                where=f"{row['where']} and {first}",
                found=f"{row['scale']} and {scale}",
                do="convert one of them",
            )
        seen[key] = row["where"]
