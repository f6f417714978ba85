"""How long the answers are, how long they take and what they cost, held against budgets (Lesson 8 and 12)."""

import numpy as np
import pandas as pd

from ragassay.analysis.case_scores import cluster_ids
from ragassay.scores.families.form import count_words
from ragassay.scores.shared_instruments import Budgets
from ragassay.scores.text_reading import citation_grammar
from ragassay.stats import Interval, bootstrap, quantile_interval
from ragassay.stats.random_streams import random_base, random_stream

QUANTITIES = ("words", "latency_s", "tokens", "cost")
COLUMNS = [
    *("quantity", "median", "low", "high", "percentile_95", "percentile_95_low", "percentile_95_high"),
    *("n", "left_out", "budget", "outcome"),
]
WITHIN, OVER, OPEN, NO_BUDGET, UNKNOWN = "within", "over", "not shown", "no budget", "not given"
DRAWS = 1000
TAIL_SHARE = 0.95  # share of the answers that take at most the tail


def summarize_costs(
    answers: pd.DataFrame,
    budgets: Budgets,
    *,
    clusters: pd.Series | None = None,
    rng: np.random.Generator | int,
) -> pd.DataFrame:
    """One row per quantity (words without citations, seconds, tokens, cost), COLUMNS, over the first answer
    of each case.

    median : with its bootstrap interval over clusters; n answers, left_out those without the quantity (an
        answer that failed or is empty has none)
    percentile_95 : what 95 of 100 answers do not exceed, with its interval (`stats.resampling`), no bounds
        where there are fewer than 72 draws
    outcome : by the median's interval: `within` if its upper bound is, `over` if its lower bound is not,
        else `not shown`

    clusters : by case_id; None takes every case as drawn independently. Source: Lesson sections 8 and 12.
    """
    first, base = answers[answers["repeat"] == 0], random_base(rng)
    failed = first["error"].fillna("").astype(str) != "" if "error" in first else False
    given = first[~pd.Series(failed, first.index)]
    known = given["case_id"] if clusters is None else given["case_id"].map(clusters)
    limits = {"words": budgets.words, "latency_s": budgets.seconds}
    rows = [
        _row(name, _amounts(given, name), known, limits.get(name), len(first), random_stream(base, name))
        for name in QUANTITIES
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _amounts(answers: pd.DataFrame, name: str) -> pd.Series:
    """The quantity of each answer; NaN where it is not given."""
    if name == "words":
        ids = answers["context_ids"] if "context_ids" in answers else pd.Series(None, answers.index)
        pairs = zip(answers["answer"], ids, strict=True)
        return pd.Series([_words(answer, known) for answer, known in pairs], answers.index, dtype=float)
    if name not in answers:
        return pd.Series(np.nan, answers.index)
    return pd.to_numeric(answers[name], errors="coerce").astype(float)


def _words(answer: object, ids: object) -> float:
    known = frozenset(map(str, ids)) if isinstance(ids, (list, tuple, np.ndarray)) else frozenset()
    told = citation_grammar.strip(answer, known) if isinstance(answer, str) else ""
    return count_words(told) or np.nan


def _row(
    name: str,
    amounts: pd.Series,
    clusters: pd.Series,
    budget: float | None,
    n_asked: int,
    rng: np.random.Generator,
) -> tuple:
    kept = amounts.notna().to_numpy()
    values, groups = amounts.to_numpy()[kept], cluster_ids(clusters[kept])
    found = bootstrap(values, clusters=groups, statistic=np.median, n_boot=DRAWS, rng=rng)
    tail = quantile_interval(values, TAIL_SHARE, clusters=groups, rng=rng.spawn(1)[0])
    outcome = UNKNOWN if not len(values) else NO_BUDGET if budget is None else _outcome(found, budget)
    return name, *_ends(found), *_ends(tail), len(values), n_asked - len(values), budget, outcome


def _ends(found: Interval) -> tuple[float, float, float]:
    return found.value, found.low, found.high


def _outcome(median: Interval, budget: float) -> str:
    if np.isnan(median.low):
        return OPEN
    return WITHIN if median.high <= budget else OVER if median.low > budget else OPEN
