"""Human labels: read, checked cell by cell, joined to the answers they were given for, several raters made
one.
"""

import csv
import hashlib
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from ragassay import tables
from ragassay.answers import annotated
from ragassay.errors import LabelError

COLUMNS = ("case_id", "dimension", "rater", "label", "scale")
RANDOM, ACTIVE = DRAWN = ("random", "active")


def read(path: str | Path, answers: pd.DataFrame | None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The labels of a CSV file that belong to these answers, and the rows set aside with their reason.

    Set aside are labels of an answer that has changed since (column `answer_sha256`, where the file has it),
    and labels of another system.

    Parameters
    ----------
    path : CSV, UTF-8, with case_id, dimension, rater, label, scale ("0-1", "1-5"); optional system,
        labelled_at, answer_sha256; or a log that holds judgements (`answers.annotated`: MTRAG,
        InspectorRAGet)
    answers : the answers table they are labels of; None where it is not at hand: every well-formed label is
        kept then

    Raises
    ------
    LabelError
        If a column is absent, a case is unknown, a label is no number or outside its scale, a rater judged
        twice, or scales are mixed; with the file's row.
    """
    rows = _rows(Path(path), str(answers.system.iloc[0]) if answers is not None and len(answers) else "")
    known = {row["case_id"] for row in rows} if answers is None else set(answers.case_id)
    for row in rows:
        _check(row, known)
    _check_together(rows)
    digests = (
        {}
        if answers is None
        else {(a.case_id, a.system): digest(a.answer) for a in answers[answers.repeat == 0].itertuples()}
    )
    reasons = ["" if answers is None else _set_aside(row, digests) for row in rows]
    kept = [row for row, reason in zip(rows, reasons, strict=True) if not reason]
    aside = [row | {"reason": reason} for row, reason in zip(rows, reasons, strict=True) if reason]
    columns = list(tables.TABLES["labels"].columns) + ["drawn"] * any("drawn" in row for row in rows)
    return tables.check("labels", pd.DataFrame(kept, columns=columns), path), pd.DataFrame(
        aside, columns=[*columns, "reason"]
    )


def of_table(given: pd.DataFrame) -> pd.DataFrame:
    """Labels that are at hand as a table with the columns of the CSV, checked as `read` checks a file;
    rows count from 1.

    Raises
    ------
    LabelError
        As `read`: a column is absent, a label is no number or outside its scale, a rater judged twice, scales
        are mixed.
    """
    absent = [name for name in COLUMNS if name not in given]
    if absent:
        raise LabelError(
            f"column {absent[0]!r} is missing",
            where="the labels given",
            found=list(given),
            expected=", ".join(COLUMNS),
        )
    named = given.astype({"case_id": str, "rater": str, "scale": str}).to_dict("records")
    rows = [_row(f"the labels given, row {place}", row, "") for place, row in enumerate(named, 1)]
    for row in rows:
        _check(row, {row["case_id"]})
    _check_together(rows)
    columns = list(tables.TABLES["labels"].columns) + ["drawn"] * any("drawn" in row for row in rows)
    return tables.check("labels", pd.DataFrame(rows, columns=columns), "the labels given")


def digest(answer: str) -> str:
    """SHA-256 of an answer's text, by which a label knows whether the answer is still the one that was read.
    """
    return hashlib.sha256(answer.encode("utf-8", "surrogatepass")).hexdigest()


def none() -> tuple[pd.DataFrame, pd.DataFrame]:
    """No labels: the same two tables as `read`, empty."""
    columns = list(tables.TABLES["labels"].columns)
    return pd.DataFrame(columns=columns), pd.DataFrame(columns=[*columns, "reason"])


def exchangeable(labels: pd.DataFrame) -> pd.DataFrame:
    """The labels of answers drawn at random: all but those whose `drawn` is `active`.

    What a machine chose to have labelled is not like the answers to come, so no calibration, coverage or
    share may rest on it. Without a column `drawn` every label counts as drawn at random.
    """
    return labels[labels["drawn"].fillna(RANDOM) != ACTIVE] if "drawn" in labels else labels


def as_scores(labels: pd.DataFrame, accept_from: Mapping[str, float]) -> pd.DataFrame:
    """The human judgement as rows of the scores table:
    metric `judged_<dimension>`, 1 where the answer is accepted, else 0.

    accept_from : dimension -> the lowest label that accepts
    """
    parts = [
        reference(labels, dimension).assign(
            metric=f"judged_{dimension}", value=lambda t, cut=cut: accepted(t.label, cut).astype(float)
        )
        for dimension, cut in accept_from.items()
    ]
    return pd.concat(parts, ignore_index=True).assign(state="scored", reason="", detail="[]")[
        ["case_id", "system", "metric", "value", "state", "reason", "detail"]
    ]


def reference(labels: pd.DataFrame, dimension: str) -> pd.DataFrame:
    """One label per case for a dimension:
    case_id, system, label (the raters' median, a tie going to the lower level), raters.

    The lower level is the cautious one: a disputed answer counts as the worse of the two. Only labels that
    are `exchangeable` count.
    """
    chosen = exchangeable(labels)
    chosen = chosen[chosen.dimension == dimension]
    return (
        chosen.groupby(["case_id", "system"], sort=True)["label"]
        .agg(label=_lower_median, raters="size")
        .reset_index()
    )


def overview(labels: pd.DataFrame, aside: pd.DataFrame) -> pd.DataFrame:
    """Per dimension and rater: scale, labels that count, their mean, labels set aside."""
    counts = (
        labels.groupby(["dimension", "rater", "scale"])["label"].agg(labels="size", mean="mean").reset_index()
    )
    lost = aside.groupby(["dimension", "rater"]).size() if len(aside) else {}
    return counts.assign(
        set_aside=[int(lost.get((row.dimension, row.rater), 0)) for row in counts.itertuples()]
    )


def note(labels: pd.DataFrame, aside: pd.DataFrame, answers: pd.DataFrame) -> str:
    """How much of the run was read by raters, in one sentence."""
    read_by_people = labels.drop_duplicates(["case_id", "system"])
    twice = labels.groupby(["case_id", "system"])["rater"].nunique() if len(labels) else pd.Series(dtype=int)
    by_two = int((twice > 1).sum())
    return f"{len(read_by_people)} of {len(answers)} answers were read by raters, {by_two} of them by two or more; {len(aside)} labels were set aside."


def limits(labels: pd.DataFrame, aside: pd.DataFrame, raters: str) -> list[str]:
    """What the labels leave open, as sentences for the report."""
    sentences = (
        ["No labels: nothing here is calibrated."]
        if labels.empty
        else [f"The labels are those of the raters named ({raters}), made once."]
    )
    active = len(labels) - len(exchangeable(labels))
    sentences += (
        [f"{active} labels of answers that a machine chose (active) calibrate and estimate nothing."]
        if active
        else []
    )
    return sentences + [
        f"{len(rows)} labels set aside: {reason}." for reason, rows in aside.groupby("reason")
    ]


def accepted(labels: pd.Series, accept_from: float) -> np.ndarray:
    """1 where the label is at least `accept_from`, else 0; shape (n,)."""
    return (labels.to_numpy(dtype=float) >= accept_from).astype(int)


def _lower_median(values: pd.Series) -> float:
    return float(np.sort(values.to_numpy(dtype=float))[(len(values) - 1) // 2])


def _rows(path: Path, system: str) -> list[dict]:
    if annotated.fits(path):
        return [_row(row["where"], row, system) for row in annotated.labels(path)]
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            absent = [name for name in COLUMNS if name not in (reader.fieldnames or [])]
            if absent:
                raise LabelError(
                    f"column {absent[0]!r} is missing",
                    where=path.name,
                    found=reader.fieldnames,
                    expected=", ".join(COLUMNS),
                    do="add it, or rename yours",
                )
            return [_row(f"{path.name}, line {reader.line_num}", row, system) for row in reader]
    except OSError as problem:
        raise LabelError(
            "the labels cannot be read", where=path, found=problem.strerror, expected="a CSV file of labels"
        ) from problem
    except UnicodeDecodeError as problem:
        raise LabelError(
            "the labels are not UTF-8",
            where=f"{path.name}, byte {problem.start}",
            do="save the file as CSV UTF-8",
        ) from problem


def _row(where: str, row: dict, system: str) -> dict:
    low, _, high = (row["scale"] or "").partition("-")
    try:
        label, bounds = float(row["label"]), (float(low), float(high))
    except (TypeError, ValueError):
        raise LabelError(
            "a label or its scale is no number",
            where=where,
            found=f"label {row['label']!r}, scale {row['scale']!r}",
            expected="a number, and a scale such as 1-5",
            do="correct the row, or remove it",
        ) from None
    return row | {
        "label": label,
        "bounds": bounds,
        "where": where,
        "system": row.get("system") or system,
        "labelled_at": row.get("labelled_at") or None,
        **({"drawn": row["drawn"] or RANDOM} if "drawn" in row else {}),
    }


def _check(row: dict, known: set) -> None:
    low, high = row["bounds"]
    if not (math.isfinite(row["label"]) and low <= row["label"] <= high):
        raise LabelError(
            "a label is outside its scale",
            where=row["where"],
            found=row["label"],
            expected=f"{low:g} to {high:g}",
            do="correct the label or the scale",
        )
    if row["case_id"] not in known:
        raise LabelError(
            "a label is for an unknown case",
            where=row["where"],
            found=row["case_id"],
            expected=f"one of the {len(known)} cases asked",
            do="label the answers of this run, or remove the row",
        )
    if (row.get("drawn") or RANDOM) not in DRAWN:
        raise LabelError(
            "it is not known how an answer was drawn",
            where=row["where"],
            found=row["drawn"],
            expected=", ".join(DRAWN),
        )


def _check_together(rows: list[dict]) -> None:
    seen: dict[tuple, str] = {}
    scales: dict[str, tuple[str, str]] = {}
    for row in rows:
        key = (row["case_id"], row["system"], row["dimension"], row["rater"])
        if key in seen:
            raise LabelError(
                "a rater judged one answer twice",
                where=f"{row['where']} and {seen[key]}",
                found=key,
                do="keep the later judgement",
            )
        scale, first = scales.setdefault(row["dimension"], (row["scale"], row["where"]))
        if row["scale"] != scale:
            raise LabelError(
                "one dimension has two scales",
                where=f"{row['where']} and {first}",
                found=f"{row['scale']} and {scale}",
                do="convert one of them",
            )
        seen[key] = row["where"]


def _set_aside(row: dict, digests: dict[tuple, str]) -> str:
    now = digests.get((row["case_id"], row["system"]))
    if now is None:
        return "another system's answer"
    return (
        "the answer has changed since it was labelled"
        if row.get("answer_sha256") and row["answer_sha256"] != now
        else ""
    )
