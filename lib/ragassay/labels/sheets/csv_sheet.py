"""The sheet as CSV: for any spreadsheet, with the guide in a file beside it."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from ragassay import output_files
from ragassay.errors import LabelError
from ragassay.labels.sheets.sheet import LONGEST, Sheet, Task, visible
from ragassay.spreadsheet_injection import guarded, unguarded

BEFORE, AFTER = ("row", "rater", "question", "answer", "contexts"), ("comment", "answer_sha256")


def heads(sheet: Sheet) -> list[str]:
    """The columns of a sheet: row, rater, question, answer, contexts, one per dimension, comment,
    answer_sha256.
    """
    return [*BEFORE, *(each.heading for each in sheet.dimensions), *AFTER]


def cells(sheet: Sheet, task: Task) -> list[str]:
    """One row of a sheet; the cells of the dimensions and of the comment empty."""
    texts = [visible(text) for text in (task.question, task.answer, passages(task))]
    return [task.row, sheet.rater, *texts, *([""] * len(sheet.dimensions)), "", task.answer_sha256]


def passages(task: Task, longest: int = LONGEST) -> str:
    """The retrieved passages, numbered, one after another; each gets its share of the room there is."""
    if task.contexts is None:
        return "(the record does not say which passages were retrieved)"
    room = longest // max(len(task.contexts), 1) - 100 if longest else 0
    return (
        "\n\n".join(f"[{place}] {visible(text, room)}" for place, text in enumerate(task.contexts, 1))
        or "(no passage was retrieved)"
    )


def files(path: Path) -> list[Path]:
    """What `write` writes: the sheet, and the guide beside it."""
    return [path, path.with_suffix(".guide.txt")]


def write(sheet: Sheet, path: Path) -> list[Path]:
    """Write the sheet as CSV (UTF-8 with its mark, so that Excel reads accents) and the guide beside it;
    the paths written.
    """
    path, beside = files(path)
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(heads(sheet))
    writer.writerows([guarded(cell) for cell in cells(sheet, task)] for task in sheet.tasks)
    output_files.write_bytes(path, out.getvalue().encode("utf-8-sig"))
    output_files.write_text(beside, "\n".join(sheet.guide) + "\n")
    return [path, beside]


def read(path: Path) -> Iterator[list[str]]:
    """The rows of a CSV as a spreadsheet gives it back (comma, semicolon or tab; UTF-8), guards taken off.

    Raises LabelError if it is not UTF-8, or not CSV.
    """
    try:
        text = path.read_text(encoding="utf-8-sig", errors="strict")
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True))
    except UnicodeDecodeError as problem:
        raise LabelError(
            "the sheet is not UTF-8",
            where=f"{path.name}, byte {problem.start}",
            do="save the file as CSV UTF-8",
        ) from problem
    except csv.Error as problem:
        raise LabelError(
            "the sheet is no CSV", where=path.name, found=str(problem), do="save it as CSV UTF-8 or as .xlsx"
        ) from problem
    return ([unguarded(cell) for cell in row] for row in rows)


def _delimiter(text: str) -> str:
    head = text.split("\n", 1)[0]
    return max(",;\t", key=head.count)
