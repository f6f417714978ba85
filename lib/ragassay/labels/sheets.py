"""Sheets for raters: one row per answer, blinded to system and score, drawn and dealt at random; and those
that came back, made into labels: every flaw named at once, nothing lost, nothing guessed.

run -> draw -> deal -> Sheet -> sheet_formats -> people -> import_sheets -> labels.csv
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ragassay import output_files, provenance, tables
from ragassay.cases import case_table
from ragassay.defaults import DIMENSIONS, N_LABELLED
from ragassay.errors import InputError, LabelError, ParameterError
from ragassay.labels import dimensions, human_labels, sheet_formats
from ragassay.labels.raters import RANDOM
from ragassay.labels.sheet_formats import Entry, Flaw, Sheet, visible
from ragassay.sanitized_text import to_csv

USUAL_OVERLAP = 50
STRATA = (case_table.ORIGIN, "topic")
_RATER = re.compile(r"\w[\w .@-]{0,59}")
KEY = ["case_id", "system", "dimension", "rater"]
COLUMNS = [*KEY, "label", "scale", "labelled_at", "answer_sha256", "drawn", "remark"]
HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True)
class Exported:
    """Sheets as they were written.

    origins : of each origin of the questions, the answers there are and those `drawn`
    shared : answers that two raters judge; paths : rater -> the file to be labelled
    files : every file written, guides and set-ups too
    """

    origins: pd.DataFrame
    shared: int
    paths: dict[str, Path]
    files: list[Path]


def export_sheets(
    run: Path,
    out: Path,
    *,
    n: int = N_LABELLED,
    asked: str = DIMENSIONS,
    raters: Sequence[str] = ("",),
    overlap: int | None = None,
    guide_file: str | None = None,
    seed: int = 0,
    replace: bool = False,
) -> Exported:
    """Write a sheet for every rater: `sheet.xlsx` for one, `sheet.A.xlsx`, ... for several; of answers drawn
    at random within each origin and topic of the questions, so that the labels speak for all of them.

    Parameters
    ----------
    n : answers to label
    asked : dimensions and scales, `grounded:0-1,relevant:1-5`
    raters : who gets a sheet; ("",) for one who is not yet known
    overlap : answers that two raters judge, each pair of raters as many; None: 50 for several raters
    guide_file : a labelling guide added to the rules

    Raises ParameterError if the file's ending is no format, a file is there already, or a number does not
    fit; LabelError if a sheet cannot offer a scale; TableError if the run holds no answers.
    """
    if overlap is not None and (overlap < 0 or (overlap > 0 and len(raters) < 2)):
        found, do = f"overlap {overlap}, {len(raters)} raters", "add --raters 2"
        raise ParameterError("an overlap needs two raters or more", found=found, do=do)
    paths = {rater: out.with_name(f"{out.stem}.{rater}{out.suffix}") for rater in raters}
    paths = paths if len(raters) > 1 else {raters[0]: out}
    own_guide = provenance.source(guide_file) if guide_file else None
    written = [each for path in paths.values() for each in sheet_formats.files(path)]
    inputs = [provenance.find(run) / "tables", own_guide]
    output_files.check(*written, inputs=inputs, replace=replace)
    wanted = dimensions.parse(asked)
    answers, rng = labellable(tables.read(run, "answers")), np.random.default_rng(seed)
    cases = tables.read(run, "cases") if tables.exists(run, "cases") else answers[["case_id"]]
    known = case_table.with_origin(cases).reindex(columns=["case_id", *STRATA])
    answers = answers.drop(columns=list(STRATA), errors="ignore").merge(known, on="case_id", how="left")
    guide = tuple(guide_lines(wanted, guide_file))
    chosen = draw(answers, n, STRATA, rng=rng)
    shared = min(USUAL_OVERLAP if overlap is None else overlap, len(chosen)) if len(raters) > 1 else 0
    for rater, part in deal(chosen, raters, shared, rng=rng).items():
        sheet_formats.write(Sheet(with_hashes(part), wanted, guide, rater), paths[rater])
    origins = answers.groupby("origin").size().rename("answers").reset_index()
    drawn = origins["origin"].map(chosen["origin"].value_counts()).fillna(0).astype(int)
    return Exported(origins.assign(drawn=drawn), shared, paths, written)


def row_id(case_id: str, system: str) -> str:
    """The name of a row: a hash of case and system, so that the sheet shows neither."""
    name = "\0".join((case_id, system, RANDOM)).encode("utf-8", "surrogatepass")
    return "r-" + hashlib.sha256(name).hexdigest()[:16]


def labellable(answers: pd.DataFrame) -> pd.DataFrame:
    """The answers that can be labelled: first repeats that did not fail."""
    failed = answers["error"].fillna("").astype(str) != "" if "error" in answers else False
    return answers[(answers["repeat"] == 0) & ~pd.Series(failed, answers.index)].reset_index(drop=True)


def draw(answers: pd.DataFrame, n: int, strata: Sequence[str], *, rng: np.random.Generator) -> pd.DataFrame:
    """`n` of the answers (all, where there are fewer), drawn at random within each stratum in proportion to
    its size, to within one answer.

    strata : columns whose levels, blanks among them, make a stratum each

    A larger n with the same generator keeps the answers of a smaller one: a sample can be extended.

    Raises ParameterError if n is below 1.
    """
    if n < 1:
        raise ParameterError("the number of answers to label must be 1 or more", found=n)
    mixed = answers.iloc[rng.permutation(len(answers))]
    groups = mixed.groupby(list(strata), dropna=False)
    place = groups.cumcount() + rng.random(len(mixed))[groups.ngroup()]
    evenly = place / groups["case_id"].transform("size")  # a stratum's answers, spread from 0 to 1
    return mixed.iloc[np.argsort(evenly, kind="stable")[:n]].reset_index(drop=True)


def deal(
    chosen: pd.DataFrame, raters: Sequence[str], overlap: int, *, rng: np.random.Generator
) -> dict[str, pd.DataFrame]:
    """The chosen answers by rater: `overlap` of them to a pair of raters, every pair in turn, the others to
    one each, whoever has fewest; each rater's own random order.

    So each pair shares `overlap` / pairs answers, to within one: how strict a rater is can be told from which
    questions that rater got.
    """
    parts: dict[str, list[int]] = {name: [] for name in raters}
    pairs = list(combinations(raters, 2))
    for turn, row in enumerate(rng.permutation(len(chosen))):
        fewest = min(parts, key=lambda name: len(parts[name]))
        for name in pairs[turn % len(pairs)] if turn < overlap else (fewest,):
            parts[name].append(row)
    return {name: chosen.iloc[rng.permutation(rows)].reset_index(drop=True) for name, rows in parts.items()}


def with_hashes(chosen: pd.DataFrame) -> pd.DataFrame:
    """The answers with what a sheet names them by: `row` (`row_id`) and `answer_sha256`."""
    rows = list(map(row_id, chosen["case_id"], chosen["system"]))
    return chosen.assign(row=rows, answer_sha256=chosen["answer"].map(human_labels.answer_sha256))


def rater_names(raters: str) -> tuple[str, ...]:
    """Who gets a sheet: names parted by commas, or how many raters, then called `rater-1`, ...; ("",) for one
    unknown.

    Raises ParameterError if there is none, a name is given twice, or one cannot be part of a file's name.
    """
    if raters.isdecimal() and 0 < int(raters) < 100:
        return tuple(f"rater-{place}" for place in range(1, int(raters) + 1)) if int(raters) > 1 else ("",)
    names = tuple(name.strip() for name in raters.split(","))
    if raters.isdecimal() or len(set(names)) < len(names):
        do = "name each once, or say how many, at most 99"
        raise ParameterError("raters cannot be told apart", found=raters, do=do)
    wrong = [name for name in names if not is_rater_name(name)]
    if wrong:
        expected = "letters, digits, blanks and . _ @ -, at most 60"
        raise ParameterError("a rater cannot have this name", found=wrong[0], expected=expected)
    return names


def is_rater_name(rater: str) -> bool:
    """Whether it is a name or an address of at most 60 characters, neither a formula nor a path."""
    return _RATER.fullmatch(rater) is not None


def guide_lines(asked: Sequence[dimensions.Dimension], file: str | Path | None = None) -> list[str]:
    """The guide, line by line: the rules, the scales, then the text of a guide of your own.

    Raises InputError if the file does not exist or is not UTF-8.
    """
    rules = Path(__file__).with_name("guide.txt").read_text(encoding="utf-8").splitlines()
    scales = [f"{each.name}: {each.allowed}" for each in asked]
    lines = ["How to label", "", *rules, "", "Scales", "", *scales]
    if not file:
        return lines
    path = provenance.source(file)
    try:
        return [*lines, "", *visible(path.read_text(encoding="utf-8-sig"), 0).splitlines()]
    except (UnicodeDecodeError, OSError) as problem:
        do = "give a text file in UTF-8"
        raise InputError("the guide cannot be read", where=path, found=str(problem)[:120], do=do) from problem


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
