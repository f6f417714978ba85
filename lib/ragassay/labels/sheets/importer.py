"""Sheets that came back made into the labels file that notebook 04 reads."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ragassay import tables
from ragassay.errors import LabelError
from ragassay.labels.sheets import checking, csv_sheet, returned
from ragassay.labels.sheets.exporter import refuse_existing


def import_sheets(
    files: Sequence[Path],
    run: Path,
    out: Path,
    *,
    rater: str = "",
    keep_good: bool = False,
    replace: bool = False,
) -> checking.Imported:
    """Check the sheets that came back and write their labels; what came.

    Parameters
    ----------
    rater : who judged, where a file does not say
    keep_good : leave out cells that cannot be taken, instead of refusing all

    Raises
    ------
    LabelError
        If a cell is wrong and `keep_good` is not set (every one is named), or no label is left.
    InputError, ParameterError, TableError
        If a file cannot be read, the labels file is there already, or the run holds no answers.
    """
    refuse_existing(out, replace)
    answers = tables.read(run, "answers")
    found = checking.check([returned.read(path) for path in files], answers, rater=rater)
    if not keep_good:
        checking.strict(found)
    if found.labels.empty:
        raise LabelError(
            "no cell holds a label",
            where=", ".join(path.name for path in files),
            found=found.text(),
            do="label, then import again",
        )
    write_labels(found.labels, out)
    return found


def write_labels(labels: pd.DataFrame, out: Path) -> None:
    """The labels file, sorted, in one move; comments guarded against running in a spreadsheet."""
    rows = labels.sort_values(checking.KEY).assign(
        label=labels["label"].map("{:g}".format), remark=labels["remark"].map(csv_sheet.guarded)
    )
    text = rows[checking.COLUMNS].to_csv(index=False, lineterminator="\n")
    csv_sheet.put(out, text.encode("utf-8", "backslashreplace"))
