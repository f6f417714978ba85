"""Sheets that came back, made into labels: every flaw named at once, nothing lost, nothing guessed."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import output_files, provenance, tables
from ragassay.errors import LabelError
from ragassay.labels import human_labels, sheet_formats
from ragassay.labels.raters import RANDOM
from ragassay.labels.sheet_formats import Entry, Flaw
from ragassay.labels.sheets import is_rater_name, labellable, row_id
from ragassay.spreadsheet_injection import to_csv

KEY = ["case_id", "system", "dimension", "rater"]
COLUMNS = [*KEY, "label", "scale", "labelled_at", "answer_sha256", "drawn", "remark"]
HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True)
class Imported:
    """What came back.

    labels : one row per label: COLUMNS, with drawn (random) and remark (the rater's comment)
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

    rater : who judged, where a file does not say
    keep_good : leave out cells that cannot be taken, instead of refusing all

    Raises LabelError if a cell is wrong and `keep_good` is not set (every one is named), or no label is left;
    InputError, ParameterError, TableError if a file cannot be read, the labels file is there already, or the
    run holds no answers.
    """
    output_files.check(out, inputs=[*files, provenance.find(run) / "tables"], replace=replace)
    answers = tables.read(run, "answers")
    read = [sheet_formats.read(path) for path in files]
    entries = [entry for of_file, _ in read for entry in of_file]
    found = check(entries, answers, rater=rater, flaws=[flaw for _, of_file in read for flaw in of_file])
    if found.flaws and not keep_good:
        n, lines = len(found.flaws), "\n".join(f"  {flaw}" for flaw in found.flaws)
        do = "correct them, or add --keep-good to leave them out"
        raise LabelError(f"{n} cell{'s' if n > 1 else ''} cannot be taken\n{lines}", do=do)
    if found.labels.empty:
        where, do = ", ".join(path.name for path in files), "label, then import again"
        raise LabelError("no cell holds a label", where=where, found=f"{found.empty} empty", do=do)
    write_labels(found.labels, out)
    return found


def check(
    entries: Sequence[Entry], answers: pd.DataFrame, *, rater: str = "", flaws: Sequence[Flaw] = ()
) -> Imported:
    """The labels of sheets that came back, joined to the answers of a run.

    A rater's contradictory labels for one answer are flaws, both of them. Labels given twice alike count
    once. One dimension has one scale, the first that is met.

    answers : the run's answers table; rater : who judged, where a file does not say; flaws : of the heads
    """
    rows, wrong, empty = _labels_of(entries, answers, rater)
    kept, repeated = [], 0
    groups: dict[tuple, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in KEY), []).append(row)
    for group in groups.values():
        if len({row["label"] for row in group}) == 1:
            remarks = dict.fromkeys(row["remark"] for row in group if row["remark"])
            kept.append(group[0] | {"remark": " / ".join(remarks)})
            repeated += len(group) - 1
            continue
        for row in group:
            others = "; ".join(other["where"] for other in group if other is not row)
            expected = f"one label from {row['rater']}, who gave another in {others}"
            wrong.append(Flaw(row["where"], row["dimension"], f"{row['label']:g}", expected))
    now = {(row.case_id, row.system): row.answer for row in labellable(answers).itertuples()}
    hashes = {key: human_labels.answer_sha256(answer) for key, answer in now.items()}
    changed = sum(row["answer_sha256"] != hashes[row["case_id"], row["system"]] for row in kept)
    labels = pd.DataFrame(kept, columns=COLUMNS)
    return Imported(labels, (*flaws, *wrong), empty, repeated, changed)


def write_labels(labels: pd.DataFrame, out: Path) -> None:
    """The labels file, sorted, in one move; no cell of it runs in a spreadsheet."""
    rows = labels.sort_values(KEY).assign(label=labels["label"].map("{:g}".format))
    output_files.write_bytes(out, to_csv(rows[COLUMNS]).encode("utf-8", "backslashreplace"))


def _labels_of(
    entries: Sequence[Entry], answers: pd.DataFrame, rater: str
) -> tuple[list[dict[str, Any]], list[Flaw], int]:
    """The labels in the cells, the flaws, and how many cells are empty; a row that cannot be joined to an
    answer and a rater yields flaws only."""
    pairs = labellable(answers)[["case_id", "system"]].itertuples(index=False, name=None)
    known = {row_id(case, system): (case, system) for case, system in pairs}
    scales: dict[str, str] = {}
    rows: list[dict[str, Any]] = []
    flaws: dict[Flaw, None] = {}  # each once, in order
    empty = 0
    for entry in entries:
        values, wrong = {}, []
        for each, cell in entry.cells.items():
            first = scales.setdefault(each.name, each.scale)
            if first != each.scale:
                expected = f"scale {first}, as in the sheets before it"
                flaws[Flaw(entry.where, each.name, f"scale {each.scale}", expected)] = None
                continue
            try:
                values[each] = each.value(cell)
            except ValueError as problem:
                wrong.append(Flaw(entry.where, each.name, str(cell), str(problem)))
        labels = {each: value for each, value in values.items() if value is not None}
        empty += len(values) - len(labels)
        who = entry.rater or rater
        lost = _identity_flaws(entry, who, known) if labels or wrong else []
        flaws |= dict.fromkeys([*lost, *wrong])
        if lost or not labels:
            continue
        case, system = known[entry.row]
        row = {"case_id": case, "system": system, "rater": who, "labelled_at": entry.labelled_at}
        row |= {"answer_sha256": entry.answer_sha256, "drawn": RANDOM, "remark": entry.comment}
        row |= {"where": entry.where}
        rows += [
            row | {"dimension": each.name, "scale": each.scale, "label": value}
            for each, value in labels.items()
        ]
    return rows, list(flaws), empty


def _identity_flaws(entry: Entry, who: str, known: dict[str, tuple[str, str]]) -> list[Flaw]:
    """What is wrong with the columns that tell whose label it is and of which answer."""
    sha256 = entry.answer_sha256
    whole = len(sha256) == 64 and set(sha256) <= HEX
    rows = [
        ("row", entry.row, entry.row in known, "a row of this run's sheets, as it was exported"),
        ("rater", who, is_rater_name(who), "a rater's name: letters, digits and . _ @ -"),
        ("answer_sha256", sha256, whole, "the hash as it was exported"),
    ]
    wrong = [(column, found, expected) for column, found, fits, expected in rows if not fits]
    return [Flaw(entry.where, *each) for each in wrong]
