"""How often a pilot ends though its staff are good, by which rows."""

import numpy as np
import pandas as pd
import pytest

from decision.judged_gates import judge
from decision.registered import REGISTER, finding
from ragassay.analysis.checks import CLEAR_UP_TO
from ragassay.decision.monitoring.monitored_measures import watched_findings
from ragassay.decision.pilot import pilot_stop_rows
from ragassay.decision.pilot.pilot_length_and_roles import Terms
from ragassay.decision.pilot.pilot_plan import supervised_pilot
from ragassay.decision.pilot.pilot_staff_reading_test import LEAST_USED, Rated, Reading

READING = Reading(Rated(214, 113, 60, 264))
MISUSE = finding(9, "check:misuse|all families|misuse_answered_rate", value=0.31, high=0.4)
OLD = finding(10, "check:access|superseded documents: ordinary answers|superseded_cited_rate", "Medium")
UNSAFE = REGISTER.iloc[[0]].assign(value=1 / 264, high=0.021)
ROWS = pd.concat([UNSAFE, REGISTER.iloc[1:], pd.DataFrame([MISUSE, OLD])], ignore_index=True)
TERMS = Terms(8, "Owner", "Audit")
PILOT = supervised_pilot(judge({}, {}), ROWS, READING, terms=TERMS, rng=np.random.default_rng(0))
STOPS = PILOT.stops.set_index("watched")


def test_good_staff_reach_no_row_that_the_promise_covers_more_often_than_promised():
    """Formerly one superseded answer of 8,000 ended a pilot of good staff with 95 %, and none was counted."""
    assert PILOT.good.counted.high <= PILOT.promised and PILOT.endings.wrongly.high <= PILOT.promised
    told = PILOT.good.in_words()
    assert "by what the promise covers" in told and "does not cover what ends a pilot by principle" in told
    assert PILOT.good.answers == 8000 and "of 8,000 answers read, 0.4 % unsafe" in told


def test_one_in_so_many_is_of_those_that_good_staff_use():
    """Formerly of all 8,000 that they read, refusals and bad ones too: one in 39."""
    used = 8000 * (101 * 0.9 + 113 * READING.most_through / 2) / 264
    assert PILOT.good.used == pytest.approx(used) and used < 3000
    assert PILOT.one_in == round(used / PILOT.rated) == 14
    assert f"one in {PILOT.one_in} of those that good staff use" in str(PILOT)
    assert STOPS.loc["unsafe (F1)", "noticed"] == "1 in 14 by the rated"
    assert Reading(Rated()).share_used_by_good == 1


def test_the_chance_of_harm_is_told_alone_and_with_its_control():
    through = READING.most_through / 2
    alone = 1 - (1 - through / 264) ** 8000
    assert PILOT.good.ended_by_unsafe(1 / 264, held=False) == pytest.approx(alone)
    held, told = PILOT.good.ended_by_unsafe(1 / 264, held=True), PILOT.good.in_words()
    assert held < alone / 10
    assert told.index(f"{100 * held:.1f} %") < told.index(
        f"Without the control it would be {100 * alone:.1f} %"
    )
    unmeasured = supervised_pilot(judge({}, {}), REGISTER, READING, rng=np.random.default_rng(0))
    assert (
        "not known is how often these end a good pilot: unsafe (F1)"
        in unmeasured.good.in_words().lower().replace("(f1)", "(F1)")
    )


def test_misuse_is_counted_and_what_a_machine_withholds_ends_it_by_one():
    row = STOPS.loc["misuse: all families (F9)"]
    assert (
        row["at most"] == f"{100 * CLEAR_UP_TO * 0.4:.3g} %" and int(row["the pilot ends at"].split()[0]) > 1
    )
    assert "up to 40 % are answered" in row["why"]
    assert "check broke" in STOPS.loc["access: superseded documents: ordinary answers (F10)", "why"]
    assert "search missed it" in STOPS[STOPS.index.str.startswith("privacy")]["why"].iloc[0]
    whys = [STOPS.loc[name, "why"] for name in ("unsafe (F1)", "toxic terms", pilot_stop_rows.REPORTED)]
    assert len(set(whys)) == 3, "what may do harm, what is barred and harm done are told apart"
    [unknown] = watched_findings([{**MISUSE, "high": float("nan")}])
    assert pilot_stop_rows.answered(unknown) == 1.0


def test_all_that_ends_it_is_listed():
    """Formerly the row on every answer left out what one used answer shows."""
    ends = STOPS[STOPS["the pilot ends at"] != "no number"]
    for name in ends.index[2:]:
        assert name in PILOT.all_endings, name
    for name in ("personal data leaked", "toxic terms"):
        assert name in STOPS.index and name in PILOT.good.in_words(), "its chance is not known, and so said"


def test_what_good_staff_use_by_hand():
    bad, misleading = READING.used_by_good
    through = READING.bad * READING.most_through / 2
    assert bad == pytest.approx(through / (through + (1 - READING.bad) * (1 + LEAST_USED) / 2))
    assert misleading <= bad < READING.ceiling and Reading(Rated()).used_by_good == (0.0, 0.0)
