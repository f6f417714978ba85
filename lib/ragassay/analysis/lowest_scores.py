"""The worst cases of a metric, with the evidence that a reader needs to judge them."""

import json

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.analysis import case_scores
from ragassay.analysis.ranking import ranked
from ragassay.scores.personal_data.masking import mask_answers


def worst_cases(
    scores: pd.DataFrame, answers: pd.DataFrame, cases: pd.DataFrame, metric: str, n: int = 10
) -> pd.DataFrame:
    """The n worst scored cases, worst first, with the evidence a reader needs to judge them (first repeat of
    each answer); personal data masked.

    sentence, sentence_score : the weakest sentence by `detail`; evidence, evidence_id : the best support
        found for it; empty if unknown
    """
    parameter_ranges.check("n_worst", n, "in [1, inf)")
    rows = case_scores.scores_with_cases(scores, cases, metric).dropna(subset=["value"])
    order = "value" if case_scores.higher_is_better(metric, None) else "-value"
    rows = ranked(rows, [order], ["case_id"]).head(n)
    first = (
        answers[answers["system"].isin(rows["system"].unique())]
        .sort_values("repeat", kind="stable")
        .drop_duplicates("case_id")
    )
    given = first[[name for name in ("case_id", "answer", "contexts") if name in first]]
    told = mask_answers(rows.merge(given, on="case_id", how="left"))
    proof = pd.DataFrame(
        [_evidence(detail) for detail in told.get("detail", pd.Series([None] * len(told)))],
        columns=["sentence", "sentence_score", "evidence", "evidence_id"],
    )
    columns = [
        "case_id",
        "metric",
        "value",
        *[name for name in ("topic", "query_type") if name in told],
        "question",
        "answer",
    ]
    return pd.concat([told[columns].reset_index(drop=True), proof], axis=1)


def _evidence(detail: object) -> tuple:
    records = _records(detail)
    if not records:
        return "", np.nan, "", ""
    record = next(
        (one for one in records if one.get("weakest") is True),
        min(records, key=lambda one: np.nan_to_num(_number(one), nan=np.inf)),
    )
    return (
        str(record.get("text") or record.get("shape") or record.get("id") or ""),
        _number(record),
        str(record.get("evidence") or ""),
        str(record.get("evidence_id") or ""),
    )


def _number(record: dict) -> float:
    score = record.get("score")
    return float(score) if isinstance(score, int | float) else np.nan


def _records(detail: object) -> list[dict]:
    try:
        found = json.loads(detail) if isinstance(detail, str) else []
    except json.JSONDecodeError:
        return []
    found = found.get("sentences", [found]) if isinstance(found, dict) else found
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
