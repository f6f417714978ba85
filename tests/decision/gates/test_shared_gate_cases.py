"""A requirement that errors explain points to their findings and counts what is left."""

import pandas as pd
import pytest

from decision.drafts import draft
from ragassay.decision.findings.restated_findings import merge_restatements
from ragassay.decision.gates import shared_gate_cases
from ragassay.decision.gates.findings_behind_gates import attribute

NUMBERS = {"errors:misleading": "F4", "errors:needless refusal": "F5"}
LEFT = tuple(f"p{number}" for number in range(6))


def gate_of(*left: str) -> dict:
    drafts = [
        draft("errors:misleading", failing=("m1", "m2")),
        draft("errors:needless refusal", failing=("r1", "r2", "r3")),
        draft("gate:judged_complete", "Critical", ("m1", "r1", "r2", *left), n=20, title="Complete: 55 %"),
        draft("gate:judged_relevant", "Critical", ("m2", *left), n=20, title="Relevant: 60 %"),
    ]
    found = attribute(merge_restatements(drafts))
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
    said = shared_gate_cases.condition_text(gate, NUMBERS, taxonomy)
    assert said["title"] == "6 of 20 answers are partial"
    assert said["condition"].endswith(
        "It shares 2 gates with F4 and F5: table “Answers that fail a gate, by kind of error”. By itself it is Low; "
        "the gates that it carries make it Critical. Counted here alone: 6 of 20, 30 % [12, 54]: partial 6. Of the 9 that fail complete (raters) 3 are "
        "counted in F4 and F5."
    )


def test_what_another_finding_holds_is_told_though_it_carries_no_gate():
    """Formerly 85 were "counted in those findings", of which 84 were: one was of a finding not named."""
    gate = gate_of(*LEFT)
    (complete, *_) = [each for each in gate["carries"] if each["gate"] == gate["source"]]
    complete["held"]["errors:unsafe"] = 1
    said = shared_gate_cases.condition_text(gate, NUMBERS | {"errors:unsafe": "F1"}, None)
    assert said["condition"].endswith("4 are counted in F1, F4 and F5.")


def test_the_case_shown_and_the_harm_are_of_what_is_left():
    taxonomy = pd.DataFrame({"case_id": LEFT, "category": "partial"})
    harms = {"p0": "staff only", "p3": "partial"}
    said = shared_gate_cases.condition_text(gate_of(*LEFT), NUMBERS, taxonomy, harms)
    assert said["harm"] == "partial" and said["lead"] == ["p3"]


def test_what_is_left_of_several_kinds_is_listed():
    taxonomy = pd.DataFrame({"case_id": LEFT, "category": ["partial"] * 5 + ["misleading"]})
    said = shared_gate_cases.condition_text(gate_of(*LEFT), NUMBERS, taxonomy)
    assert "fall short otherwise" in said["title"] and "partial 5, misleading 1" in said["condition"]


def test_a_finding_on_errors_says_its_part_of_a_gate_and_why_it_is_so_grave():
    refused = tuple(f"r{number}" for number in range(20))
    drafts = [
        draft("errors:needless refusal", "High", refused),
        draft("errors:misleading", failing=("m1",)),
        draft("gate:judged_complete", "Critical", (*refused, "m1", "x"), title="Complete: 55 %"),
    ]
    found = {each["source"]: each for each in attribute(merge_restatements(drafts))}
    said = shared_gate_cases.condition_text(found["errors:needless refusal"], NUMBERS, None)
    told = (
        "It carries a gate: table “Answers that fail a gate, by kind of error”. By itself it is High; "
        "the gates that it carries make it Critical. Each of its 20 replies fails complete (raters): "
    )
    assert told in said["condition"]
    assert shared_gate_cases.condition_text(found["errors:misleading"], NUMBERS, None) == {}


def test_what_fails_a_gate_is_said_in_the_findings_that_carry_it():
    refused = tuple(f"r{number}" for number in range(20))
    split = (
        "of the 21 not grounded 20 refuse though the documents hold the answer, 1 tell something unsupported"
    )
    drafts = [
        draft("errors:needless refusal", "High", refused),
        draft("errors:misleading", failing=("m1",)),
        draft("gate:judged_grounded", "Critical", (*refused, "m1"), title="Grounded: 55 %", split=split),
    ]
    found = {each["source"]: each for each in attribute(merge_restatements(drafts))}
    said = shared_gate_cases.condition_text(found["errors:needless refusal"], NUMBERS, None)["condition"]
    assert f"Grounded: 55 %: {split}." in said


def test_an_error_in_the_choice_says_where_the_guide_gives_it_its_weight():
    drafts = [
        draft("errors:misleading", failing=("m1", "m2")),
        draft("errors:needless refusal", failing=("r1", "r2")),
        draft("gate:judged_complete", "Critical", ("m1", "m2", "r1", "r2"), n=20),
        draft("gate:judged_relevant", "Critical", ("m1", "r1"), n=20),
    ]
    found = {each["source"]: each for each in attribute(merge_restatements(drafts))}
    said = {
        source: shared_gate_cases.condition_text(row, NUMBERS, None)["condition"]
        for source, row in found.items()
    }
    whole = (
        "Each of its 2 replies fails complete (raters): that weight is set by how the raters' guide counts"
    )
    assert whole in said["errors:needless refusal"] and "guide" not in said["errors:misleading"]
