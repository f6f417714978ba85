"""JSON Lines, one object per line; JSON in one piece, in the forms in which tools write it."""

import codecs
import io
import json
from collections.abc import Iterator
from typing import Any

from ragassay.answers.log_files import json_stream
from ragassay.answers.log_files.record import LOST, Flaw, Record, Source, broken_record
from ragassay.errors import InputError

A_LINE = "one JSON object per line"
HOLDERS = (
    "results",
    "data",
    "samples",
    "examples",
    "predictions",
    "items",
    "rows",
    "records",
    "test_cases",
    "testCases",
    "goldens",
)
STREAMED = tuple(name for name in HOLDERS if name != "items")  # whose answers may stand after them
STREAMED_FROM = 1 << 22  # bytes, unpacked
FORMS = 'a list of objects, {"results": [...]} or columns {"question": [...], ...}'


def line_records(source: Source) -> Iterator[Record]:
    """One record per line that is not blank; a line that is no JSON object is a broken one.

    Raises
    ------
    InputError
        If the file is UTF-16, whose lines cannot be told apart byte by byte.
    """
    for number, line in enumerate(source.file, start=1):
        if number == 1:
            line = _without_mark(line, source.path.name)
        if line.strip():
            yield _of_line(line, f"{source.path.name}, line {number}", source.share())


def whole_records(source: Source) -> Iterator[Record]:
    """The objects of a list, of the list under a key such as `results`, or of columns as pandas writes them.

    Items of the Lesson stand beside their answers, `{"items": [...], "run_answers": {query_id: answer}}`:
    each is given its own.

    A file of STREAMED_FROM bytes or more is read record by record where it is a list, or holds one under a
    key; the other forms are read in one piece.

    Raises
    ------
    InputError
        If the file is not JSON in UTF-8, or holds no list of objects.
    """
    name = source.path.name
    begun = source.file.read(STREAMED_FROM)
    if len(begun) == STREAMED_FROM:
        del begun
        source.file.seek(0)
        try:
            yield from _streamed(source)
            return
        except json_stream.NoList:
            source.file.seek(0)
            begun = source.file.read()
    found = _whole(begun, name)
    rows = _with_run_answers(_rows(found), found)
    if rows is None:
        raise InputError(
            "the JSON holds no records",
            where=name,
            found=_kind_of(found),
            expected=FORMS,
            do="save the answers in one of these forms",
        )
    for number, row in enumerate(rows, start=1):
        yield _of_entry(row, f"{name}, entry {number}", number / len(rows))


def _streamed(source: Source) -> Iterator[Record]:
    """The records of a large file, one after the other."""
    text = io.TextIOWrapper(source.file, encoding="utf-8-sig", newline="")
    try:
        for number, row in enumerate(json_stream.records(text, STREAMED), start=1):
            yield _of_entry(row, f"{source.path.name}, entry {number}", source.share())
    except json_stream.NoList:
        raise
    except (ValueError, RecursionError) as problem:
        raise not_json(source.path.name, problem) from None
    finally:
        text.detach()


def _of_entry(row: Any, where: str, share: float) -> Record:
    if isinstance(row, dict):
        return Record(row, where, (), share)
    return broken_record(where, row, "an object", "correct the entry", share)


def _of_line(line: bytes, where: str, share: float) -> Record:
    text, flaws = _decode(line, where)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as problem:
        return broken_record(where, f"{text[:80]} ({problem})", A_LINE, "correct the line", share)
    if not isinstance(found, dict):
        return broken_record(where, text, A_LINE, "correct the line", share)
    values = {str(name).strip(): value for name, value in found.items()}
    return Record(values, where, _in_columns(flaws, found), share)


def _decode(line: bytes, where: str) -> tuple[str, tuple[Flaw, ...]]:
    """The text of a line; bytes that are no UTF-8 become U+FFFD and a flaw."""
    try:
        return line.decode("utf-8"), ()
    except UnicodeDecodeError as problem:
        found = f"byte {line[problem.start]:#04x} at {problem.start}"
        return line.decode("utf-8", "replace"), (Flaw(where, "", found, "UTF-8", LOST),)


def _in_columns(flaws: tuple[Flaw, ...], values: dict) -> tuple[Flaw, ...]:
    """Flaws of a line, with the columns that show them."""
    marked = [name for name, value in values.items() if "\ufffd" in str(value)] if flaws else []
    return tuple(flaw._replace(column=", ".join(marked)) for flaw in flaws)


def _without_mark(line: bytes, name: str) -> bytes:
    """The first line without its byte order mark."""
    if line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(
            "the file is UTF-16", where=name, found=repr(line[:4]), expected="UTF-8", do="save it as UTF-8"
        )
    return line.removeprefix(codecs.BOM_UTF8)


def _whole(content: bytes, name: str) -> Any:
    try:
        return json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as problem:
        raise not_json(name, problem) from None


def not_json(name: str, problem: Exception) -> InputError:
    """That a file is no JSON, and why."""
    return InputError(
        "the file is not JSON",
        where=name,
        found=str(problem)[:200],
        expected=FORMS,
        do="correct it, or save as JSON Lines",
    )


def _kind_of(found: Any) -> str:
    if isinstance(found, dict):
        return f"an object with the keys {', '.join(map(str, found))}"[:200]
    return f"a {type(found).__name__}"


def _rows(found: Any, depth: int = 2) -> list | None:
    if isinstance(found, list):
        return found if any(isinstance(one, dict) for one in found) else None
    if not isinstance(found, dict):
        return None
    below = (_rows(found[key], depth - 1) for key in HOLDERS if key in found and depth)
    return next((rows for rows in below if rows is not None), None) or _from_columns(found)


def _from_columns(found: dict) -> list | None:
    """Records of {"question": [...], "answer": [...]}, or of {"question": {"0": ...}, ...}."""
    columns = {
        name: list(values.values()) if isinstance(values, dict) else values for name, values in found.items()
    }
    lengths = {len(values) if isinstance(values, list) else -1 for values in columns.values()}
    if len(lengths) != 1 or lengths == {-1}:
        return None
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _with_run_answers(rows: list | None, found: Any) -> list | None:
    answers = found.get("run_answers") if isinstance(found, dict) else None
    if rows is None or not isinstance(answers, dict):
        return rows
    return [
        row | {"run_answer": answers.get(str(row.get("query_id")))} if isinstance(row, dict) else row
        for row in rows
    ]
