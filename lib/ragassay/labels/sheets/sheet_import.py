"""Sheets that came back, made into labels: every flaw named at once, nothing lost, nothing guessed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ragassay import output_files, provenance, tables
from ragassay.errors import LabelError
from ragassay.labels import human_labels
from ragassay.labels.dimensions import Dimension
from ragassay.labels.labels_file import RANDOM
from ragassay.labels.sheets import returned_sheets
from ragassay.labels.sheets.returned_sheets import Entry, Flaw, Returned, flaw_lines
from ragassay.labels.sheets.sheet import is_rater_name, labellable, row_id
from ragassay.spreadsheet_injection import to_csv

COLUMNS = [
    *("case_id", "system", "dimension", "rater", "label", "scale"),
    *("labelled_at", "answer_sha256", "drawn", "remark"),
]
KEY = ["case_id", "system", "dimension", "rater"]
IDENTITY = {  # columns that tell whose label it is and of which answer -> what must stand there
    "row": "a row of this run's sheets, as it was exported",
    "rater": "a rater's name: letters, digits and . _ @ -",
    "answer_sha256": "the hash as it was exported",
}
_HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True)
class Imported:
    """What came back.

    labels : one row per label: the columns of a labels file, with drawn (random) and remark (the
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
        answers, raters = len(table[["case_id", "system"]].drop_duplicates()), table["rater"].nunique()
        facts = [
            (len(table), f"labels ({by}) of {answers} answers by {raters} raters"),
            (self.empty, "cells empty: not labelled"),
            (self.repeated, "labels given twice alike, counted once"),
            (self.changed, "labels of answers that have changed since: kept, set aside when read"),
            (len(self.flaws), "flaws"),
        ]
        return "\n".join(f"{n:,} {what}" for place, (n, what) in enumerate(facts) if n or not place)


def import_sheets(
    files: Sequence[Path],
    run: Path,
    out: Path,
    *,
    rater: str = "",
    keep_good: bool = False,
    replace: bool = False,
) -> Imported:
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
    output_files.check(out, inputs=[*files, provenance.find(run) / "tables"], replace=replace)
    answers = tables.read(run, "answers")
    found = check([returned_sheets.read(path) for path in files], answers, rater=rater)
    if not keep_good:
        refuse_flaws(found)
    if found.labels.empty:
        raise LabelError(
            "no cell holds a label",
            where=", ".join(path.name for path in files),
            found=found.text(),
            do="label, then import again",
        )
    write_labels(found.labels, out)
    return found


def check(files: Sequence[Returned], answers: pd.DataFrame, *, rater: str = "") -> Imported:
    """The labels of sheets that came back, joined to the answers of a run.

    A rater's contradictory labels for one answer are flaws, both of them. Labels given twice alike count
    once.

    Parameters
    ----------
    answers : the run's answers table
    rater : who judged, where a file does not say
    """
    known = _known_rows(answers)
    scales, flaws = _common_scales(files)
    rows: list[dict] = []
    empty = 0
    for file in files:
        flaws += file.flaws
        for entry in file.entries:
            found, wrong, blank = _check_entry(file, entry, known, scales, rater)
            rows.extend(found)
            flaws.extend(wrong)
            empty += blank
    kept, contradictions, repeated = _once(rows)
    now = {
        (row.case_id, row.system): human_labels.answer_sha256(row.answer)
        for row in labellable(answers).itertuples()
    }
    changed = sum(row["answer_sha256"] != now[row["case_id"], row["system"]] for row in kept)
    return Imported(pd.DataFrame(kept, columns=COLUMNS), (*flaws, *contradictions), empty, repeated, changed)


def refuse_flaws(found: Imported) -> Imported:
    """The same, if there is no flaw; else LabelError with every flaw: file, row, column, found, expected."""
    if found.flaws:
        n = len(found.flaws)
        raise LabelError(
            f"{n} cell{'s' if n > 1 else ''} cannot be taken\n{flaw_lines(found.flaws)}",
            do="correct them, or add --keep-good to leave them out",
        )
    return found


def write_labels(labels: pd.DataFrame, out: Path) -> None:
    """The labels file, sorted, in one move; no cell of it runs in a spreadsheet."""
    rows = labels.sort_values(KEY).assign(label=labels["label"].map("{:g}".format))
    text = to_csv(rows[COLUMNS])
    output_files.write_bytes(out, text.encode("utf-8", "backslashreplace"))


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
    """One of labels alike: the first, with the remarks of all."""
    remarks = dict.fromkeys(row["remark"] for row in group if row["remark"])
    return group[0] | {"remark": " / ".join(remarks)}


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


def _known_rows(answers: pd.DataFrame) -> dict[str, tuple[str, str]]:
    """Row id -> case, system."""
    pairs = labellable(answers)[["case_id", "system"]].itertuples(index=False, name=None)
    return {row_id(case, system, RANDOM): (case, system) for case, system in pairs}


def _common_scales(files: Iterable[Returned]) -> tuple[dict[str, str], list[Flaw]]:
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


def _check_entry(
    file: Returned, entry: Entry, known: dict, scales: dict[str, str], rater: str
) -> tuple[list[dict], list[Flaw], int]:
    """The labels of a row, its flaws, its empty cells; a row that cannot be joined yields flaws only."""
    who = entry.rater or rater
    values, flaws, empty = _values(file, entry, scales)
    if values or flaws:
        flaws = [*_identity_flaws(file.file, entry, who, known), *flaws]
    if any(flaw.column in IDENTITY for flaw in flaws):
        return [], flaws, empty
    case, system = known.get(entry.row, ("", ""))
    row = {"case_id": case, "system": system, "rater": who, "labelled_at": entry.labelled_at}
    row |= {"answer_sha256": entry.answer_sha256, "drawn": RANDOM, "remark": entry.comment}
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
