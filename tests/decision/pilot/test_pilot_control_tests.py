"""How controls are shown before a pilot: so that one that works passes, and one that does not seldom does."""

import pandas as pd
import pytest
from scipy.stats import binom

from decision.registered import REGISTER, finding
from ragassay.analysis.checks import CLEAR_UP_TO, TO_CLEAR
from ragassay.decision.closing.finding_phases import places
from ragassay.decision.findings.behaviours import behaviours
from ragassay.decision.pilot import pilot_control_tests, pilot_document_marks, pilot_entry_conditions
from ragassay.decision.pilot.pilot_control_tests import SEEDED, WORKS, staff_test
from ragassay.decision.pilot.pilot_staff_reading_test import Rated, Reading
from ragassay.defaults import POWER
from ragassay.stats import clopper_pearson

READING = Reading(Rated(214, 113, 60, 264))
MISUSE = finding(9, "check:misuse|all families|misuse_answered_rate")
DECLINE = finding(10, "errors:should have declined", "Critical")
OLD = finding(11, "check:access|superseded documents: ordinary answers|superseded_cited_rate", "Medium")
ROWS = pd.concat([REGISTER, pd.DataFrame([MISUSE, DECLINE, OLD])], ignore_index=True)
PLACES = places(ROWS)
OPEN = [row for row in ROWS.to_dict("records") if row["finding_id"] in PLACES]
DOCUMENTS = pd.DataFrame({"status": ["current", "current", None], "audience": ["staff", None, None]})
TABLE = pilot_control_tests.table(OPEN, PLACES).set_index("finding")


@pytest.mark.parametrize("many", [0, 1, 2, 3, 8])
def test_a_control_that_works_passes_all_tests_together_and_one_beyond_seldom(many):
    """Formerly 72 without a failure, which staff who let 1.4 % through pass with 36 %, seven with 0.1 %."""
    found = staff_test(many)
    passed = binom.cdf(found.may_fail, found.cases, WORKS)
    assert found.passed == pytest.approx(passed, abs=1e-4) and 1 - max(many, 1) * (1 - passed) >= POWER
    assert clopper_pearson(found.may_fail, found.cases).high <= CLEAR_UP_TO
    assert binom.cdf(found.may_fail, found.cases, CLEAR_UP_TO) <= 0.025
    assert binom.cdf(0, TO_CLEAR, 0.014) < 0.4


def test_staff_who_put_nothing_to_the_assistant_do_not_pass():
    """Formerly they passed every control with no failure at all."""
    found = staff_test(3)
    assert clopper_pearson(found.cases - found.may_leave, found.cases).low >= 0.8
    assert clopper_pearson(found.cases - found.may_leave - 1, found.cases).low < 0.8
    told = pilot_control_tests.note(OPEN, PLACES, READING, DOCUMENTS)
    plan = staff_test(2)
    assert f"at most {plan.may_leave} of {plan.cases} are not" in told


def test_a_search_has_to_find_every_seeded_document():
    """Formerly a search that looks at nothing found nothing, and passed."""
    assert 0.95**SEEDED <= 0.05 < 0.95 ** (SEEDED - 1)
    assert TABLE.loc["F3", "one that works passes"] == "finds all seeded"


def test_staff_whose_search_misses_the_passage_fail_the_control_of_refusals():
    fails = behaviours()["errors:needless refusal"]["fails"]
    assert "misses the passage that answers" in fails


def test_what_a_machine_compares_with_unmarked_documents_is_said():
    """Formerly documents without a mark counted as open to all, and the controls did not say so."""
    told = pilot_control_tests.note(OPEN, PLACES, READING, DOCUMENTS)
    assert "2 of 3 lack one mark or both" in told and "condition before any use" in told
    assert "lack" not in pilot_control_tests.note(OPEN, PLACES, READING, DOCUMENTS.head(1))
    others = [row for row in OPEN if not pilot_document_marks.rests_on_marks([row])]
    assert 0 < len(others) < len(OPEN)
    assert "lack" not in pilot_control_tests.note(others, PLACES, READING, DOCUMENTS)
    assert pilot_document_marks.unmarked(pd.DataFrame({"doc_id": ["a", "b"]})) == 2


def test_what_reading_holds_has_no_second_count():
    held = pilot_entry_conditions.holding_condition(DECLINE, PLACES["F10"])
    assert held.startswith("Closed, or held by the test of reading alone: ") and "cases" not in held
    assert TABLE.loc["F10", "cases"] == pilot_control_tests.ALONE and not TABLE.loc["F10", "may fail"]


def test_every_test_says_what_a_case_is_when_it_fails_and_how_many():
    plan = staff_test(2)
    assert pilot_control_tests.cases_tested(OPEN, PLACES) == [
        behaviours()[of]["case"] + behaviours()[of]["fails"]
        for of in ("errors:unsafe", "misuse_answered_rate")
    ]
    assert (TABLE[["a case", "it fails if", "cases"]] != "").all(axis=None)
    assert TABLE.loc["F9", "cases"] == str(plan.cases) and TABLE.loc["F9", "may fail"] == str(plan.may_fail)
    assert TABLE.loc["F11", "cases"] == str(TO_CLEAR) and TABLE.loc["F11", "may fail"] == "none"
    assert TABLE.loc["F3", "cases"] == f"all, {SEEDED} seeded"
    assert "F5" not in TABLE.index, "in a pilot only"


def test_the_note_tells_the_attempts_and_that_good_staff_meet_all_of_it():
    told = pilot_control_tests.note(OPEN, PLACES, READING, DOCUMENTS)
    assert (
        "a second and last one on new ones" in told
        and "the examiner draws and judges both" in told
        and "2 here" in told
    )
    once, twice = (pilot_control_tests.all_met(2, READING, each) for each in (1, 2))
    assert 2 * POWER - 1 <= once < twice and twice >= 0.9
    assert f"{100 * twice:.0f} % within both" in told
    assert "2 here" not in pilot_control_tests.note([], {}, Reading(Rated()), DOCUMENTS)
