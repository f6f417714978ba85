"""The validated system against others: by hand, its laws, what it refuses, and how often its intervals hold."""

import numpy as np
import pandas as pd
import pytest

from analysis.made import cases_of, scores_of
from ragassay.analysis import comparison
from ragassay.errors import TableError

CASES = cases_of(["T01"] * 8)


def compared(own, other, cases=CASES, seed=0, **options) -> pd.DataFrame:
    return comparison.compare_systems(own, other, cases, rng=np.random.default_rng(seed), **options)


def others_of(values, metric="groundedness") -> pd.DataFrame:
    return scores_of(values, metric, system="rival")


def test_by_hand():
    row = compared(scores_of([0.9, 0.8, 0.7, 0.6]), others_of([0.5, 0.8, 0.9, 0.2])).iloc[0]
    assert (row.metric, row.challenger, row.system) == ("groundedness", "rival", "bank")
    assert (row.n, row.pairs, row.left_out, row.wins, row.ties, row.losses) == (4, 4, 0, 2, 1, 1)
    assert [row.own_mean, row.challenger_mean, row.difference] == pytest.approx([0.75, 0.6, 0.15])
    assert np.isnan(row.low) and "at least" in row.reason


def test_equal_scores_throughout_are_called_so():
    values = {"groundedness": (0.5, 0.5), "support": (0.9, 0.1), "completeness": (np.nan, 0.1)}
    own = pd.concat([scores_of([mine] * 8, metric) for metric, (mine, _) in values.items()])
    other = pd.concat([others_of([theirs] * 8, metric) for metric, (_, theirs) in values.items()])
    found = compared(own, other)
    assert found.outcome.tolist() == ["same on every question", "better", "not compared"]
    assert found.p[0] == found.q[0] == 1 and "8 validated system not measured" in found.reason[2]


@pytest.mark.parametrize(
    ("metric", "outcome"),
    [("groundedness", "better"), ("hallucination", "worse"), ("judged_grounded", "better")],
)
def test_the_metric_s_own_direction_decides(metric, outcome):
    row = compared(scores_of([1.0] * 8, metric), others_of([0.0] * 8, metric)).iloc[0]
    assert row.outcome == outcome and row.difference == 1 and (row.wins == 8) == (outcome == "better")


def test_refusals():
    own, other = scores_of([0.5] * 8), others_of([0.4] * 8)
    with pytest.raises(TableError, match="several systems"):
        compared(pd.concat([own, other]), other)
    with pytest.raises(TableError, match="not there"):
        compared(own, other, metrics=["grounded"])
    with pytest.raises(TableError, match="not in the cases table"):
        compared(own, others_of([0.4] * 9))


def simulated(seed: int) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """20 conversations of 4 or 5 questions; equal systems, differences with correlation 0.5 within a conversation."""
    chance = np.random.default_rng(seed)
    talk = np.repeat(np.arange(20), np.tile([4, 5], 10))
    gain = 0.1 * (chance.normal(size=20)[talk] + chance.normal(size=len(talk)))
    level = chance.normal(0.5, 0.1, size=len(talk))
    cases = cases_of(["T01"] * len(talk), conversation_id=[f"t{i}" for i in talk])
    return scores_of(level + gain), others_of(level), cases


def test_the_interval_holds_and_equals_are_seldom_told_apart(simulations):
    """400 simulations of equal systems: 0.95 is covered, less and more by 3 standard errors."""
    rows = [compared(*simulated(seed), seed=seed).iloc[0] for seed in range(simulations(400))]
    covered = np.mean([row.low <= 0 <= row.high for row in rows])
    apart = np.mean([row.outcome != "no significant difference" for row in rows])
    error = 3 * np.sqrt(0.95 * 0.05 / len(rows))
    assert abs(covered - 0.95) <= error and apart <= 0.05 + error
