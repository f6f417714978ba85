"""What must happen first: whole, once, in the order of its places; the summary names the same by number."""

import numpy as np
import pandas as pd
import pytest

from decision.judged_gates import judge
from decision.registered import REGISTER, finding
from ragassay.analysis.checks import TO_CLEAR
from ragassay.decision.closing import finding_closure, first_steps, printed_steps, steps_in_short
from ragassay.decision.closing.finding_phases import DUE, PLACES, RELEASE, START, places
from ragassay.decision.closing.first_steps import ASKED
from ragassay.decision.findings import presuppositions
from ragassay.decision.pilot.pilot_control_tests import staff_test
from ragassay.decision.pilot.pilot_entry_conditions import BY_READING, OF_PROCESS, TEST
from ragassay.decision.pilot.pilot_length_and_roles import Terms
from ragassay.decision.pilot.pilot_plan import supervised_pilot
from ragassay.decision.pilot.pilot_preparation import TRIAL
from ragassay.decision.pilot.pilot_staff_reading_test import Rated, Reading

GATES = judge(
    {"judged_grounded": "low >= 0.8", "retrieval_recall": "low >= 0.8", "judged_complete": "low >= 0.6"},
    {"judged_grounded": {"own": (140, 200)}, "retrieval_recall": {"own": (82, 100)}, "judged_complete": {}},
)
PASSED = judge({"judged_grounded": "low >= 0.8"}, {"judged_grounded": {"own": (195, 200)}})
OLD = finding(9, "check:access|superseded documents: asked what holds today|superseded_cited_rate", "Medium")
WORDED = finding(
    10, "check:perturbation|ocr|abstention_correct", "Medium", title="Misread: falls by 9 points."
)
ONE = staff_test(1)  # of unsafe answers alone: misuse is retested
PROCESS = finding(11, "process:independence", title="The raters are not independent.", owner="Risk")
STAFF = finding(12, "check:access|staff-only documents: asked for|staff_only_reach_rate")
EVERY = pd.concat([REGISTER, pd.DataFrame([OLD, WORDED, PROCESS, STAFF])], ignore_index=True)


def made(findings=EVERY, gates=GATES, has_pilot=True, **more) -> pd.DataFrame:
    reading = Reading(Rated(214, 113, 60))
    pilot = supervised_pilot(
        gates, findings, reading, terms=Terms(8, "Owner", "MV"), rng=np.random.default_rng(0)
    )
    return first_steps.first_steps(gates, findings, pilot if has_pilot else None, **more)


STEPS = made()
BY_NUMBER = STEPS.set_index("number")


def test_every_open_finding_stands_there_once_in_its_place():
    numbered = STEPS[STEPS["number"] != ""]
    assert dict(zip(numbered["number"], numbered["first"], strict=True)) == places(EVERY)
    assert numbered["number"].is_unique
    order = STEPS["first"].map(PLACES.index)
    assert order.is_monotonic_increasing and STEPS["what"].iloc[0] == first_steps.ALL_ANSWERS


def test_the_row_on_every_answer_holds_what_is_barred_and_who_confirms():
    """Formerly languages barred in the conditions of use were absent from what a pilot's start asks."""
    barred = "Not for answers in Spanish (12 rated answers): fewer than 30 were rated."
    told = made(not_for=[barred]).iloc[0][ASKED]
    printed = printed_steps.of_all(made(not_for=[barred]), first_steps.ALL_ANSWERS)
    assert printed.endswith("What ends the pilot: table “What ends a pilot, from its first day on”.")
    assert told.endswith(barred) and "Who confirms, rates and counts: MV." in told


def test_what_is_critical_or_ends_a_pilot_is_closed_or_shown_before_it_starts():
    held = BY_NUMBER[ASKED]
    assert held["F1"].startswith(
        f"Closed, or its control shown on {ONE.cases} cases with at most {ONE.may_fail} failed, and on as many of "
        f"the other kind with at most {ONE.may_leave} left undone: Staff answer"
    )
    assert "What held earlier staff read in the document itself" in held["F9"]
    assert held["F9"].startswith(f"Closed, or its control shown on {TO_CLEAR} cases, none failed: Before an")
    assert (
        held["F2"].endswith(BY_READING)
        and f"table “{TEST}”" in BY_READING
        and held["F11"] == OF_PROCESS["process:independence"]
    )
    assert held["F4"].startswith("In force: ") and held["F10"].startswith("In force: ")


def test_of_several_controls_each_has_to_be_shown():
    """Formerly both stood as "Closed, or ...", so that either seemed enough."""
    both = finding(13, "check:injection|a|attack_link_rate", "Critical",
                   also=["check:injection|b|attack_success_rate"])  # fmt: skip
    held = made(pd.DataFrame([both])).set_index("number").loc["F13", ASKED]
    assert held.startswith("Closed, or its control shown on") and held.count("Closed, or") == 1
    assert "And also its control done, as a search of every indexed document shows: " in held


def test_what_ends_a_pilot_is_told_of_each_and_why_where_nothing_does():
    ends = BY_NUMBER["ends a pilot"]
    assert ends["F1"] == ends["F9"] == "one used answer"
    assert ends["F12"] == "one answer passed on to a customer"
    assert ends["F4"] == "counted as misleading" and ends["F5"] == first_steps.NOT_USED
    assert ends["F6"] == first_steps.AT_THE_END and ends["F10"] == first_steps.COUNTED
    assert (ends.drop(index="") != "").all()


def test_what_a_release_takes_has_who_and_when_and_what_it_does_not_wait_for_says_so():
    release = BY_NUMBER["before release"]
    assert release["F4"] == "Correct it. Then test it (Head of Banking, by 2026-12-01)."
    assert release["F11"] == "Correct it. Then test it (Risk, by 2026-12-05)."
    assert release["F10"].startswith("Not waited for. ") and not release["F9"].startswith("Not waited")


def test_every_remedy_and_control_of_a_finding_stands_there_as_on_its_card():
    """Formerly the first remedy alone, and controls that the card did not have."""
    told = "In 3 of 5 cases: cut the answer. In 2 of 5 cases: correct the retrieval."
    rows = pd.DataFrame(
        [
            finding(1, "gate:retrieval_recall|own", also=["weakness:retrieval_recall|evidence_language|x"]),
            finding(2, "check:injection|a|attack_link_rate", also=["check:injection|b|attack_quoted_rate"]),
            finding(3, "errors:misleading", "Critical", recommendation=told),
        ]
    )
    by_number = made(rows).set_index("number")
    assert told.rstrip(".") in by_number.loc["F3", "before release"]
    for row in rows.to_dict("records"):
        controls = finding_closure.controls(row)
        assert finding_closure.controlled(row) == " ".join(each["control"] for each in controls)
        held = by_number.loc[row["finding_id"], ASKED]
        assert controls and all(each["control"] in held for each in controls)
    assert [len(finding_closure.controls(row)) for row in rows.head(2).to_dict("records")] == [1, 2]


def test_the_gates_name_the_findings_whose_retests_bind_a_release():
    """Formerly every retest, though the table says that a release does not wait for some."""
    [told] = STEPS[STEPS["what"] == first_steps.ALL_GATES]["before release"]
    assert "every retest that binds a release (of F1 to F7, F9, F11, F12);" in told
    assert first_steps.binding(places(EVERY)) == [
        number for number, place in places(EVERY).items() if place != DUE
    ]
    [told] = made(EVERY.head(0))["before release"].tail(1)
    assert "passes every gate;" in told and "retest" not in told


def test_the_gates_tell_the_value_from_the_bound_and_from_what_is_missing():
    [told] = STEPS[STEPS["what"] == first_steps.ALL_GATES]["before release"]
    assert "missed: grounded (raters) on own questions;" in told
    assert "too few questions: retrieval recall on own questions, about" in told
    assert "evidence missing: complete (raters)" in told and told.endswith("(the validator).")
    more = made(coverage={"topics": (0.5, 0.9)}, aside=pd.DataFrame({"gate": ["g"], "reason": ["a log"]}))
    [told] = more[more["what"] == first_steps.ALL_GATES]["before release"]
    assert "extend the evidence: topics: 0.5 found" in told and "ask the assistant itself: g, a log" in told


def test_what_the_record_leaves_open_is_confirmed_first():
    planted = finding(3, "check:privacy|secret in a passage|secret_leak_rate", "Critical",
                      condition=presuppositions.ASSUMED)  # fmt: skip
    rows = pd.concat([REGISTER.head(2), pd.DataFrame([planted, {**planted, "finding_id": "F4"}])])
    for has_pilot, column in ((True, ASKED), (False, "before release")):
        steps = made(rows, has_pilot=has_pilot)
        first = steps.iloc[0]
        assert (first["number"], first["what"]) == ("F3, F4", presuppositions.QUESTION)
        assert "Until then F3, F4 count as if it could" in first[column]
        told = steps_in_short.in_short(steps.to_dict("records"))
        assert (
            told[0] == "The owner says first: whether text that nobody checked can enter the index (F3, F4)."
        )
        assert not any("F3, F4" in line and "F1" not in line for line in told[1:]), "named by its place once"
    assert presuppositions.QUESTION not in set(STEPS["what"])


def test_without_a_pilot_there_are_no_columns_of_one():
    found = made(has_pilot=False)
    assert set(found["first"]) <= {RELEASE, DUE} and first_steps.ALL_ANSWERS not in set(found["what"])
    assert list(printed_steps.steps_display_table(found, EVERY)) == ["finding", "first", "before release"]
    printed = printed_steps.steps_display_table(STEPS, EVERY)
    assert printed_steps.widths(printed).keys() == set(printed)


def test_the_page_names_remedies_controls_and_the_owner_and_repeats_none():
    """Formerly the words of every card stood a second time, with the owner's name in each row."""
    printed = printed_steps.steps_display_table(STEPS, EVERY)
    assert printed["finding"].str.partition(":")[0].tolist() == [each for each in STEPS["number"] if each]
    by_number = printed.set_index(printed["finding"].str.partition(":")[0])
    assert by_number.loc["F4", "before release"] == "by 2026-12-01"
    assert by_number.loc["F11", "before release"] == "Risk, by 2026-12-05"
    assert by_number.loc["F10", "before release"] == "not waited for, by 2026-12-05"
    assert by_number.loc["F1", ASKED] == (
        f"Closed, or its interim control shown on {ONE.cases} cases with at most {ONE.may_fail} failed, and on as "
        f"many of the other kind with at most {ONE.may_leave} left undone."
    )
    assert by_number.loc["F10", ASKED] == "In force."
    assert not printed.map(lambda cell: "Head of Banking" in cell or "Staff" in cell).any(axis=None)
    assert "no other is named: Head of Banking." in printed_steps.note(EVERY)
    assert "Owner" not in printed_steps.note(EVERY.assign(status="closed"))


def test_what_is_asked_of_every_answer_and_gate_stands_in_sentences():
    told = printed_steps.of_all(STEPS, first_steps.ALL_ANSWERS)
    assert told.startswith("Every answer, before a pilot starts: Reading") and "What ends the pilot: " in told
    assert printed_steps.of_all(STEPS, first_steps.ALL_GATES).startswith(
        "Every gate, before release: Validate"
    )
    assert printed_steps.of_all(made(has_pilot=False), first_steps.ALL_ANSWERS) == ""
    planted = pd.DataFrame([finding(3, "check:privacy|secret in a passage|secret_leak_rate", "Critical",
                                    condition=presuppositions.ASSUMED)])  # fmt: skip
    told = printed_steps.of_all(made(planted), presuppositions.QUESTION)
    assert told.startswith(f"{presuppositions.QUESTION}, before a pilot starts: ") and "F3" in told
    assert len(printed_steps.steps_display_table(made(planted), planted)) == 1, (
        "the owner's question is no finding"
    )


def test_where_every_gate_passed_and_nothing_is_open_nothing_has_to_happen():
    assert made(REGISTER.head(0), PASSED, has_pilot=False).empty
    assert steps_in_short.in_short([]) == []


def test_the_summary_names_what_the_table_holds_by_number():
    lines = steps_in_short.in_short(STEPS.to_dict("records"))
    names = [line.partition(":")[0] for line in lines]
    assert names == [steps_in_short.PLACE_NAMES[place] for place in PLACES]
    for place, line in zip(PLACES, lines, strict=True):
        rows = STEPS[STEPS["first"] == place]
        assert place == RELEASE or first_steps.spans([each for each in rows["number"] if each]) in line
        here = set(STEPS.loc[STEPS["first"] == place, "what"])
        assert all((text in line) == (what in here) for what, text in steps_in_short.OF_ALL.items())


def test_a_release_waits_for_all_that_a_pilot_holds_and_no_line_says_all_of_these():
    """Formerly "Before release: F11 closed; all of these closed", of which nobody could say what these are."""
    [line] = [each for each in steps_in_short.in_short(STEPS.to_dict("records")) if "release:" in each]
    assert line == (
        f"Before release: {first_steps.spans(first_steps.binding(places(EVERY)))} closed; "
        "every gate passed on new questions."
    )


def test_what_a_pilot_is_prepared_by_stands_before_its_conditions_and_those_of_the_crosswalk_with_them():
    """Formerly the approver's act, the trial and the crosswalk's conditions stood apart, in no order."""
    rows = [("", "The approver", START, "names them.", "", ""), ("", TRIAL, START, "14 hours.", "", "")]
    steps = made(preparation=rows)
    assert steps["what"].head(3).tolist() == ["The approver", TRIAL, first_steps.ALL_ANSWERS]
    told = steps_in_short.in_short(steps.to_dict("records"), {START: ["conditions C1, C6"], RELEASE: ["C2"]})
    assert told[:2] == ["The approver: names them.", f"{TRIAL}: 14 hours."]
    assert told[2].endswith("; conditions C1, C6.")
    assert [line.partition(":")[0] for line in told if "C2" in line] == ["Before release"]
    assert not set(made(preparation=rows, has_pilot=False)["what"]) & {"The approver", TRIAL}
    assert steps_in_short.in_short([], {START: [], RELEASE: ["C2"]}) == ["Before release: C2."]


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([], ""),
        (["F1", "F2", "F3", "F12"], "F1 to F3, F12"),
        (["F1", "F2", "F4"], "F1, F2, F4"),
        (["F9", "F10", "F11"], "F9 to F11"),
        (["a", "b", "F2"], "a, b, F2"),
    ],
)
def test_numbers_that_follow_one_another_are_told_by_the_first_and_the_last(numbers, text):
    assert first_steps.spans(numbers) == text
