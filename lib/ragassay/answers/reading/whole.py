"""JSON in one piece, and Excel."""

import json
from collections.abc import Iterator
from typing import Any

from ragassay.answers.adapters import Record
from ragassay.answers.reading.source import Source, broken, check_names
from ragassay.errors import InputError

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
FORMS = 'a list of objects, {"results": [...]} or columns {"question": [...], ...}'


def json_records(source: Source) -> Iterator[Record]:
    """The objects of a list, of the list under a key such as `results`, or of columns as pandas writes them.

    Items of the Lesson stand beside their answers, `{"items": [...], "run_answers": {query_id: answer}}`: each is given its own.

    Raises
    ------
    InputError
        If the file is not JSON in UTF-8, or holds no list of objects.
    """
    name = source.path.name
    try:
        found = json.loads(source.file.read().decode("utf-8-sig"))
    except (ValueError, RecursionError) as problem:
        raise InputError(
            "the file is not JSON",
            where=name,
            found=str(problem)[:200],
            expected=FORMS,
            do="mend it, or save as JSON Lines",
        ) from None
    rows = _with_run_answers(_rows(found), found)
    if rows is None:
        kind = (
            f"an object with the keys {', '.join(map(str, found))}"[:200]
            if isinstance(found, dict)
            else f"a {type(found).__name__}"
        )
        raise InputError(
            "the JSON holds no records",
            where=name,
            found=kind,
            expected=FORMS,
            do="save the answers in one of these forms",
        )
    for number, row in enumerate(rows, start=1):
        where = f"{name}, entry {number}"
        yield (
            Record(row, where, (), number / len(rows))
            if isinstance(row, dict)
            else broken(where, row, "an object", "mend the entry")
        )


def excel_records(source: Source) -> Iterator[Record]:
    """The rows of the first sheet below its header.

    Raises
    ------
    InputError
        If openpyxl is not installed, or the file is no Excel workbook.
    """
    rows = _sheet(source)
    header = [str(cell).strip() if cell is not None else "" for cell in next(rows, ())]
    check_names(header, f"{source.path.name}, row 1")
    for number, cells in enumerate(rows, start=2):
        if any(cell not in (None, "") for cell in cells):
            yield Record(
                {name: cell for name, cell in zip(header, cells, strict=False) if name},
                f"{source.path.name}, row {number}",
            )


def _sheet(source: Source) -> Iterator[tuple]:
    try:
        import openpyxl
    except ImportError:
        raise InputError(
            "Excel files need openpyxl, which is not installed",
            where=source.path.name,
            do="pip install openpyxl, or save the sheet as CSV",
        ) from None
    try:
        book = openpyxl.load_workbook(source.file, read_only=True, data_only=True)
    except Exception as problem:  # whatever openpyxl and zipfile raise on a file that is none of theirs
        raise InputError(
            "the file is no Excel workbook",
            where=source.path.name,
            found=str(problem)[:200],
            do="save it again as .xlsx",
        ) from None
    yield from book.worksheets[0].iter_rows(values_only=True)


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
