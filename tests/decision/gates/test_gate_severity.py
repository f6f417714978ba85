"""A finding is so grave by its own measurement only if its own cases alone would fail a gate."""

from math import nan

import pytest

from decision.drafts import draft
from ragassay.decision.gates.gate_severity import severity_alone

FAILING = [f"c{number}" for number in range(138)]


def gate(severity: str = "Critical", tolerated: float = 0.4, critical: bool = True, **change) -> dict:
    met = {"tolerated": tolerated, "share": 138 / 264, "n": 264, "critical": critical, "failing": FAILING}
    return draft("gate:judged_complete|own", severity, tuple(FAILING), thresholds=[{**met, **change}])


@pytest.mark.parametrize(
    ("own", "found"),
    [(53, "Low"), (89, "Low"), (90, "High"), (105, "High"), (106, "Critical"), (138, "Critical")],
)
def test_its_own_cases_alone_decide(own, found):
    assert severity_alone([gate()], set(FAILING[:own])) == found


def test_a_gate_that_is_not_critical_makes_nothing_critical():
    assert severity_alone([gate("High", critical=False)], set(FAILING[:120])) == "High"
    assert severity_alone([gate("Medium")], set(FAILING)) == "Medium"


def test_just_what_is_tolerated_fails_nothing_by_its_value():
    met = gate(tolerated=1 - 0.8, share=0.5, n=100, failing=FAILING[:50])
    assert severity_alone([met], set(FAILING[:20])) == "High"
    assert severity_alone([met], set(FAILING[:21])) == "Critical"


def test_cases_that_fail_in_part_count_by_the_part_that_misses():
    met = gate(share=69 / 264)
    assert severity_alone([gate("Critical", 0.2, share=69 / 264)], set(FAILING[:60])) == "Low"
    assert severity_alone([met], set(FAILING)) == "Critical"


def test_where_the_share_is_not_known_only_what_holds_every_case_is_so_grave():
    met = gate(share=nan)
    assert severity_alone([met], set(FAILING)) == "Critical"
    assert severity_alone([met], set(FAILING[:137])) == "Low"
    assert severity_alone([], set(FAILING)) == "Low"
