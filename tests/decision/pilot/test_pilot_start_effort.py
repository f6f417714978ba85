"""What the start of a pilot takes, by when that can be done, and what follows for due days."""

from datetime import date
from math import ceil, isnan, nan

import numpy as np
import pandas as pd
import pytest

from decision.registered import REGISTER, finding
from ragassay.analysis.checks import TO_CLEAR
from ragassay.decision import rating, recommendation
from ragassay.decision.closing.finding_phases import places
from ragassay.decision.monitoring.monitoring import Promise
from ragassay.decision.pilot import pilot_preparation, pilot_start_day, pilot_start_effort
from ragassay.decision.pilot.pilot_control_tests import SEEDED, cases_tested, staff_test, table
from ragassay.decision.pilot.pilot_length_and_roles import Terms
from ragassay.decision.pilot.pilot_new_questions import NewQuestions, chance_of_enough, new_questions
from ragassay.decision.pilot.pilot_staff_reading_test import Rated, Reading
from ragassay.decision.pilot.pilot_start_effort import COLUMNS, TOTAL, WHOLE
from ragassay.decision.pilot.pilot_work import EXAMINER, RATERS

READING = Reading(Rated(214, 113, 60, 264), is_key_independent=False)
OLD = finding(10, "check:access|superseded documents: ordinary answers|superseded_cited_rate", "Medium")
ROWS = pd.concat([REGISTER, pd.DataFrame([OLD])], ignore_index=True)
PLACES = places(ROWS)
OPEN = [row for row in ROWS.to_dict("records") if row["finding_id"] in PLACES]


def made(reading=READING, rows=OPEN, promise=None, today="2026-11-01", **more):
    given = {"pilot_weeks": 8, "documents": 47, "rated": 205} | more
    return pilot_start_effort.start_effort(rows, PLACES, reading, promise or Promise(), today=today, **given)


EFFORT = made()
NOTE = pilot_start_effort.note(EFFORT)
ROWS_OF = {each.what: each for each in EFFORT.work}


def test_questions_are_enough_in_four_of_five_draws():
    """Formerly so many as give enough on average: rejected and accepted ones together with 52 %."""
    shown, new = READING.plans[0].shown, EFFORT.questions
    lacking = READING.rated, shown - 113, shown - 101
    assert chance_of_enough(new.of_answers, *lacking) >= 0.8 > chance_of_enough(new.of_answers - 1, *lacking)
    drawn = np.random.default_rng(0).multinomial(new.of_answers, [113 / 264, 101 / 264, 50 / 264], 20_000)
    enough = ((drawn[:, 0] >= shown - 113) & (drawn[:, 1] >= shown - 101)).mean()
    assert enough == pytest.approx(chance_of_enough(new.of_answers, *lacking), abs=0.01)
    rare = new_questions(Rated(3000, 3, 0), 2000, 2000, 0)
    assert rare.of_answers > 2_000_000, "found by no search that ends before"
    assert chance_of_enough(rare.of_answers, Rated(3000, 3, 0), 2000, 2000) >= 0.8
    assert f"{new.of_answers:,} new questions give what is missing with 80 %" in pilot_start_effort.note(
        EFFORT
    )


def test_ratings_readings_and_writing_have_their_own_minutes():
    """Formerly a new question was written in the four minutes that take to read one."""
    shown, new = READING.plans[0].shown, EFFORT.questions
    [rated] = [each for each in EFFORT.work if each.what.startswith("ratings (")]
    assert rated.first == RATERS * (new.asserting + 214) and "the 214 at hand are rated anew" in NOTE
    assert f"({RATERS} of each of {new.asserting + 214:,} answers)" in rated.what
    assert ROWS_OF["answers read in the test of reading"][2:] == (2 * shown, 2 * shown, 4)
    [written] = [each for each in EFFORT.work if each.who == EXAMINER and each.minutes > 4]
    assert written.first == new.all + SEEDED and written.hours() == written.first / 4
    assert "15 to write is assumed" in NOTE and "Not counted: closing findings" in NOTE
    slow = made(minutes_to_write=30.0)
    assert slow.hours() == pytest.approx(EFFORT.hours() + written.hours())


def test_the_small_trial_is_paid_for_and_what_is_not_counted_is_named():
    """Formerly the trial's hours stood in a sentence alone, and the weekly search nowhere."""
    [trial] = [each for each in EFFORT.work if "small trial" in each.what]
    assert (trial.first, trial.second, trial.hours(2)) == (214, 0, 214 * 4 / 60)
    assert trial.hours() < EFFORT.hours() and "searching kept answers each week" in NOTE
    assert pilot_start_day.NOT_COUNTED in pilot_start_day.in_short(EFFORT)
    few = made(Reading(Rated(214, 2, 1, 264), is_key_independent=False))
    assert not any("small trial" in each.what for each in few.work), "it could show nothing"


def test_refusals_that_the_new_questions_do_not_give_are_written_too():
    """Formerly the control of refusals took cases that nobody made."""
    rated = Rated(214, 113, 60, 264)
    none, some = new_questions(rated, 800, 800, 0), new_questions(rated, 800, 800, 1000)
    assert none.refused == 0 < some.refused < 1000 and none.of_answers == some.of_answers
    assert some.refused == pytest.approx(1000 - some.of_answers * 50 / 264, abs=20)
    assert new_questions(rated, 0, -5, 30) == NewQuestions(0, 0, 30)
    assert isnan(new_questions(Rated(60, 0, 0), 5, 5, 0).all) and isnan(NewQuestions(nan, nan, nan).all)
    refused = finding(12, "errors:needless refusal", "Critical")
    rows = pd.concat([ROWS, pd.DataFrame([refused])], ignore_index=True)
    open_ones, where = rows.to_dict("records"), places(rows)
    effort = pilot_start_effort.start_effort(
        open_ones, where, READING, Promise(), pilot_weeks=8, documents=47, today=""
    )
    assert (
        effort.questions.refused > 0
        and "more are shown to staff as if refused" in pilot_start_effort.note(effort)
    )


def test_cases_of_controls_count_with_those_beside_them():
    """Formerly 3 x 710 cases and as many unmarked ones took no hours."""
    plan, many = staff_test(len(cases_tested(OPEN, PLACES))), len(cases_tested(OPEN, PLACES))
    assert many and ROWS_OF["the same cases, drawn and judged"].first == 2 * plan.cases * many
    by_machine = (table(OPEN, PLACES)["cases"] == str(TO_CLEAR)).sum()
    searched = 47 + SEEDED
    told = ROWS_OF["cases through machines, documents searched"]
    assert by_machine and told.first == by_machine * TO_CLEAR + searched


def test_the_totals_are_those_of_their_rows():
    """Formerly the pilot's own hours stood nowhere."""
    shown = EFFORT.table()
    assert list(shown) == COLUMNS and shown["work"].iloc[-1] == WHOLE
    hours = shown.set_index("work")["hours"].str.replace(",", "").astype(float)
    before = hours.iloc[: hours.index.get_loc(TOTAL)]
    assert hours[TOTAL] == pytest.approx(before.sum(), abs=len(before))
    assert hours["answers read in the pilot"] == pytest.approx(8 * 1000 * 4 / 60, abs=1)
    assert EFFORT.whole == pytest.approx(EFFORT.hours() + (8 * 1000 + 205) * 4 / 60)
    assert hours[WHOLE] == pytest.approx(EFFORT.whole, abs=1)


def test_work_that_takes_longer_than_the_first_due_day_needs_a_later_day():
    """Formerly the pilot started by the first due day, whatever the start took."""
    weeks = ceil(EFFORT.hours() / (1000 * 4 / 60))
    assert (date.fromisoformat(EFFORT.ready()) - date(2026, 11, 1)).days == 7 * weeks
    assert EFFORT.due == "2026-12-01" < EFFORT.ready() and not EFFORT.is_in_time
    told = pilot_start_day.in_words(EFFORT, "Audit")
    assert f"{EFFORT.hours():,.0f} hours" in told and "after that day" in told and "no signed report" in told
    assert "Audit checks" not in told, "no original due day falls into the pilot"
    assert "Before 2026-12-01 passes the approver may set" in told and "recommendation is void" in told
    assert f"{EFFORT.ends_by} at the latest, for a start by {EFFORT.ready(2)}" in told
    short = pilot_start_day.in_short(EFFORT)
    assert "hours to the pilot's end" in short and "a second attempt adds" in short
    assert EFFORT.ready() in short and "unless the approver sets a later due day" in short


def test_work_that_is_done_in_time_starts_by_the_first_due_day():
    soon = made(promise=Promise(answers_a_week=100_000))
    assert soon.is_in_time and soon.starts_by == "2026-12-01" and soon.ends_by == "2027-01-26"
    assert pilot_start_day.in_short(soon).startswith(", by 2026-12-01: about ")
    told = pilot_start_day.in_words(soon, "Audit")
    assert ": in time;" in told and "Audit checks" in told, "the first due day falls into it"


def test_where_no_day_or_no_share_is_known_none_is_told():
    dayless = made(rows=[{**row, "due": ""} for row in OPEN])
    assert dayless.starts_by == dayless.ends_by == "" and "about" in pilot_start_day.in_short(dayless)
    assert "first is due" not in pilot_start_day.in_words(dayless, "Audit")
    one_kind = made(Reading(Rated(60, 0, 0), 0.04, 0.02))
    assert one_kind.reading.plans and isnan(one_kind.hours()) and one_kind.ready() == ""
    assert "not known" in pilot_start_day.in_words(one_kind, "Audit") and not pilot_start_day.in_short(
        one_kind
    )
    assert one_kind.table()["hours"].iloc[-1] == "not known" and "not known" in pilot_start_effort.note(
        one_kind
    )
    nothing = made(Reading(Rated()), rows=[]).table().set_index("work")["hours"]
    assert nothing[TOTAL] == "0" and nothing[WHOLE] == "547"


def test_the_recommendation_says_what_the_start_takes():
    said = recommendation.SENTENCES[recommendation.PILOT].format(start=pilot_start_day.in_short(EFFORT))
    assert "start conditions are met: about" in said and len(said) < 400, "the cover cuts no word"
    assert rating.FIT not in said


def test_the_approver_and_the_trial_come_before_anything_is_prepared():
    """Formerly who confirms, the later day and the trial were told in three places, and in no order."""
    named = Terms(8, "Owner", "somebody else", why="By the record the validator is not independent")
    told = {row[1]: row[3] for row in pilot_preparation.steps(EFFORT, READING, named, 4.0)}
    assert list(told) == [pilot_preparation.APPROVER, pilot_preparation.TRIAL, pilot_preparation.THEN]
    assert told[pilot_preparation.APPROVER] == (
        "names who confirms, rates and counts, and another as examiner, and two raters who judge independently."
    )
    assert told[pilot_preparation.THEN] == (
        f"sets a later due day in writing, before {EFFORT.due} passes: where none is set, no pilot starts."
    )
    assert told[pilot_preparation.TRIAL].startswith(
        f"{214 * 4 / 60:.0f} hours of reading, before anything else"
    )
    judged = Reading(Rated(214, 113, 60, 264), is_key_independent=True)
    told = {row[1]: row[3] for row in pilot_preparation.steps(EFFORT, judged, named, 4.0)}
    assert "raters" not in told[pilot_preparation.APPROVER]


def test_of_a_pilot_in_time_with_an_independent_validator_nothing_is_asked_before_all():
    dayless = pilot_start_effort.StartEffort(READING)
    no_plan = Reading(Rated(20, 0, 0, 20))
    assert pilot_preparation.steps(dayless, no_plan, Terms(8, "Owner", "MV"), 4.0) == []
