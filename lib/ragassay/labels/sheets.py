"""Sheets for raters: one row per answer, blinded to system and score, drawn and dealt at random.

run -> draw -> deal -> Sheet -> sheet_formats -> people -> sheet_import
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from ragassay import output_files, provenance, tables
from ragassay.cases import case_table
from ragassay.defaults import DIMENSIONS, N_LABELLED
from ragassay.errors import InputError, ParameterError
from ragassay.labels import dimensions, human_labels, sheet_formats
from ragassay.labels.raters import RANDOM
from ragassay.labels.sheet_formats import Sheet, visible

USUAL_OVERLAP = 50
STRATA = (case_table.ORIGIN, "topic")
_RATER = re.compile(r"\w[\w .@-]{0,59}")


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
    paths = {rater: out.with_name(f"{out.stem}.{rater}{out.suffix}") for rater in raters}
    paths = paths if len(raters) > 1 else {raters[0]: out}
    own_guide = provenance.source(guide_file) if guide_file else None
    written = [each for path in paths.values() for each in sheet_formats.files(path)]
    inputs = [provenance.find(run) / "tables", own_guide]
    output_files.check(*written, inputs=inputs, replace=replace)
    wanted = dimensions.parse(asked)
    answers, rng = _with_strata(run), np.random.default_rng(seed)
    guide = tuple(guide_lines(wanted, guide_file))
    chosen = draw(answers, n, STRATA, rng=rng)
    shared = _overlap(overlap, len(raters), len(chosen))
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


def _with_strata(run: Path) -> pd.DataFrame:
    """The answers of the run that can be labelled, with origin and topic of their questions."""
    answers = labellable(tables.read(run, "answers"))
    cases = tables.read(run, "cases") if tables.exists(run, "cases") else answers[["case_id"]]
    known = case_table.with_origin(cases).reindex(columns=["case_id", *STRATA])
    return answers.drop(columns=list(STRATA), errors="ignore").merge(known, on="case_id", how="left")


def _overlap(overlap: int | None, raters: int, chosen: int) -> int:
    """Answers that two raters judge: as many as asked for, 50 where nothing is said, none for one rater."""
    if overlap is not None and (overlap < 0 or (overlap > 0 and raters < 2)):
        found, do = f"overlap {overlap}, {raters} raters", "add --raters 2"
        raise ParameterError("an overlap needs two raters or more", found=found, do=do)
    return min(USUAL_OVERLAP if overlap is None else overlap, chosen) if raters > 1 else 0
