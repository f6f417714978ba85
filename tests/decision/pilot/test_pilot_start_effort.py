"""What the start of a pilot takes, by when that can be done, and what follows for due days."""

from datetime import date
from math import ceil, isnan

import pandas as pd
import pytest

from decision.registered import REGISTER, finding
from ragassay.analysis.checks import TO_CLEAR
from ragassay.decision import rating, recommendation
from ragassay.decision.closing.finding_phases import places
from ragassay.decision.monitoring.monitoring import Promise
from ragassay.decision.pilot import pilot_start_day, pilot_start_effort
from ragassay.decision.pilot.pilot_control_tests import cases_tested, staff_test, table
from ragassay.decision.pilot.pilot_staff_reading_test import Rated, Reading
from ragassay.decision.pilot.pilot_start_effort import COLUMNS, RATERS, TOTAL

READING = Reading(Rated(214, 113, 60, 264), is_key_independent=False)
OLD = finding(10, "check:access|superseded documents: ordinary answers|superseded_cited_rate", "Medium")
ROWS = pd.concat([REGISTER, pd.DataFrame([OLD])], ignore_index=True)
PLACES = places(ROWS)
OPEN = [row for row in ROWS.to_dict("records") if row["finding_id"] in PLACES]


def made(reading=READING, rows=OPEN, promise=None, today="2026-11-01", **more):
    given = {"pilot_weeks": 8, "documents": 47} | more
    return pilot_start_effort.start_effort(rows, PLACES, reading, promise or Promise(), today=today, **given)


EFFORT = made()
ROWS_OF = {each.what: each for each in EFFORT.work}


def test_questions_ratings_and_readings_by_hand():
    """Formerly hours of ratings and readings alone, and no total."""
    shown = READING.plans[0].shown
    more = ceil(max((shown - 113) * 214 / 113, (shown - 101) * 214 / 101))
    assert ROWS_OF["new questions written"].first == ceil(more * 264 / 214)
    [rated] = [each for each in EFFORT.work if each.what.startswith("answers rated")]
    assert rated.first == RATERS * (more + 214) and rated.second == RATERS * ceil(shown * 214 / 101)
    assert ROWS_OF["answers read in the test of reading"][2:] == (2 * shown, 2 * shown)
    assert f"{more:,} more are needed; the 214 at hand are rated anew" in pilot_start_effort.note(EFFORT)


def test_cases_of_controls_count_with_those_beside_them():
    """Formerly 3 x 710 cases and as many unmarked ones took no hours."""
    plan, many = staff_test(len(cases_tested(OPEN, PLACES))), len(cases_tested(OPEN, PLACES))
    assert many and ROWS_OF["the same cases, drawn and judged"].first == 2 * plan.cases * many
    by_machine = (table(OPEN, PLACES)["cases"] == str(TO_CLEAR)).sum()
    assert ROWS_OF["cases sent through a machine"].first == by_machine * TO_CLEAR > 0
    assert ROWS_OF["documents searched"].first == 47


def test_the_total_is_that_of_its_rows():
    shown = EFFORT.table()
    assert list(shown) == COLUMNS and shown["work"].iloc[-1] == TOTAL
    hours = shown["hours"].str.replace(",", "").astype(float)
    assert hours.iloc[-1] == pytest.approx(hours.iloc[:-1].sum(), abs=len(hours))
    assert EFFORT.hours() == pytest.approx(4 / 60 * sum(each.first for each in EFFORT.work))
    assert made(promise=Promise(minutes=8.0)).hours() == 2 * EFFORT.hours()


def test_work_that_takes_longer_than_the_first_due_day_needs_a_later_day():
    """Formerly the pilot started by the first due day, whatever the start took."""
    weeks = ceil(EFFORT.hours() / (1000 * 4 / 60))
    assert (date.fromisoformat(EFFORT.ready()) - date(2026, 11, 1)).days == 7 * weeks
    assert EFFORT.due == "2026-12-01" < EFFORT.ready() and not EFFORT.is_in_time
    told = pilot_start_day.in_words(EFFORT, "Audit")
    assert f"{EFFORT.hours():,.0f} hours" in told and "after that day" in told and "Audit checks" in told
    assert "Before 2026-12-01 passes the approver may set" in told and "recommendation is void" in told
    assert f"{EFFORT.ends_by} at the latest, for a start by {EFFORT.ready(2)}" in told
    short = pilot_start_day.in_short(EFFORT)
    assert EFFORT.ready() in short and "unless the approver sets a later due day" in short


def test_work_that_is_done_in_time_starts_by_the_first_due_day():
    soon = made(promise=Promise(answers_a_week=100_000))
    assert soon.is_in_time and soon.starts_by == "2026-12-01" and soon.ends_by == "2027-01-26"
    assert pilot_start_day.in_short(soon).startswith(", by 2026-12-01: about ")
    assert ": in time;" in pilot_start_day.in_words(soon, "Audit")


def test_where_no_day_or_no_share_is_known_none_is_told():
    dayless = made(rows=[{**row, "due": ""} for row in OPEN])
    assert dayless.starts_by == dayless.ends_by == "" and "about" in pilot_start_day.in_short(dayless)
    assert "first is due" not in pilot_start_day.in_words(dayless, "Audit")
    one_kind = made(Reading(Rated(60, 0, 0), 0.04, 0.02))
    assert one_kind.reading.plans and isnan(one_kind.hours()) and one_kind.ready() == ""
    assert "not known" in pilot_start_day.in_words(one_kind, "Audit") and not pilot_start_day.in_short(
        one_kind
    )
    assert one_kind.table()["hours"].iloc[-1] == "not known"
    assert made(Reading(Rated()), rows=[]).table()["hours"].tolist() == ["0"]


def test_the_recommendation_says_what_the_start_takes():
    said = recommendation.SENTENCES[recommendation.PILOT].format(start=pilot_start_day.in_short(EFFORT))
    assert "start conditions are met: about" in said and len(said) < 400, "the cover cuts no word"
    assert rating.FIT not in said
