"""Human labels: scales; labels read, checked row by row, joined to their answers; what they say as scores."""

import hashlib
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import tables
from ragassay.answers import tool_scores
from ragassay.answers.log_schemas import detect, is_empty, split_mapping
from ragassay.documents.record_files import whole_records
from ragassay.errors import LabelError
from ragassay.labels.raters import accepted, in_every_respect, require_columns

ANSWER = ["case_id", "system"]
COLUMNS = ("case_id", "dimension", "rater", "label", "scale")
OF_TABLE = {*COLUMNS, "system", "labelled_at", "answer_sha256"}  # what a mapping may name
GIVEN = "the labels given"  # where labels at hand as a table stand
IN_EVERY_RESPECT = "judged_in_every_respect"  # as a metric: accepted in all the dimensions judged


def scale_ends(scale: str) -> tuple[float, float]:
    """Lowest and highest label of a scale.

    Raises LabelError if it cannot be read, or the first end is not the lower.
    """
    first, _, last = str(scale).partition("-")
    low, high = map(float, pd.to_numeric([first, last], errors="coerce"))
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise LabelError("a scale cannot be read", found=scale, expected="low-high, such as 0-1 or 1-5")
    return low, high


def scale_levels(scale: str) -> list[int] | None:
    """The levels of a scale of at most 21 whole steps, ascending; None for any other scale."""
    low, high = scale_ends(scale)
    whole = low.is_integer() and high.is_integer() and high - low <= 20
    return list(range(int(low), int(high) + 1)) if whole else None


def usual_accept_from(scale: str) -> float:
    """The lowest label that accepts where nothing else is said:
    1 on a 0-1 scale, else the first whole step in the upper third (4 of 1-5).
    """
    low, high = scale_ends(scale)
    return high if high - low <= 1 else float(math.ceil(low + (high - low) * 2 / 3))


def read(
    source: str | Path | pd.DataFrame | None,
    answers: pd.DataFrame | None,
    mapping: Mapping[str, str] | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The labels of a file or table that belong to these answers, and the rows set aside with their reason.

    Set aside are labels of an answer that has changed since, or whose question is not asked any more (of a
    sheet: where the file has `answer_sha256`), and labels of another system.

    Parameters
    ----------
    source : None has no labels; CSV, UTF-8, with case_id, dimension, rater, label, scale ("0-1", "1-5");
        optional system, labelled_at, answer_sha256; the same as a table, JSON Lines, JSON, TSV, Parquet or
        Excel; or a log that holds judgements (`answers.tool_scores`: MTRAG, ARES, columns that `mapping`
        names)
    answers : the answers table they are labels of; None where it is not at hand: every well-formed label is
        kept then
    mapping : ours -> theirs: case_id, dimension, rater, label, scale; or label:DIMENSION

    Raises LabelError if a column is absent, a case is unknown, a label is no number or outside its scale, a
    rater judged twice, or scales are mixed; with the file's row. InputError if the file cannot be read.

    Example: `labels, set_aside = human_labels.read("labels.csv", run.answers())`
    """
    system = str(answers["system"].iloc[0]) if answers is not None and len(answers) else ""
    where = GIVEN if isinstance(source, pd.DataFrame) else source
    rows = [_parse(row, system) for row in _read_rows(source, mapping)]
    if answers is not None and any(row.get("numbered") for row in rows):
        _number_cases(rows, answers)
    _check(rows, None if answers is None else set(answers["case_id"]))
    asked = ["question"] if any("question" in row for row in rows) else []
    table = pd.DataFrame(rows, columns=[*tables.TABLES["labels"].columns, *asked])
    reasons = pd.Series("", index=table.index, dtype=object)
    if answers is not None:
        now = {
            (row.case_id, row.system): answer_sha256(row.answer)
            for row in answers[answers["repeat"] == 0].itertuples()
        }
        own = [now.get((row["case_id"], row["system"])) for row in rows]
        changed = [(row.get("answer_sha256") or one) != one for row, one in zip(rows, own, strict=True)]
        reasons[changed] = "the answer has changed since it was labelled"
        reasons[[one is None for one in own]] = "another system's answer"
        reasons[~table["case_id"].isin(answers["case_id"])] = "its question is not asked any more"
        if not answers["answer"].fillna("").str.strip().any():
            reasons[:] = "the assistant gave no answer"
    labels = tables.check("labels", table[reasons == ""].reset_index(drop=True), where)
    return labels, table.assign(reason=reasons)[reasons != ""].reset_index(drop=True)


def answer_sha256(answer: str) -> str:
    """SHA-256 of an answer's text, by which a label knows whether it is still the one that was read."""
    return hashlib.sha256(answer.encode("utf-8", "surrogatepass")).hexdigest()


def judgements(labels: pd.DataFrame, accept_from: Mapping[str, float]) -> pd.DataFrame:
    """What raters accept, as rows of the scores table, 1 where they accept the answer, else 0:
    `judged_<dimension>`, and `judged_in_every_respect`, which an answer has that raters judged in all these
    dimensions. accept_from : dimension -> the lowest label that accepts

    Example: `human_labels.judgements(run.labels(), {"grounded": 1, "relevant": 4})`
    """
    judged = accepted(labels, accept_from)
    whole = in_every_respect(judged, accept_from).assign(metric=IN_EVERY_RESPECT)
    rows = pd.concat(
        [judged.assign(metric="judged_" + judged["dimension"].astype(str)), whole], ignore_index=True
    ).assign(state="scored", reason="", detail="[]")
    return rows.assign(value=rows["accepted"].astype(float))[list(tables.TABLES["scores"].columns)]


def overview(
    labels: pd.DataFrame, accept_from: Mapping[str, float], meanings: Mapping[str, str]
) -> pd.DataFrame:
    """One row a dimension: what the raters' guide means by it, its scale, the lowest label that accepts
    (missing where labels of it do not count), raters, answers read, and answers that two or more read.

    >>> labels = pd.DataFrame({"case_id": "a", "dimension": "grounded", "rater": ["ann", "bob"]})
    >>> overview(labels.assign(system="", scale="0-1"), {"grounded": 1}, {})[["raters", "read_twice"]].values
    array([[2, 1]])
    """
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
    return pd.DataFrame(
        rows, columns=["dimension", "meaning", "scale", "accepted_from", "raters", "answers", "read_twice"]
    )


def _read_rows(
    source: str | Path | pd.DataFrame | None, mapping: Mapping[str, str] | None
) -> list[dict[str, Any]]:
    """The rows of a table of labels, or of a log that holds judgements, each with `where` it stands."""
    if source is None:
        return []
    if isinstance(source, pd.DataFrame):
        require_columns(source, COLUMNS, GIVEN)
        given = source.astype({"case_id": str, "rater": str, "scale": str}).to_dict("records")
        return [row | {"where": f"{GIVEN}, row {place}"} for place, row in enumerate(given, 1)]
    path = Path(source)
    names = dict(mapping or {})
    own = {theirs: ours for ours, theirs in names.items() if ours in OF_TABLE}
    records = whole_records(path)
    header = list(records[0].values) if records else []
    is_table = set(COLUMNS) <= {own.get(name, name) for name in header}
    # a log: the user names a column as labels, or its first record is one of a tool
    is_of_tool = set(header) >= tool_scores.OF_MTRAG or detect([dict.fromkeys(header, "x")])
    if not is_table and (split_mapping(names)[2] or is_of_tool):
        return tool_scores.label_rows(records, path.name, names)
    rows: list[dict[str, Any]] = []
    for record in records:
        texts = {name: None if is_empty(value) else str(value) for name, value in record.values.items()}
        rows.append({own.get(name, name): text for name, text in texts.items()} | {"where": record.where})
    require_columns(pd.DataFrame(rows[:1], columns=None if rows else COLUMNS), COLUMNS, path.name)
    return rows


def _parse(row: dict[str, Any], system: str) -> dict[str, Any]:
    """The row with its label and the ends of its scale as numbers; LabelError if they are none."""
    try:
        label, ends = float(row["label"]), scale_ends(row["scale"])
    except (LabelError, TypeError, ValueError):
        raise LabelError(
            "a label or its scale is no number",
            where=row["where"],
            found=f"label {row['label']!r}, scale {row['scale']!r}",
            expected="a number, and a scale such as 1-5",
            do="correct the row, or remove it",
        ) from None
    named = {"system": row.get("system") or system, "labelled_at": row.get("labelled_at") or None}
    return row | {"label": label, "ends": ends} | named


def _number_cases(rows: list[dict[str, Any]], answers: pd.DataFrame) -> None:
    """Give the rows of a log without case_ids those of the answers to the same questions, in their order."""
    known = answers[answers["repeat"] == 0].groupby(["question", "system"])["case_id"].agg(list).to_dict()
    met: dict[tuple[str, str], dict[str, int]] = {}
    for row in rows:
        key = (row["question"], row["system"])
        numbers, cases = met.setdefault(key, {}), known.get(key, [])
        place = numbers.setdefault(row["case_id"], len(numbers))
        if row.get("numbered"):
            row["case_id"] = cases[place] if place < len(cases) else row["question"][:80]


def _check(rows: list[dict[str, Any]], known: set[str] | None) -> None:
    """LabelError at the first row that is wrong by itself or beside another; `known`: the cases there are."""
    there = f"one of the {len(known or ())} cases asked, such as {min(known or [''])}"
    judged: dict[tuple, str] = {}
    scales: dict[str, tuple[str, str]] = {}
    for row in rows:
        (low, high), where = row["ends"], row["where"]
        key = (row["case_id"], row["system"], row["dimension"], row["rater"])
        scale, first = scales.setdefault(row["dimension"], (row["scale"], where))
        inside = math.isfinite(row["label"]) and low <= row["label"] <= high
        case, twice = row["case_id"], judged.get(key)
        is_unknown = known is not None and case not in known and not row.get("answer_sha256")
        flaws = [  # the first that holds is told
            (not inside, "a label is outside its scale", row["label"], f"{low:g} to {high:g}", ""),
            (is_unknown, "a label is for an unknown case", case, there, ""),
            (twice, "a rater judged one answer twice", key, "one judgement, the later", f" and {twice}"),
            (row["scale"] != scale, "one dimension has two scales", row["scale"], scale, f" and {first}"),
        ]
        for holds, what, found, expected, beside in flaws:
            if holds:
                do = "correct the row, or remove it"
                raise LabelError(what, where=where + beside, found=found, expected=expected, do=do)
        judged[key] = where
