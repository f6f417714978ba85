"""The cases that show a breach, the worst first, and how often what was tested fails."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ragassay.analysis import case_scores
from ragassay.analysis.slicing import scorecard_slices
from ragassay.scores import metric_directions


def is_share(metric: str) -> bool:
    """Whether a measure is a share or a rate, which is told in percent."""
    return case_scores.is_share(metric) or metric.endswith("_rate")


def failing_share(metric: str, value: float) -> float:
    """How often what was tested fails, of a share or of a loss of one; NaN of other measures."""
    if value < 0:
        return min(1.0, -float(value))
    if not is_share(metric) and metric_directions.direction(metric) != "":
        return np.nan
    return float(1 - value if metric_directions.direction(metric) == "higher" else value)


def beyond_threshold(row: Mapping, scores: pd.DataFrame | None) -> list[str]:
    """The cases on the wrong side of the threshold, worst first; none where the scores do not hold the
    metric."""
    if scores is None or row["slice"] != scorecard_slices.ALL or row["metric"] not in set(scores["metric"]):
        return []
    known, lower = (
        case_scores.metric_scores(scores, row["metric"]).dropna(subset=["value"]),
        row["bound"] == "low",
    )
    wrong = known[known["value"] < row["threshold"]] if lower else known[known["value"] > row["threshold"]]
    return _worst(wrong, lower)


def of_slice(row: Mapping, scores: pd.DataFrame | None, cases: pd.DataFrame | None) -> list[str]:
    """The cases of the slice that fall short of the best possible value, worst first; none where the cases
    lack its columns."""
    if scores is None or cases is None or not set(row["dimension"].split(case_scores.BETWEEN)) <= set(cases):
        return []
    known = scores[scores["case_id"].isin(cases["case_id"])]
    rows = case_scores.scores_with_cases(known, cases, row["metric"]).dropna(subset=["value"])
    low_is_worse = row["difference"] < 0
    best = (case_scores.value_range(row["metric"]) or (np.nan, np.nan))[low_is_worse]
    own = rows[(case_scores.slice_names(rows, row["dimension"]) == row["level"]) & (rows["value"] != best)]
    return _worst(own, low_is_worse)


def _worst(rows: pd.DataFrame, low_is_worse: bool) -> list[str]:
    order = rows.sort_values(["value", "case_id"], ascending=[low_is_worse, True], kind="stable")
    return order["case_id"].tolist()
