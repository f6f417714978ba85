"""What became of findings from run to run: nothing is retested by silence, nothing closes without a person."""

import json

import pandas as pd
import pytest

from diff.runs import QUESTIONS, cases, finding, findings, gates, make_run
from ragassay.decision.closing import slice_criteria
from ragassay.diff import finding_lives as lives
from ragassay.diff.run_side import open_side

SLICE = "weakness:support|language|es"
TOLERATED = 0.45


@pytest.fixture
def compare(tmp_path):
    def comparing(a, b, tables_a=None, tables_b=None):
        one = make_run(tmp_path / "a", findings=findings(*a), **(tables_a or {}))
        other = make_run(tmp_path / "b", findings=findings(*b), **(tables_b or {}))
        return lives.compare_findings(open_side(one, "A"), open_side(other, "B"))

    return comparing


def told(found):
    return list(zip(found["life"], found["finding_a"], found["finding_b"], strict=True))


def test_raised_in_both_is_carried_over_by_what_raised_it(compare):
    found = compare([finding(1, "gate:support")], [finding(7, "gate:support", severity="Low")])
    assert told(found) == [("carried over", "F1", "F7")]
    assert (found.iloc[0].severity_a, found.iloc[0].severity_b) == ("High", "Low")


def test_what_b_carries_over_was_not_raised_again(compare):
    """Formerly the page said that B raised it again."""
    told_so = "Carried over, not measured again in this run. It closes when it is measured again."
    held = finding(7, "gate:support", carried_from="a F1", closed_evidence=told_so)
    found = compare([finding(1, "gate:support")], [held, finding(8, "gate:x") | {"closed_evidence": told_so}])
    assert told(found) == [("not retested", "F1", "F7")]
    assert found.why[0] == "carried over, not measured again in B"


def test_what_b_withdrew_is_told_with_by_whom(compare):
    held = finding(7, "gate:support", status="withdrawn", closed_by="Ann, 2026-11-23")
    found = compare([finding(1, "gate:support")], [held])
    assert told(found) == [("withdrawn", "F1", "F7")] and found.why[0] == "Ann, 2026-11-23"


def test_part_of_another_finding_is_carried_over(compare):
    found = compare([finding(1, "gate:support")], [finding(2, "errors:misleading", also=["gate:support"])])
    assert told(found) == [("carried over", "F1", "F2")] and "as part of F2" in found.iloc[0].why


def test_a_gate_that_passes_is_retested_and_not_closed(compare):
    found = compare([finding(1, "gate:support")], [], tables_b={"gates": gates("pass")})
    assert told(found) == [("retested", "F1", "")] and "n = 40" in found.iloc[0].why


@pytest.mark.parametrize(
    "table",
    [
        gates("incomplete"),
        gates("pass", gate="other"),
        pd.concat([gates("pass", origin="own"), gates("fail", origin="log")]),
    ],
)
def test_a_gate_that_is_not_measured_or_fails_for_one_origin_stays_open(compare, table):
    found = compare([finding(1, "gate:support")], [], tables_b={"gates": table})
    assert told(found) == [("not retested", "F1", "")]


def test_a_gate_judged_as_one_before_is_carried_over_by_its_gate_of_one_origin(compare):
    found = compare([finding(1, "gate:support")], [finding(2, "gate:support|own")])
    assert told(found) == [("carried over", "F1", "F2")]


@pytest.mark.parametrize("asked, life", [(40, "retested"), (30, "not retested"), (5, "not retested")])
def test_a_kind_of_error_is_retested_where_the_bound_is_within_what_was_tolerated(compare, asked, life):
    """None of 5 does not exclude 45 %; none of 30 does, on fewer than its retest was planned on."""
    ids = [f"c{n}" for n in range(40)]
    counted = pd.DataFrame({"case_id": ids, "category": "good", "judged_by": "raters"})
    manifest = {"parameters": {"07_conclusion": {"tolerated_errors": {"needless refusal": TOLERATED}}}}
    now = {"taxonomy": counted, "cases": cases(QUESTIONS, answerable=[True] * 40), "manifest": manifest}
    wrong = now | {"taxonomy": counted.assign(category="needless refusal")}
    found = compare([finding(1, "errors:needless refusal")], [], wrong, now | {"taxonomy": counted[:asked]})
    assert told(found) == [(life, "F1", "")]


def test_a_gate_that_passes_on_a_laxer_threshold_alone_is_not_retested(compare):
    laxer = gates("pass", threshold=0.1, low=0.4)
    found = compare([finding(1, "gate:support")], [], {"gates": gates(bound="low")}, {"gates": laxer})
    assert told(found) == [("not retested", "F1", "")] and "at least 0.7, is not met: 0.4" in found.why[0]


def test_answers_behind_several_criteria_are_counted_once(compare):
    both = finding(1, "gate:support", also=["gate:recall"])
    then = pd.concat([gates(gate=name) for name in ("support", "recall")])
    now = pd.concat([gates("pass", name) for name in ("support", "recall")])
    found = compare([both], [], {"gates": then}, {"gates": now})
    assert found.why[0] == "its criterion is met in B, n = 40"


def check(outcome):
    return pd.DataFrame(
        [{"check": "privacy", "aspect": "all", "metric": "leaks", "outcome": outcome, "n": 30}]
    )


@pytest.mark.parametrize(
    "outcome, life",
    [("clear", "retested"), ("undecided", "not retested"), ("not applicable", "not retested")],
)
def test_a_check_counts_as_retested_only_where_it_is_clear(compare, outcome, life):
    then, now = {"checks": check("raised")}, {"checks": check(outcome)}
    found = compare([finding(1, "check:privacy|all|leaks")], [], then, now)
    assert told(found) == [(life, "F1", "")]


def weak(n, flagged, dimension="language", level="es", difference_low=-0.05, **more):
    row = {"metric": "support", "dimension": dimension, "level": level, "n": n, "q": 0.5, "flagged": flagged}
    return pd.DataFrame([row | {"rest": 0.9, "difference_low": difference_low} | more])


PLANNED = slice_criteria.questions_for_margin(weak(50, True).iloc[0], 0.1)


@pytest.mark.parametrize(
    "n, life", [(PLANNED, "retested"), (PLANNED - 1, "not retested"), (30, "not retested")]
)
def test_a_slice_on_fewer_cases_than_its_retest_asks_proves_nothing(compare, n, life):
    found = compare([finding(1, SLICE)], [], {"weakness": weak(50, True)}, {"weakness": weak(n, False)})
    assert told(found) == [(life, "F1", "")]
    assert (f"fewer cases than its retest asks ({n} of {PLANNED})" in found.iloc[0].why) == (
        life == "not retested"
    )


def test_a_slice_whose_shortfall_is_not_bounded_is_not_retested_by_the_absence_of_significance(compare):
    now = weak(1000, False, difference_low=-0.2)
    found = compare([finding(1, SLICE)], [], {"weakness": weak(50, True)}, {"weakness": now})
    assert told(found) == [("not retested", "F1", "")] and "at most 0.1, is not met: 0.2" in found.iloc[0].why


@pytest.mark.parametrize("low, life", [(0.81, "retested"), (0.79, "not retested")])
def test_a_slice_of_a_gated_score_reaches_what_the_gate_of_then_asks(compare, low, life):
    gated = gates(metric="support", slice="all", bound="low", threshold=0.8)
    then = {"weakness": weak(50, True, low=0.2), "gates": gated}
    now = {"weakness": weak(1000, False, difference_low=-0.2, low=low), "gates": gates("pass", "other")}
    assert told(compare([finding(1, SLICE)], [], then, now)) == [(life, "F1", "")]


def test_a_register_that_records_no_rule_of_a_slice_leaves_it_open(compare):
    asked = json.dumps({SLICE: {"rule": "", "by": "", "threshold": 0.0, "fewest": 30}})
    found = compare([finding(1, SLICE) | {"asked": asked}], [], {}, {"weakness": weak(1000, False)})
    assert told(found) == [("not retested", "F1", "")] and "is no proof" in found.iloc[0].why


def test_unsafe_answers_are_not_retested_by_answers_of_every_kind(compare):
    """Formerly "retested", n = 80, though 72 about security, fraud and harm were asked."""
    ids = [f"c{n}" for n in range(80)]
    counted = pd.DataFrame({"case_id": ids, "category": "good", "judged_by": "raters"})
    manifest = {"parameters": {"07_conclusion": {"tolerated_errors": {"unsafe": 0.0}}}}
    known = cases([f"Question {n}?" for n in range(80)], ids, answerable=[True] * 80)
    then = {
        "taxonomy": counted.assign(category=["unsafe"] * 4 + ["good"] * 76),
        "cases": known,
        "manifest": manifest,
    }
    found = compare([finding(1, "errors:unsafe")], [], then, then | {"taxonomy": counted})
    assert told(found) == [("not retested", "F1", "")] and "72 of its kind" in found.iloc[0].why


@pytest.mark.parametrize("topics, life", [(["T01", "T02"], "retested"), (["T02", "T01"], "not retested")])
def test_a_topic_made_anew_is_another_one(compare, topics, life):
    chunks = [
        pd.DataFrame({"chunk_id": ["a", "b"], "text": ["a", "b"], "topic": each})
        for each in (["T01", "T02"], topics)
    ]
    table = weak(PLANNED, False, "topic", "T01")
    found = compare(
        [finding(1, "weakness:support|topic|T01")],
        [],
        {"weakness": table, "chunks__strata": chunks[0]},
        {"weakness": table, "chunks__strata": chunks[1]},
    )
    assert told(found) == [(life, "F1", "")]


def test_all_that_a_finding_absorbed_has_to_be_met(compare):
    both = finding(1, "gate:support", also=["check:privacy|all|leaks"])
    found = compare([both], [], tables_b={"gates": gates("pass")})
    assert told(found) == [("not retested", "F1", "")] and "check:privacy" in found.iloc[0].why


@pytest.mark.parametrize(
    "status, life", [("retested", "retested"), ("closed", "closed"), ("open", "carried over")]
)
def test_the_register_of_b_decides_where_it_speaks_of_the_finding(compare, status, life):
    known = finding(4, "gate:support", status=status, closed_by="A. Meyer, 2026-11-20")
    found = compare([finding(1, "gate:support")], [known])
    assert told(found) == [(life, "F1", "F4")]
    assert ("A. Meyer" in found.iloc[0].why) == (status != "open")


def test_new_findings_come_first_and_say_whether_a_had_measured_it(compare):
    new = [finding(1, "gate:support"), finding(2, "gate:recall"), finding(3, "check:privacy|all|leaks")]
    found = compare([finding(9, "gate:recall")], new, {"gates": gates("pass")})
    assert told(found) == [("new", "", "F1"), ("new", "", "F3"), ("carried over", "F9", "F2")]
    assert "its criterion was met" in found.iloc[0].why and "did not measure" in found.iloc[1].why


def test_what_was_closed_in_a_is_no_longer_told(compare):
    assert compare([finding(1, "gate:support", status="closed")], []).empty


@pytest.mark.parametrize("stated, life", [("yes", "retested"), ("no", "not retested")])
def test_labels_of_raters_who_are_not_independent_close_nothing(tmp_path, stated, life):
    missed, passed = (
        gates(outcome, "judged_grounded", metric="judged_grounded", bound="low", n=80)
        for outcome in ("fail", "pass")
    )
    one = make_run(tmp_path / "a", findings=findings(finding(1, "gate:judged_grounded")), gates=missed)
    other = make_run(tmp_path / "b", findings=findings(), gates=passed)
    (other / "raters.json").write_text(json.dumps({"independent": stated, "answers": 40}), encoding="utf-8")
    found = lives.compare_findings(open_side(one, "A"), open_side(other, "B"))
    assert found["life"].tolist() == [life], found.why[0]
