"""The rating: the rule, row by row, and the conditions it leads to."""

import pandas as pd
import pytest

from ragassay.decision import gates, rating


def judged(*outcomes, critical=(), value=0.6) -> pd.DataFrame:
    rows = [
        {
            "gate": f"g{i}",
            "metric": "m",
            "slice": "all",
            "bound": "low",
            "threshold": 0.7,
            "value": value,
            "low": 0.5,
            "high": 0.9,
            "n": 9,
            "outcome": outcome,
            "reason": "why",
            "critical": i in critical,
            "rule": "low >= 0.7",
        }
        for i, outcome in enumerate(outcomes)
    ]
    return pd.DataFrame(rows, columns=gates.COLUMNS).astype({"critical": bool})


RATINGS = [
    (judged("pass", "pass"), None, "Fit for use", 0),
    (judged("pass", "pass", "fail"), None, "Fit with conditions", 2),
    (judged("pass", "fail"), None, "Fit with conditions", 2),
    (judged("pass", "fail", "fail"), None, "Not fit", 2),
    (judged("pass", "pass", "fail", critical=[2]), None, "Not fit", 2),
    (judged("incomplete", "pass", "fail", critical=[2]), None, "Not fit", 2),
    (judged("pass", "pass", "fail", critical=[2], value=0.8), None, "Not assessable", 2),
    (judged("pass", "fail", "fail", value=0.8), None, "Fit with conditions", 2),
    (judged("pass", "incomplete"), None, "Not assessable", 3),
    (judged("pass", "pass", "fail", "incomplete"), None, "Not assessable", 2),
    (judged("pass", "incomplete", critical=[1]), None, "Not assessable", 3),
    (judged(), None, "Not assessable", 3),
    (judged("pass"), {"topics tested": (0.7, 0.8)}, "Not assessable", 3),
    (judged("pass"), {"topics tested": (0.8, 0.8)}, "Fit for use", 0),
    (judged("pass"), {"labels": (float("nan"), 100)}, "Not assessable", 3),
]


@pytest.mark.parametrize("table, coverage, expected, code", RATINGS)
def test_the_rating(table, coverage, expected, code):
    found = rating.rate(table, coverage=coverage)
    assert (found["rating"], found["exit_code"]) == (expected, code)
    assert found["rationale"] and bool(found["conditions"]) == (expected != "Fit for use" and len(table) > 0)


def test_a_condition_says_whether_the_system_or_the_sample_is_short():
    measured = {
        "slice": "all",
        "value": 0.8,
        "low": 0.75,
        "high": 0.85,
        "n": 100,
        "left_out": 0,
        "reason": "",
    }
    card = pd.DataFrame([{"metric": "m", **measured}, {"metric": "n", **measured}])
    table = gates.evaluate(gates.parse({"m": "low >= 0.78", "n": "low >= 0.9"}), card)
    sample, system = rating.rate(table)["conditions"]
    assert "enlarge the sample" in sample and "improve the system" in system


ASIDE = pd.DataFrame([{"gate": "g9", "rule": "low >= 0.8", "reason": "it cannot be asked of a log"}])


@pytest.mark.parametrize("table, coverage, expected, code", RATINGS)
def test_gates_set_aside_change_no_rating_and_stand_in_its_first_sentence(table, coverage, expected, code):
    found = rating.rate(table, coverage=coverage, aside=ASIDE)
    assert (found["rating"], found["exit_code"]) == (expected, code)
    said = f"the rating rests on {len(table)} of {len(table) + 1} gates, the others were set aside (g9: it cannot"
    assert said in found["rationale"][0] and any(
        "g9: ask the assistant" in each for each in found["conditions"]
    )
    assert found["set_aside"] == ASIDE.to_dict("records")
    assert "set aside" in rating.RATING_RULE and rating.rate(table)["set_aside"] == []
