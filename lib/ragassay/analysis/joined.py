"""Scores beside what is known of their cases; the clusters, spans and directions that every comparison needs."""

import zlib

import numpy as np
import pandas as pd

from ragassay.errors import TableError
from ragassay.scores.metrics import METRICS

NO_LEVEL = "(none)"
BETWEEN = " & "
Dimension = str | tuple[str, str]
LEFT_OUT = ("not_applicable", "not_measured", "error")


def measured(scores: pd.DataFrame, metric: str) -> pd.DataFrame:
    """The rows of one metric, by case id; `value` is NaN wherever the state is not `scored`, and `state` says why.

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
    one_system(rows)
    values = rows["value"].astype(float).where(rows["state"] == "scored")
    lost = values.isna() & (rows["state"] == "scored")
    return rows.assign(value=values, state=rows["state"].mask(lost, "not_measured"))


def one_system(rows: pd.DataFrame) -> None:
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


def by_case(scores: pd.DataFrame, cases: pd.DataFrame, metric: str) -> pd.DataFrame:
    """`measured`, with every column of `cases` beside it, and `cluster`."""
    rows = measured(scores, metric)
    unknown = sorted(set(rows["case_id"]) - set(cases["case_id"]))
    if unknown:
        raise TableError(
            f"{len(unknown)} scored cases are not in the cases table",
            where="table scores",
            found=unknown[:5],
            do="pass the cases that were asked, variants included",
        )
    known = cases.assign(cluster=clusters_of(cases).to_numpy())
    fresh = ["case_id", *(name for name in known.columns if name not in rows.columns)]
    return rows.merge(known[fresh], on="case_id", how="left", validate="many_to_one")


def clusters_of(cases: pd.DataFrame) -> pd.Series:
    """What was drawn independently, by case_id: the conversation, else the group, else the parent question, else the case itself."""
    ids = cases["case_id"].astype(object)
    for column, prefix in (
        ("parent_id", "case "),
        ("group_id", "group "),
        ("conversation_id", "conversation "),
    ):
        if column in cases:
            given = cases[column].astype(object)
            ids = ids.where(given.isna() | (given.astype(str) == ""), prefix + given.astype(str))
    return pd.Series(ids.to_numpy(), index=cases["case_id"].to_numpy(), name="cluster").map(_plain_case)


def levels_of(rows: pd.DataFrame, dimension: str) -> pd.Series:
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
    return rows[dimension].map(lambda value: NO_LEVEL if _missing(value) else _text(value)).astype(object)


def labels_of(rows: pd.DataFrame, dimension: Dimension) -> pd.Series:
    """The slice of each row: its level, or for a pair (or a name such as `topic & query_type`) `topic=T01 & query_type=factual`."""
    names = dimension.split(BETWEEN) if isinstance(dimension, str) else list(dimension)
    if len(names) == 1:
        return levels_of(rows, names[0])
    parts = [f"{name}=" + levels_of(rows, name) for name in names]
    return parts[0] + BETWEEN + parts[1]


def name_of(dimension: Dimension) -> str:
    """A dimension as one word: `topic`, `topic & query_type`."""
    return dimension if isinstance(dimension, str) else BETWEEN.join(dimension)


def clusters_or_none(clusters: pd.Series) -> np.ndarray | None:
    """The clusters as an array; None when every row is its own, so that exact intervals apply."""
    return None if clusters.is_unique else clusters.to_numpy(dtype=object)


def span_of(metric: str) -> tuple[float, float] | None:
    """Smallest and largest possible value of a metric we know."""
    return (METRICS[metric].low, METRICS[metric].high) if metric in METRICS else None


def direction(metric: str, higher_is_better: bool | None) -> bool:
    """Whether higher is better: as given, else as METRICS says. ValueError if neither knows."""
    if higher_is_better is None and metric not in METRICS:
        raise ValueError(
            f"higher_is_better must be given for {metric!r}: it is no metric of ragassay.scores.METRICS"
        )
    return METRICS[metric].higher_is_better if higher_is_better is None else higher_is_better


def stream(base: int, *names: str) -> np.random.Generator:
    """A generator of its own per name: a result does not change because another metric was added before it."""
    return np.random.default_rng([base, zlib.crc32("\0".join(names).encode("utf-8", "surrogatepass"))])


def base_of(rng: np.random.Generator) -> int:
    """One draw that all streams start from."""
    return int(rng.integers(0, 2**32))


def _plain_case(cluster: str) -> str:
    return cluster if cluster.startswith(("case ", "group ", "conversation ")) else f"case {cluster}"


def _missing(value: object) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and value != value) or value == ""


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float | np.floating) else str(value)
