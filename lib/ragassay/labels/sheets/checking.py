"""Every cell of a sheet that came back: the label in it, or the flaw."""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from ragassay.labels.dimensions import Dimension
from ragassay.labels.label_rows import DRAWN
from ragassay.labels.sheets.returned import Entry, Flaw, Returned
from ragassay.labels.sheets.sheet import is_rater_name, labellable, row_id

_HASH = frozenset("0123456789abcdef")


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
                flaws.append(
                    Flaw(
                        file.file,
                        "head",
                        each.name,
                        f"scale {each.scale}",
                        f"scale {first}, as in the sheets before it",
                    )
                )
    return scales, flaws


def check_entry(
    file: Returned, entry: Entry, known: dict, scales: dict[str, str], rater: str
) -> tuple[list[dict], list[Flaw], int]:
    """The labels of a row, its flaws, its empty cells; a row that cannot be joined yields flaws only."""
    who = entry.rater or rater
    cells = [
        (each, entry.cells.get(each.name)) for each in file.dimensions if scales[each.name] == each.scale
    ]
    values, flaws, empty = _values(file.file, entry, cells)
    if values or flaws:
        flaws = [*_joined(file.file, entry, who, known), *flaws]
    if any(flaw.column in ("row", "rater", "answer_sha256") for flaw in flaws):
        return [], flaws, empty
    case, system, drawn = known.get(entry.row, ("", "", ""))
    common = {
        "case_id": case,
        "system": system,
        "rater": who,
        "labelled_at": entry.labelled_at,
        "answer_sha256": entry.answer_sha256,
    }
    where = {"drawn": drawn, "remark": entry.comment, "file": file.file, "at": entry.at}
    return (
        [
            common | where | {"dimension": each.name, "scale": each.scale, "label": value}
            for each, value in values
        ],
        flaws,
        empty,
    )


def _values(
    file: str, entry: Entry, cells: list[tuple[Dimension, Any]]
) -> tuple[list[tuple[Dimension, float]], list[Flaw], int]:
    values, flaws, empty = [], [], 0
    for each, cell in cells:
        try:
            value = each.value(cell)
        except ValueError as problem:
            flaws.append(Flaw(file, entry.at, each.name, str(cell), str(problem)))
            continue
        if value is None:
            empty += 1
        else:
            values.append((each, value))
    return values, flaws, empty


def _joined(file: str, entry: Entry, who: str, known: dict) -> list[Flaw]:
    """What is wrong with the columns that tell whose label it is and of which answer."""
    checks = [
        (entry.row in known, "row", entry.row, "a row of this run's sheets, as it was exported"),
        (
            is_rater_name(who),
            "rater",
            who,
            "who judged, in the sheet or by --rater: letters, digits and . _ @ -",
        ),
        (
            len(entry.answer_sha256) == 64 and set(entry.answer_sha256) <= _HASH,
            "answer_sha256",
            entry.answer_sha256,
            "the hash as it was exported",
        ),
    ]
    return [
        Flaw(file, entry.at, column, found, expected) for fine, column, found, expected in checks if not fine
    ]
