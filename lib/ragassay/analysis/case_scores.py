"""The scores of one metric beside their cases; what was drawn independently (clusters); the range and
direction of a metric; one order for ranked tables.

Every interval and every test resamples whole clusters: the questions of one conversation, and the variants of
one question, count once.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ragassay.answers.log_formats import tool_scores
from ragassay.errors import TableError
from ragassay.scores import metric_directions
from ragassay.scores.metric_registry import METRICS
from ragassay.tables import is_blank

NO_LEVEL = "(none)"
BETWEEN = " & "
LEFT_OUT = ("not_applicable", "not_measured", "error")
NEEDED = ("case_id", "metric", "value", "state")  # columns of the scores table that are read here
DRAWN_WITH = {"parent_id": "case ", "group_id": "group ", "conversation_id": "conversation "}
DECIMALS = 9  # numbers are ranked rounded, so that no last bit decides


def metric_scores(scores: pd.DataFrame, metric: str) -> pd.DataFrame:
    """The rows of one metric, by case id; `value` is NaN wherever the state is not `scored`, and `state` says
    why.

    Raises TableError if a column is missing, no row has the metric, or the rows are of several systems.
    """
    require_columns(scores, NEEDED, where="table scores")
    rows = scores[scores["metric"] == metric].sort_values("case_id", kind="stable", ignore_index=True)
    if rows.empty:
        raise TableError(
            f"no score of metric {metric!r}",
            where="table scores",
            found=sorted(scores["metric"].unique()),
            expected=metric,
            do="score that metric first, or correct its name",
        )
    require_one_system(rows)
    values = rows["value"].astype(float).where(rows["state"] == "scored")
    lost = values.isna() & (rows["state"] == "scored")
    return rows.assign(value=values, state=rows["state"].mask(lost, "not_measured"))


def require_columns(rows: pd.DataFrame, names: Sequence[str], *, where: str) -> None:
    """TableError if a column is missing."""
    for name in names:
        if name not in rows:
            raise TableError(
                f"column {name!r} is missing",
                where=where,
                found=sorted(map(str, rows.columns)),
                expected=f"a column {name!r}",
                do="add it, or name one that is there",
            )


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
    """`metric_scores`, with every column of `cases` beside it, and `cluster`.

    Raises TableError as `metric_scores`, or if a scored case is not in `cases`.
    """
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


def case_clusters(cases: pd.DataFrame) -> pd.Series:
    """What was drawn independently, by case_id: the conversation, else the group, else the parent question,
    else the case itself."""
    ids = "case " + cases["case_id"].astype(str).astype(object)
    for column, prefix in DRAWN_WITH.items():
        if column in cases:
            given = cases[column].astype(object)
            ids = ids.where(given.isna() | (given.astype(str) == ""), prefix + given.astype(str))
    return pd.Series(ids.to_numpy(), index=cases["case_id"].to_numpy(), name="cluster")


def answer_clusters(answers: pd.DataFrame, cases: pd.DataFrame | None) -> dict[str, str]:
    """`case_clusters` by the columns of the answers, and of the cases where the answers do not say; empty
    where neither has such a column."""
    rows = answers.drop_duplicates("case_id").set_index("case_id").filter(items=list(DRAWN_WITH))
    if cases is not None:
        of_cases = cases.set_index("case_id").filter(items=list(DRAWN_WITH))
        rows = rows.combine_first(of_cases.reindex(rows.index))
    return {} if rows.columns.empty else case_clusters(rows.reset_index()).to_dict()


def cluster_ids(clusters: pd.Series) -> np.ndarray | None:
    """The clusters as an array; None when every row is its own, so that exact intervals apply."""
    return None if clusters.is_unique else clusters.to_numpy(dtype=object)


def levels(rows: pd.DataFrame, dimension: str) -> pd.Series:
    """The level of each row as text; a missing one is `(none)`. TableError if there is no such column."""
    require_columns(rows, [dimension], where="table cases")

    def as_text(value: object) -> str:
        if is_blank(value):
            return NO_LEVEL
        return f"{value:g}" if isinstance(value, float | np.floating) else str(value)

    return rows[dimension].map(as_text).astype(object)


def slice_names(rows: pd.DataFrame, dimension: str) -> pd.Series:
    """The slice of each row: its level; of two dimensions, `topic & query_type`, `topic=T01 &
    query_type=factual`."""
    names = dimension.split(BETWEEN)
    if len(names) == 1:
        return levels(rows, dimension)
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
    """Whether a measure is a share or rate, which is printed in percent."""
    return value_range(metric) == (0.0, 1.0)


def higher_is_better(metric: str) -> bool:
    """Whether higher is better, as `scores.metric_directions` says; ValueError if it does not know."""
    if not metric_directions.direction(metric):
        raise ValueError(f"which way is better is not known of {metric!r}, no metric of ours")
    return metric_directions.direction(metric) == "higher"


def rank_rows(rows: pd.DataFrame, by: Sequence[str], names: Sequence[str] = ()) -> pd.DataFrame:
    """The rows ordered by these columns, ascending (`-loss`: descending); numbers are compared rounded to
    DECIMALS, missing ones come last, and ties go by the columns of `names`."""
    keys = pd.DataFrame(index=range(len(rows)))
    ascending = []
    for place, column in enumerate([*by, *names]):
        values = rows[column.removeprefix("-")].reset_index(drop=True)
        keys[place] = values.round(DECIMALS) if pd.api.types.is_float_dtype(values) else values
        ascending.append(not column.startswith("-"))
    order = keys.sort_values(list(keys.columns), ascending=ascending, kind="stable", na_position="last").index
    return rows.iloc[order]
