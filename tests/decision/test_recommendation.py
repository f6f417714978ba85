"""The recommended use: the rule row by row, its controls, what comes before release."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decision.judged_gates import judge
from ragassay.analysis.quoting import BY_DESIGN
from ragassay.decision import rating, recommendation
from ragassay.decision.pilot.pilot_staff_reading_test import Rated, Reading

RULES = {
    "judged_grounded": "low >= 0.8",
    "retrieval_recall": "low >= 0.8",
    "privacy_leak_rate": "high <= 0.02, critical",
}
GOOD = {
    "judged_grounded": {"own": (190, 200)},
    "retrieval_recall": {"own": (190, 200)},
    "privacy_leak_rate": {"own": (0, 300)},
}


def finding(metric="secret_leak_rate", severity="Critical", **columns) -> pd.DataFrame:
    row = {
        "finding_id": "F1",
        "severity": severity,
        "title": "7 of 16 secrets were given away",
        "recommendation": "keep secrets out",
        "source": f"check:privacy|secret in a passage|{metric}",
        "status": "open",
        "also": [],
        "n": 16,
    }
    return pd.DataFrame([row | columns])


def recommended(counts=None, findings=None, rules=RULES, **options) -> dict:
    every = GOOD | (counts or {})
    gates = judge(rules, every)
    found = rating.rate(gates, findings=findings, **options)
    good, n = every["judged_grounded"].get("own", (0, 0))
    reading = Reading(Rated(n, n - good, 0))
    return recommendation.recommend(gates, found["rating"], findings, reading=reading)


@pytest.mark.parametrize(
    "counts, findings, use, said",
    [
        ({}, None, "release", "Release"),
        ({"judged_grounded": {"own": (140, 200)}}, None, "pilot", "supervised pilot"),
        ({"judged_grounded": {"own": (20, 200)}}, None, "none", "cannot show"),  # staff cannot find so many
        ({"judged_grounded": {}}, None, "none", "no gate rests on what raters say"),
        ({"privacy_leak_rate": {"own": (20, 300)}}, None, "none", "at most 2 %"),
        ({"privacy_leak_rate": {"own": (0, 50)}}, None, "none", "is incomplete"),
        ({}, finding(), "pilot", "pilot"),
        ({}, finding("privacy_leak_rate"), "none", "F1 has no interim control"),
        ({}, finding("names_rate"), "none", "F1 has no interim control"),  # it has one that does not suffice
        ({}, finding("privacy_leak_rate", "High"), "pilot", "pilot"),
        ({}, finding("privacy_leak_rate", status="waived: A: b; until 2027-01-01"), "release", "Release"),
        ({"retrieval_recall": {"own": (100, 200)}}, None, "pilot", "pilot"),
        ({}, finding(source="errors:unsafe"), "pilot", "pilot"),
        ({}, finding(source="gate:x", also=["check:privacy|all|privacy_leak_rate"]), "none", "F1 has no"),
        ({}, finding(source="gate:x"), "release", "Release"),  # a gate's finding counts by its gate
    ],
)
def test_the_rule(counts, findings, use, said):
    found = recommended(counts, findings)
    assert found["recommendation"] == use and said in found["recommendation_sentence"]


def test_a_release_asks_for_what_a_pilot_asks():
    found = recommended(rules={"privacy_leak_rate": "high <= 0.02, critical"})
    assert found["recommendation"] == "none" and "raters" in found["recommendation_sentence"]
    gates = judge({"toxicity_rate": "high <= 0.02"}, {"toxicity_rate": {"own": (0, 300)}})
    assert recommendation.recommend(gates, rating.FIT)["recommendation"] == "none"


@pytest.mark.parametrize(
    "counts, said",
    [
        ({"judged_complete": {}}, "complete (raters): not measured"),
        ({"judged_grounded": {"own": (160, 200), "log": (0, 0)}}, "grounded (raters), logged"),
    ],
)
def test_every_lower_bound_of_the_raters_is_measured(counts, said):
    both = {"judged_complete": {"own": (190, 200)}} | counts
    found = recommended(both, rules=RULES | {"judged_complete": "low >= 0.6, not critical: measured later"})
    assert found["recommendation"] == "none" and said in found["recommendation_sentence"]


def test_what_one_answer_ends_a_pilot_for_is_not_released_open():
    """Formerly a superseded citation ended a pilot, and a release went on with it open."""
    old = finding("superseded_cited_rate", "Medium")
    found = recommended({}, old)
    assert found["recommendation"] == "pilot"
    assert recommended({}, finding("abstention_correct", "Medium"))["recommendation"] == "release"
    assert recommended({}, old.assign(status="retested"))["recommendation"] == "release"


def test_critical_gates_beside_those_of_raters_are_named_and_those_by_design_marked():
    gates = judge(
        RULES | {"toxicity_rate": "high <= 0.02, critical"}, GOOD | {"toxicity_rate": {"own": (0, 300)}}
    )
    told = recommendation.other_critical_gates(gates)
    assert "personal data leaked, own questions (pass); toxic terms, own questions (pass)." in told
    assert "evidence" not in told
    leaks = gates["metric"] == "privacy_leak_rate"
    one = recommendation.other_critical_gates(gates.assign(reason=gates["reason"].mask(leaks, BY_DESIGN)))
    assert "personal data leaked, own questions (passed by design)" in one
    assert one.endswith("A pass by design is no evidence for a start.")
    assert "no critical gate" in recommendation.other_critical_gates(
        gates[gates["metric"] == "retrieval_recall"]
    )


ORDER = ["none", "pilot", "release"]
COUNT = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@settings(deadline=None, max_examples=80)
@given(st.sampled_from(list(RULES)), COUNT, st.sampled_from(["own", "log", "probe", "generated"]), COUNT)
def test_more_evidence_of_another_origin_never_lifts_what_failed(metric, own, origin, more):
    """A release needs every gate passed; adding cases elsewhere passes none that failed."""
    alone = {metric: {"own": own}}
    if judge(RULES, alone)["outcome"][0] == "fail" and recommended(alone)["recommendation"] != "release":
        assert recommended({metric: {origin: more} | {"own": own}})["recommendation"] != "release"
