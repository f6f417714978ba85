"""Borders of the decision, weekly review hours, set sizes: by hand, against the sets themselves, refusals."""

from math import inf, isnan

import numpy as np
import pytest
from scipy.special import logit

from ragassay.calibration import conformal
from ragassay.stats import clopper_pearson


def holding(table, p):
    """The row of the table whose region holds p."""
    left, right = table.closed.isin(["both", "left"]), table.closed.isin(["both", "right"])
    low, high = table["from"], table["to"]
    inside = ((low < p) | (left & (low == p)) | (low == 0)) & (
        (high > p) | (right & (high == p)) | (high == 1)
    )
    found = table[inside]
    assert len(found) == 1, f"{p} lies in {len(found)} regions"
    return found.iloc[0]


def rows(table):
    return [
        (row["from"], pytest.approx(row["to"]), row["closed"], row["set"], row["decision"])
        for _, row in table.iterrows()
    ]


def test_regions_by_hand():
    """The three cases of HCAT section 5.2, with their thresholds."""
    assert rows(conformal.decision_regions(0.75)) == [
        (0.0, 0.25, "left", [0], "reject"),
        (0.25, 0.75, "both", [0, 1], "review"),
        (0.75, 1.0, "right", [1], "accept"),
    ]
    assert rows(conformal.decision_regions(0.25)) == [
        (0.0, 0.25, "both", [0], "reject"),
        (0.25, 0.75, "neither", [], "review"),
        (0.75, 1.0, "both", [1], "accept"),
    ]
    assert rows(conformal.decision_regions(0.5)) == [
        (0.0, 0.5, "left", [0], "reject"),
        (0.5, 0.5, "both", [0, 1], "review"),
        (0.5, 1.0, "right", [1], "accept"),
    ]


@pytest.mark.parametrize("q_hat", [1.0, inf])
def test_regions_without_a_threshold_leave_everything_to_review(q_hat):
    assert rows(conformal.decision_regions(q_hat)) == [(0.0, 1.0, "both", [0, 1], "review")]


def test_regions_of_a_threshold_of_zero_decide_only_what_is_certain():
    assert rows(conformal.decision_regions(0.0)) == [
        (0.0, 0.0, "both", [0], "reject"),
        (0.0, 1.0, "neither", [], "review"),
        (1.0, 1.0, "both", [1], "accept"),
    ]


@pytest.mark.parametrize("score", conformal.SCORES)
def test_regions_agree_with_the_sets(score):
    draw = np.random.default_rng(0)
    for _ in range(30):
        q_hat = draw.random(1 if draw.random() < 0.5 else 2)
        given = logit(q_hat) if score == "negative_logit" else q_hat
        p = np.concatenate([draw.random(15), [0.0, 1.0]])
        table = conformal.decision_regions(given, score)
        limit = np.broadcast_to(given, (2,))[None, :]
        assert [holding(table, each)["set"] for each in p] == conformal.sets(p, limit, score)
        assert (
            table["from"].iloc[0] == 0
            and table["to"].iloc[-1] == 1
            and (table["from"].to_numpy()[1:] == table["to"].to_numpy()[:-1]).all()
        )
        assert table["decision"].tolist() == [conformal.decide(each) for each in table["set"]]


@pytest.mark.parametrize(
    "q_hat, score, word",
    [
        (np.nan, "residual", "q_hat"),
        (-0.1, "residual", "q_hat"),
        ([0.1] * 3, "residual", "q_hat"),
        (0.1, "margin", "score"),
    ],
)
def test_regions_refuse(q_hat, score, word):
    with pytest.raises(ValueError, match=word):
        conformal.decision_regions(q_hat, score)


def test_review_load_by_hand():
    """25 of 100 to review, 2000 answers a week, 6 minutes each: 500 answers, 50 hours; bounds are exact, scaled."""
    found = conformal.review_load(["review"] * 25 + ["accept"] * 60 + ["reject"] * 15, 2000, 6)
    share = clopper_pearson(25, 100)
    assert (found.share.value, found.answers.value, found.hours.value) == (0.25, 500.0, 50.0)
    assert (found.hours.low, found.hours.high) == pytest.approx((share.low * 200, share.high * 200))
    assert (found.answers.low, found.answers.high) == pytest.approx((share.low * 2000, share.high * 2000))
    words = "share of answers that go to review 0.25 [0.17, 0.35] n=100; 500 [338, 693] answers, 50.0 [33.8, 69.3] hours a week"
    assert str(found) == words


def test_review_load_at_its_ends():
    assert (
        conformal.review_load(["review"] * 9, 100, 60).hours.value == 100
        and conformal.review_load(["accept"] * 9, 100, 60).hours.low == 0
    )
    assert conformal.review_load(["accept"] * 9, 100, 60).hours.high > 0, (
        "no review among nine does not promise none"
    )
    nothing = conformal.review_load([], 100, 60)
    assert isnan(nothing.hours.value) and str(nothing) == "review load not available (no cases)"


def test_review_load_covers():
    """10,000 draws of 80 decisions with a true review share of 0.3: the interval holds the true hours in 95 % +- 1.5 of them."""
    draw = np.random.default_rng(3)
    counts, held = np.bincount(draw.binomial(80, 0.3, 10_000), minlength=81), 0
    for reviews, times in enumerate(counts):
        hours = conformal.review_load(["review"] * reviews + ["accept"] * (80 - reviews), 1000, 3).hours
        held += times * (hours.low <= 0.3 * 50 <= hours.high)
    assert held / 10_000 == pytest.approx(0.95, abs=0.015)


@pytest.mark.parametrize(
    "decisions, per_week, minutes, word",
    [
        (["Review"], 10, 1, "Review"),
        (["review"], -1, 1, "per_week"),
        (["review"], np.nan, 1, "per_week"),
        (["review"], 10, np.inf, "minutes_each"),
    ],
)
def test_review_load_refuses(decisions, per_week, minutes, word):
    with pytest.raises(ValueError, match=word):
        conformal.review_load(decisions, per_week, minutes)


def test_coverage_takes_levels_between_whole_numbers():
    found = conformal.coverage([[0.5, 1], [1]], [0.5, 0.5])
    assert found[found.by == "class"][["stratum", "n", "covered"]].to_numpy().tolist() == [["0.5", 2, 1]]
