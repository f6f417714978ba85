"""The scores of one metric: their rows, the columns of their cases beside them, their range, which way is
better."""

import numpy as np
import pandas as pd

from ragassay.analysis.resampling_clusters import case_clusters
from ragassay.answers.log_formats import tool_scores
from ragassay.errors import TableError
from ragassay.scores import metric_directions
from ragassay.scores.metric_registry import METRICS
from ragassay.tables import is_blank

NO_LEVEL = "(none)"
BETWEEN = " & "
Dimension = str | tuple[str, str]
LEFT_OUT = ("not_applicable", "not_measured", "error")


def metric_scores(scores: pd.DataFrame, metric: str) -> pd.DataFrame:
    """The rows of one metric, by case id; `value` is NaN wherever the state is not `scored`, and `state` says
    why.

    Raises
    ------
    TableError
        If no row has the metric, or the rows are of several systems.
    """
    rows = scores[scores["metric"] == metric].sort_values("case_id", kind="stable", ignore_index=True)
    if rows.empty:
        known = sorted(scores["metric"].unique())
        raise TableError(
            f"no score of metric {metric!r}",
            where="table scores",
            found=known,
            expected=metric,
            do="score that metric first, or correct its name",
        )
    require_one_system(rows)
    values = rows["value"].astype(float).where(rows["state"] == "scored")
    lost = values.isna() & (rows["state"] == "scored")
    return rows.assign(value=values, state=rows["state"].mask(lost, "not_measured"))


def require_one_system(rows: pd.DataFrame) -> None:
    """TableError if the rows are of several systems: their scores never mix."""
    systems = sorted(rows["system"].unique()) if "system" in rows else []
    if len(systems) > 1:
        raise TableError(
            "the scores are of several systems",
            where="table scores",
            found=systems,
            expected="one system",
            do='choose one first: scores[scores["system"] == ...]',
        )


def scores_with_cases(scores: pd.DataFrame, cases: pd.DataFrame, metric: str) -> pd.DataFrame:
    """`measured`, with every column of `cases` beside it, and `cluster`."""
    rows = metric_scores(scores, metric)
    unknown = sorted(set(rows["case_id"]) - set(cases["case_id"]))
    if unknown:
        raise TableError(
            f"{len(unknown)} scored cases are not in the cases table",
            where="table scores",
            found=unknown[:5],
            do="pass the cases that were asked, variants included",
        )
    known = cases.assign(cluster=case_clusters(cases).to_numpy())
    fresh = ["case_id", *(name for name in known.columns if name not in rows.columns)]
    return rows.merge(known[fresh], on="case_id", how="left", validate="many_to_one")


def levels(rows: pd.DataFrame, dimension: str) -> pd.Series:
    """The level of each row as text; a missing one is `(none)`.

    Raises
    ------
    TableError
        If there is no such column.
    """
    if dimension not in rows:
        raise TableError(
            f"column {dimension!r} is missing",
            where="table cases",
            found=sorted(map(str, rows.columns)),
            do="name a column of the cases table",
        )
    return (
        rows[dimension].map(lambda value: NO_LEVEL if is_blank(value) else level_text(value)).astype(object)
    )


def slice_names(rows: pd.DataFrame, dimension: Dimension) -> pd.Series:
    """The slice of each row: its level, or for a pair (or a name such as `topic & query_type`) `topic=T01 &
    query_type=factual`."""
    names = dimension.split(BETWEEN) if isinstance(dimension, str) else list(dimension)
    if len(names) == 1:
        return levels(rows, names[0])
    parts = [f"{name}=" + levels(rows, name) for name in names]
    return parts[0] + BETWEEN + parts[1]


def value_range(metric: str) -> tuple[float, float] | None:
    """Smallest and largest possible value of a metric or a rate we know; None of another."""
    if metric in METRICS:
        return METRICS[metric].low, METRICS[metric].high
    if tool_scores.is_given(metric):
        known = tool_scores.card(metric)
        return (known.low, known.high) if np.isfinite([known.low, known.high]).all() else None
    return (0.0, 1.0) if metric_directions.direction(metric) else None


def is_share(metric: str) -> bool:
    """Whether a measure is a share or rate, which is told in percent."""
    return value_range(metric) == (0.0, 1.0)


def higher_is_better(metric: str, higher_is_better: bool | None) -> bool:
    """Whether higher is better: as given, else as `scores.directions` says. ValueError if neither knows."""
    if higher_is_better is None and not metric_directions.direction(metric):
        raise ValueError(
            f"higher_is_better must be given for {metric!r}: it is no metric of ragassay.scores.METRICS"
        )
    return metric_directions.direction(metric) == "higher" if higher_is_better is None else higher_is_better


def level_text(value: object) -> str:
    """A level as text: a number without zeros behind it."""
    return f"{value:g}" if isinstance(value, float | np.floating) else str(value)
