"""The sheet as an Excel workbook: allowed labels offered by each cell, the guide on a second sheet, no text
that runs.
"""

import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ragassay import output_files
from ragassay.errors import InputError, LabelError, install
from ragassay.labels.sheets import csv_sheet
from ragassay.labels.sheets.sheet import Sheet

LABELS, GUIDE = "labels", "guide"
WIDTHS = {"row": 22, "rater": 10, "question": 40, "answer": 70, "contexts": 90, "comment": 40}
_STAMP = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*")


def files(path: Path) -> list[Path]:
    """What `write` writes: the workbook."""
    return [path]


def write(sheet: Sheet, path: Path) -> list[Path]:
    """Write the workbook; the path written. The same sheet gives the same bytes.

    Raises InputError if openpyxl is not installed.
    """
    book = _openpyxl().Workbook()
    page = book.active
    page.title = LABELS
    _fill(page, [csv_sheet.heads(sheet), *(csv_sheet.cells(sheet, task) for task in sheet.tasks)])
    _offer(page, sheet)
    _lay_out(page, csv_sheet.heads(sheet))
    guide = book.create_sheet(GUIDE)
    _fill(guide, [[line] for line in sheet.guide])
    guide.column_dimensions["A"].width = 140
    held = io.BytesIO()
    book.save(held)
    output_files.write_bytes(path, _timeless(held.getvalue()))
    return [path]


def read(path: Path) -> Iterator[list[Any]]:
    """The rows of the sheet `labels`, or of the first one;
    numbers stay numbers, the value of a formula is the one last shown.

    Raises
    ------
    InputError
        If openpyxl is not installed.
    LabelError
        If it is no workbook.
    """
    library = _openpyxl()
    try:
        book = library.load_workbook(path, data_only=True)
        page = book[LABELS] if LABELS in book.sheetnames else book.worksheets[0]
        return iter([list(row) for row in page.iter_rows(values_only=True)])
    except Exception as problem:  # whatever openpyxl and zipfile raise on a file that is none of theirs
        raise LabelError(
            "the sheet is no Excel workbook",
            where=path.name,
            found=type(problem).__name__,
            do="save it as .xlsx or CSV UTF-8",
        ) from problem


def _openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError as problem:
        raise InputError(
            "Excel files need openpyxl, which is not installed", do=f"{install('excel')}; or use --format csv"
        ) from problem
    return openpyxl


def _fill(page: Any, rows: list[list[str]]) -> None:
    """Every text as a text: neither read as a formula now nor made one when its cell is edited."""
    from openpyxl.styles import Alignment

    style = Alignment(wrap_text=True, vertical="top")
    for r, row in enumerate(rows, 1):
        for c, text in enumerate(row, 1):
            if text:
                cell = page.cell(r, c)
                cell.value, cell.data_type, cell.alignment, cell.quotePrefix = text, "s", style, True


def _offer(page: Any, sheet: Sheet) -> None:
    """Cells of a dimension take its steps, or a number between its ends, and nothing else."""
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    for column, each in enumerate(sheet.dimensions, len(csv_sheet.BEFORE) + 1):
        low, high = each.ends
        listed = {"type": "list", "formula1": '"' + ",".join(map(str, each.steps or ())) + '"'}
        rule = DataValidation(
            **(
                listed
                if each.steps
                else {"type": "decimal", "operator": "between", "formula1": low, "formula2": high}
            )
        )
        rule.allow_blank, rule.showErrorMessage, rule.error = True, True, f"{each.name}: {each.allowed}"
        page.add_data_validation(rule)
        rule.add(f"{get_column_letter(column)}2:{get_column_letter(column)}{len(sheet.tasks) + 1}")


def _lay_out(page: Any, heads: list[str]) -> None:
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    for column, head in enumerate(heads, 1):
        page.cell(1, column).font = Font(bold=True)
        page.column_dimensions[get_column_letter(column)].width = WIDTHS.get(head, 16)
    page.column_dimensions[get_column_letter(len(heads))].hidden = True
    page.freeze_panes = "A2"


def _timeless(content: bytes) -> bytes:
    """The archive without the hour it was made in."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(
                zipfile.ZipInfo(name),
                _STAMP.sub(rb"\g<1>1980-01-01T00:00:00Z", old.read(name)),
                zipfile.ZIP_DEFLATED,
            )
    return out.getvalue()
