"""A log file as rows, each with the place it came from."""

import csv
import difflib
import io
import json
from pathlib import Path
from typing import NamedTuple

from ragassay.errors import InputError

OFTEN_CALLED = {
    "question": ("user_input", "input", "query", "prompt", "text"),
    "answer": ("response", "actual_output", "output", "result", "agent_answer", "completion", "prediction"),
}


class Row(NamedTuple):
    """The values of one record by column, and where it stands: "log.jsonl, line 3"."""

    values: dict
    where: str


def read(path: Path) -> list[Row]:
    """The records of a .jsonl or .csv file.

    Raises
    ------
    InputError
        If it is of another kind, not UTF-8, broken (with the line), or holds no record.
    """
    readers = {".jsonl": _jsonl, ".ndjson": _jsonl, ".csv": _csv}
    if path.suffix.lower() not in readers or not path.is_file():
        raise InputError(
            "this is no log of answers",
            where=path.name,
            found=path.suffix or "no suffix",
            expected=", ".join(readers),
            do="save the answers as JSON Lines or CSV",
        )
    rows = readers[path.suffix.lower()](_text(path), path.name)
    if not rows:
        raise InputError(
            "the log holds no answer",
            where=path.name,
            found="zero rows",
            do="give a file with at least one question and answer",
        )
    return rows


def require(name: str, rows: list[Row], columns: tuple[str, ...]) -> set[str]:
    """All columns that occur; refuses a log that lacks one of those required."""
    found = {column for row in rows for column in row.values}
    for column in columns:
        if column not in found:
            nearest = [
                often for often in OFTEN_CALLED[column] if often in found
            ] or difflib.get_close_matches(column, sorted(found), n=1, cutoff=0.5)
            raise InputError(
                f"the column {column!r} is absent",
                where=name,
                found=", ".join(sorted(found)) or "no column",
                expected=column,
                do=f"rename {nearest[0]!r} to {column!r}" if nearest else f"add the column {column!r}",
            )
    return found


def _text(path: Path) -> str:
    content = path.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise InputError(
            "the file is not UTF-8",
            where=f"{path.name}, line {line}",
            found=repr(content[error.start : error.start + 4]),
            do="save it as UTF-8",
        ) from None


def _jsonl(text: str, name: str) -> list[Row]:
    return [
        _record(line, f"{name}, line {number}")
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    ]


def _record(line: str, where: str) -> Row:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(
            "a line is not JSON",
            where=where,
            found=f"{line[:80]} ({error})",
            expected="one JSON object per line",
            do="mend the line",
        ) from None
    if not isinstance(record, dict):
        raise InputError(
            "a line is not a JSON object",
            where=where,
            found=line[:80],
            expected="one JSON object per line",
            do="mend the line",
        )
    return Row({name.strip(): value for name, value in record.items()}, where)


def _csv(text: str, name: str) -> list[Row]:
    csv.field_size_limit(2**31 - 1)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[Row] = []
    try:
        header = [column.strip() for column in next(reader, [])]
        for cells in reader:
            rows += [_cells(header, cells, f"{name}, line {reader.line_num}")] if any(cells) else []
    except csv.Error as error:
        raise InputError(
            "the CSV is broken",
            where=f"{name}, line {reader.line_num}",
            found=error,
            do="quote texts that hold commas or quotes",
        ) from None
    return rows


def _cells(header: list[str], cells: list[str], where: str) -> Row:
    if len(cells) != len(header):
        raise InputError(
            "a row has not as many cells as the header",
            where=where,
            found=len(cells),
            expected=len(header),
            do="quote texts that hold commas or line breaks",
        )
    return Row(dict(zip(header, cells, strict=True)), where)
