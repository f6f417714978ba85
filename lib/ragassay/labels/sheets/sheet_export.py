"""Sheets for raters out of a run: answers chosen, dealt to the raters, written in the format wanted."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd

from ragassay import output_files, provenance, tables
from ragassay.cases import case_origins
from ragassay.defaults import DIMENSIONS, N_LABELLED
from ragassay.errors import ParameterError
from ragassay.labels import dimensions
from ragassay.labels.sheets import argilla, csv_sheet, excel, label_studio, sheet

FORMATS: dict[str, ModuleType] = {
    "csv": csv_sheet,
    "xlsx": excel,
    "labelstudio": label_studio,
    "argilla": argilla,
}
ENDINGS = {"csv": ".csv", "xlsx": ".xlsx", "labelstudio": ".json", "argilla": ".json"}
USUAL_OVERLAP = 50
STRATA = (case_origins.COLUMN, "topic")


@dataclass(frozen=True)
class Request:
    """What sheets are wanted.

    n : answers to label
    asked : dimensions and scales, `grounded:0-1,relevant:1-5`
    raters : who gets a sheet; ("",) for one who is not yet known
    overlap : answers that two raters judge, each pair of raters as many; None: 50 for several raters
    kind : a name in FORMATS; None: by the ending of the file
    guide_file : a labelling guide added to the rules
    """

    n: int = N_LABELLED
    asked: str = DIMENSIONS
    raters: tuple[str, ...] = ("",)
    overlap: int | None = None
    kind: str | None = None
    guide_file: str | None = None
    seed: int = 0


@dataclass(frozen=True)
class Exported:
    """Sheets as they were written.

    chosen : the answers in them, with `drawn`
    origins : of each origin of the questions, the answers there are and those `drawn`
    shared : answers that two raters judge
    paths : rater -> the file to be labelled
    files : every file written, guides and set-ups too
    """

    chosen: pd.DataFrame
    origins: pd.DataFrame
    shared: int
    paths: dict[str, Path]
    files: list[Path]


def export_sheets(run: Path, out: Path, request: Request, *, replace: bool = False) -> Exported:
    """Write a sheet for every rater: `sheet.xlsx` for one, `sheet.A.xlsx`, ... for several; of answers drawn
    at random within each origin and topic of the questions, so that the labels speak for all of them.

    Raises
    ------
    ParameterError
        If the ending does not fit the format, a file is there already, or a number does not fit.
    LabelError
        If a scale cannot be read.
    TableError
        If the run holds no answers.
    """
    writer, paths = _writer(request.kind, out), _paths(out, request.raters)
    _check_outputs(
        run, request.guide_file, [each for path in paths.values() for each in writer.files(path)], replace
    )
    asked = dimensions.parse(request.asked)
    answers, rng = _with_strata(run), np.random.default_rng(request.seed)
    rules = tuple(sheet.guide_lines(asked, request.guide_file))
    chosen = sheet.draw(answers, request.n, STRATA, rng=rng)
    shared = _overlap(request.overlap, len(request.raters), len(chosen))
    parts = sheet.deal(chosen, request.raters, shared, rng=rng)
    sheets = {rater: sheet.Sheet(sheet.tasks(part), asked, rules, rater) for rater, part in parts.items()}
    files = [path for rater, each in sheets.items() for path in writer.write(each, paths[rater])]
    origins = answers.groupby("origin").size().rename("answers").reset_index()
    drawn = origins["origin"].map(chosen["origin"].value_counts()).fillna(0).astype(int)
    return Exported(chosen, origins.assign(drawn=drawn), shared, paths, files)


def _with_strata(run: Path) -> pd.DataFrame:
    """The answers of the run that can be labelled, with origin and topic of their questions."""
    answers = sheet.labellable(tables.read(run, "answers"))
    cases = tables.read(run, "cases") if tables.exists(run, "cases") else answers[["case_id"]]
    known = case_origins.with_origin(cases).reindex(columns=["case_id", *STRATA])
    return answers.drop(columns=list(STRATA), errors="ignore").merge(known, on="case_id", how="left")


def _check_outputs(run: Path, guide: str | None, files: Sequence[Path], replace: bool) -> None:
    """ParameterError if a file is there and is not to be replaced, or is the guide or a table of the run."""
    own_guide = None if not guide or guide.startswith(provenance.BUNDLED) else provenance.find(guide)
    output_files.check(*files, inputs=[provenance.find(run) / "tables", own_guide], replace=replace)


def _writer(kind: str | None, out: Path) -> ModuleType:
    """The format named, or the one of the file's ending."""
    kind = kind or {".csv": "csv", ".xlsx": "xlsx"}.get(out.suffix.lower(), "")
    if ENDINGS.get(kind) != out.suffix.lower():
        raise ParameterError(
            "the format and the ending of the file do not fit",
            found=f"--format {kind or 'not named'}, {out.name}",
            expected=", ".join(f"{name}: {ending}" for name, ending in ENDINGS.items()),
        )
    return FORMATS[kind]


def _paths(out: Path, raters: Sequence[str]) -> dict[str, Path]:
    paths = {rater: out.with_name(f"{out.stem}.{rater}{out.suffix}") for rater in raters}
    return {raters[0]: out} if len(raters) == 1 else paths


def _overlap(overlap: int | None, raters: int, chosen: int) -> int:
    """Answers that two raters judge: as many as asked for, 50 where nothing is said, none for one rater."""
    if overlap is not None and (overlap < 0 or (overlap > 0 and raters < 2)):
        raise ParameterError(
            "an overlap needs two raters or more",
            found=f"overlap {overlap}, {raters} raters",
            do="add --raters 2",
        )
    return min(USUAL_OVERLAP if overlap is None else overlap, chosen) if raters > 1 else 0
