"""The validated system against others: by hand, its laws, what it refuses, and how often its intervals hold."""

import numpy as np
import pandas as pd
import pytest

from analysis.made import cases_of, scores_of
from ragassay.analysis import comparison
from ragassay.errors import TableError

CASES = cases_of(["T01"] * 8)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def others_of(values, system="rival", **options) -> pd.DataFrame:
    return scores_of(values, system=system, **options)


def test_by_hand():
    own, other = scores_of([0.9, 0.8, 0.7, 0.6]), others_of([0.5, 0.8, 0.9, 0.2])
    row = comparison.compare_systems(own, other, CASES, rng=rng()).iloc[0]
    assert (row.metric, row.challenger, row.system, row.n, row.pairs, row.left_out) == (
        "groundedness",
        "rival",
        "bank",
        4,
        4,
        0,
    )
    assert (row.wins, row.ties, row.losses) == (2, 1, 1)
    assert (
        row.own_mean == pytest.approx(0.75)
        and row.challenger_mean == pytest.approx(0.6)
        and row.difference == pytest.approx(0.15)
    )
    assert np.isnan(row.low) and "at least" in row.reason


def test_equal_scores_throughout_are_called_so():
    own = pd.concat(
        [scores_of([0.5] * 8), scores_of([0.9] * 8, "support"), scores_of([np.nan] * 8, "completeness")]
    )
    other = pd.concat(
        [
            others_of([v] * 8, metric=m)
            for m, v in (("groundedness", 0.5), ("support", 0.1), ("completeness", 0.1))
        ]
    )
    found = comparison.compare_systems(own, other, CASES, rng=rng())
    assert (
        found.outcome.tolist() == ["same on every question", "better", "not compared"]
        and found.p[0] == found.q[0] == 1
    )


def test_swapping_the_sides_turns_the_sign():
    values = rng()
    one, two = values.random(8), values.random(8)
    there = comparison.compare_systems(scores_of(one), others_of(two), CASES, rng=rng()).iloc[0]
    back = comparison.compare_systems(scores_of(two), others_of(one), CASES, rng=rng()).iloc[0]
    assert back.difference == pytest.approx(-there.difference) and back.p == pytest.approx(there.p)
    assert (back.wins, back.losses) == (there.losses, there.wins)


@pytest.mark.parametrize(
    ("metric", "outcome"),
    [("groundedness", "better"), ("hallucination", "worse"), ("judged_grounded", "better")],
)
def test_the_metric_s_own_direction_decides(metric, outcome):
    row = comparison.compare_systems(
        scores_of([1.0] * 8, metric), others_of([0.0] * 8, metric=metric), CASES, rng=rng()
    ).iloc[0]
    assert row.outcome == outcome and row.difference == 1 and (row.wins == 8) == (outcome == "better")


def test_a_conversation_counts_once():
    talks = CASES.assign(conversation_id=["c"] * 4 + ["d"] * 4)
    own, other = scores_of([0.9] * 8), others_of([0.1] * 8)
    alone, together = (
        comparison.compare_systems(own, other, cases, rng=rng()).iloc[0] for cases in (CASES, talks)
    )
    assert alone.p == pytest.approx(2 / 2**8) and together.p == pytest.approx(2 / 2**2)
    assert alone.outcome == "better" and together.outcome == "no significant difference"


def test_raters_means():
    labels = pd.DataFrame(
        [
            ("c000", "bank", "useful", "r1", 4.0),
            ("c000", "bank", "useful", "r2", 3.0),
            ("c001", "rival", "useful", "r1", 1.0),
        ],
        columns=["case_id", "system", "dimension", "rater", "label"],
    )
    found = comparison.mean_ratings(labels)
    assert found[["case_id", "system", "metric", "value", "state"]].to_numpy().tolist() == [
        ["c000", "bank", "rated_useful", 3.5, "scored"],
        ["c001", "rival", "rated_useful", 1.0, "scored"],
    ]
    assert comparison.mean_ratings(labels.head(0)).empty


def test_refusals():
    own, other = scores_of([0.5] * 8), others_of([0.4] * 8)
    with pytest.raises(TableError, match="several systems"):
        comparison.compare_systems(pd.concat([own, other]), other, CASES, rng=rng())
    with pytest.raises(TableError, match="not there"):
        comparison.compare_systems(own, other, CASES, metrics=["grounded"], rng=rng())
    with pytest.raises(TableError, match="not in the cases table"):
        comparison.compare_systems(own, others_of([0.4] * 9), CASES, rng=rng())


def simulated(seed: int, shift: float) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """20 conversations of 4 or 5 questions; differences with correlation 0.5 within a conversation, mean `shift`."""
    chance = np.random.default_rng(seed)
    talk = np.repeat(np.arange(20), np.tile([4, 5], 10))
    gain = shift + 0.1 * (chance.normal(size=20)[talk] + chance.normal(size=len(talk)))
    level = chance.normal(0.5, 0.1, size=len(talk))
    cases = cases_of(["T01"] * len(talk), conversation_id=[f"t{i}" for i in talk])
    return scores_of(level + gain, "rated_useful"), others_of(level, metric="rated_useful"), cases


def test_the_interval_holds_and_equals_are_seldom_told_apart(simulations):
    """400 simulations of equal systems: 0.95 is covered, less and more by 3 standard errors."""
    runs = simulations(400)
    rows = [
        comparison.compare_systems(*simulated(seed, 0.0), rng=np.random.default_rng(seed)).iloc[0]
        for seed in range(runs)
    ]
    covered = np.mean([row.low <= 0 <= row.high for row in rows])
    apart = np.mean([row.outcome != "no significant difference" for row in rows])
    error = 3 * np.sqrt(0.95 * 0.05 / runs)
    assert abs(covered - 0.95) <= error and apart <= 0.05 + error
