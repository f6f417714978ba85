"""A requirement that errors explain points to their findings and counts what is left."""

import pandas as pd
import pytest

from decision.drafts import draft
from ragassay.decision import shared_cases
from ragassay.decision.restatements import merge_restatements

NUMBERS = {"errors:misleading": "F4", "errors:needless refusal": "F5"}
LEFT = tuple(f"p{number}" for number in range(6))


def gate_of(*left: str) -> dict:
    drafts = [
        draft("errors:misleading", failing=("m1", "m2")),
        draft("errors:needless refusal", failing=("r1", "r2", "r3")),
        draft("gate:judged_complete", "Critical", ("m1", "r1", "r2", *left), n=20, title="Complete: 55 %"),
        draft("gate:judged_relevant", "Critical", ("m2", *left), n=20, title="Relevant: 60 %"),
    ]
    found = shared_cases.without_errors(merge_restatements(drafts))
    (gate,) = [each for each in found if each["source"].startswith("gate:")]
    return gate


def test_the_gate_counts_what_no_finding_on_errors_holds():
    gate = gate_of(*LEFT)
    assert gate["lead"] == list(LEFT) and gate["held"] == {
        "errors:misleading": 2,
        "errors:needless refusal": 2,
    }
    assert gate["share"] == pytest.approx(0.3) and gate["low"] == pytest.approx(0.119, abs=1e-3)
    taxonomy = pd.DataFrame({"case_id": LEFT, "category": "partial"})
    said = shared_cases.told(gate, NUMBERS, taxonomy)
    assert said["title"] == (
        "6 of 20 answers are partial; with F4, F5 they miss 2 requirements: Complete: 55 %; Relevant: 60 %"
    )
    assert said["condition"].endswith(
        "Of 10 answers that fall short 4 are counted in F4 (2), F5 (2). "
        "Left, and counted here: 6 of 20, 30 % [12, 54]: partial 6."
    )


def test_the_case_shown_and_the_harm_are_of_what_is_left():
    taxonomy = pd.DataFrame({"case_id": LEFT, "category": "partial"})
    harms = {"p0": "staff only", "p3": "partial"}
    said = shared_cases.told(gate_of(*LEFT), NUMBERS, taxonomy, harms)
    assert said["harm"] == "partial" and said["lead"] == ["p3"]


def test_a_gate_all_of_whose_cases_are_counted_elsewhere_points_only():
    said = shared_cases.told(gate_of(), NUMBERS, None)
    assert said["title"].startswith("F4, F5 together miss 2 requirements") and gate_of()["lead"] == []


def test_what_is_left_of_several_kinds_is_listed():
    taxonomy = pd.DataFrame({"case_id": LEFT, "category": ["partial"] * 5 + ["misleading"]})
    said = shared_cases.told(gate_of(*LEFT), NUMBERS, taxonomy)
    assert "fall short otherwise" in said["title"] and "partial 5, misleading 1" in said["condition"]


def test_it_is_due_no_earlier_than_the_findings_it_points_to():
    row = {"due": "2026-12-01", "held": {"errors:misleading": 2}}
    assert shared_cases.latest_due(row, {"errors:misleading": "2027-02-01", "gate:x": "2028"}) == "2027-02-01"
    assert shared_cases.latest_due({"due": "2026-12-01"}, {}) == "2026-12-01"


def test_a_gate_without_shared_cases_is_left_as_it_is():
    drafts = [{**draft("gate:judged_complete", failing=("a",)), "lead": ["a"]}]
    assert shared_cases.without_errors(drafts) == drafts and shared_cases.told(drafts[0], {}, None) == {}
