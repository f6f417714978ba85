"""Where is it weak? Strata against the rest, one dimension or two, with false discoveries controlled (HCAT
section 6.2)."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ragassay import ranges
from ragassay.analysis import case_scores, group_differences, scorecard
from ragassay.analysis.clusters import cluster_ids
from ragassay.stats import Interval, benjamini_hochberg
from ragassay.stats.random_streams import random_base, random_stream

MINIMUM = 6  # fewest cases of a stratum that can carry a 95 % interval (stats.resampling.fewest_clusters)
COLUMNS = [
    "metric", "dimension", "level", "n", "mean", "low", "high", "left_out", "reason", "difference",
    "difference_low", "difference_high", "p", "q", "state", "flagged", "confirmed", "finding",
]  # fmt: skip


def marginal(
    scores: pd.DataFrame,
    cases: pd.DataFrame,
    dimension: str,
    *,
    metric: str,
    rng: np.random.Generator,
    higher_is_better: bool | None = None,
    minimum: int = MINIMUM,
    level: float = 0.05,
) -> pd.DataFrame:
    """One row per level of a column of `cases`, weakest first: is it worse than the rest, beyond chance?

    difference : mean of the level minus mean of all others (interval:
        `group_differences.difference_of_means`), in the metric's units
    p : permutation test of the level's cases against all the others; q : Benjamini-Hochberg over the levels
        tested
    flagged : q < `level` and the level is worse. Of the flagged levels of a table, at most a share `level`
        are false, on average
    state : `tested`; `too few` (under `minimum` scored cases: shown, not tested); `no rest` (the only level);
        `no case scored`

    `higher_is_better` None asks METRICS. The cases are the clusters of `case_clusters`.

    Raises
    ------
    TableError
        If the metric or the column is missing, or the scores are of several systems.
    """
    rows = case_scores.scores_with_cases(scores, cases, metric)
    found = _levels(
        rows.assign(level=case_scores.levels(rows, dimension)), metric, dimension, minimum, random_base(rng)
    )
    return _judged(found, {metric: case_scores.higher_is_better(metric, higher_is_better)}, level)


def bivariate(
    scores: pd.DataFrame,
    cases: pd.DataFrame,
    a: str,
    b: str,
    *,
    metric: str,
    rng: np.random.Generator,
    higher_is_better: bool | None = None,
    minimum: int = MINIMUM,
    level: float = 0.05,
) -> pd.DataFrame:
    """One row per cell of two columns of `cases`, the columns as in `marginal`, and `a`, `b` with the cell's
    levels.

    Every pair of levels is there: one that was never asked has n 0 and the state `empty`.
    """
    rows = case_scores.scores_with_cases(scores, cases, metric)
    pair = rows.assign(a=case_scores.levels(rows, a), b=case_scores.levels(rows, b))
    pair["level"] = f"{a}=" + pair["a"] + case_scores.BETWEEN + f"{b}=" + pair["b"]
    found = _levels(pair, metric, f"{a}{case_scores.BETWEEN}{b}", minimum, random_base(rng))
    grid = pd.DataFrame(
        [(one, two) for one in sorted(pair["a"].unique()) for two in sorted(pair["b"].unique())],
        columns=["a", "b"],
    )
    grid["level"] = f"{a}=" + grid["a"] + case_scores.BETWEEN + f"{b}=" + grid["b"]
    full = grid.merge(found, on="level", how="left")
    full = full.assign(
        metric=metric,
        dimension=f"{a}{case_scores.BETWEEN}{b}",
        state=full["state"].fillna("empty"),
        reason=full["reason"].fillna("no case"),
    )
    full[["n", "left_out"]] = full[["n", "left_out"]].fillna(0).astype(int)
    judged = _judged(full, {metric: case_scores.higher_is_better(metric, higher_is_better)}, level)
    return judged.sort_values(["a", "b"], kind="stable", ignore_index=True)[["a", "b", *COLUMNS]]


def compare_slices(
    scores: pd.DataFrame,
    cases: pd.DataFrame,
    dimensions: Sequence[str | tuple[str, str]],
    *,
    metrics: Mapping[str, bool | None] | Sequence[str],
    rng: np.random.Generator,
    minimum: int = MINIMUM,
    level: float = 0.05,
) -> pd.DataFrame:
    """Every slice of several metrics and dimensions under one control of false discoveries, smallest q first;
    extra column `tests`.

    dimensions : columns of `cases`, or pairs of them for cells; metrics : names, or names with whether higher
        is better

    Overlapping slices (a topic, and that topic's cells) are positively dependent, which Benjamini-Hochberg
    allows. The weak slices are `found[found["flagged"]]`; the rest says what was tested and found no worse
    than chance.
    """
    given = dict(metrics) if isinstance(metrics, Mapping) else dict.fromkeys(metrics)
    better = {metric: case_scores.higher_is_better(metric, given[metric]) for metric in sorted(given)}
    base = random_base(rng)
    found = []
    for metric in better:
        rows = case_scores.scores_with_cases(scores, cases, metric)
        found += [
            _levels(
                rows.assign(level=case_scores.slice_names(rows, each)),
                metric,
                case_scores.dimension_name(each),
                minimum,
                base,
            )
            for each in dimensions
        ]
    judged = _judged(pd.concat(found, ignore_index=True), better, level)
    judged["tests"] = int(judged["p"].notna().sum())
    return judged.sort_values(
        ["q", "p", "metric", "dimension", "level"], kind="stable", na_position="last", ignore_index=True
    )


def score_rows(scores: pd.DataFrame, cases: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """The scores of these metrics with every column of `cases` beside them, in the order named: what the
    figures draw."""
    return pd.concat(
        [case_scores.scores_with_cases(scores, cases, metric) for metric in metrics], ignore_index=True
    )


def _levels(rows: pd.DataFrame, metric: str, dimension: str, minimum: int, base: int) -> pd.DataFrame:
    ranges.check("minimum", minimum, "in [2, inf)")
    known = rows.dropna(subset=["value"])
    compared = _compared(known, random_stream(base, metric, dimension))
    rng = random_stream(base, metric, dimension, "intervals")
    found = [
        _level(rows, level, compared, minimum, case_scores.value_range(metric), rng)
        for level in sorted(rows["level"].unique())
    ]
    return pd.DataFrame(found).assign(metric=metric, dimension=dimension)


def _compared(known: pd.DataFrame, rng: np.random.Generator) -> dict[str, tuple[float, float]]:
    if known.empty:
        return {}
    names, differences, p = group_differences.permutation_test(
        known["value"].to_numpy(), known["level"].to_numpy(), cluster_ids(known["cluster"]), rng=rng
    )
    return {
        str(name): (float(away), float(chance))
        for name, away, chance in zip(names, differences, p, strict=True)
    }


def _level(
    rows: pd.DataFrame,
    level: str,
    compared: dict,
    minimum: int,
    span: tuple[float, float] | None,
    rng: np.random.Generator,
) -> dict:
    here = rows["level"] == level
    inside, outside = (scorecard.estimate_mean(rows[chosen], rng=rng, span=span) for chosen in (here, ~here))
    away, chance = compared.get(level, (np.nan, np.nan))
    state = _state(inside, outside, minimum)
    gap = group_differences.difference_of_means(inside, outside)
    return {
        "level": level,
        "n": inside.n,
        "mean": inside.value,
        "low": inside.low,
        "high": inside.high,
        "left_out": inside.left_out,
        "reason": inside.reason,
        "difference": away,
        "difference_low": gap.low,
        "difference_high": gap.high,
        "p": chance if state == "tested" else np.nan,
        "state": state,
    }


def _state(inside: Interval, outside: Interval, minimum: int) -> str:
    if inside.n == 0:
        return "no case scored"
    if inside.n < minimum:
        return "too few"
    return "tested" if outside.n else "no rest"


def _judged(found: pd.DataFrame, better: Mapping[str, bool], level: float) -> pd.DataFrame:
    ranges.check("level", level, "in (0, 1)")
    sign = found["metric"].map(better).map({True: 1.0, False: -1.0}).astype(float)
    q = pd.Series(benjamini_hochberg(found["p"].to_numpy(dtype=float)), index=found.index)
    judged = found.assign(
        q=q, flagged=(q < level) & (sign * found["difference"] < 0), _merit=sign * found["mean"]
    )
    judged = judged.assign(confirmed=False, finding=judged["flagged"])
    extra = [name for name in ("a", "b") if name in found]
    return judged.sort_values(["_merit", "level"], kind="stable", ignore_index=True)[[*extra, *COLUMNS]]
