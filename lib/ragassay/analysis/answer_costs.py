"""How long the answers are, how long they take and what they cost, held against budgets (Lesson 8 and 12)."""

import numpy as np
import pandas as pd

from ragassay.analysis.case_scores import cluster_ids
from ragassay.scores.families.form import count_words
from ragassay.scores.shared_instruments import Budgets
from ragassay.scores.text_reading import citation_grammar
from ragassay.stats import bootstrap
from ragassay.stats.random_streams import random_base, random_stream

QUANTITIES = ("words", "latency_s", "tokens", "cost")
COLUMNS = ["quantity", "median", "low", "high", "n", "left_out", "budget", "outcome"]
WITHIN, OVER, OPEN, NO_BUDGET, UNKNOWN = "within", "over", "not shown", "no budget", "not given"
DRAWS = 1000


def summarize_costs(
    answers: pd.DataFrame,
    budgets: Budgets,
    *,
    clusters: pd.Series | None = None,
    rng: np.random.Generator | int,
) -> pd.DataFrame:
    """One row per quantity (words without citations, seconds, tokens, cost), COLUMNS, over the first answer
    of each case: the median with its bootstrap interval over clusters; n answers, left_out those without the
    quantity; outcome: `within` if the upper bound is, `over` if the lower bound is not, else `not shown`.

    clusters : by case_id; None takes every case as drawn independently. Source: Lesson sections 8 and 12.
    """
    first, base = answers[answers["repeat"] == 0], random_base(rng)
    failed = (
        first["error"].fillna("").astype(str) != "" if "error" in first else pd.Series(False, first.index)
    )
    given = first[~failed]
    known = given["case_id"] if clusters is None else given["case_id"].map(clusters)
    limits, rows = {"words": budgets.words, "latency_s": budgets.seconds}, []
    for name in QUANTITIES:
        amounts, stream = _amounts(given, name), random_stream(base, name)
        kept, budget = amounts.notna(), limits.get(name)
        groups = cluster_ids(known[kept])
        median = bootstrap(amounts[kept], clusters=groups, statistic=np.median, n_boot=DRAWS, rng=stream)
        outcome = OPEN
        if not median.n:
            outcome = UNKNOWN
        elif budget is None:
            outcome = NO_BUDGET
        elif median.high <= budget:
            outcome = WITHIN
        elif median.low > budget:
            outcome = OVER
        left_out = len(first) - median.n
        rows.append((name, median.value, median.low, median.high, median.n, left_out, budget, outcome))
    return pd.DataFrame(rows, columns=COLUMNS)


def _amounts(answers: pd.DataFrame, name: str) -> pd.Series:
    """The quantity of each answer; NaN where it is not given."""
    if name != "words":
        given = answers[name] if name in answers else pd.Series(np.nan, answers.index)
        return pd.to_numeric(given, errors="coerce").astype(float)
    counts = []
    for row in answers.reindex(columns=["answer", "context_ids"]).itertuples():
        ids = row.context_ids if isinstance(row.context_ids, list | tuple | np.ndarray) else ()
        text = row.answer if isinstance(row.answer, str) else ""
        counts.append(count_words(citation_grammar.strip(text, frozenset(map(str, ids)))) or np.nan)
    return pd.Series(counts, answers.index, dtype=float)
