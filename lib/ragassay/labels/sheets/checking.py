"""Labels that came back: every cell checked, every flaw named at once, nothing lost and nothing guessed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ragassay.errors import LabelError
from ragassay.labels import judgements
from ragassay.labels.dimensions import Dimension
from ragassay.labels.sheets.flaws import Flaw, listed
from ragassay.labels.sheets.returned import Entry, Returned
from ragassay.labels.sheets.sheet import askable, is_name, row_id

COLUMNS = [
    "case_id",
    "system",
    "dimension",
    "rater",
    "label",
    "scale",
    "labelled_at",
    "answer_sha256",
    "drawn",
    "remark",
]
KEY = ["case_id", "system", "dimension", "rater"]
_HASH = frozenset("0123456789abcdef")


@dataclass(frozen=True)
class Imported:
    """What came back.

    labels : one row per label: the columns of a labels file, with drawn (random, active) and remark (the
        rater's comment)
    flaws : every cell that cannot be taken; none of them is in `labels`
    empty : cells left empty: not labelled
    repeated : labels given again, alike, by one rater for one answer: counted once
    changed : labels of an answer that is no longer what the rater read; kept with its hash, set aside when
        they are read
    """

    labels: pd.DataFrame
    flaws: tuple[Flaw, ...]
    empty: int
    repeated: int
    changed: int

    def text(self) -> str:
        """In words, a line per fact."""
        table = self.labels
        counts = table.groupby("dimension").size()
        by = ", ".join(f"{dimension} {n}" for dimension, n in counts.items()) or "none"
        active = int((table["drawn"] == judgements.ACTIVE).sum())
        facts = [
            (
                len(table),
                f"labels ({by}) of {table[['case_id', 'system']].drop_duplicates().shape[0]} answers by {table['rater'].nunique()} raters",
            ),
            (active, "of them of answers chosen by a machine (active): not for calibration or estimates"),
            (self.empty, "cells empty: not labelled"),
            (self.repeated, "labels given twice alike, counted once"),
            (self.changed, "labels of answers that have changed since: kept, set aside when read"),
            (len(self.flaws), "flaws"),
        ]
        return "\n".join(f"{n:,} {what}" for place, (n, what) in enumerate(facts) if n or not place)


def check(files: Sequence[Returned], answers: pd.DataFrame, *, rater: str = "") -> Imported:
    """The labels of sheets that came back, joined to the answers of a run.

    A rater's contradictory labels for one answer are flaws, both of them. Labels given twice alike count
    once.

    Parameters
    ----------
    answers : the run's answers table
    rater : who judged, where a file does not say
    """
    known, digests = _rows(answers), _digests(answers)
    scales, flaws = _scales(files)
    rows: list[dict] = []
    empty = 0
    for file in files:
        flaws += file.flaws
        for entry in file.entries:
            found, wrong, blank = _entry(file, entry, known, scales, rater)
            rows.extend(found)
            flaws.extend(wrong)
            empty += blank
    kept, contradictions, repeated = _once(rows)
    changed = sum(row["answer_sha256"] != digests[row["case_id"], row["system"]] for row in kept)
    return Imported(pd.DataFrame(kept, columns=COLUMNS), (*flaws, *contradictions), empty, repeated, changed)


def strict(found: Imported) -> Imported:
    """The same, if there is no flaw; else LabelError with every flaw: file, row, column, found, expected."""
    if found.flaws:
        n = len(found.flaws)
        raise LabelError(
            f"{n} cell{'s' if n > 1 else ''} cannot be taken\n{listed(found.flaws)}",
            do="correct them, or add --keep-good to leave them out",
        )
    return found


def _rows(answers: pd.DataFrame) -> dict[str, tuple[str, str, str]]:
    """Row id -> case, system, how it was drawn."""
    pairs = askable(answers)[["case_id", "system"]].itertuples(index=False, name=None)
    return {
        row_id(case, system, drawn): (case, system, drawn)
        for case, system in pairs
        for drawn in judgements.DRAWN
    }


def _digests(answers: pd.DataFrame) -> dict[tuple[str, str], str]:
    return {(row.case_id, row.system): judgements.digest(row.answer) for row in askable(answers).itertuples()}


def _scales(files: Iterable[Returned]) -> tuple[dict[str, str], list[Flaw]]:
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


def _entry(
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
        (is_name(who), "rater", who, "who judged, in the sheet or by --rater: letters, digits and . _ @ -"),
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


def _once(rows: list[dict]) -> tuple[list[dict], list[Flaw], int]:
    """One label per answer, dimension and rater; flaws where a rater contradicts himself;
    labels given again alike.
    """
    grouped: dict[tuple, list[dict]] = {}
    for row in rows:
        grouped.setdefault(tuple(row[name] for name in KEY), []).append(row)
    alike = [group for group in grouped.values() if len({row["label"] for row in group}) == 1]
    flaws = [
        flaw
        for group in grouped.values()
        if len({row["label"] for row in group}) > 1
        for flaw in _contradiction(group)
    ]
    return [_merged(group) for group in alike], flaws, sum(len(group) - 1 for group in alike)


def _merged(group: list[dict]) -> dict:
    """One of labels alike: the first; it counts as drawn at random if any of them was."""
    drawn = (
        judgements.RANDOM if any(row["drawn"] == judgements.RANDOM for row in group) else judgements.ACTIVE
    )
    return group[0] | {
        "drawn": drawn,
        "remark": " / ".join(dict.fromkeys(row["remark"] for row in group if row["remark"])),
    }


def _contradiction(group: list[dict]) -> list[Flaw]:
    places = [f"{row['file']}, {row['at']}" for row in group]
    return [
        Flaw(
            row["file"],
            row["at"],
            row["dimension"],
            f"{row['label']:g}",
            f"one label from {row['rater']}, who gave another in {_others(places, at)}",
        )
        for at, row in enumerate(group)
    ]


def _others(places: list[str], at: int) -> str:
    return "; ".join(place for number, place in enumerate(places) if number != at)
