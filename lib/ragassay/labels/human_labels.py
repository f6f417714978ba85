"""Human labels: read, checked cell by cell, joined to the answers they judge, several raters made one."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from ragassay import parameter_ranges, tables
from ragassay.labels.labels_file import (
    ACTIVE,
    RANDOM,
    check_rows,
    parse_row,
    read_rows,
    refuse_absent_columns,
)

ANSWER = ["case_id", "system"]
IN_EVERY_RESPECT = "judged_in_every_respect"  # as a metric: accepted in all the dimensions judged


def read(
    path: str | Path | None, answers: pd.DataFrame | None, mapping: Mapping[str, str] | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The labels of a file that belong to these answers, and the rows set aside with their reason.

    Set aside are labels of an answer that has changed since (column `answer_sha256`, where the file has it),
    and labels of another system.

    Parameters
    ----------
    path : None has no labels; CSV, UTF-8, with case_id, dimension, rater, label, scale ("0-1", "1-5");
        optional system, labelled_at, answer_sha256; the same as JSON Lines, JSON, TSV, Parquet or Excel; or a
        log that holds judgements (`answers.judged_logs`: MTRAG, InspectorRAGet; `log_formats.given_labels`:
        ARES, MLflow, promptfoo, columns that `mapping` names)
    answers : the answers table they are labels of; None where it is not at hand: every well-formed label is
        kept then
    mapping : ours -> theirs: case_id, dimension, rater, label, scale; or label:DIMENSION

    Raises LabelError if a column is absent, a case is unknown, a label is no number or outside its scale, a
    rater judged twice, or scales are mixed; with the file's row.
    """
    if path is None:
        return pd.DataFrame(columns=_columns([])), pd.DataFrame(columns=[*_columns([]), "reason"])
    system = str(answers.system.iloc[0]) if answers is not None and len(answers) else ""
    rows = read_rows(Path(path), system, mapping)
    rows = rows if answers is None else _with_case_ids(rows, answers)
    check_rows(rows, None if answers is None else set(answers.case_id))
    reasons = _reasons(rows, answers)
    kept = [row for row, reason in zip(rows, reasons, strict=True) if not reason]
    aside = [row | {"reason": reason} for row, reason in zip(rows, reasons, strict=True) if reason]
    columns = _columns(rows)
    labels = tables.check("labels", pd.DataFrame(kept, columns=columns), path)
    return labels, pd.DataFrame(aside, columns=[*columns, "reason"])


def from_table(given: pd.DataFrame) -> pd.DataFrame:
    """Labels that are at hand as a table with the columns of the CSV, checked as `read` checks a file;
    rows count from 1.

    Raises LabelError as `read`: a column is absent, a label is no number or outside its scale, a rater judged
    twice, scales are mixed.
    """
    refuse_absent_columns(given, "the labels given")
    named = given.astype({"case_id": str, "rater": str, "scale": str}).to_dict("records")
    rows = [parse_row(f"the labels given, row {place}", row, "") for place, row in enumerate(named, 1)]
    check_rows(rows, None)
    return tables.check("labels", pd.DataFrame(rows, columns=_columns(rows)), "the labels given")


def answer_sha256(answer: str) -> str:
    """SHA-256 of an answer's text, by which a label knows whether it is still the one that was read."""
    return hashlib.sha256(answer.encode("utf-8", "surrogatepass")).hexdigest()


def exchangeable_labels(labels: pd.DataFrame) -> pd.DataFrame:
    """The labels of answers drawn at random: all but those whose `drawn` is `active`.

    What a machine chose to have labelled is not like the answers to come, so no calibration, coverage or
    share may rest on it. Without a column `drawn` every label counts as drawn at random.
    """
    return labels[labels["drawn"].fillna(RANDOM) != ACTIVE] if "drawn" in labels else labels


def judgements(labels: pd.DataFrame, accept_from: Mapping[str, float]) -> pd.DataFrame:
    """What raters accept, as rows of the scores table: `judged_<dimension>` of `as_scores`, and
    `judged_in_every_respect`.

    Example: `human_labels.judgements(run.labels(), {"grounded": 1, "relevant": 4})`
    """
    by_dimension = as_scores(labels, accept_from)
    return pd.concat([by_dimension, in_every_respect(by_dimension, accept_from)], ignore_index=True)


def as_scores(labels: pd.DataFrame, accept_from: Mapping[str, float]) -> pd.DataFrame:
    """The human judgement as rows of the scores table:
    metric `judged_<dimension>`, 1 where the answer is accepted, else 0.

    accept_from : dimension -> the lowest label that accepts
    """
    for dimension, cut in accept_from.items():
        parameter_ranges.check(f"accept_from of {dimension}", cut, "in (-inf, inf)")
    parts = [
        reference_labels(labels, dimension).assign(
            metric=f"judged_{dimension}", value=lambda t, cut=cut: acceptance(t.label, cut).astype(float)
        )
        for dimension, cut in accept_from.items()
    ]
    return pd.concat(parts, ignore_index=True).assign(state="scored", reason="", detail="[]")[
        ["case_id", "system", "metric", "value", "state", "reason", "detail"]
    ]


def in_every_respect(of_people: pd.DataFrame, dimensions: Iterable[str]) -> pd.DataFrame:
    """Rows of the scores table with the metric `judged_in_every_respect`: 1 where the raters accept the
    answer in all these dimensions, else 0; no row for an answer that lacks a judgement in one of them.

    of_people : of `as_scores`
    """
    names = [f"judged_{dimension}" for dimension in dimensions]
    wide = of_people.pivot(index=["case_id", "system"], columns="metric", values="value").reindex(
        columns=names
    )
    accepted = wide.dropna().min(axis=1).rename("value").reset_index()
    return accepted.assign(metric=IN_EVERY_RESPECT, state="scored", reason="", detail="[]")[
        ["case_id", "system", "metric", "value", "state", "reason", "detail"]
    ]


def reference_labels(labels: pd.DataFrame, dimension: str) -> pd.DataFrame:
    """One label per case for a dimension:
    case_id, system, label (the raters' median; of an even number the lower of the two middle labels), raters.

    Of two raters the lower label counts, of three the middle one. Only labels that are `exchangeable` count.
    """
    chosen = exchangeable_labels(labels)
    chosen = chosen[chosen.dimension == dimension]
    return (
        chosen.groupby(["case_id", "system"], sort=True)["label"]
        .agg(label=_lower_median, raters="size")
        .reset_index()
    )


def overview(
    labels: pd.DataFrame, accept_from: Mapping[str, float], meanings: Mapping[str, str]
) -> pd.DataFrame:
    """One row a dimension: what the raters' guide means by it, its scale, the lowest label that accepts
    (missing where labels of it do not count), raters, answers read, and answers that two or more read."""
    rows = [
        {
            "dimension": dimension,
            "meaning": meanings.get(dimension, ""),
            "scale": part["scale"].iloc[0],
            "accepted_from": accept_from.get(dimension),
            "raters": part["rater"].nunique(),
            "answers": len(part[ANSWER].drop_duplicates()),
            "read_twice": int((part.groupby(ANSWER).size() > 1).sum()),
        }
        for dimension, part in labels.groupby("dimension")
    ]
    columns = ["dimension", "meaning", "scale", "accepted_from", "raters", "answers", "read_twice"]
    return pd.DataFrame(rows, columns=columns)


def acceptance(labels: pd.Series, accept_from: float) -> np.ndarray:
    """1 where the label is at least `accept_from`, else 0; shape (n,)."""
    return (labels.to_numpy(dtype=float) >= accept_from).astype(int)


def _lower_median(values: pd.Series) -> float:
    return float(np.sort(values.to_numpy(dtype=float))[(len(values) - 1) // 2])


def _with_case_ids(rows: list[dict], answers: pd.DataFrame) -> list[dict]:
    """The rows of a log without case_ids, with those of the answers to the same questions, in their order."""
    if not any(row.get("numbered") for row in rows):
        return rows
    first = answers[answers.repeat == 0]
    cases: dict[tuple, list] = {}
    for each in first.itertuples():
        cases.setdefault((each.question, each.system), []).append(each.case_id)
    seen: dict[tuple, list] = {}
    for row in rows:
        numbers = seen.setdefault((row["question"], row["system"]), [])
        numbers += [] if row["case_id"] in numbers else [row["case_id"]]
    return [_with_case_id(row, cases, seen) if row.get("numbered") else row for row in rows]


def _with_case_id(row: dict, cases: Mapping[tuple, list], seen: Mapping[tuple, list]) -> dict:
    key = (row["question"], row["system"])
    place, known = seen[key].index(row["case_id"]), cases.get(key, [])
    return row | {"case_id": known[place] if place < len(known) else row["question"][:80]}


def _columns(rows: list[dict]) -> list[str]:
    more = [name for name in ("drawn", "question") if any(name in row for row in rows)]
    return [*tables.TABLES["labels"].columns, *more]


def _reasons(rows: list[dict], answers: pd.DataFrame | None) -> list[str]:
    """Why each label is set aside; empty where it is kept, and everywhere where no answers are at hand."""
    if answers is None:
        return [""] * len(rows)
    first = answers[answers.repeat == 0]
    now = {(row.case_id, row.system): answer_sha256(row.answer) for row in first.itertuples()}
    return [_reason(row, now.get((row["case_id"], row["system"]))) for row in rows]


def _reason(row: dict, now: str | None) -> str:
    if now is None:
        return "another system's answer"
    changed = row.get("answer_sha256") and row["answer_sha256"] != now
    return "the answer has changed since it was labelled" if changed else ""
