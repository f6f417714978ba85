"""What a sheet asks (dimensions: `grounded` on 0-1, `relevant` on 1-5), and its formats, by the ending of its
file: CSV for any spreadsheet, Excel with the allowed labels offered by each cell, Label Studio (.json).

Texts of strangers are harmless in all: hidden characters are shown, nothing runs in a spreadsheet.

Source: Label Studio, guide "Import data" (basic JSON format) and "Task format" (export).
"""

import hashlib
import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from ragassay import output_files
from ragassay.defaults import DIMENSIONS
from ragassay.documents.record_files import Record, whole_records
from ragassay.errors import InputError, LabelError, ParameterError, install
from ragassay.labels import human_labels
from ragassay.sanitized_text import clean, to_csv
from ragassay.tables import is_missing

BEFORE = ("row", "rater", "question", "answer", "reference", "contexts")
AFTER = ("comment", "answer_sha256")
TAKEN = frozenset({*BEFORE, *AFTER, "scale", "labelled_at"})
_NAME = r"[^\W\d]\w{0,39}"
LONGEST = 32_000  # a cell of Excel holds 32,767 characters
WIDTHS = {
    "row": 22,
    "rater": 10,
    "question": 40,
    "answer": 70,
    "reference": 50,
    "contexts": 90,
    "comment": 40,
}


@dataclass(frozen=True)
class Dimension:
    """A judgement asked of a rater: its name and its scale, written low-high.

    Raises LabelError if the scale cannot be read, or is not of 2 to 21 whole steps.
    """

    name: str
    scale: str

    def __post_init__(self) -> None:
        if human_labels.scale_levels(self.scale) is None:
            raise LabelError(
                "a sheet cannot offer this scale",
                found=self.scale,
                expected="at most 21 whole steps, such as 0-1 or 1-5",
            )

    @property
    def steps(self) -> list[int]:
        """The labels there are, ascending."""
        return human_labels.scale_levels(self.scale) or []

    @property
    def allowed(self) -> str:
        """In words: `0 or 1`, `1, 2, 3, 4 or 5`."""
        *first, last = map(str, self.steps)
        return f"{', '.join(first)} or {last}"

    def value(self, cell: Any) -> float | None:
        """The label in a cell; None where it is none of this scale: a text, a truth value, no step."""
        number = pd.to_numeric(cell, errors="coerce")
        return float(number) if number in self.steps and not isinstance(cell, bool) else None


def parse_dimensions(text: str) -> tuple[Dimension, ...]:
    """The dimensions of `grounded:0-1,relevant:1-5`, in that order.

    Raises ParameterError if none is named, one is named twice, a name is no word or is a column's own;
    LabelError if a scale cannot be read.
    """
    found = []
    for part in filter(str.strip, text.split(",")):
        name, _, scale = (each.strip() for each in part.partition(":"))
        if not re.fullmatch(_NAME, name) or name in TAKEN:
            raise ParameterError(
                "a dimension cannot have this name",
                found=name,
                expected="letters, digits and _, not a column of the sheet",
            )
        found.append(Dimension(name, scale))
    if not found or len({each.name for each in found}) < len(found):
        raise ParameterError("name at least one dimension, and each once", found=text, expected=DIMENSIONS)
    return tuple(found)


def read_heading(heading: object) -> Dimension | None:
    """The dimension a column is for, from its head `grounded (0-1)`; None where it is no such head, or its
    scale cannot be read."""
    match = re.fullmatch(rf"\s*({_NAME})\s*\(([^()]*)\)\s*", str(heading or ""))
    if match is None or match[1] in TAKEN:
        return None
    try:
        return Dimension(match[1], match[2].strip())
    except LabelError:
        return None


class Flaw(NamedTuple):
    """Where a cell is wrong, what stands there, what should."""

    where: str
    column: str
    found: str
    expected: str

    def __str__(self) -> str:
        found = visible(self.found.replace("\n", " "), 0)
        shown = repr(found[:60]) + ("..." if len(found) > 60 else "")
        return f"{self.where}, {visible(self.column, 0)[:60]}: found {shown}, expected {self.expected}"


def files(path: Path) -> list[Path]:
    """What `write` writes: the sheet; beside it a guide (`.guide.txt`), which a workbook holds itself; for
    Label Studio its labelling set-up too (`.config.xml`, for Settings > Labeling Interface).

    Raises ParameterError if the file has another ending than .csv, .xlsx or .json.
    """
    beside = {".csv": [".guide.txt"], ".xlsx": [], ".json": [".guide.txt", ".config.xml"]}
    if path.suffix.lower() not in beside:
        raise ParameterError("a sheet has no such ending", found=path.name, expected=".csv, .xlsx or .json")
    return [path, *(path.with_suffix(ending) for ending in beside[path.suffix.lower()])]


def write(
    answers: pd.DataFrame,
    path: Path,
    *,
    dimensions: Sequence[Dimension],
    guide: Sequence[str],
    rater: str = "",
) -> None:
    """Write what one rater is given as CSV, Excel workbook or tasks of Label Studio, and what belongs to it
    (`files`).

    Parameters
    ----------
    answers : in order: case_id, system, question, answer, contexts; reference (the answer expected) if known
    rater : empty where it is not yet known who

    Raises InputError if a workbook is wanted and openpyxl is not installed.
    """
    head = [*BEFORE, *(f"{each.name} ({each.scale})" for each in dimensions), *AFTER]
    rows = []
    for each in answers.to_dict("records"):
        if is_missing(each["contexts"]):
            passages = "(the record does not say which passages were retrieved)"
        else:
            room = LONGEST // max(len(each["contexts"]), 1) - 100  # each has its share of it
            shown = [f"[{place}] {visible(text, room)}" for place, text in enumerate(each["contexts"], 1)]
            passages = "\n\n".join(shown) or "(no passage was retrieved)"
        texts = {
            "row": row_id(each["case_id"], each["system"]),
            "rater": rater,
            **{name: visible(each.get(name, "")) for name in ("question", "answer", "reference")},
            "contexts": passages,
            "answer_sha256": human_labels.answer_sha256(each["answer"]),
        }
        rows.append([texts.get(name, "") for name in head])
    if path.suffix.lower() == ".xlsx":
        _write_excel([head, *rows], path, dimensions, guide)
        return
    if path.suffix.lower() == ".json":
        _write_label_studio([dict(zip(head, row, strict=True)) for row in rows], path, dimensions)
    else:
        text = to_csv(pd.DataFrame(rows, columns=head, dtype=object))
        output_files.write_bytes(path, text.encode("utf-8-sig"))  # so that Excel reads accents
    output_files.write_text(path.with_suffix(".guide.txt"), "\n".join(guide) + "\n")


def read(path: Path) -> tuple[list[dict[str, Any]], list[Flaw]]:
    """The rows of a labelled sheet (the JSON export of Label Studio, or CSV, Excel, ...), nothing checked
    yet: row, answer_sha256, rater, comment, labelled_at; where (`s.csv, line 3`, `s.json, task 7, annotation
    2`); cells, what stands in the cell of each dimension. And the flaws of the sheet's head: columns that are
    nothing of ours (a dimension that lost its scale, say).

    Raises InputError if there is no such file, or it is of another kind; LabelError if it cannot be read, or
    no column is a dimension.
    """
    exported = path.suffix.lower() == ".json" and path.is_file()
    records = _label_studio_records(path) if exported else whole_records(path)
    heads = list(dict.fromkeys(head for record in records for head in record.values))
    asked = {head: each for head in heads if (each := read_heading(head))}
    if not asked or not {"row", "answer_sha256"} <= set(heads):
        raise LabelError(
            "the head of a sheet is not as it was exported",
            where=path.name,
            found=", ".join(filter(None, heads)) or "nothing",
            expected="row, answer_sha256 and a column such as grounded (0-1)",
            do="put the heads back as they were",
        )
    entries = []
    for record in records:
        texts = {head: "" if is_missing(cell) else str(cell).strip() for head, cell in record.values.items()}
        named = ("row", "answer_sha256", "rater", "comment", "labelled_at")
        cells = {each: record.values[head] for head, each in asked.items() if head in record.values}
        row = {name: texts.get(name, "") for name in named}
        entries.append(row | {"where": record.where, "cells": cells})
    expected = "a column of the sheet, or a dimension: grounded (0-1)"
    strange = [head for head in heads if head not in TAKEN and head not in asked]
    return entries, [Flaw(f"{path.name}, head", head, head, expected) for head in strange]


def row_id(case_id: str, system: str) -> str:
    """The name of a row: a hash of case and system, so that the sheet shows neither."""
    return (
        "r-" + hashlib.sha256("\0".join((case_id, system)).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    )


def visible(text: object, longest: int = LONGEST) -> str:
    """The text with hidden characters shown as pictures or code points and, beyond `longest` characters (0:
    none), cut, with a note.
    """
    whole = str(text).replace("\r\n", "\n").replace("\r", "\n")
    shown = clean(whole[: longest + 1] if longest else whole, 0)
    if not longest or (len(whole) <= longest and len(shown) <= longest):
        return shown
    return f"{shown[:longest]}\n[cut: {len(whole):,} characters in all; the rest: the run's answers]"


def _write_excel(
    rows: list[list[str]], path: Path, dimensions: Sequence[Dimension], guide: Sequence[str]
) -> None:
    """A workbook: every text as a text, neither read as a formula now nor made one when its cell is edited;
    cells of a dimension take its steps and nothing else."""
    try:
        import openpyxl
    except ImportError:
        raise InputError(
            "Excel files need openpyxl, which is not installed", do=f"{install('excel')}; or name a .csv"
        ) from None
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    book, style = openpyxl.Workbook(), Alignment(wrap_text=True, vertical="top")
    page, other = book.active, book.create_sheet("guide")
    page.title, page.freeze_panes = "labels", "A2"
    for onto, table in ((page, rows), (other, [[line] for line in guide])):
        for r, row in enumerate(table, 1):
            for c, text in enumerate(row, 1):
                if text:
                    cell = onto.cell(r, c)
                    cell.value, cell.data_type, cell.alignment, cell.quotePrefix = text, "s", style, True
    for column, head in enumerate(rows[0], 1):
        page.cell(1, column).font = Font(bold=True)
        page.column_dimensions[get_column_letter(column)].width = WIDTHS.get(head, 16)
    page.column_dimensions[get_column_letter(len(rows[0]))].hidden = True
    other.column_dimensions["A"].width = 140
    for column, each in enumerate(dimensions, len(BEFORE) + 1):
        rule = DataValidation(type="list", formula1='"' + ",".join(map(str, each.steps)) + '"')
        rule.allow_blank, rule.showErrorMessage, rule.error = True, True, f"{each.name}: {each.allowed}"
        page.add_data_validation(rule)
        rule.add(f"{get_column_letter(column)}2:{get_column_letter(column)}{len(rows)}")
    held = io.BytesIO()
    book.save(held)
    output_files.write_bytes(path, held.getvalue())


def _write_label_studio(rows: list[dict[str, str]], path: Path, dimensions: Sequence[Dimension]) -> None:
    """Tasks, and the labelling set-up: texts as they are, a row of buttons a dimension, a comment."""
    output_files.write_text(path, json.dumps([{"data": row} for row in rows], ensure_ascii=False, indent=1))
    lines = [f'<Header value="{name}"/>\n<Text name="{name}" value="${name}"/>' for name in BEFORE[2:]]
    for each in dimensions:
        lines += [
            f'<Header value="{each.name} ({each.scale})"/>',
            f'<Choices name="{each.name}" toName="answer" choice="single-radio" showInLine="true">',
            *(f'<Choice value="{step}"/>' for step in each.steps),
            "</Choices>",
        ]
    comment = '<TextArea name="comment" toName="answer" rows="2" maxSubmissions="1" placeholder="comment"/>'
    output_files.write_text(
        path.with_suffix(".config.xml"), "\n".join(["<View>", *lines, comment, "</View>", ""])
    )


def _label_studio_records(path: Path) -> list[Record]:
    """A record with the heads of the sheet for every annotation that was not cancelled; one without labels
    for a task nobody annotated. Two choices of one control are joined, so that the cell is refused."""
    records = []
    try:
        for place, task in enumerate(json.loads(path.read_text(encoding="utf-8-sig")), 1):
            heads = {head.partition(" ")[0]: head for head in task["data"]}  # grounded -> grounded (0-1)
            kept = [each for each in task["annotations"] if not each.get("was_cancelled")]
            for number, each in enumerate(kept or [{"result": []}], 1):
                given: dict[str, list[str]] = {}
                for result in each["result"]:
                    name, value = result["from_name"], result["value"]
                    texts = value["choices"] if "choices" in value else value["text"]
                    given.setdefault(heads.get(name, name), []).extend(
                        [texts] if isinstance(texts, str) else texts
                    )
                by = each.get("completed_by") or task["data"]["rater"]
                said = {
                    "rater": (by.get("email") or by["id"]) if isinstance(by, dict) else by,
                    "labelled_at": str(each.get("created_at") or "")[:10],
                    **{head: " | ".join(texts) for head, texts in given.items()},
                }
                where = f"{path.name}, task {task.get('id', place)}, annotation {number}"
                records.append(Record(task["data"] | said, where))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as problem:
        raise LabelError(
            "the sheet is no export of Label Studio",
            where=path.name,
            found=repr(problem)[:120],
            expected="its JSON, not JSON-MIN, of all tasks of one project",
            do="export again as JSON",
        ) from problem
    return records
