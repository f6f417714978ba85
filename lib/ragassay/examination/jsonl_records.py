"""A JSON Lines file as records, each with the place it came from."""

import json
from pathlib import Path
from typing import Any

from ragassay.errors import InputError


def read(path: str | Path, what: str) -> list[tuple[str, dict[str, Any]]]:
    """Every record with its place, such as `suite.jsonl, line 3`; empty lines are skipped.

    what : the file's contents, for errors

    Raises InputError if the file is missing, is not UTF-8, holds no record, or a line is no JSON object.
    """
    return [(where, _record(line, where)) for where, line in lines(path, what)]


def lines(path: str | Path, what: str) -> list[tuple[str, str]]:
    """Every line that is not empty, with its place. Raises InputError as `read`, but for the JSON."""
    file = Path(path)
    if not file.is_file():
        raise InputError(
            f"there is no file of {what}",
            where=file,
            do="name a JSON Lines file; suites and pairs have a bundled one",
        )
    try:
        whole = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as problem:
        raise InputError(
            f"the file of {what} is not UTF-8", where=file, found=str(problem)[:120], do="save it as UTF-8"
        ) from None
    numbered = enumerate(whole.split("\n"), start=1)
    found = [(f"{file.name}, line {number}", line) for number, line in numbered if line.strip()]
    if not found:
        raise InputError(
            f"the file holds no {what}",
            where=file,
            found="zero lines",
            do="give a file with at least one line",
        )
    return found


def text(record: dict[str, Any], name: str, where: str) -> str:
    """A field that must be a text; InputError if it is none."""
    if not isinstance(record.get(name), str):
        raise InputError(
            f"{name!r} is no text",
            where=where,
            found=repr(record.get(name))[:80],
            expected="a text",
            do="repair the line",
        )
    return record[name]


def texts(record: dict[str, Any], name: str, where: str) -> list[str]:
    """A field that must be a list of texts; InputError if it is none."""
    given = record.get(name)
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        raise InputError(
            f"{name!r} is no list of texts",
            where=where,
            found=repr(given)[:80],
            expected="a list of texts",
            do="repair the line",
        )
    return given


def _record(line: str, where: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as problem:
        raise InputError(
            "a line is not JSON",
            where=where,
            found=f"{line[:80]} ({str(problem)[:80]})",
            do="repair the line",
        ) from None
    if not isinstance(record, dict):
        raise InputError("a line is not a JSON object", where=where, found=line[:80], do="repair the line")
    return record
