"""`ragassay label`, in words: sheets out, labels in, and what n labels buy."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd

from ragassay import tables as kept_tables
from ragassay.errors import LabelError, ParameterError
from ragassay.labels import dimensions, judgements, sample_size, sampling
from ragassay.labels.sheets import argilla, checking, csv_sheet, excel, guide, labelstudio, returned, sheet
from ragassay.labels.sheets.flaws import listed

FORMATS: dict[str, ModuleType] = {
    "csv": csv_sheet,
    "xlsx": excel,
    "labelstudio": labelstudio,
    "argilla": argilla,
}
ENDINGS = {"csv": ".csv", "xlsx": ".xlsx", "labelstudio": ".json", "argilla": ".json"}
USUAL_OVERLAP = 50


@dataclass(frozen=True)
class Wish:
    """What sheets are wanted.

    n : answers to label
    asked : dimensions and scales, `grounded:0-1,relevant:1-5`
    raters : who gets a sheet; ("",) for one who is not yet known
    overlap : answers that every rater judges; None: 50 for several raters
    kind : a name in FORMATS; None tells it by the ending
    guide_file : a labelling guide added to the rules
    active : metric by whose verdicts a part is chosen; None draws all at random
    """

    n: int = 200
    asked: str = dimensions.USUAL
    raters: tuple[str, ...] = ("",)
    overlap: int | None = None
    kind: str | None = None
    guide_file: str | None = None
    active: str | None = None
    random_share: float = sampling.RANDOM_SHARE
    seed: int = 0


def export(
    say: Callable[[str], None], run: Path, out: Path, wish: Wish, *, replace: bool = False
) -> list[Path]:
    """Write a sheet for every rater; say how many answers are in it, how they were drawn, and what comes next.

    Raises
    ------
    ParameterError
        If the format cannot be told, a file is there already, or a number does not fit.
    LabelError
        If a scale cannot be read, or the run holds no verdicts of the metric `active` names.
    TableError
        If the run holds no answers.
    """
    writer, paths, judged = (
        _writer(wish.kind, out),
        _paths(out, wish.raters, replace),
        dimensions.parse(wish.asked),
    )
    answers, rng = sheet.askable(kept_tables.read(run, "answers")), np.random.default_rng(wish.seed)
    rules = tuple(guide.lines(judged, wish.guide_file))
    chosen = _chosen(run, answers, wish, rng)
    shared = _overlap(wish.overlap, len(wish.raters), len(chosen))
    parts = sheet.deal(chosen, wish.raters, shared, rng=rng)
    made = {rater: sheet.Sheet(sheet.tasks(part), judged, rules, rater) for rater, part in parts.items()}
    written = [path for rater, each in made.items() for path in writer.write(each, paths[rater])]
    say("\n".join([_said(chosen, answers, wish.raters, shared), *(f"  {path}" for path in written)]))
    unnamed = "" if all(paths) else " --rater NAME"
    say(
        f"next: label, then `ragassay label import {' '.join(map(str, paths.values()))} --run {run} --out labels.csv{unnamed}`"
    )
    return written


def import_(
    say: Callable[[str], None],
    *,
    files: Sequence[Path],
    run: Path,
    out: Path,
    rater: str = "",
    keep_good: bool = False,
    replace: bool = False,
) -> checking.Imported:
    """Check the sheets that came back and write the labels file that notebook 04 reads; say what came.

    Raises
    ------
    LabelError
        If a cell is wrong and `keep_good` is not set (every one is named), or no label is left.
    InputError, ParameterError, TableError
        If a file cannot be read, the labels file is there already, or the run holds no answers.
    """
    _free(out, replace)
    answers = kept_tables.read(run, "answers")
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
    if found.flaws:
        say(f"left out:\n{listed(found.flaws)}")
    say(
        f"{found.text()}\nwritten: {out}\nnext: `labels: {out}` under notebook 04_calibration in the parameters"
    )
    return found


def plan(
    say: Callable[[str], None],
    sizes: str,
    expected: sample_size.Expected,
    *,
    pilot: tuple[Path, str] | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Say what numbers of labels buy; `pilot`: a run and a metric whose verdicts tell how large sets will be.

    Raises
    ------
    ParameterError
        If a size is no whole number of 2 or more.
    LabelError
        If the run holds no verdicts of the metric.
    """
    parts = [part.strip() for part in sizes.split(",") if part.strip()]
    if not all(part.isdecimal() for part in parts):
        raise ParameterError("numbers of labels must be whole", found=sizes, expected="such as 50,100,200")
    known = None if pilot is None else _verdicts(*pilot)["probability"].to_numpy(dtype=float)
    table = sample_size.plan(
        [int(part) for part in parts], expected, pilot=known, rng=np.random.default_rng(seed)
    )
    say(
        f"{expected.accepted:.0%} accepted by people, {expected.passed:.0%} by the machine; {expected.answers:,} answers; alpha {expected.alpha:g}"
    )
    say("half widths of 95 % intervals; sets: half of the labels set the threshold")
    say(table.to_string(index=False, float_format="{:.3f}".format, na_rep="-"))
    return table


def write_labels(table: pd.DataFrame, out: Path) -> None:
    """The labels file, sorted, in one move; comments guarded against running in a spreadsheet."""
    rows = table.sort_values(checking.KEY).assign(
        label=table["label"].map("{:g}".format), remark=table["remark"].map(csv_sheet.guarded)
    )
    csv_sheet.put(
        out,
        rows[checking.COLUMNS].to_csv(index=False, lineterminator="\n").encode("utf-8", "backslashreplace"),
    )


def _writer(kind: str | None, out: Path) -> ModuleType:
    """The format named, or told by the ending of the file."""
    kind = kind or {".csv": "csv", ".xlsx": "xlsx"}.get(out.suffix.lower(), "")
    if ENDINGS.get(kind) != out.suffix.lower():
        raise ParameterError(
            "the format and the ending of the file do not fit",
            found=f"--format {kind or 'not named'}, {out.name}",
            expected=", ".join(f"{name}: {ending}" for name, ending in ENDINGS.items()),
        )
    return FORMATS[kind]


def _paths(out: Path, raters: Sequence[str], replace: bool) -> dict[str, Path]:
    """A file for each rater: `sheet.xlsx` for one, `sheet.A.xlsx`, ... for several."""
    paths = {
        rater: out.with_name(f"{out.stem}.{rater}{out.suffix}") if len(raters) > 1 else out
        for rater in raters
    }
    for path in paths.values():
        _free(path, replace)
    return paths


def _free(path: Path, replace: bool) -> None:
    if path.exists() and not replace:
        raise ParameterError(
            "the file is there already, perhaps with labels in it",
            found=path,
            do="name another file, or add --replace",
        )


def _chosen(run: Path, answers: pd.DataFrame, wish: Wish, rng: np.random.Generator) -> pd.DataFrame:
    if wish.active is None:
        return sampling.at_random(answers, wish.n, rng=rng)
    known = answers.merge(_verdicts(run, wish.active), on=["case_id", "system"], how="left")
    size = (
        known["prediction_set"]
        .map(lambda each: np.nan if each is None or isinstance(each, float) else len(each))
        .to_numpy(dtype=float)
    )
    probability, strata = known["probability"].to_numpy(dtype=float), _strata(run, answers)
    return sampling.actively(
        answers,
        wish.n,
        probability=probability,
        set_size=size,
        strata=strata,
        random_share=wish.random_share,
        rng=rng,
    )


def _verdicts(run: Path, metric: str) -> pd.DataFrame:
    """The verdicts of one metric: case_id, system, probability, prediction_set; LabelError where there are none."""
    judged = (
        kept_tables.read(run, "verdicts")
        if kept_tables.exists(run, "verdicts")
        else pd.DataFrame(columns=["metric"])
    )
    ours = judged[judged["metric"] == metric]
    if ours.empty:
        raise LabelError(
            f"the run has no verdicts of {metric!r}, so nothing says which answers are uncertain",
            found=", ".join(sorted(set(judged["metric"]))) or "no verdicts",
            do="label a random sample first and calibrate the metric, or name one that is",
        )
    return ours[["case_id", "system", "probability", "prediction_set"]]


def _strata(run: Path, answers: pd.DataFrame) -> np.ndarray | None:
    """The topic of each answer's case; None where the run has no topics."""
    cases = kept_tables.read(run, "cases") if kept_tables.exists(run, "cases") else pd.DataFrame()
    return (
        answers["case_id"].map(cases.drop_duplicates("case_id").set_index("case_id")["topic"]).to_numpy()
        if "topic" in cases
        else None
    )


def _overlap(overlap: int | None, raters: int, chosen: int) -> int:
    """Answers that every rater judges: as many as asked for, 50 where nothing is said, none for one rater."""
    if overlap is not None and (overlap < 0 or (overlap > 0 and raters < 2)):
        raise ParameterError(
            "an overlap needs two raters or more",
            found=f"overlap {overlap}, {raters} raters",
            do="add --raters 2",
        )
    return min(USUAL_OVERLAP if overlap is None else overlap, chosen) if raters > 1 else 0


def _said(chosen: pd.DataFrame, answers: pd.DataFrame, raters: Sequence[str], shared: int) -> str:
    active = chosen[chosen["drawn"] == judgements.ACTIVE]
    lines = [
        f"{len(chosen):,} of {len(answers):,} answers to label, {len(chosen) - len(active):,} drawn at random"
    ]
    lines += [f"  {count:,} chosen: {why}" for why, count in active["why"].value_counts().items()]
    lines += ["  calibration and estimates will rest on the random part alone"] if len(active) else []
    return "\n".join(
        lines
        + ([f"{len(raters)} raters, {shared:,} answers judged by all of them"] if len(raters) > 1 else [])
    )
