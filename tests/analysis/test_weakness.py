"""Weakness: by hand, multiplicity controlled on null data, laws, refusals."""

import json

import numpy as np
import pandas as pd
import pytest
from made import cases_of, scores_of

from ragassay.analysis import weakness
from ragassay.analysis.worst_cases import worst_cases
from ragassay.errors import TableError

TOPICS = ["T1"] * 20 + ["T2"] * 20 + ["T3"] * 20 + ["T4"] * 3


@pytest.fixture
def weak_topic() -> pd.DataFrame:
    values = np.random.default_rng(2).uniform(0.6, 0.9, 63)
    values[20:40] -= 0.3
    values[0] = np.nan
    return scores_of(values)


def test_the_weak_topic_is_flagged_and_comes_first(weak_topic, rng):
    found = weakness.marginal(weak_topic, cases_of(TOPICS), "topic", metric="groundedness", rng=rng)
    assert found["level"].iloc[0] == "T2" and found["flagged"].tolist() == [True, False, False, False]
    by_level = found.set_index("level")
    assert by_level.loc["T1", "n"] == 19 and by_level.loc["T1", "left_out"] == 1
    assert (
        by_level.loc["T4", "state"] == "too few"
        and np.isnan(by_level.loc["T4", "p"])
        and by_level.loc["T4", "mean"] > 0
    )
    rest = weak_topic["value"].drop(range(20, 40)).mean()
    assert by_level.loc["T2", "difference"] == pytest.approx(weak_topic["value"][20:40].mean() - rest)
    assert (
        by_level.loc["T2", "difference_low"]
        < by_level.loc["T2", "difference"]
        < by_level.loc["T2", "difference_high"]
        < 0
    )


def test_a_metric_where_lower_is_better_flags_the_high_level(weak_topic, rng):
    turned = weak_topic.assign(value=1 - weak_topic["value"])
    found = weakness.marginal(
        turned, cases_of(TOPICS), "topic", metric="groundedness", rng=rng, higher_is_better=False
    )
    assert found["level"].iloc[0] == "T2" and found["flagged"].sum() == 1
    better = weakness.marginal(
        turned, cases_of(TOPICS), "topic", metric="groundedness", rng=rng, higher_is_better=True
    )
    assert "T2" not in better[better["flagged"]]["level"].tolist()


def test_row_order_does_not_matter(weak_topic):
    cases = cases_of(TOPICS)
    one, two = (
        weakness.marginal(
            rows,
            cases.sample(frac=1, random_state=seed),
            "topic",
            metric="groundedness",
            rng=np.random.default_rng(1),
        )
        for rows, seed in ((weak_topic, 0), (weak_topic.sample(frac=1, random_state=9), 1))
    )
    pd.testing.assert_frame_equal(one, two)


def test_on_null_data_false_discoveries_stay_below_the_level(simulations):
    """200 tables of 8 topics without any weakness: at least one is flagged in no more than 5 % of them (here FDR = FWER)."""
    topics, rng = np.repeat([f"T{i}" for i in range(8)], 12), np.random.default_rng(11)
    tables = [
        weakness.marginal(
            scores_of(rng.beta(6, 2, 96)), cases_of(topics), "topic", metric="groundedness", rng=rng
        )
        for _ in range(simulations(200))
    ]
    share = np.mean([(table["q"] < 0.05).any() for table in tables])
    assert share <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / len(tables))
    assert np.mean([table["flagged"].any() for table in tables]) <= share


def test_every_cell_of_two_dimensions_is_stated(weak_topic, rng):
    kinds = (["factual"] * 10 + ["multi_hop"] * 10) * 3 + ["factual"] * 3
    found = weakness.bivariate(
        weak_topic, cases_of(TOPICS, query_type=kinds), "topic", "query_type", metric="groundedness", rng=rng
    )
    assert len(found) == 8 and found["n"].sum() == 62
    cell = found[(found["a"] == "T4") & (found["b"] == "multi_hop")].iloc[0]
    assert cell["state"] == "empty" and cell["n"] == 0 and np.isnan(cell["mean"]) and not cell["flagged"]
    assert found[found["flagged"]]["a"].unique().tolist() == ["T2"]


def test_slices_share_one_control_of_false_discoveries(weak_topic, rng):
    cases = cases_of(TOPICS, query_type=["factual", "open", "open"] * 21)
    both = pd.concat(
        [weak_topic, scores_of(np.random.default_rng(3).uniform(0, 1, 63), metric="answer_relevancy")]
    )
    found = weakness.compare_slices(
        both,
        cases,
        ["topic", "query_type", ("topic", "query_type")],
        metrics=["groundedness", "answer_relevancy"],
        rng=rng,
    )
    tested = found.dropna(subset=["p"])
    assert (found["tests"] == len(tested)).all() and found["q"].iloc[0] == found["q"].min()
    ranked = np.sort(tested["p"])
    adjusted = np.minimum.accumulate((ranked * len(ranked) / np.arange(1, len(ranked) + 1))[::-1])[::-1]
    assert np.sort(tested["q"]) == pytest.approx(np.minimum(adjusted, 1))
    flagged = found[found["flagged"]]
    assert (
        flagged["metric"].unique().tolist() == ["groundedness"] and flagged["level"].str.contains("T2").all()
    )


def test_the_worst_cases_carry_their_evidence(rng):
    detail = json.dumps(
        [
            {"text": "fine", "score": 0.9},
            {
                "text": "made up",
                "score": 0.1,
                "evidence": "the fee is 5",
                "evidence_id": "fees#p1",
                "weakest": True,
            },
        ]
    )
    scores = scores_of([0.9, 0.1, 0.5, np.nan]).assign(detail=["[]", detail, "not json {", None])
    answers = pd.DataFrame(
        {
            "case_id": ["c000", "c001", "c001", "c002"],
            "system": "bank",
            "repeat": [0, 1, 0, 0],
            "answer": ["a", "later", "first", "c"],
        }
    )
    found = worst_cases(scores, answers, cases_of("TTTT"), "groundedness", n=2)
    assert found["case_id"].tolist() == ["c001", "c002"] and found["answer"].tolist() == ["first", "c"]
    assert found.loc[0, ["sentence", "sentence_score", "evidence", "evidence_id"]].tolist() == [
        "made up",
        0.1,
        "the fee is 5",
        "fees#p1",
    ]
    assert found.loc[1, "sentence"] == ""


@pytest.mark.parametrize(
    "detail",
    [
        '[{"score": "high"}]',
        "[1, null]",
        '{"sentences": [{"text": "x", "score": null}]}',
        '"text"',
        "",
        '[{"score": true}]',
    ],
)
def test_strange_details_do_not_break_the_worst_cases(detail):
    answers = pd.DataFrame({"case_id": ["c000"], "system": "bank", "repeat": [0], "answer": ["a"]})
    assert (
        len(worst_cases(scores_of([0.2]).assign(detail=detail), answers, cases_of("T"), "groundedness")) == 1
    )


def test_one_level_has_no_rest_and_no_scores_no_test(rng):
    alone = weakness.marginal(
        scores_of(np.linspace(0, 1, 10)), cases_of("T" * 10), "topic", metric="groundedness", rng=rng
    )
    assert alone["state"].tolist() == ["no rest"] and np.isnan(alone["q"][0]) and not alone["flagged"][0]
    none = weakness.marginal(
        scores_of([np.nan] * 10), cases_of("T" * 10), "topic", metric="groundedness", rng=rng
    )
    assert none["state"].tolist() == ["no case scored"] and none["left_out"].tolist() == [10]


def test_refusals(rng):
    with pytest.raises(TableError, match="'segment' is missing"):
        weakness.marginal(scores_of([0.5]), cases_of("T"), "segment", metric="groundedness", rng=rng)


def test_rows_for_the_figures_keep_every_case(weak_topic):
    found = weakness.score_rows(weak_topic, cases_of(TOPICS), ["groundedness"])
    assert (
        len(found) == 63
        and found["value"].isna().sum() == 1
        and {"metric", "topic", "cluster", "question"} <= set(found)
    )
