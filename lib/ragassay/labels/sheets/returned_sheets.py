"""What a file that came back holds, whichever tool wrote it:
entries, the dimensions judged, flaws of the file itself.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragassay.errors import InputError, LabelError
from ragassay.labels.dimensions import TAKEN, Dimension, from_heading
from ragassay.labels.sheets import argilla, csv_sheet, excel, label_studio
from ragassay.labels.sheets.sheet import visible

KINDS = ".csv, .tsv, .xlsx, .json"
EXPORTS = (
    "Label Studio: export as JSON (not JSON-MIN); Argilla: dataset.records(with_responses=True).to_json(...)"
)


@dataclass(frozen=True)
class Flaw:
    """Where a cell is wrong, what stands there, what should."""

    file: str
    at: str
    column: str
    found: str
    expected: str

    def __str__(self) -> str:
        found = visible(self.found.replace("\n", " "), 0)
        shown = repr(found[:60]) + ("..." if len(found) > 60 else "")
        return (
            f"{self.file}, {self.at}, {visible(self.column, 0)[:60]}: found {shown}, expected {self.expected}"
        )


@dataclass(frozen=True)
class Entry:
    """One row of a file, as it stands there, nothing checked yet.

    at : where in the file: `row 3`, `task 7, annotation 2`
    cells : dimension -> what stands in its cell
    """

    at: str
    row: str
    answer_sha256: str
    rater: str
    cells: dict[str, Any]
    comment: str = ""
    labelled_at: str = ""


@dataclass(frozen=True)
class Returned:
    """A file that came back."""

    file: str
    dimensions: tuple[Dimension, ...]
    entries: tuple[Entry, ...]
    flaws: tuple[Flaw, ...] = ()


def flaw_lines(flaws: Iterable[Flaw]) -> str:
    """A line per flaw."""
    return "\n".join(f"  {flaw}" for flaw in flaws)


def read(path: str | Path) -> Returned:
    """A labelled sheet: CSV, Excel, or the JSON export of Label Studio or Argilla;
    told by its ending and its shape.

    Raises
    ------
    InputError
        If there is no such file, or it is of another kind.
    LabelError
        If it cannot be read at all, or no column is a dimension.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError("there is no such sheet", where=path, do="name the file that came back")
    kind = path.suffix.lower()
    if kind in (".csv", ".tsv", ".txt"):
        return from_rows(path.name, csv_sheet.read(path))
    if kind in (".xlsx", ".xlsm"):
        return from_rows(path.name, excel.read(path))
    if kind == ".json":
        return _read_json(path)
    raise InputError(
        "a sheet of this kind cannot be read", where=path.name, expected=KINDS, do="save it as one of these"
    )


def from_rows(file: str, rows: Iterator[Sequence[Any]]) -> Returned:
    """A table whose first row is its head."""
    heads = [_text(cell) for cell in next(rows, [])]
    flaws = _head_flaws(file, heads)
    dimensions = {column: each for column, head in enumerate(heads) if (each := _dimension(head)) is not None}
    if not dimensions or not {"row", "answer_sha256"} <= set(heads):
        raise LabelError(
            "the head of a sheet is not as it was exported",
            where=f"{file}, row 1",
            found=", ".join(filter(None, heads)) or "nothing",
            expected="row, answer_sha256 and a column such as grounded (0-1)",
            do="put the heads back as they were",
        )
    entries = tuple(
        _entry(number, heads, dimensions, row)
        for number, row in enumerate(rows, 2)
        if any(_text(cell) for cell in row)
    )
    return Returned(file, tuple(dimensions.values()), entries, tuple(flaws))


def _read_json(path: Path) -> Returned:
    """The export of Label Studio (a list of tasks) or Argilla (a list of records)."""
    try:
        items = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as problem:
        raise LabelError(
            "the sheet is no JSON", where=path.name, found=str(problem)[:120], do="export it again"
        ) from problem
    if isinstance(items, list) and items and all(isinstance(item, dict) for item in items):
        for tool in (label_studio, argilla):
            if all(tool.is_exported(item) for item in items):
                return Returned(path.name, *_from(tool, items))
    raise LabelError(
        "the JSON is of no tool that can be read",
        where=path.name,
        expected=EXPORTS,
        do="export it in this way, all tasks of one project",
    )


def _from(tool: Any, items: list[dict]) -> tuple[tuple[Dimension, ...], tuple[Entry, ...], tuple[Flaw, ...]]:
    dimensions = tool.dimensions(items)
    return dimensions, tuple(Entry(**fields) for fields in tool.entries(items, dimensions)), ()


def _head_flaws(file: str, heads: list[str]) -> list[Flaw]:
    """Columns named twice, and columns that are nothing of ours (a dimension that lost its scale, say)."""
    flaws = []
    for column, head in enumerate(heads):
        if head and head in heads[:column]:
            flaws.append(Flaw(file, "row 1", head, "a second column of this name", "each column once"))
        elif head and head not in TAKEN and _dimension(head) is None:
            flaws.append(
                Flaw(file, "row 1", head, head, "a column of the sheet, or a dimension: grounded (0-1)")
            )
    return flaws


def _dimension(head: str) -> Dimension | None:
    try:
        return from_heading(head)
    except LabelError:
        return None


def _entry(number: int, heads: list[str], dimensions: dict[int, Dimension], row: Sequence[Any]) -> Entry:
    filled = [*row, *[None] * (len(heads) - len(row))]
    named = {
        head: _text(cell) for head, cell in zip(reversed(heads), reversed(filled[: len(heads)]), strict=True)
    }
    return Entry(
        f"row {number}",
        named["row"],
        named["answer_sha256"],
        named.get("rater", ""),
        {each.name: filled[column] for column, each in dimensions.items()},
        named.get("comment", ""),
    )


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()
