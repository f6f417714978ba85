"""The weak slices of an assistant: the search of all metrics, each slice with its intervals, whether it is a
finding, and what the mean of all would gain if it were as good as the rest."""

from collections.abc import Iterable, Mapping, Sequence
from math import hypot, isnan

import numpy as np
import pandas as pd

from ragassay.analysis import case_scores, scorecard, slice_factors
from ragassay.analysis.ranking import ranked
from ragassay.analysis.slicing import slice_search, slice_units
from ragassay.analysis.slicing.slice_search import Rules
from ragassay.defaults import CONFIDENCE, LEAST_EFFECT
from ragassay.stats import Interval, adjusted_confidence, not_available
from ragassay.stats.random_streams import random_base, random_stream

TESTED = "tested"
MADE = "follows from how it is made"  # state of a level that is shown and not tested
COLUMNS = [
    "metric", "dimension", "level", "kind", "n", "mean", "low", "high", "confidence", "left_out",
    "reason", "rest", "difference", "difference_low", "difference_high", "margin", "detectable", "p", "q",
    "state", "flagged", "finding", "no_finding", "gain", "gain_low", "gain_high", "tests",
]  # fmt: skip


def find_weak_slices(
    scores: pd.DataFrame,
    cases: pd.DataFrame,
    names: Sequence[str],
    *,
    metrics: Iterable[str],
    rules: Rules,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """The table `weakness`: every level of these factors, the most striking pairs, and the levels of factors
    that a metric is made from, which are shown and not tested; the findings first.

    difference : slice minus rest, in the metric's units, within their origin and number of wordings; n, mean,
        low, high: of the slice; rest: mean of the rest
    confidence : of the three intervals of the row: 0.95, and of R findings selected among `tests` 1 minus
        `rules.level` R / tests, so that of the findings' intervals at most that share miss on average
    gain, gain_low, gain_high : by how much the mean of all cases would improve if the slice were as good as
        the rest (n over all, times the distance of `mean` and `rest`), in the metric's units; above 0 is
        better
    detectable : the smallest true difference that the search finds with 80 % power, above 0
    margin : the smallest difference that matters, above 0, in the metric's units
    tests : made in all, of every metric, level and pair
    The other columns: `slice_search.judge` and `.name_findings`. Questions without an answer are compared
    only by metrics of such questions (`slice_factors.comparable`).

    Raises
    ------
    TableError
        If a metric or column is missing, or the scores are of several systems.

    Measured (`make simulate`): of 82 findings' intervals in 200 tables 3.7 % [0.8, 10.3] miss; at 0.95, 22 %.

    Source
    ------
    Benjamini, Yekutieli (2005), False coverage-rate adjusted confidence intervals, JASA 100, section 3.
    """
    slice_factors.refuse_unknown(cases, names)
    base, searched = random_base(rng), list(metrics)
    parts = {metric: _rows(scores, cases, metric) for metric in searched}
    judged = _searched(parts, names, rules)
    tests = int(judged["tests"].max()) if len(judged) else 0
    selected = adjusted_confidence(int(judged["finding"].sum()), tests, rules.level) if tests else CONFIDENCE
    told = [
        _described(row, parts[row["metric"]], base, selected if row["finding"] else CONFIDENCE)
        for row in judged.to_dict("records")
    ]
    made = [
        row
        for metric in searched
        for name in names
        for row in _made(parts[metric], metric, name, rules, base)
    ]
    table = pd.DataFrame([*told, *made]).reindex(columns=COLUMNS)
    least = [_span(metric) * (rules.least_effect or LEAST_EFFECT) for metric in table["metric"]]
    order = ["-finding", "-flagged", "q", "p"], ["metric", "dimension", "level"]
    return ranked(_typed(table.assign(tests=tests, margin=least)), *order).reset_index(drop=True)


def _searched(parts: Mapping[str, pd.DataFrame], names: Sequence[str], rules: Rules) -> pd.DataFrame:
    """The search of every metric, judged."""
    found, units = [], []
    for metric, rows in parts.items():
        tested = [name for name in names if not slice_factors.by_construction(metric, name)]
        better = case_scores.higher_is_better(metric, None)
        units.append(slice_units.units_of(rows, tested, higher_is_better=better))
        places = slice_search.search(units[-1], rules)
        slices = units[-1].slices.loc[places["place"], ["dimension", "level"]].reset_index(drop=True)
        sign = 1 if better else -1
        found.append(places.join(slices).assign(metric=metric, metric_place=len(units) - 1, sign=sign))
    if not found:
        return pd.DataFrame()
    rows = pd.concat(found, ignore_index=True)
    spans = rows["metric"].map(_span).to_numpy(dtype=float)
    return slice_search.name_findings(slice_search.judge(rows, spans, rules), units, rules)


def _rows(scores: pd.DataFrame, cases: pd.DataFrame, metric: str) -> pd.DataFrame:
    mine = slice_factors.comparable(scores[scores["metric"] == metric], cases)
    return case_scores.scores_with_cases(mine, cases, metric)


def _span(metric: str) -> float:
    low, high = case_scores.value_range(metric) or (0.0, 1.0)
    return high - low if np.isfinite(high - low) else 1.0


def _described(row: dict, rows: pd.DataFrame, base: int, confidence: float) -> dict:
    """A row of the search with its intervals, and what the slice costs."""
    inside, outside = _intervals(rows, row["metric"], row["dimension"], row["level"], base, confidence)
    gap = difference_of_means(inside, outside)
    away = row["sign"] * row["difference"]
    share = inside.n / max(1, inside.n + outside.n)
    gain, *ends = (-row["sign"] * share * each for each in (gap.value, gap.low, gap.high))
    return {
        **row,
        **_interval_columns(inside),
        "confidence": confidence,
        "rest": outside.value,
        "difference": away,
        "difference_low": gap.low + away - gap.value,
        "difference_high": gap.high + away - gap.value,
        "state": TESTED,
        "gain": gain,
        "gain_low": min(ends),
        "gain_high": max(ends),
    }


def _made(rows: pd.DataFrame, metric: str, name: str, rules: Rules, base: int) -> list[dict]:
    """The levels of a factor that the metric follows from: shown, not tested."""
    why = slice_factors.by_construction(metric, name)
    if not why:
        return []
    sizes = case_scores.levels(rows.dropna(subset=["value"]), name).value_counts()
    found = []
    for level in sorted(sizes[sizes >= rules.minimum].index.drop(case_scores.NO_LEVEL, errors="ignore")):
        inside, outside = _intervals(rows, metric, name, level, base)
        row = {"metric": metric, "dimension": name, "level": level, "kind": slice_units.FACTOR}
        row["confidence"] = CONFIDENCE
        away = {"difference": inside.value - outside.value, "state": MADE, "no_finding": why}
        found.append(row | _interval_columns(inside) | away | {"rest": outside.value})
    return found


def _intervals(
    rows: pd.DataFrame, metric: str, dimension: str, level: str, base: int, confidence: float = CONFIDENCE
) -> tuple[Interval, Interval]:
    here = case_scores.slice_names(rows, dimension) == level
    rng, span = random_stream(base, metric, dimension, level), case_scores.value_range(metric)
    inside, outside = (
        scorecard.estimate_mean(rows[chosen], rng=rng, span=span, level=confidence)
        for chosen in (here, ~here)
    )
    return inside, outside


def _interval_columns(inside: Interval) -> dict:
    return {
        "n": inside.n,
        "mean": inside.value,
        "low": inside.low,
        "high": inside.high,
        "left_out": inside.left_out,
        "reason": inside.reason,
    }


def _typed(table: pd.DataFrame) -> pd.DataFrame:
    flags = {name: table[name].eq(True) for name in ("flagged", "finding")}
    said = table["no_finding"].fillna("").astype(str)
    return table.assign(**flags, no_finding=said).astype({"n": int})


def difference_of_means(inside: Interval, outside: Interval) -> Interval:
    """inside - outside with an interval made of theirs; above 0 when inside is higher.

    Needs nothing but the two intervals, which must come from different clusters; with Wilson's it would be
    Newcombe's method 10. n is that of `inside`.

    Source
    ------
    Zou, Donner (2008), Statistics in Medicine 27, equations 4 and 5; Newcombe (1998), Statistics in Medicine
    17.
    """
    value = inside.value - outside.value
    for side, where in ((inside, "inside"), (outside, "outside")):
        if isnan(side.low):
            return not_available(
                f"{where}: {side.reason or 'no interval'}", value=value, n=inside.n, left_out=inside.left_out
            )
    low = value - hypot(inside.value - inside.low, outside.high - outside.value)
    high = value + hypot(inside.high - inside.value, outside.value - outside.low)
    return Interval(
        value, low, high, inside.n, inside.left_out, inside.reason, "from the two intervals (Zou and Donner)"
    )
