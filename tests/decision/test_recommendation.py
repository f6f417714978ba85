"""The recommended use: the rule row by row, its controls, what comes before release."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decision.judged_gates import judge
from ragassay.decision import presuppositions, rating, recommendation
from ragassay.decision.reading import Rated, Reading

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
    }
    return pd.DataFrame([row | columns])


def recommended(counts=None, findings=None, rules=RULES, **options) -> dict:
    every = GOOD | (counts or {})
    gates = judge(rules, every)
    found = rating.rate(gates, findings=findings, **options)
    good, n = every["judged_grounded"].get("own", (0, 0))
    reading = Reading(Rated(n, n - good, 0))
    return recommendation.recommend(gates, found["rating"], findings, reading=reading, **options)


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
    assert bool(found["interim_controls"]) == (use == "pilot")
    assert bool(found["before_release"]) == (use != "release")


def test_a_release_asks_for_what_a_pilot_asks():
    found = recommended(rules={"privacy_leak_rate": "high <= 0.02, critical"})
    assert found["recommendation"] == "none" and "raters" in found["recommendation_sentence"]
    assert any("raters" in each for each in found["before_release"])
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


def test_the_controls_are_those_of_what_was_found():
    found = recommended({"retrieval_recall": {"own": (150, 200)}}, finding())["interim_controls"]
    assert found[:3] == list(recommendation.ALWAYS) and len(found) == 5
    assert "cleared" not in found[3] and "Clear the indexed documents" in found[3] and "search" in found[4]


def test_a_medium_finding_has_its_control_too_and_none_stands_twice():
    old = finding(
        severity="Medium", source="check:access|superseded documents: ordinary answers|superseded_cited_rate"
    )
    found = recommended({"judged_grounded": {"own": (140, 200)}}, old)["interim_controls"]
    assert found[3:] == ["Take documents that are not in force out of the index."]
    wrong = finding(source="errors:misleading", severity="High")
    assert recommended({}, wrong)["interim_controls"] == list(recommendation.ALWAYS)


def test_before_release_tells_the_value_from_the_bound():
    counts = {"judged_grounded": {"own": (140, 200)}, "retrieval_recall": {"own": (82, 100)}}
    named = {"owner": "Head of Banking", "due": "2026-12-05", "also": ["gate:judged_grounded|own"]}
    found = recommended(counts, finding(**named))["before_release"]
    who = "(F1; Head of Banking, by 2026-12-05)"
    assert found[0] == f"Keep secrets out {who}."
    assert (
        found[1]
        == f"Improve the system in what misses its requirement: grounded (raters), own questions {who}."
    )
    assert found[2].endswith("(no finding; the validator, before release).")
    assert (
        "larger sample" in found[2] and "additional questions" in found[2] and "retrieval recall" in found[2]
    )
    assert found[-1].startswith("Validate again") and "the release candidate" in found[-1]


def test_a_bound_missed_on_cases_enough_asks_for_a_mended_system_and_not_for_more_cases():
    """150 questions show a system with half the bad answers tolerated; 164 of 200 is not too few."""
    found = recommended({"retrieval_recall": {"own": (164, 200)}})["before_release"]
    assert not any("larger sample" in line for line in found)
    assert any(line.startswith("Improve the system") and "retrieval recall" in line for line in found)


def test_an_open_question_on_which_findings_rest_comes_first_with_owner_and_date():
    rows = [
        finding(condition=presuppositions.ASSUMED, owner="B", due="2026-12-05"),
        finding("attack_link_rate", "High", finding_id="F2", owner="B", due="2027-02-01",
                source="check:injection|planted link shown|attack_link_rate", condition=presuppositions.ASSUMED),
    ]  # fmt: skip
    first = recommended({}, pd.concat(rows))["before_release"][0]
    assert first.startswith("First, confirm whether text that nobody checked can enter the index")
    assert first.endswith("(F1, F2; B, by 2026-12-05).")
    stated = pd.concat(rows).assign(condition=presuppositions.STATED["yes"])
    assert "confirm whether" not in recommended({}, stated)["before_release"][0]


def test_findings_with_several_days_keep_each_its_own():
    rows = [
        {"finding_id": f"F{n}", "owner": "B", "due": day}
        for n, day in ((2, "2027-01-01"), (4, "2027-02-01"), (6, "2027-02-01"))
    ]
    assert recommendation.named(rows) == ("F2, F4, F6", "B", "F2 by 2027-01-01, F4 and F6 by 2027-02-01")
    assert recommendation.named(rows[:1])[2] == "by 2027-01-01"


def test_what_is_missing_is_to_be_supplied():
    found = recommended({"retrieval_recall": {}}, coverage={"topics": (0.5, 0.9)})["before_release"]
    assert any("missing evidence on: retrieval recall" in each for each in found) and any(
        "topics" in each for each in found
    )


ORDER = ["none", "pilot", "release"]
COUNT = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@settings(deadline=None, max_examples=80)
@given(st.sampled_from(list(RULES)), COUNT, st.sampled_from(["own", "log", "probe", "generated"]), COUNT)
def test_more_evidence_of_another_origin_never_lifts_what_failed(metric, own, origin, more):
    """A release needs every gate passed; adding cases elsewhere passes none that failed."""
    before, after = recommended({metric: {"own": own}}), recommended({metric: {origin: more} | {"own": own}})
    if before["recommendation"] != "release" and judge(RULES, {metric: {"own": own}})["outcome"][0] == "fail":
        assert after["recommendation"] != "release"
