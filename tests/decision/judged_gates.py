"""Made-up scorecards and gates for the tests of this room."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from ragassay.analysis import origin_slices
from ragassay.decision import gates
from ragassay.decision.severity import CELLS, LIKELIHOODS, DueDays, RiskMatrix
from ragassay.run import notebooks, parameters
from ragassay.stats import clopper_pearson

DEFAULTS = {
    one.name: one.default
    for one in parameters.declared(notebooks(Path(__file__).parents[2] / "notebooks")["07_conclusion"])
}
DAYS = DEFAULTS["days_until_due"]
MATRIX, DUE = RiskMatrix(LIKELIHOODS, CELLS), DueDays(DAYS)
Counts = Mapping[str, Mapping[str, tuple[int, int]]]  # metric -> origin -> how many of how many


def card(counts: Counts) -> pd.DataFrame:
    """A scorecard of 0/1 metrics: a row per metric and origin with its exact interval."""
    rows = []
    for metric, origins in counts.items():
        for origin, (k, n) in origins.items():
            found, part = clopper_pearson(k, n), origin_slices.slice_name("all", origin)
            rows.append((metric, part, found.value, found.low, found.high, n, 0, found.reason))
    return pd.DataFrame(rows, columns=["metric", "slice", "value", "low", "high", "n", "left_out", "reason"])


def judge(rules: Mapping[str, str], counts: Counts, **options) -> pd.DataFrame:
    """The gates table of these rules and counts."""
    return gates.evaluate(gates.parse(rules), card(counts), **options)


def judge_worst(rules: Mapping[str, str], counts: Counts, **options) -> dict[str, tuple[str, str]]:
    """Gate -> outcome and what it misses, by the worst origin that decides."""
    worst = gates.worst_rows(judge(rules, counts, **options))
    pairs = zip(worst["outcome"], worst["missed"], strict=True)
    return dict(zip(worst["gate"], pairs, strict=True))
