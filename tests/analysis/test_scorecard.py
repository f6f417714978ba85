"""The scorecard: by hand, against scipy, its laws, its refusals; saturated metrics. Length, latency, tokens and cost:
medians by hand, their interval, what is left out, outcomes against budgets."""

import numpy as np
import pandas as pd
import pytest
from made import cases_of, scores_of

from ragassay import tables
from ragassay.analysis import scorecard
from ragassay.analysis.scorecard import summarize_costs
from ragassay.errors import TableError
from ragassay.scores.metric import Budgets


def summarize(scores, seed=0, **options) -> pd.Series:
    return scorecard.summarize_scores(scores, rng=np.random.default_rng(seed), **options).iloc[0]


def test_by_hand():
    states = ["scored"] * 8 + ["not_applicable", "error"]
    row = summarize(scores_of([*[0.5, 0.6, 0.7, 0.8] * 2, np.nan, np.nan], states=states))
    assert row["value"] == pytest.approx(0.65) and (row["n"], row["left_out"]) == (8, 2)
    assert row["low"] < 0.65 < row["high"]
    assert (row["n_not_applicable"], row["n_not_measured"], row["n_error"]) == (1, 0, 1)


def test_a_rate_is_the_mean_of_its_events_also_on_a_slice(rng):
    leaks = scores_of([1.0, 0.0, 0.0, np.nan] * 10, metric="privacy_leaks")
    found = scorecard.events(leaks, "privacy_leaks", name="privacy_leak_rate", at_least=1)
    tables.check("scores", found)
    assert found["value"].mean() == summarize(found)["value"] == 0.25 / 0.75
    cases, asked = cases_of(["T1", "T2"] * 20), [("privacy_leak_rate", "topic=T1")]
    sliced = scorecard.summarize_slices(found, cases, asked, rng=rng).iloc[0]
    assert (sliced["value"], sliced["n"]) == (0.5, 20) and sliced["low"] < 0.5


NONE = [(["not_measured"] * 2, "not_measured"), (["not_applicable"] * 2, "not_applicable")]


@pytest.mark.parametrize("states, state", [*NONE, (["not_applicable", "error"], "not_measured")])
def test_every_row_says_its_state(states, state):
    row = summarize(scores_of([np.nan] * 2, states=states))
    assert row["state"] == state and np.isnan(row["value"])


def test_what_is_missing_for_every_answer_is_told():
    lost = scores_of([np.nan] * 3, states=["not_measured", "not_measured", "not_applicable"])
    assert summarize(lost.assign(reason=["no ids", "no ids", "declined"]))["reason"] == "no ids"
    assert "3 left out" in summarize(lost.assign(reason=["no ids", "no texts", "declined"]))["reason"]


def test_slices_have_a_row_each_also_those_that_are_not_there(rng):
    asked = [("groundedness", name) for name in ("topic=T1", "topik=T1", "topic=T9", "system=bank")]
    found = scorecard.summarize_slices(
        scores_of(np.linspace(0, 1, 30)), cases_of(["T1", "T2"] * 15), asked, rng=rng
    )
    tables.check("scorecard", found)
    assert found["n"].tolist() == [15, 0, 0, 30] and np.isnan(found["low"][1])
    assert "did you mean 'topic'" in found["reason"][1] and "no case has topic=T9" in found["reason"][2]


def test_refusals(rng):
    with pytest.raises(TableError, match="several systems"):
        scorecard.summarize_scores(pd.concat([scores_of([1.0]), scores_of([1.0], system="b")]), rng=rng)
    with pytest.raises(TableError, match="column 'value' is missing"):
        scorecard.summarize_scores(scores_of([1.0]).drop(columns="value"), rng=rng)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([1.0] * 19, ""),  # too few to say anything
        ([1.0] * 20 + [0.5], "1 for 20 of 21 scored answers"),
        ([np.nan] * 500 + [0.25] * 20, "0.25 for 20 of 20 scored answers"),
        ([0.0, -0.0] * 10, "0 for 20 of 20 scored answers"),
    ],
)
def test_one_value_for_nearly_all_answers_is_named(values, said):
    assert summarize(scores_of(values))["saturated"] == said


RNG = np.random.default_rng


def table(answers, budgets=None, **more):
    rows = [{"case_id": f"c{i}", "repeat": 0, "error": None, **row} for i, row in enumerate(answers)]
    found = summarize_costs(pd.DataFrame(rows), budgets or Budgets(), rng=RNG(0), **more)
    return found.set_index("quantity")


def words(n):
    return {"answer": " ".join(["word"] * n) + " [a#p1]", "context_ids": ["a#p1"]}


def test_costs_by_hand():
    """Medians of 1 2 9 words (citations apart) and of 2 and 4 seconds; one answer failed, one gives no latency."""
    rows = [
        {**words(1), "latency_s": 2.0, "tokens": 10, "cost": 0.5},
        {**words(2), "latency_s": 4.0, "tokens": 20, "cost": 0.5},
        {**words(9), "latency_s": None, "tokens": 60, "cost": 0.5},
        {**words(5), "latency_s": 99.0, "error": "it hung"},
    ]
    found = table(rows)
    assert found["median"].to_dict() == {"words": 2.0, "latency_s": 3.0, "tokens": 20.0, "cost": 0.5}
    assert found.n.tolist() == [3, 2, 3, 3] and found.left_out.tolist() == [1, 2, 1, 1]
    assert found.outcome["tokens"] == "no budget"


@pytest.mark.parametrize("budget, outcome", [(200, "within"), (5, "over"), (50, "not shown")])
def test_the_outcome_follows_the_bound_of_the_median(budget, outcome):
    rows = [words(n) for n in range(1, 100)]
    found = table(rows, Budgets(words=budget)).loc["words"]
    assert found.outcome == outcome and found.low <= found["median"] <= found.high


CASES = cases_of(["T01"] * 8)


def compared(own, other, cases=CASES, seed=0, **options) -> pd.DataFrame:
    return scorecard.compare_systems(own, other, cases, rng=np.random.default_rng(seed), **options)


def others_of(values, metric="groundedness") -> pd.DataFrame:
    return scores_of(values, metric, system="rival")


def test_two_systems_by_hand():
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


def test_what_two_systems_need():
    own, other = scores_of([0.5] * 8), others_of([0.4] * 8)
    with pytest.raises(TableError, match="several systems"):
        compared(pd.concat([own, other]), other)
    with pytest.raises(TableError, match="not there"):
        compared(own, other, metrics=["grounded"])
    with pytest.raises(TableError, match="c008"):
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
    rows = [compared(*simulated(seed), seed=seed).iloc[0] for seed in range(simulations(400, 10))]
    covered = np.mean([row.low <= 0 <= row.high for row in rows])
    apart = np.mean([row.outcome != "no significant difference" for row in rows])
    error = 3 * np.sqrt(0.95 * 0.05 / len(rows))
    assert abs(covered - 0.95) <= error and apart <= 0.05 + error
