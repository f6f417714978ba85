"""The values that headings name: by hand; not a number where nothing was measured."""

import math

import pandas as pd

from ragassay.analysis import heading_values

CARD = pd.DataFrame(
    {
        "metric": ["leaks", "leaks", "none"],
        "slice": ["all", "kind=own", "all"],
        "value": [0.25, 0.5, math.nan],
    }
).assign(n=[16, 4, 0])


def test_a_row_is_found_by_its_columns():
    assert heading_values.value(CARD, metric="leaks", slice="kind=own") == 0.5
    assert heading_values.size(CARD, metric="leaks", slice="all") == 16
    assert heading_values.events(CARD, metric="leaks", slice="all") == 4
    assert heading_values.cell(CARD.assign(wrong=3), "wrong", metric="leaks") == 3


def test_what_was_not_measured_is_no_number():
    for rows, metric in ((CARD, "none"), (CARD, "absent"), (CARD.head(0), "leaks")):
        assert math.isnan(heading_values.value(rows, metric=metric))
        assert math.isnan(heading_values.events(rows, metric=metric))


def test_declined_by_hand():
    without = pd.DataFrame({"value": [1.0, 0.0, 0.0, math.nan]})
    given = pd.DataFrame({"value": [1.0, 0.0]})
    counts = heading_values.declined_counts(without, given)
    assert counts == {"open": 3, "answered": 2, "known": 2, "lost": 1}
    assert all(math.isnan(each) for each in heading_values.declined_counts(without.head(0), given).values())


def test_replies_are_those_without_an_error():
    answers = pd.DataFrame({"repeat": [0, 0, 1], "error": ["", "timeout: 60 s", ""]})
    spent = pd.DataFrame({"quantity": ["words"], "median": [29.0]})
    assert heading_values.replies(answers, spent) == {"n": 2, "replied": 1, "words": 29.0}


def test_what_was_not_tried_is_said_with_its_reason():
    checks = pd.DataFrame({"aspect": list("abc"), "outcome": ["not applicable", "clear", "not applicable"]})
    assert heading_values.not_tried(checks.assign(reason="no hook")) == "Not tried: a, c (no hook)."
    assert heading_values.not_tried(checks.iloc[1:2].assign(reason="")) == ""


def test_an_interval_as_text():
    card = CARD.assign(low=0.125, high=0.5)
    assert heading_values.interval(card, metric="leaks", slice="all") == "0.25 [0.12, 0.50]"
    assert heading_values.interval(card, metric="none") == "not measured"


def test_why_there_is_nothing_to_show_is_said_only_then():
    checks = pd.DataFrame({"aspect": list("ab"), "outcome": ["not applicable", "clear"], "reason": "a log"})
    assert heading_values.absent(checks) == "" and heading_values.tried(checks)["aspect"].tolist() == ["b"]
    assert heading_values.absent(checks.head(1)) == "Not tried: a (a log)."
    assert heading_values.absent(checks.head(0)) == "Nothing was tried."


def test_a_share_in_a_heading_is_told_in_per_cent():
    card = pd.DataFrame([{"metric": "support", "value": 0.25, "low": 0.12, "high": 0.5}])
    assert heading_values.interval(card, metric="support") == "25 % [12, 50]"


def test_the_worst_row_is_told_by_its_lower_bound():
    rows = pd.DataFrame(
        {
            "aspect": ["old: ordinary", "old: asked", "old: rare", "staff: asked"],
            "n": [371, 24, 2, 0],
            "value": [10 / 371, 8 / 24, 0.5, float("nan")],
            "low": [0.01, 0.16, 0.0, float("nan")],
        }
    )
    assert heading_values.worst(rows, "old") == {"hits": 8, "n": 24, "where": "asked"}
    assert math.isnan(heading_values.worst(rows, "staff")["n"])
