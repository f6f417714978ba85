"""The weak slices of an assistant: the search of all metrics, each slice with its intervals, whether it is a
finding, and what the mean of all would gain if it were as good as the rest."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from ragassay.analysis import case_scores, factors, group_differences, scorecard, slice_search
from ragassay.analysis.slice_search import Rules
from ragassay.scores.names import display_name, level_name
from ragassay.stats import Interval, interval_text
from ragassay.stats.random_streams import random_base, random_stream

TESTED, MADE = "tested", "follows from how it is made"
LEAST_SHARE, LIFT = 0.3, 2  # of a slice's cases, and beside that of all, from which a level is named in it
COLUMNS = [
    "metric", "dimension", "level", "kind", "n", "mean", "low", "high", "left_out", "reason", "rest",
    "difference", "difference_low", "difference_high", "p", "q", "state", "flagged", "confirmed", "finding",
    "no_finding", "held_out_n", "held_out_p", "gain", "gain_low", "gain_high",
    "statement", "tests",
]  # fmt: skip


def find_weak_slices(
    scores: pd.DataFrame,
    cases: pd.DataFrame,
    names: Sequence[str],
    *,
    metrics: Iterable[str],
    rules: Rules,
    rng: np.random.Generator,
    topics: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """The table `weakness`: every level of these factors with enough cases, the pairs that the search chose,
    and the levels of factors that a metric is made from, which are shown and not tested; the findings first.

    difference : slice minus rest, in the metric's units, within their origin; n, mean, low, high: of the
        slice; rest: mean of the rest
    gain, gain_low, gain_high : by how much the mean of all cases would improve if the slice were as good as
        the rest, in the metric's units; above 0 is better
    tests : tests made, of all metrics; topics: their words, by which the sentences name them
    The other columns: `slice_search.judge` and `.name_findings`. Questions without an answer are compared
    only by metrics of such questions (`factors.comparable`).

    Raises
    ------
    TableError
        If a metric or column is missing, or the scores are of several systems.
    """
    factors.refuse_unknown(cases, names)
    base, found, units = random_base(rng), [], []
    parts = {}
    for metric in metrics:
        stream = random_stream(base, metric)
        rows = _rows(scores, cases, metric)
        tested = [name for name in names if not factors.by_construction(metric, name)]
        better = case_scores.higher_is_better(metric, None)
        units.append(slice_search.units_of(rows, tested, higher_is_better=better, rng=stream))
        places = slice_search.search(units[-1], rules, stream)
        parts[metric] = rows
        found.append(places.assign(metric=metric, metric_place=len(units) - 1, sign=1 if better else -1))
    judged = _judged(found, units, rules)
    told = [
        _described(row, parts[row["metric"]], names, base, topics or {}) for row in judged.to_dict("records")
    ]
    made = [_made(parts[metric], metric, name, rules, base) for metric in parts for name in names]
    table = pd.DataFrame(told + [row for rows in made for row in rows])
    table = table.reindex(columns=COLUMNS).assign(tests=int(judged["p"].notna().sum()) if len(judged) else 0)
    return _typed(table).sort_values(
        ["finding", "flagged", "q", "p", "metric", "level"],
        ascending=[False, False, True, True, True, True],
        kind="stable",
        na_position="last",
        ignore_index=True,
    )


def _judged(found: list[pd.DataFrame], units: list[slice_search.Units], rules: Rules) -> pd.DataFrame:
    if not found:
        return pd.DataFrame()
    rows = pd.concat(found, ignore_index=True)
    spans = rows["metric"].map(_span).to_numpy(dtype=float)
    judged = slice_search.name_findings(slice_search.judge(rows, spans, rules), units, rules)
    names = [units[row.metric_place].slices.loc[row.place] for row in judged.itertuples()]
    return judged.assign(
        dimension=[name["dimension"] for name in names], level=[name["level"] for name in names]
    )


def _rows(scores: pd.DataFrame, cases: pd.DataFrame, metric: str) -> pd.DataFrame:
    mine = factors.comparable(scores[scores["metric"] == metric], cases)
    return case_scores.scores_with_cases(mine, cases, metric)


def _span(metric: str) -> float:
    low, high = case_scores.value_range(metric) or (0.0, 1.0)
    return high - low if np.isfinite(high - low) else 1.0


def _described(
    row: dict, rows: pd.DataFrame, names: Sequence[str], base: int, topics: Mapping[str, str]
) -> dict:
    """A row of the search with its intervals, what the slice costs and, if it is flagged, a sentence."""
    inside, outside = _intervals(rows, row["metric"], row["dimension"], row["level"], base)
    gap = group_differences.difference_of_means(inside, outside)
    away = row["sign"] * row["difference"]
    share = inside.n / max(1, inside.n + outside.n)
    lost = sorted(-row["sign"] * share * (each + away - gap.value) for each in (gap.low, gap.high))
    return {
        **row,
        **_interval_columns(inside),
        "rest": outside.value,
        "difference": away,
        "difference_low": gap.low + away - gap.value,
        "difference_high": gap.high + away - gap.value,
        "state": TESTED,
        "gain": -share * row["difference"],
        "gain_low": lost[0],
        "gain_high": lost[1],
        "statement": _statement(row, inside, outside, rows, names, topics) if row["flagged"] else "",
    }


def _statement(
    row: dict,
    inside: Interval,
    outside: Interval,
    rows: pd.DataFrame,
    names: Sequence[str],
    topics: Mapping[str, str],
) -> str:
    """The slice in a sentence: what was measured, the rest, and who is in it more than elsewhere."""
    metric = display_name(row["metric"])
    measured = interval_text(inside.value, inside.low, inside.high)
    where = level_name(row["dimension"], row["level"], topics)
    known = rows.dropna(subset=["value"])
    here = case_scores.slice_names(known, row["dimension"]) == row["level"]
    others = set(names) - set(row["dimension"].split(case_scores.BETWEEN))
    who = [words for name in sorted(others) for words in _over_represented(known, here, name, topics)]
    start = f"{metric[:1].upper()}{metric[1:]}: {measured} for {where} (n={inside.n})"
    said = f"{start}, {outside.value:.2f} elsewhere."
    return f"{said} Of these {inside.n}: {'; '.join(who)}." if who else said


def _over_represented(rows: pd.DataFrame, here: pd.Series, name: str, topics: Mapping[str, str]) -> list[str]:
    """The levels of a factor that hold much of the slice's cases, and much more than of all, the most
    first: "Spanish 4"."""
    counts, everywhere = (case_scores.levels(part, name).value_counts() for part in (rows[here], rows))
    counts = counts.drop(case_scores.NO_LEVEL, errors="ignore")
    usual = everywhere.reindex(counts.index) / len(rows)
    much = counts[(counts / here.sum() >= LEAST_SHARE) & (counts / here.sum() >= LIFT * usual)]
    return [f"{level_name(name, each, topics)} {n}" for each, n in much.items()]


def _made(rows: pd.DataFrame, metric: str, name: str, rules: Rules, base: int) -> list[dict]:
    """The levels of a factor that the metric follows from: shown, not tested."""
    why = factors.by_construction(metric, name)
    if not why:
        return []
    sizes = case_scores.levels(rows.dropna(subset=["value"]), name).value_counts()
    found = []
    for level in sorted(sizes[sizes >= rules.minimum].index.drop(case_scores.NO_LEVEL, errors="ignore")):
        inside, outside = _intervals(rows, metric, name, level, base)
        row = {"metric": metric, "dimension": name, "level": level, "kind": slice_search.FACTOR}
        away = {"difference": inside.value - outside.value, "state": MADE, "no_finding": why}
        found.append(row | _interval_columns(inside) | away | {"rest": outside.value})
    return found


def _intervals(
    rows: pd.DataFrame, metric: str, dimension: str, level: str, base: int
) -> tuple[Interval, Interval]:
    here = case_scores.slice_names(rows, dimension) == level
    rng, span = random_stream(base, metric, dimension, level), case_scores.value_range(metric)
    inside, outside = (scorecard.estimate_mean(rows[chosen], rng=rng, span=span) for chosen in (here, ~here))
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
    flags = {name: table[name].eq(True) for name in ("flagged", "confirmed", "finding")}
    return table.assign(**flags, no_finding=table["no_finding"].fillna("")).astype({"n": int})
