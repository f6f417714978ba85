"""Every cell of a sheet that came back: the label in it, or the flaw."""

from collections.abc import Iterable

import pandas as pd

from ragassay.labels.dimensions import Dimension
from ragassay.labels.labels_file import DRAWN
from ragassay.labels.sheets.returned_sheets import Entry, Flaw, Returned
from ragassay.labels.sheets.sheet import is_rater_name, labellable, row_id

IDENTITY = {  # columns that tell whose label it is and of which answer -> what must stand there
    "row": "a row of this run's sheets, as it was exported",
    "rater": "who judged, in the sheet or by --rater: letters, digits and . _ @ -",
    "answer_sha256": "the hash as it was exported",
}
_HEX = frozenset("0123456789abcdef")


def known_rows(answers: pd.DataFrame) -> dict[str, tuple[str, str, str]]:
    """Row id -> case, system, how it was drawn."""
    pairs = labellable(answers)[["case_id", "system"]].itertuples(index=False, name=None)
    return {row_id(case, system, drawn): (case, system, drawn) for case, system in pairs for drawn in DRAWN}


def common_scales(files: Iterable[Returned]) -> tuple[dict[str, str], list[Flaw]]:
    """The scale of each dimension: the first one met; a flaw for every file that has another."""
    scales: dict[str, str] = {}
    flaws = []
    for file in files:
        for each in file.dimensions:
            first = scales.setdefault(each.name, each.scale)
            if first != each.scale:
                expected = f"scale {first}, as in the sheets before it"
                flaws.append(Flaw(file.file, "head", each.name, f"scale {each.scale}", expected))
    return scales, flaws


def check_entry(
    file: Returned, entry: Entry, known: dict, scales: dict[str, str], rater: str
) -> tuple[list[dict], list[Flaw], int]:
    """The labels of a row, its flaws, its empty cells; a row that cannot be joined yields flaws only."""
    who = entry.rater or rater
    values, flaws, empty = _values(file, entry, scales)
    if values or flaws:
        flaws = [*_identity_flaws(file.file, entry, who, known), *flaws]
    if any(flaw.column in IDENTITY for flaw in flaws):
        return [], flaws, empty
    case, system, drawn = known.get(entry.row, ("", "", ""))
    row = {"case_id": case, "system": system, "rater": who, "labelled_at": entry.labelled_at}
    row |= {"answer_sha256": entry.answer_sha256, "drawn": drawn, "remark": entry.comment}
    row |= {"file": file.file, "at": entry.at}
    labels = [row | {"dimension": each.name, "scale": each.scale, "label": value} for each, value in values]
    return labels, flaws, empty


def _values(
    file: Returned, entry: Entry, scales: dict[str, str]
) -> tuple[list[tuple[Dimension, float]], list[Flaw], int]:
    """The labels in the cells, the cells that hold none of the scale, and how many are empty."""
    values, flaws, empty = [], [], 0
    for each in file.dimensions:
        if scales[each.name] != each.scale:
            continue
        cell = entry.cells.get(each.name)
        try:
            value = each.value(cell)
        except ValueError as problem:
            flaws.append(Flaw(file.file, entry.at, each.name, str(cell), str(problem)))
            continue
        empty += value is None
        if value is not None:
            values.append((each, value))
    return values, flaws, empty


def _identity_flaws(file: str, entry: Entry, who: str, known: dict) -> list[Flaw]:
    """What is wrong with the columns that tell whose label it is and of which answer."""
    whole = len(entry.answer_sha256) == 64 and set(entry.answer_sha256) <= _HEX
    found = (entry.row, who, entry.answer_sha256)
    fine = (entry.row in known, is_rater_name(who), whole)
    return [
        Flaw(file, entry.at, column, what, expected)
        for (column, expected), what, good in zip(IDENTITY.items(), found, fine, strict=True)
        if not good
    ]
