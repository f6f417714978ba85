"""What became of findings from run to run: by their subject, and by what the register of B says."""

import pandas as pd
import pytest

from diff.runs import finding, findings, make_run
from ragassay.diff import run_facts
from ragassay.diff.paired_cases import open_side


@pytest.fixture
def compare(tmp_path):
    def comparing(a, b):
        one, other = (make_run(tmp_path / x, findings=findings(*rows)) for x, rows in (("a", a), ("b", b)))
        found = run_facts.compare_findings(open_side(one), open_side(other))
        return list(zip(found["life"], found["finding_a"], found["finding_b"], strict=True))

    return comparing


def test_raised_in_both_is_carried_over_whatever_its_number(compare):
    found = compare([finding(1)], [finding(7, severity="Low", carried_from="a F1")])
    assert found == [("carried over", "F1", "F7")]


@pytest.mark.parametrize("status", ["retested", "closed", "withdrawn"])
def test_the_register_of_b_decides_where_it_speaks_of_the_finding(compare, status):
    assert compare([finding(1)], [finding(4, status=status)]) == [(status, "F1", "F4")]


def test_what_b_settled_and_a_never_raised_is_not_shown(compare):
    assert compare([], [finding(4, status="closed")]) == []


def test_new_findings_come_first_and_silence_is_no_retest(compare):
    found = compare(
        [finding(9, name="recall"), finding(3, name="gone")], [finding(1), finding(2, name="recall")]
    )
    assert found == [("new", "", "F1"), ("carried over", "F9", "F2"), ("not raised again", "F3", "")]


def test_what_was_closed_in_a_is_not_shown(compare):
    assert compare([finding(1, status="closed")], []) == []


def test_a_register_without_these_columns_is_a_gap(tmp_path):
    old = pd.DataFrame([{"finding_id": "F1", "source": "gate:support"}])
    sides = [open_side(make_run(tmp_path / x, findings=old)) for x in ("A", "B")]
    assert run_facts.compare_findings(*sides).empty and "findings" in sides[0].gaps[0]
