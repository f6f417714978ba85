"""Sheets for raters: one row per answer, blinded to system and score, drawn and dealt at random; and those
that came back, made into labels: every flaw named at once, nothing lost, nothing guessed.

run -> draw -> deal -> sheet_formats -> people -> import_sheets -> labels.csv
"""

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
from ragassay.documents.collection import STATUS, document_of
from ragassay.errors import InputError, LabelError, ParameterError
from ragassay.labels import sheet_formats
from ragassay.labels.sheet_formats import Dimension, Flaw, row_id, visible
from ragassay.sanitized_text import to_csv
from ragassay.tables import is_blank, is_missing

USUAL_OVERLAP = 50
GUIDE = Path(__file__).with_name("guide.md")  # how to label, and what a dimension means, with examples
NO_ANSWER = "(the documents hold no answer)"
STRATA, REFERENCE = (case_table.ORIGIN, "topic"), "reference_answer"
_RATER = re.compile(r"\w[\w .@-]{0,59}")  # neither a formula nor a path
KEY = ["case_id", "system", "dimension", "rater"]
COLUMNS = [*KEY, "label", "scale", "labelled_at", "answer_sha256", "remark"]


@dataclass(frozen=True)
class Exported:
    """Sheets as they were written.

    origins : of each origin of the questions, the answers there are and those `drawn`
    shared : answers that two raters judge; paths : rater -> the file to be labelled
    """

    origins: pd.DataFrame
    shared: int
    paths: dict[str, Path]


def export_sheets(
    run: Path,
    out: Path,
    *,
    n: int = N_LABELLED,
    asked: str = DIMENSIONS,
    origin: str = "",
    raters: Sequence[str] = ("",),
    overlap: int | None = None,
    guide_file: str | None = None,
    replace: bool = False,
) -> Exported:
    """Write a sheet for every rater: `sheet.xlsx` for one, `sheet.A.xlsx`, ... for several; of answers drawn
    at random within each origin and topic of the questions, so that the labels speak for all of them; the
    same ones each time, and a larger n keeps those of a smaller one.

    Parameters
    ----------
    n : answers to label
    asked : dimensions and scales, `grounded:0-1,relevant:1-5`
    origin : of the questions whose answers are drawn, parted by commas: `own,log`; "" is all
    raters : who gets a sheet; ("",) for one who is not yet known
    overlap : answers that two raters judge, each pair of raters as many; None: 50 for several raters
    guide_file : a labelling guide of your own, in place of `guide.md`

    Raises ParameterError if the file's ending is no format, a file is there already, a number does not fit,
    or no question has an origin named; LabelError if a sheet cannot offer a scale; TableError if the run
    holds no answers.
    """
    if overlap is not None and (overlap < 0 or (overlap > 0 and len(raters) < 2)):
        raise ParameterError(
            "an overlap needs two raters or more",
            found=f"overlap {overlap}, {len(raters)} raters",
            do="add --raters 2",
        )
    paths = {
        rater: out.with_name(f"{out.stem}.{rater}{out.suffix}") if len(raters) > 1 else out
        for rater in raters
    }
    own_guide = provenance.source(guide_file) if guide_file else None
    written = [each for path in paths.values() for each in sheet_formats.files(path)]
    output_files.check(*written, inputs=[provenance.find(run) / "tables", own_guide], replace=replace)
    wanted, rng = sheet_formats.parse_dimensions(asked), np.random.default_rng(0)
    guide, answers = guide_lines(wanted, guide_file), with_known(run)
    named, known = {*filter(None, origin.split(","))}, {*answers["origin"]}
    if named - known:
        raise ParameterError("no question is of it", found=origin, expected=", ".join(sorted(known)))
    answers = answers[answers["origin"].isin(named or known)]
    chosen = draw(answers, n, STRATA, rng=rng)
    shared = min(USUAL_OVERLAP if overlap is None else overlap, len(chosen)) if len(raters) > 1 else 0
    for rater, part in deal(chosen, raters, shared, rng=rng).items():
        sheet_formats.write(part, paths[rater], dimensions=wanted, guide=guide, rater=rater)
    origins = answers.groupby("origin").size().rename("answers").reset_index()
    drawn = origins["origin"].map(chosen["origin"].value_counts()).fillna(0).astype(int)
    return Exported(origins.assign(drawn=drawn), shared, paths)


def labellable(answers: pd.DataFrame) -> pd.DataFrame:
    """The answers that can be labelled: first repeats that did not fail."""
    failed = answers["error"].fillna("").astype(str) != "" if "error" in answers else False
    return answers[(answers["repeat"] == 0) & ~pd.Series(failed, answers.index)].reset_index(drop=True)


def with_known(run: Path) -> pd.DataFrame:
    """The answers of a run that can be labelled, with what it knows of their questions: STRATA; `reference`,
    the answer expected ("" where none is known). A passage begins with its id and its document's status, if
    they are known."""
    answers = labellable(tables.read(run, "answers"))
    cases = tables.read(run, "cases") if tables.exists(run, "cases") else answers[["case_id"]]
    known = case_table.with_origin(cases).reindex(columns=["case_id", *STRATA, REFERENCE, "answerable"])
    silent = known["answerable"].eq(False) & known[REFERENCE].isna()
    known = known.assign(reference=known[REFERENCE].mask(silent, NO_ANSWER).fillna(""))
    answers = answers.drop(columns=[*known.columns[1:]], errors="ignore").merge(
        known, on="case_id", how="left"
    )
    stated: dict[str, str] = {}
    if tables.exists(run, "documents") and tables.exists(run, "chunks"):
        documents = tables.read(run, "documents").reindex(columns=["doc_id", STATUS]).dropna()
        passages = tables.read(run, "chunks").merge(documents, on="doc_id").set_index("chunk_id")
        stated = {**documents.set_index("doc_id")[STATUS], **passages[STATUS]}
    shown = answers.reindex(columns=["contexts", "context_ids", "given_ids"])
    for at, texts, ids, own in shown.dropna(subset=["contexts", "context_ids"]).itertuples():
        marks = [stated.get(document_of(name, stated), "") for name in ids]
        if len(ids) == len(texts):  # else passages of a log that have no ids
            names = ids if is_missing(own) or len(own) != len(ids) else own  # by which the answer cites
            rows = zip(names, marks, texts, strict=True)
            answers.at[at, "contexts"] = [f"{name}{one and f' ({one})'}: {text}" for name, one, text in rows]
    return answers


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


def rater_names(raters: str) -> tuple[str, ...]:
    """Who gets a sheet: names parted by commas, or how many raters, then called `rater-1`, ...; ("",) for one
    unknown.

    Raises ParameterError if there is none, a name is given twice, or one cannot be part of a file's name.
    """
    if raters.isdecimal() and 0 < int(raters) < 100:
        return tuple(f"rater-{place}" for place in range(1, int(raters) + 1)) if int(raters) > 1 else ("",)
    names = tuple(name.strip() for name in raters.split(","))
    if raters.isdecimal() or len(set(names)) < len(names):
        raise ParameterError(
            "raters cannot be told apart", found=raters, do="name each once, or say how many, at most 99"
        )
    wrong = [name for name in names if not _RATER.fullmatch(name)]
    if wrong:
        raise ParameterError(
            "a rater cannot have this name",
            found=wrong[0],
            expected="letters, digits, blanks and . _ @ -, at most 60",
        )
    return names


def guide_lines(asked: Sequence[Dimension], file: str | Path | None = None) -> list[str]:
    """The guide, line by line: a file of your own, or else `guide.md` without the sections of dimensions that
    are not asked; then the scales.

    Raises InputError if the file does not exist or is not UTF-8.
    """
    path = provenance.source(file) if file else GUIDE
    try:
        text = visible(path.read_text(encoding="utf-8-sig"), 0)
    except (UnicodeDecodeError, OSError) as problem:
        raise InputError(
            "the guide cannot be read", where=path, found=str(problem)[:120], do="give a text file in UTF-8"
        ) from problem
    if not file:
        first, *sections = text.split("\n## ")
        names = {each.name for each in asked}
        text = "\n## ".join([first, *(one for one in sections if one.partition("\n")[0] in names)])
    return [*text.splitlines(), "", "Scales", "", *(f"{each.name}: {each.allowed}" for each in asked)]


@dataclass(frozen=True)
class Imported:
    """What came back.

    labels : one row per label: COLUMNS, with remark (the rater's comment)
    flaws : every cell that cannot be taken; none of them is in `labels`
    empty : cells left empty: not labelled
    """

    labels: pd.DataFrame
    flaws: tuple[Flaw, ...]
    empty: int


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
        raise LabelError(
            f"{n} cell{'s' if n > 1 else ''} cannot be taken\n{lines}",
            do="correct them, or add --keep-good to leave them out",
        )
    if found.labels.empty:
        raise LabelError(
            "no cell holds a label",
            where=", ".join(path.name for path in files),
            found=f"{found.empty} empty",
            do="label, then import again",
        )
    write_labels(found.labels, out)
    return found


def check(
    entries: Sequence[dict[str, Any]], answers: pd.DataFrame, *, rater: str = "", flaws: Sequence[Flaw] = ()
) -> Imported:
    """The labels of sheets that came back, joined to the answers of a run.

    A row that cannot be joined to an answer and a rater yields flaws only. A rater's contradictory labels for
    one answer are flaws, both of them; labels given twice alike count once. A label of an answer that has
    changed since is kept with its hash, and set aside when it is read. One dimension has one scale, the first
    that is met.

    entries : of `sheet_formats.read`; answers : the run's answers table; rater : who judged, where a file
    does not say; flaws : of the heads
    """
    pairs = labellable(answers)[["case_id", "system"]].itertuples(index=False, name=None)
    known = {row_id(case, system): (case, system) for case, system in pairs}
    scales: dict[str, str] = {}
    found, rows, empty = [*flaws], [], 0
    for entry in entries:
        labels, wrong, where = {}, [], entry["where"]
        for each, cell in entry["cells"].items():
            first = scales.setdefault(each.name, each.scale)
            if first != each.scale:
                expected = f"scale {first}, as in the sheets before it"
                found.append(Flaw(where, each.name, f"scale {each.scale}", expected))
            elif is_blank(cell):
                empty += 1
            elif (value := each.value(cell)) is None:
                wrong.append(Flaw(where, each.name, str(cell), each.allowed))
            else:
                labels[each] = value
        name, who, sha256 = entry["row"], entry["rater"] or rater, entry["answer_sha256"]
        must_be = [
            ("row", name, name in known, "a row of this run's sheets, as it was exported"),
            ("rater", who, _RATER.fullmatch(who), "a rater's name: letters, digits and . _ @ -"),
            ("answer_sha256", sha256, re.fullmatch("[0-9a-f]{64}", sha256), "the hash as it was exported"),
        ]
        lost = [
            Flaw(where, column, given, expected)
            for column, given, fits, expected in must_be
            if not fits and (labels or wrong)
        ]
        found += [*lost, *wrong]
        if labels and not lost:
            case, system = known[name]
            row = entry | {"case_id": case, "system": system, "rater": who, "remark": entry["comment"]}
            rows += [
                row | {"dimension": one.name, "scale": one.scale, "label": labels[one]} for one in labels
            ]
    table = pd.DataFrame(rows, columns=[*COLUMNS, "where"])
    unlike = table.groupby(KEY)["label"].transform("nunique") > 1
    for _, alike in table[unlike].groupby(KEY, sort=False):
        for row in alike.to_dict("records"):
            others = "; ".join(alike["where"][alike["label"] != row["label"]])
            expected = f"one label from {row['rater']}, who gave another in {others}"
            found.append(Flaw(row["where"], row["dimension"], f"{row['label']:g}", expected))
    return Imported(table[~unlike].drop_duplicates(KEY)[COLUMNS], tuple(found), empty)


def write_labels(labels: pd.DataFrame, out: Path) -> None:
    """The labels file, sorted, in one move; no cell of it runs in a spreadsheet."""
    rows = labels.sort_values(KEY).assign(label=labels["label"].map("{:g}".format))
    output_files.write_bytes(out, to_csv(rows[COLUMNS]).encode("utf-8", "backslashreplace"))
