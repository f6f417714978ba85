"""Where each finding belongs: each in one place, and what one answer ends a pilot for is held at its start."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decision.registered import REGISTER, finding
from ragassay.decision.closing import finding_phases
from ragassay.decision.closing.finding_phases import (
    DUE,
    IN_PILOT,
    PLACES,
    RELEASE,
    START,
    WHEN,
    is_seen_in_one,
    places,
)
from ragassay.decision.findings.presuppositions import ASSUMED
from ragassay.decision.monitoring.monitored_measures import SEEN_IN_ONE
from ragassay.decision.pilot import pilot_stop_rows
from ragassay.decision.pilot.pilot_stop_rows import OWN_COUNT
from ragassay.tables import SEVERITIES

OLD = "check:access|superseded documents: ordinary answers|superseded_cited_rate"


@pytest.mark.parametrize(
    "source, severity, place",
    [
        ("errors:misleading", "Critical", START),
        ("errors:unsafe", "Medium", START),
        ("process:independence", "High", START),
        ("process:independence", "Medium", DUE),
        (OLD, "Medium", START),  # one citation ends the pilot
        (OLD, "Low", DUE),  # nothing watches it
        ("errors:misleading", "High", IN_PILOT),
        ("weakness:retrieval_recall|language|es", "High", IN_PILOT),
        ("gate:retrieval_recall|own", "Medium", RELEASE),
        ("check:perturbation|ocr|abstention_correct", "Medium", DUE),
        ("limit:1", "Low", DUE),
    ],
)
def test_the_first_place_that_holds(source, severity, place):
    assert places(pd.DataFrame([finding(1, source, severity)])) == {"F1": place}


def test_a_finding_that_rests_on_what_the_record_leaves_open_comes_before_release():
    planted = "check:passages changed|misleading passage|follows_misleading_passage"
    rows = pd.DataFrame([finding(1, planted, "Medium", condition=ASSUMED)])
    assert places(rows) == {"F1": RELEASE}


def test_every_open_finding_has_one_place_and_settled_ones_none():
    assert set(places(REGISTER)) == set(REGISTER[REGISTER["status"] == "open"]["finding_id"])
    assert places(None) == {}


def test_without_a_pilot_nothing_stands_before_or_in_one():
    assert set(places(REGISTER, has_pilot=False).values()) <= {RELEASE, DUE}


def test_the_rule_names_places_that_hold_a_finding_alone():
    """Formerly "In a pilot: it is High." though no finding stood there."""
    one = finding_phases.rule({"F1": START, "F2": DUE})
    assert "Before a pilot starts: " in one and "By its due day: " in one and "In a pilot" not in one
    every = finding_phases.rule(dict(enumerate(PLACES)))
    assert all(f"{place.capitalize()}: " in every for place in PLACES)
    assert "it is Critical or High" in finding_phases.rule({"F1": RELEASE}, has_pilot=False)
    assert finding_phases.rule({}) == "No finding is open."


METRICS = st.sampled_from([*SEEN_IN_ONE, "abstention_correct", "false_answer_rate"])


@given(st.lists(st.tuples(METRICS, st.sampled_from(SEVERITIES)), min_size=1, max_size=5))
@settings(max_examples=40, deadline=None)
def test_nothing_that_one_answer_ends_a_pilot_for_begins_without_its_control(drawn):
    rows = [finding(n, f"check:a|b|{metric}", severity) for n, (metric, severity) in enumerate(drawn, 1)]
    place = places(pd.DataFrame(rows))
    assert all(place[row["finding_id"]] == START for row in rows if is_seen_in_one(row))
    ends = [pilot_stop_rows.ending(row) for row in rows if is_seen_in_one(row)]
    assert all(each.startswith("one ") or each == OWN_COUNT for each in ends) and OWN_COUNT in WHEN[START]
    assert set(place.values()) <= set(PLACES)
