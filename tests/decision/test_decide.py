"""The decision's record: what it holds, for a system that fails and for one that nobody rated."""

import pandas as pd
import pytest

from decision.judged_gates import judge
from ragassay.decision import decide, rating, recommendation
from ragassay.decision.pilot.pilot_staff_reading_test import Rated, Reading
from ragassay.decision.pilot.pilot_start_effort import StartEffort

KEYS = {
    "rating", "rationale", "exit_code", "set_aside", "recommendation", "recommendation_sentence",
    "conditions", "not_for", "not_tested", "gravest_untested",
}  # fmt: skip
NONE = pd.DataFrame(columns=["finding_id", "severity", "source", "also", "status", "title", "recommendation"])
ERRORS = pd.DataFrame(columns=["decision", "answers_a_week", "hours_a_week", "share", "alone"])
RESPECTS = pd.DataFrame(columns=["decision", "respect", "n", "wrong", "value", "low", "high"])
UNTESTED = pd.DataFrame([["g", "x", "y", "z"]], columns=["group", "what", "why", "takes"])
ENGAGEMENT = {"prohibited_uses": ["tax advice"]}


def decided(counts, rules=None, **options) -> dict:
    gates = judge(rules or {"judged_grounded": "low >= 0.8"}, counts)
    given = {
        "coverage": {},
        "aside": pd.DataFrame(),
        "untested": UNTESTED,
        "engagement": ENGAGEMENT,
        "rated": {},
    }
    good, n = counts["judged_grounded"].get("own", (0, 0))
    given |= {"start": StartEffort(Reading(Rated(n, n - good, 0)))}
    return decide.decide(gates, NONE, decide.MachineErrors(ERRORS, RESPECTS), **given | options)


@pytest.mark.parametrize(
    "counts, use",
    [({"own": (95, 100)}, "release"), ({"own": (70, 100)}, "pilot"), ({"own": (10, 100)}, "none")],
)
def test_the_record_holds_what_is_agreed(counts, use):
    found = decided({"judged_grounded": counts}, rated={"en": 95, "es": 5})
    assert set(found) == KEYS and found["recommendation"] == use
    assert (found["not_tested"], found["gravest_untested"]) == (["x: y."], ["x: y"])
    assert bool(found["conditions"]) == (use != "none")
    assert found["not_for"] == [each for each in found["conditions"] if each.startswith("Not for")]
    assert any("Spanish (5 rated" in each for each in found["conditions"]) == (use != "none")
    assert (found["exit_code"] == 0) == (use == "release")


def test_nobody_rated_anything():
    found = decided({"judged_grounded": {}})
    assert (found["rating"], found["exit_code"]) == (rating.NOT_ASSESSABLE, 3)
    assert found["recommendation"] == recommendation.NONE and "raters" in found["recommendation_sentence"]


def test_languages_are_those_meant_and_those_asked():
    cases = pd.DataFrame({"case_id": ["a", "b", "c"], "language": ["en", "es", None]})
    judged = pd.DataFrame({"case_id": ["a", "a", "c"]})
    assert decide.rated_by_language(judged, cases, ["pt", "en"]) == {"pt": 0, "en": 1, "es": 0}


def test_every_rule_is_printed():
    rules = decide.rules()
    assert len(rules) == len(rating.RULES) + len(recommendation.RULES) and rules["when"].all()
    assert rules["when"].str.len().max() < 400, "no cell is cut"
