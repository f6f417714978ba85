"""The scorecard: by hand, against scipy, its laws, its refusals."""

import numpy as np
import pandas as pd
import pytest
from made import cases_of, scores_of
from scipy import stats

from ragassay import tables
from ragassay.analysis import scorecard
from ragassay.analysis.resampling_clusters import case_clusters
from ragassay.errors import TableError


def test_by_hand(rng):
    states = ["scored"] * 8 + ["not_applicable", "error"]
    values = [0.5, 0.6, 0.7, 0.8, 0.5, 0.6, 0.7, 0.8, np.nan, np.nan]
    row = scorecard.summarize_scores(scores_of(values, states=states), rng=rng).iloc[0]
    assert row["value"] == pytest.approx(0.65) and row["n"] == 8 and row["left_out"] == 2
    assert (
        row["low"] < 0.65 < row["high"] and "1 error" in row["reason"] and "1 not applicable" in row["reason"]
    )
    assert (row["n_not_applicable"], row["n_not_measured"], row["n_error"]) == (1, 0, 1)


def test_a_rate_has_scipys_exact_bounds(rng):
    row = scorecard.summarize_scores(
        scores_of([1.0] * 57 + [0.0] * 3, metric="abstention_correct"), rng=rng
    ).iloc[0]
    rival = stats.binomtest(57, 60).proportion_ci(0.95, "exact")
    assert (row["low"], row["high"]) == pytest.approx((rival.low, rival.high))


def test_a_rate_is_the_mean_of_its_events_also_on_a_slice(rng):
    """Before, a rate had no slices: `privacy_leak_rate in topic=T1` stayed incomplete."""
    leaks = scores_of([1.0, 0.0, 0.0, np.nan] * 10, metric="privacy_leaks")
    limits = {"name": "privacy_leak_rate", "at_least": 1}
    found = scorecard.events(leaks, "privacy_leaks", **limits)
    tables.check("scores", found)
    assert found["value"].mean() == scorecard.summarize_scores(found, rng=rng)["value"][0] == 0.25 / 0.75
    cases, asked = cases_of(["T1", "T2"] * 20), [("privacy_leak_rate", "topic=T1")]
    sliced = scorecard.summarize_slices(found, cases, asked, rng=rng).iloc[0]
    assert (sliced["value"], sliced["n"]) == (0.5, 20) and sliced["low"] < 0.5


def test_rows_of_slices_are_added_once():
    row = {"slice": "topic=T1", "value": 0.5, "low": 0.4, "high": 0.6, "n": 4, "left_out": 0}
    card = pd.DataFrame([{"metric": "m", **row}, {"metric": "m", **row, "slice": "all"}])
    both = scorecard.with_slices(card, card[:1], pd.DataFrame([{"metric": "other", **row}]))
    assert both["metric"].tolist() == ["m", "m", "other"]


def test_every_row_says_its_state(rng):
    rows = [
        scorecard.summarize_scores(scores_of(values, states=states), rng=rng)["state"][0]
        for values, states in (
            ([0.5, 0.6], None),
            ([np.nan, np.nan], None),
            ([np.nan, np.nan], ["not_applicable"] * 2),
            ([np.nan, np.nan], ["not_applicable", "error"]),
        )
    ]
    assert rows == ["scored", "not_measured", "not_applicable", "not_measured"]


def test_fits_its_table_and_a_metric_does_not_depend_on_its_neighbours():
    one = scores_of(np.linspace(0.2, 0.9, 30))
    two = pd.concat([one, scores_of(np.linspace(0, 1, 30), metric="answer_relevancy")])
    alone, beside = (
        scorecard.summarize_scores(scores, rng=np.random.default_rng(3)) for scores in (one, two)
    )
    tables.check("scorecard", beside)
    assert alone.iloc[0].to_dict() == beside[beside["metric"] == "groundedness"].iloc[0].to_dict()


def test_slices_have_a_row_each(rng):
    cases = cases_of(["T1", "T2"] * 15)
    asked = [("groundedness", "topic=T1"), ("groundedness", "topic=T2")]
    found = scorecard.summarize_slices(scores_of(np.linspace(0, 1, 30)), cases, asked, rng=rng)
    assert found["slice"].tolist() == ["topic=T1", "topic=T2"] and found["n"].tolist() == [15, 15]
    tables.check("scorecard", found)


def test_a_slice_that_is_not_there_is_a_row_with_its_reason(rng):
    """Before, an unknown factor ended the run, and an unknown level said nothing but "no cases"."""
    asked = [("groundedness", "topik=T1"), ("groundedness", "topic=T9"), ("groundedness", "system=bank")]
    found = scorecard.summarize_slices(
        scores_of(np.linspace(0, 1, 30)), cases_of(["T1"] * 30), asked, rng=rng
    )
    tables.check("scorecard", found)
    assert found["n"].tolist() == [0, 0, 30] and np.isnan(found["low"][0])
    assert found["reason"].tolist() == [
        "the cases have no column 'topik'; did you mean 'topic'?",
        "no case has topic=T9; did you mean 'T1'?",
        "",
    ]


def test_clusters_widen_the_interval():
    values = np.repeat(np.random.default_rng(1).uniform(0, 1, 12), 5)
    cases = cases_of(["T"] * 60, conversation_id=np.repeat([f"k{i}" for i in range(12)], 5))
    wide = scorecard.summarize_scores(
        scores_of(values), rng=np.random.default_rng(0), clusters=case_clusters(cases)
    ).iloc[0]
    slim = scorecard.summarize_scores(scores_of(values), rng=np.random.default_rng(0)).iloc[0]
    assert wide["high"] - wide["low"] > 1.5 * (slim["high"] - slim["low"])


def test_nothing_scored_is_no_number(rng):
    row = scorecard.summarize_scores(scores_of([np.nan] * 4), rng=rng).iloc[0]
    assert (
        np.isnan(row["value"])
        and row["n"] == 0
        and row["left_out"] == 4
        and "4 not measured" in row["reason"]
    )


def test_refusals(rng):
    with pytest.raises(TableError, match="several systems"):
        scorecard.summarize_scores(pd.concat([scores_of([1.0]), scores_of([1.0], system="b")]), rng=rng)
