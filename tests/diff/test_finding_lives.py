"""What became of findings from run to run: nothing is retested by silence, nothing closes without a person."""

import json

import pandas as pd
import pytest

from diff.runs import finding, findings, gates, make_run
from ragassay.diff import finding_lives as lives
from ragassay.diff.runs import open_side

MET = gates("pass", low=0.75, decides=True)
LABELS = pd.DataFrame({"case_id": ["c0"], "rater": ["ann"]})


@pytest.fixture
def compare(tmp_path):
    def comparing(a, b, tables_b=None, raters=None):
        one = make_run(tmp_path / "a", findings=findings(*a))
        other = make_run(tmp_path / "b", findings=findings(*b), **(tables_b or {}))
        (other / "raters.json").write_text(json.dumps(raters or {"independent": "yes"}))
        found = lives.compare_findings(open_side(one, "A"), open_side(other, "B"))
        return list(zip(found["life"], found["finding_a"], found["finding_b"], strict=True))

    return comparing


def test_raised_in_both_is_carried_over_whatever_its_number(compare):
    found = compare([finding(1)], [finding(7, severity="Low", carried_from="a F1")])
    assert found == [("carried over", "F1", "F7")]


def test_another_subject_is_another_finding(compare):
    found = compare([finding(1)], [finding(1, subject="declining")])
    assert [life for life, *_ in found] == ["new", "not retested"]


@pytest.mark.parametrize("status", ["retested", "closed", "withdrawn"])
def test_the_register_of_b_decides_where_it_speaks_of_the_finding(compare, status):
    assert compare([finding(1)], [finding(4, status=status)]) == [(status, "F1", "F4")]


def test_what_was_closed_in_a_is_not_shown_and_not_new_where_it_stays_closed(compare):
    assert compare([finding(1, status="closed")], []) == []


@pytest.mark.parametrize(
    ("table", "life"),
    [
        (MET, "retested"),  # and not closed: that is for a person
        (None, "not retested"),
        (gates("pass", gate="other", decides=True), "not retested"),
        (gates("pass", low=0.6, decides=True), "not retested"),  # the gate of B asks less than that of A
        (pd.concat([MET, gates("fail", low=0.75, decides=True)]), "not retested"),
    ],
)
def test_a_gate_is_retested_where_it_passes_by_what_a_asked(compare, table, life):
    assert compare([finding(1)], [], tables_b={"gates": table}) == [(life, "F1", "")]


@pytest.mark.parametrize(("outcome", "life"), [("clear", "retested"), ("undecided", "not retested")])
def test_a_check_counts_as_retested_only_where_it_is_clear(compare, outcome, life):
    row = {"check": "privacy", "aspect": "all", "outcome": outcome, "n": 30}
    raised = finding(1, "check", "privacy", aspect="all")
    assert compare([raised], [], tables_b={"checks": pd.DataFrame([row])}) == [(life, "F1", "")]


@pytest.mark.parametrize(("hits", "life"), [(0, "retested"), (12, "not retested")])
def test_a_kind_of_error_is_retested_by_its_upper_bound(compare, hits, life):
    """0 of 40 are at most 9 %."""
    table = pd.DataFrame({"case_id": [f"c{i}" for i in range(40)], "category": "good", "judged_by": "rater"})
    table.loc[: hits - 1, "category"] = "misleading"
    cases = pd.DataFrame({"case_id": table["case_id"], "question": table["case_id"], "answerable": True})
    raised = finding(1, "error", "misleading", threshold=0.1, bound="high")
    assert compare([raised], [], tables_b={"taxonomy": table, "cases": cases}) == [(life, "F1", "")]


@pytest.mark.parametrize(("stated", "life"), [("yes", "retested"), ("no", "not retested")])
def test_labels_of_raters_who_are_not_independent_close_nothing(compare, stated, life):
    raised = finding(1, metric="judged_grounded")
    found = compare([raised], [], tables_b={"gates": MET, "labels": LABELS}, raters={"independent": stated})
    assert found == [(life, "F1", "")]


def test_new_findings_come_first(compare):
    found = compare([finding(9, name="recall")], [finding(1), finding(2, name="recall")])
    assert found == [("new", "", "F1"), ("carried over", "F9", "F2")]


def test_a_register_without_these_columns_is_a_gap(tmp_path):
    old = pd.DataFrame([{"finding_id": "F1", "source": "gate:support"}])
    sides = [open_side(make_run(tmp_path / x, findings=old), x) for x in ("A", "B")]
    assert lives.compare_findings(*sides).empty and "findings" in sides[0].gaps[0]
