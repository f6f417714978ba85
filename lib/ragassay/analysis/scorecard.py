"""The scorecard: one number per metric and slice, with its interval, its n, and what was left out and why."""

from collections.abc import Iterable
from functools import cache

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.analysis import case_scores
from ragassay.analysis.resampling_clusters import cluster_ids
from ragassay.analysis.saturated_metrics import describe_saturation
from ragassay.analysis.slicing import scorecard_slices
from ragassay.defaults import CONFIDENCE
from ragassay.stats import Interval, mean_interval, not_available
from ragassay.stats.random_streams import random_base, random_stream

COLUMNS = ["metric", "slice", "value", "low", "high", "n", "left_out", "reason", "method", "saturated"]


def row(
    metric: str, slice: str, interval: Interval, states: pd.Series | None = None, saturated: str = ""
) -> dict:
    """One row of the scorecard; `states` counts the cases left out by state, for the gates.

    Extra columns: `saturated` says that nearly all answers have one value, and which; `state` whether there
    is a value (scored, not_applicable to any case, not_measured); n_not_applicable and its like where the
    states are given.
    """
    counted = (
        {} if states is None else {f"n_{name}": int(states.get(name, 0)) for name in case_scores.LEFT_OUT}
    )
    return {
        "metric": metric,
        "slice": slice,
        "value": interval.value,
        "low": interval.low,
        "high": interval.high,
        "n": int(interval.n),
        "left_out": int(interval.left_out),
        "reason": interval.reason,
        "method": interval.method,
        "saturated": saturated,
        "state": _state(interval, counted),
        **counted,
    }


def _state(interval: Interval, counted: dict[str, int]) -> str:
    if not np.isnan(interval.value):
        return "scored"
    only = 0 < counted.get("n_not_applicable", 0) == sum(counted.values())
    return "not_applicable" if only else "not_measured"


def summarize_scores(
    scores: pd.DataFrame, *, rng: np.random.Generator | int, clusters: pd.Series | None = None
) -> pd.DataFrame:
    """One row per metric over all its cases (slice `all`), metrics sorted; the mean in the metric's own
    units.

    `clusters`: by case_id, as `case_clusters(cases)` gives; None takes every case as drawn independently.
        Pass
    the base cases only: variants of a question are no further evidence on the questions users ask.

    Raises
    ------
    TableError
        If the scores are of several systems.
    """
    case_scores.require_one_system(scores)
    base = random_base(rng)
    rows = []
    for metric in sorted(scores["metric"].unique()):
        part = case_scores.metric_scores(scores, metric)
        rows.append(_row(part.assign(cluster=_clusters(part, clusters)), metric, "all", base))
    return _table(rows)


def summarize_slices(
    scores: pd.DataFrame,
    cases: pd.DataFrame,
    asked: Iterable[tuple[str, str]],
    *,
    rng: np.random.Generator | int,
) -> pd.DataFrame:
    """One row per metric and slice asked for, such as ("groundedness", "topic=T01"); a metric without scores
    has none.

    A slice that the cases do not have is a row without a value: `reason` says which name is unknown, and the
    nearest there is.
    """
    base, known = random_base(rng), set(scores["metric"])
    described = cases.assign(**{scorecard_slices.SYSTEM: next(iter(scores["system"]), "")})
    of_metric = cache(lambda metric: case_scores.scores_with_cases(scores, cases, metric))
    rows = []
    for metric, name in (each for each in asked if each[0] in known):
        part, chosen = of_metric(metric), scorecard_slices.parse(name)
        if absent := scorecard_slices.why_absent(chosen, described):
            rows.append(row(metric, str(chosen), not_available(absent)))
        else:
            rows.append(_row(part[scorecard_slices.members(part, chosen)], metric, str(chosen), base))
    return _table(rows)


def events(scores: pd.DataFrame, metric: str, *, name: str, at_least: float) -> pd.DataFrame:
    """Rows of the scores table with the metric `name`: 1 where the score is at least the limit, else 0. A
    0/1 metric where 1 is bad becomes a rate of bad answers:
    `events(scores, "privacy_leaks", name="privacy_leak_rate", at_least=1)`.

    Raises
    ------
    ParameterError
        If the limit is outside the metric's range.
    """
    span = case_scores.value_range(metric)
    if span is not None:
        parameter_ranges.check(f"the limit of {name}", at_least, f"in [{span[0]:g}, {span[1]:g}]")
    part = case_scores.metric_scores(scores, metric)
    values = part["value"]
    within = (values >= at_least).astype(float)
    return part.assign(metric=name, value=within.where(values.notna()), detail="[]")


def with_slices(card: pd.DataFrame, *more: pd.DataFrame) -> pd.DataFrame:
    """The card with the rows of slices that it does not have yet."""
    tables = [card, *(each for each in more if len(each))]
    return pd.concat(tables, ignore_index=True).drop_duplicates(["metric", "slice"], ignore_index=True)


def cell(rows: pd.DataFrame, column: str, **where: object) -> float:
    """The number in a column of the first row whose columns are as said (`cell(card, "value",
    metric="support")`); NaN where there is none."""
    found = rows[np.logical_and.reduce([rows[name] == level for name, level in where.items()])]
    return float(found[column].iloc[0]) if len(found) else float("nan")


def estimate_mean(
    rows: pd.DataFrame,
    *,
    rng: np.random.Generator,
    span: tuple[float, float] | None = None,
    level: float = CONFIDENCE,
) -> Interval:
    """Mean of the column `value` of rows with `state` and `cluster`, with its interval."""
    reasons = [None if state == "scored" else state for state in rows["state"]]
    values = rows["value"].to_numpy(dtype=float)
    clusters = cluster_ids(rows["cluster"])
    return mean_interval(values, clusters=clusters, rng=rng, reasons=reasons, span=span, level=level)


def _row(part: pd.DataFrame, metric: str, name: str, base: int) -> dict:
    found = estimate_mean(part, rng=random_stream(base, metric, name), span=case_scores.value_range(metric))
    return row(metric, name, found, part["state"].value_counts(), describe_saturation(part["value"]))


def _clusters(part: pd.DataFrame, clusters: pd.Series | None) -> pd.Series:
    return part["case_id"] if clusters is None else part["case_id"].map(clusters)


def _table(rows: list[dict]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=[*COLUMNS, "state", *(f"n_{name}" for name in case_scores.LEFT_OUT)])
