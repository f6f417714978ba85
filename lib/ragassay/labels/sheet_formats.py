"""The formats of a sheet, told by the ending of its file, written and read as they come back: CSV for any
spreadsheet, Excel with the allowed labels offered by each cell, Label Studio (.json: tasks and export).

Texts of strangers are harmless in all of them: hidden characters are shown, nothing runs in a spreadsheet.

Source: Label Studio, guide "Import data" (basic JSON format) and "Task format" (export).
"""

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from ragassay import output_files
from ragassay.errors import InputError, LabelError, ParameterError, install
from ragassay.labels import human_labels
from ragassay.labels.dimensions import TAKEN, Dimension, from_heading
from ragassay.sanitized_text import clean, to_csv
from ragassay.tables import is_missing

BEFORE, AFTER = ("row", "rater", "question", "answer", "contexts"), ("comment", "answer_sha256")
LONGEST = 32_000  # a cell of Excel holds 32,767 characters
WIDTHS = {"row": 22, "rater": 10, "question": 40, "answer": 70, "contexts": 90, "comment": 40}


@dataclass(frozen=True)
class Sheet:
    """What one rater is given; `rater` is empty where it is not yet known who.

    answers : in order: row (tells the answer to the importer, and neither its case nor its system to the
        rater), question, answer, contexts, answer_sha256 (by which a label knows its answer)
    """

    answers: pd.DataFrame
    dimensions: tuple[Dimension, ...]
    guide: tuple[str, ...]
    rater: str = ""


@dataclass(frozen=True)
class Entry:
    """One row of a sheet that came back, nothing checked yet.

    where : `s.csv, line 3`, `s.json, task 7, annotation 2`
    cells : what stands in the cell of each dimension
    """

    where: str
    row: str
    answer_sha256: str
    rater: str
    cells: dict[Dimension, Any]
    comment: str = ""
    labelled_at: str = ""


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
    """What `write` writes: the sheet first, beside it a guide (`.guide.txt`), for Label Studio the labelling
    set-up too (`.config.xml`, for Settings > Labeling Interface).

    Raises ParameterError if the file has another ending than .csv, .xlsx or .json.
    """
    beside = {".csv": [".guide.txt"], ".xlsx": [], ".json": [".config.xml", ".guide.txt"]}
    if path.suffix.lower() not in beside:
        expected = f"{', '.join(beside)} (Label Studio)"
        raise ParameterError("a sheet has no such ending", found=path.name, expected=expected)
    return [path, *(path.with_suffix(ending) for ending in beside[path.suffix.lower()])]


def write(sheet: Sheet, path: Path) -> None:
    """Write the sheet as CSV, Excel workbook or tasks of Label Studio, and what belongs to it (`files`).

    Raises InputError if a workbook is wanted and openpyxl is not installed.
    """
    kind = path.suffix.lower()
    {".csv": _write_csv, ".xlsx": _write_excel, ".json": _write_label_studio}[kind](sheet, path)
    if kind != ".xlsx":
        output_files.write_text(path.with_suffix(".guide.txt"), "\n".join(sheet.guide) + "\n")


def read(path: Path) -> tuple[list[Entry], list[Flaw]]:
    """The entries of a labelled sheet (the JSON export of Label Studio, or CSV, Excel, ...), and the flaws of
    its head: columns that are nothing of ours (a dimension that lost its scale, say).

    Raises InputError if there is no such file, or it is of another kind; LabelError if it cannot be read, or
    no column is a dimension.
    """
    if path.suffix.lower() == ".json" and path.is_file():
        return _label_studio_entries(path), []
    records = human_labels.whole_records(path)
    heads = list(records[0].values) if records else []
    asked = {head: each for head in heads if (each := from_heading(head))}
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
        row, sha256, rater, comment = (
            texts.get(name, "") for name in ("row", "answer_sha256", "rater", "comment")
        )
        cells = {each: record.values.get(head) for head, each in asked.items()}
        entries.append(Entry(record.where, row, sha256, rater, cells, comment))
    expected = "a column of the sheet, or a dimension: grounded (0-1)"
    strange = [head for head in heads if head not in TAKEN and head not in asked]
    return entries, [Flaw(f"{path.name}, head", head, head, expected) for head in strange]


def visible(text: object, longest: int = LONGEST) -> str:
    """The text with hidden characters shown as pictures or code points and, beyond `longest` characters (0:
    none), cut, with a note.
    """
    whole = str(text).replace("\r\n", "\n").replace("\r", "\n")
    shown = clean(whole[: longest + 1] if longest else whole, 0)
    if not longest or (len(whole) <= longest and len(shown) <= longest):
        return shown
    return f"{shown[:longest]}\n[cut: {len(whole):,} characters in all; the rest: the run's answers]"


def _passages(contexts: Any, longest: int = LONGEST) -> str:
    """The retrieved passages, numbered, one after another; each gets its share of the room there is."""
    if is_missing(contexts):
        return "(the record does not say which passages were retrieved)"
    room = longest // max(len(contexts), 1) - 100 if longest else 0
    shown = [f"[{place}] {visible(text, room)}" for place, text in enumerate(contexts, 1)]
    return "\n\n".join(shown) or "(no passage was retrieved)"


def _rows(sheet: Sheet) -> list[list[str]]:
    """The table of a sheet, its head first; the cells of the dimensions and of the comment empty."""
    rows = [[*BEFORE, *(f"{each.name} ({each.scale})" for each in sheet.dimensions), *AFTER]]
    for each in sheet.answers.itertuples():
        texts = [visible(text) for text in (each.question, each.answer, _passages(each.contexts))]
        rows.append([each.row, sheet.rater, *texts, *[""] * len(sheet.dimensions), "", each.answer_sha256])
    return rows


def _write_csv(sheet: Sheet, path: Path) -> None:
    head, *rows = _rows(sheet)
    text = to_csv(pd.DataFrame(rows, columns=head, dtype=object))
    output_files.write_bytes(path, text.encode("utf-8-sig"))  # so that Excel reads accents


def _write_excel(sheet: Sheet, path: Path) -> None:
    """A workbook: every text as a text, neither read as a formula now nor made one when its cell is edited;
    cells of a dimension take its steps and nothing else."""
    try:
        import openpyxl
    except ImportError:
        do = f"{install('excel')}; or name a .csv"
        raise InputError("Excel files need openpyxl, which is not installed", do=do) from None
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    book, rows, style = openpyxl.Workbook(), _rows(sheet), Alignment(wrap_text=True, vertical="top")
    page, guide = book.active, book.create_sheet("guide")
    page.title, page.freeze_panes = "labels", "A2"
    for onto, table in ((page, rows), (guide, [[line] for line in sheet.guide])):
        for r, row in enumerate(table, 1):
            for c, text in enumerate(row, 1):
                if text:
                    cell = onto.cell(r, c)
                    cell.value, cell.data_type, cell.alignment, cell.quotePrefix = text, "s", style, True
    for column, head in enumerate(rows[0], 1):
        page.cell(1, column).font = Font(bold=True)
        page.column_dimensions[get_column_letter(column)].width = WIDTHS.get(head, 16)
    page.column_dimensions[get_column_letter(len(rows[0]))].hidden = True
    guide.column_dimensions["A"].width = 140
    for column, each in enumerate(sheet.dimensions, len(BEFORE) + 1):
        rule = DataValidation(type="list", formula1='"' + ",".join(map(str, each.steps)) + '"')
        rule.allow_blank, rule.showErrorMessage, rule.error = True, True, f"{each.name}: {each.allowed}"
        page.add_data_validation(rule)
        rule.add(f"{get_column_letter(column)}2:{get_column_letter(column)}{len(rows)}")
    held = io.BytesIO()
    book.save(held)
    output_files.write_bytes(path, held.getvalue())


def _write_label_studio(sheet: Sheet, path: Path) -> None:
    asked = {"rater": sheet.rater, "scales": {each.name: each.scale for each in sheet.dimensions}}
    tasks = []
    for each in sheet.answers.itertuples():
        texts = {"question": visible(each.question, 0), "answer": visible(each.answer, 0)}
        data = {"row": each.row, **texts, "contexts": _passages(each.contexts, 0)}
        tasks.append({"data": data | {"answer_sha256": each.answer_sha256} | asked, "predictions": []})
    output_files.write_text(path, json.dumps(tasks, ensure_ascii=False, indent=1) + "\n")
    lines = ["<View>"]  # the labelling set-up: texts as they are, a row of buttons a dimension, a comment
    for name in ("question", "answer", "contexts"):
        lines += [f'  <Header value="{name.capitalize()}"/>', f'  <Text name="{name}" value="${name}"/>']
    for each in sheet.dimensions:
        lines.append(f'  <Header value="{each.name} ({each.scale})"/>')
        choices = "".join(f'<Choice value="{step}"/>' for step in each.steps)
        how = 'toName="answer" choice="single-radio" showInLine="true"'
        lines.append(f'  <Choices name="{each.name}" {how}>{choices}</Choices>')
    comment = '  <TextArea name="comment" toName="answer" rows="2" maxSubmissions="1" placeholder="comment"/>'
    output_files.write_text(path.with_suffix(".config.xml"), "\n".join([*lines, comment, "</View>", ""]))


def _label_studio_entries(path: Path) -> list[Entry]:
    """An entry for every annotation that was not cancelled; a task nobody annotated is one without labels."""
    entries = []
    try:
        for place, task in enumerate(json.loads(path.read_text(encoding="utf-8-sig")), 1):
            data, where = task["data"], f"{path.name}, task {task.get('id', place)}"
            asked = [Dimension(str(name), str(scale)) for name, scale in data["scales"].items()]
            kept = [each for each in task["annotations"] if not each.get("was_cancelled")]
            for number, each in enumerate(kept or [{}], 1):
                controls, by = _controls(each), each.get("completed_by")
                by = by.get("email") or by.get("id") if isinstance(by, dict) else by
                entry = Entry(
                    where=f"{where}, annotation {number}",
                    row=str(data["row"]),
                    answer_sha256=str(data["answer_sha256"]),
                    rater=str(by or data["rater"]),
                    cells={one: controls.get(one.name) for one in asked},
                    comment=controls.get("comment", ""),
                    labelled_at=str(each.get("created_at") or "")[:10],
                )
                entries.append(entry)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as problem:
        found, expected = repr(problem)[:120], "its JSON, not JSON-MIN, of all tasks of one project"
        what = "the sheet is no export of Label Studio"
        raise LabelError(what, where=path.name, found=found, expected=expected) from problem
    return entries


def _controls(annotation: dict) -> dict[str, str]:
    """What an annotation says: control -> its value;
    two choices of one control are joined, so that the cell is refused.
    """
    found: dict[str, list[str]] = {}
    for result in annotation.get("result") or []:
        value = result["value"]
        values = value.get("choices") or value.get("text") or []
        values = values if isinstance(values, list) else [values]
        found.setdefault(str(result["from_name"]), []).extend(map(str, values))
    return {name: " | ".join(values) for name, values in found.items()}
