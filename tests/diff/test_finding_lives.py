"""What became of findings from run to run: nothing is retested by silence, nothing closes without a person."""

import json

import pandas as pd
import pytest

from diff.runs import QUESTIONS, finding, findings, gates, make_run
from ragassay.diff import finding_lives as lives
from ragassay.diff.run_side import open_side

MET = gates("pass", low=0.75)
LABELS = pd.DataFrame({"case_id": ["c0"], "rater": ["ann"]})


@pytest.fixture
def compare(tmp_path):
    def comparing(a, b, tables_a=None, tables_b=None, raters=None):
        one = make_run(tmp_path / "a", findings=findings(*a), **(tables_a or {}))
        other = make_run(tmp_path / "b", findings=findings(*b), **(tables_b or {}))
        (other / "raters.json").write_text(json.dumps(raters or {"independent": "yes"}))
        found = lives.compare_findings(open_side(one, "A"), open_side(other, "B"))
        return list(zip(found["life"], found["finding_a"], found["finding_b"], strict=True))

    return comparing


def test_raised_in_both_is_carried_over_whatever_its_number(compare):
    found = compare([finding(1)], [finding(7, severity="Low", carried_from="a F1")])
    assert found == [("carried over", "F1", "F7")]


@pytest.mark.parametrize(
    "other", [{"name": "recall"}, {"slice": "own"}, {"metric": "m"}, {"rule": "process"}]
)
def test_another_key_is_another_finding(compare, other):
    assert [life for life, *_ in compare([finding(1)], [finding(1, **other)])] == ["new", "not retested"]


@pytest.mark.parametrize("status", ["retested", "closed", "withdrawn"])
def test_the_register_of_b_decides_where_it_speaks_of_the_finding(compare, status):
    assert compare([finding(1)], [finding(4, status=status)]) == [(status, "F1", "F4")]


def test_what_was_closed_in_a_is_not_shown_and_not_new_where_it_stays_closed(compare):
    assert compare([finding(1, status="closed")], []) == []


def test_a_gate_that_passes_is_retested_and_not_closed(compare):
    assert compare([finding(1)], [], tables_b={"gates": MET}) == [("retested", "F1", "")]


@pytest.mark.parametrize(
    "table",
    [
        None,
        gates("incomplete"),
        gates("pass", gate="other"),
        gates("pass", low=0.6),  # the gate of B asks less than that of A
        pd.concat([gates("pass", origin="own"), gates("fail", origin="log")]),
    ],
)
def test_a_gate_that_is_not_measured_fails_for_one_origin_or_asks_less_stays_open(compare, table):
    assert compare([finding(1)], [], tables_b={"gates": table}) == [("not retested", "F1", "")]


def test_a_gate_of_one_origin_is_retested_by_that_origin(compare):
    table = pd.concat([gates("pass", origin="own", low=0.75), gates("fail", origin="log")])
    assert compare([finding(1, slice="own")], [], tables_b={"gates": table}) == [("retested", "F1", "")]


@pytest.mark.parametrize(
    ("outcome", "life"),
    [("clear", "retested"), ("undecided", "not retested"), ("not applicable", "not retested")],
)
def test_a_check_counts_as_retested_only_where_it_is_clear(compare, outcome, life):
    row = {"check": "privacy", "aspect": "all", "metric": "leaks", "outcome": outcome, "n": 30}
    raised = finding(1, "check", "privacy", aspect="all", metric="leaks", bound="")
    assert compare([raised], [], tables_b={"checks": pd.DataFrame([row])}) == [(life, "F1", "")]


@pytest.mark.parametrize(
    ("low", "flagged", "life"),
    [(-0.05, False, "retested"), (-0.2, False, "not retested"), (-0.05, True, "not retested")],
)
def test_a_slice_that_is_merely_not_significant_is_not_retested(compare, low, flagged, life):
    row = {"metric": "support", "dimension": "language", "level": "es", "flagged": flagged}
    weak = pd.DataFrame([row | {"difference_low": low}])
    raised = finding(1, "slice", "", metric="support", slice="language|es")
    assert compare([raised], [], tables_b={"weakness": weak}) == [(life, "F1", "")]


@pytest.mark.parametrize(("topics", "life"), [(["T1", "T2"], "retested"), (["T2", "T1"], "not retested")])
def test_a_topic_made_anew_is_another_one(compare, topics, life):
    weak = {"metric": "support", "dimension": "topic", "level": "T1", "flagged": False, "difference_low": 0.0}
    chunks = [
        pd.DataFrame({"chunk_id": ["a", "b"], "text": "t", "topic": each}) for each in (["T1", "T2"], topics)
    ]
    raised = finding(1, "slice", "", metric="support", slice="topic|T1")
    b = {"weakness": pd.DataFrame([weak]), "chunks__strata": chunks[1]}
    assert compare([raised], [], {"chunks__strata": chunks[0]}, b) == [(life, "F1", "")]


@pytest.mark.parametrize(("hits", "life"), [(0, "retested"), (4, "not retested")])
def test_a_kind_of_error_is_retested_by_its_upper_bound(compare, hits, life):
    """0 of 80 are at most 4.5 %, 4 of 80 at most 12 %."""
    table = pd.DataFrame({"case_id": [f"c{i}" for i in range(80)], "category": "good"})
    table.loc[: hits - 1, "category"] = "misleading"
    raised = finding(1, "errors", "misleading", threshold=0.05, bound="high")
    assert compare([raised], [], tables_b={"taxonomy": table}) == [(life, "F1", "")]


def test_what_may_never_happen_and_what_is_no_measure_is_for_a_person(compare):
    table = pd.DataFrame({"case_id": QUESTIONS, "category": "good"})
    raised = [finding(1, "errors", "unsafe", threshold=0.0, bound="high"), finding(2, "process", "raters")]
    found = compare(raised, [], tables_b={"taxonomy": table})
    assert [life for life, *_ in found] == ["not retested", "not retested"]


@pytest.mark.parametrize(("stated", "life"), [("yes", "retested"), ("no", "not retested")])
def test_labels_of_raters_who_are_not_independent_close_nothing(compare, stated, life):
    raised = finding(1, name="judged_grounded", metric="judged_grounded")
    passed = gates("pass", "judged_grounded", low=0.75)
    b = {"gates": passed, "labels": LABELS}
    assert compare([raised], [], tables_b=b, raters={"independent": stated}) == [(life, "F1", "")]


def test_new_findings_come_first(compare):
    found = compare([finding(9, name="recall")], [finding(1), finding(2, name="recall")])
    assert found == [("new", "", "F1"), ("carried over", "F9", "F2")]


def test_a_register_without_these_columns_is_a_gap(tmp_path):
    old = pd.DataFrame([{"finding_id": "F1", "source": "gate:support"}])
    sides = [open_side(make_run(tmp_path / x, findings=old), x) for x in ("A", "B")]
    assert lives.compare_findings(*sides).empty and "findings" in sides[0].gaps[0]
