"""A finding's life: open, retested, closed; by whom, with evidence; nothing closes by silence."""

from dataclasses import replace

import pandas as pd
import pytest

from ragassay import tables
from ragassay.decision.closing import criteria, slice_criteria
from ragassay.decision.closing import earlier_findings as earlier
from ragassay.decision.closing.criteria import Criterion
from ragassay.errors import InputError, ParameterError


def row(number: int, source: str, **change) -> dict:
    return {
        **dict.fromkeys(("title", "condition", "criterion", "cause", "effect", "recommendation"), "words"),
        **dict.fromkeys(("closed_by", "closed_evidence", "carried_from"), ""),
        **{"finding_id": f"F{number}", "source": source, "also": [], "severity": "High", "status": "open"},
        **{
            "likelihood": "likely",
            "impact": "major",
            "strata": [],
            "case_ids": ["a"],
            "evidence": "t sha256=x",
        },
        **{"n": 5, "value": 0.5, "low": 0.2, "high": 0.8, "owner": "Head", "due": "2026-01-01"},
        **{"opened": "2026-11-01"},
        **change,
    }


def previous(*rows: dict) -> pd.DataFrame:
    return pd.DataFrame(rows).assign(run="bank-2025")


def gate(source: str = "gate:recall", threshold: float = 0.8, low: float = 0.85) -> Criterion:
    return Criterion(source, True, "recall", "low", threshold, n=300, low=low)


def asking(*asked: Criterion) -> str:
    return criteria.criteria_as_json({each.source: each for each in asked}, [each.source for each in asked])


OLD = row(3, "gate:recall", opened="2025-02-01", asked=asking(gate()))


def test_raised_again_keeps_its_first_date_and_names_where_it_comes_from():
    new = row(1, "errors:misleading", also=["gate:recall"])
    (found,) = earlier.carry([new], previous(OLD), set(), {}, "this run")
    assert (found["opened"], found["carried_from"]) == ("2025-02-01", "bank-2025 F3")


def test_not_measured_again_stays_open():
    (found,) = earlier.carry([], previous(OLD), set(), {}, "this run")
    assert found["status"] == "open" and "not measured" in found["closed_evidence"]


def test_retested_waits_for_a_person_and_a_closure_closes_it():
    met = {gate()}
    (found,) = earlier.carry([], previous(OLD), met, {}, "run bank")
    assert found["status"] == "retested" and found["closed_by"] == ""
    (found,) = earlier.carry([], previous(OLD), met, {"F3": "A. Meyer, 2026-11-20"}, "run bank")
    assert (found["status"], found["closed_by"]) == ("closed", "A. Meyer, 2026-11-20")
    assert "run bank" in found["closed_evidence"]


def test_all_that_it_absorbed_has_to_be_met():
    old = {**OLD, "also": ["check:misuse|all|rate"]}
    (found,) = earlier.carry([], previous(old), {gate()}, {}, "run bank")
    assert found["status"] == "open" and "check:misuse|all|rate" in found["closed_evidence"]


def test_a_closure_never_closes_what_is_raised_again_or_was_not_measured():
    again = earlier.carry([row(1, "gate:recall")], previous(OLD), set(), {"F3": "A. Meyer"}, "run")
    silent = earlier.carry([], previous(OLD), set(), {"F3": "A. Meyer"}, "run")
    for (found,) in (again, silent):
        assert found["status"] == "open" and "in spite of “A. Meyer”" in found["closed_evidence"]
    with pytest.raises(ParameterError, match="names no open finding"):
        earlier.carry([], previous(OLD), set(), {"F9": "A. Meyer"}, "run")


def test_the_runs_that_measured_a_finding_again_are_counted_as_candidates():
    """Formerly "at most 2 candidates" was said, and nothing counted them."""
    first = earlier.carry([row(1, "gate:recall")], previous(OLD), set(), {}, "run")
    second = earlier.carry([row(1, "gate:recall")], previous(*first), set(), {}, "run")
    silent = earlier.carry([], previous(*second), set(), {}, "run")
    assert [found["candidates"] for (found,) in (first, second, silent)] == [1, 2, 2]
    measured = {**second[0], "asked": asking(gate())}
    (met,) = earlier.carry([], previous(measured), {gate()}, {"F1": "A. Meyer"}, "run")
    assert met["candidates"] == 3 and "put to 3 candidates" in met["closed_evidence"]
    (early,) = earlier.carry([], previous(OLD), {gate()}, {"F3": "A. Meyer"}, "run")
    assert early["candidates"] == 1 and "candidates" not in early["closed_evidence"]


WITHDRAWN = "withdrawn by B. Ruiz, 2026-11-23: the feature was removed; evidence: change 4711"


def test_a_person_withdraws_with_a_reason_what_was_not_measured_again():
    """Formerly a finding of raters, or of zero tolerance, that nobody measured again stayed open for ever."""
    (silent,) = earlier.carry([], previous(OLD), set(), {}, "run")
    assert silent["closed_evidence"].startswith("Carried over, not measured again in this run.")
    assert earlier.is_only_carried(silent)
    (found,) = earlier.carry([], previous(OLD), set(), {"F3": WITHDRAWN}, "run")
    assert (found["status"], found["closed_by"]) == ("withdrawn", "B. Ruiz, 2026-11-23")
    for said in ("not measured again", "the feature was removed", "change 4711"):
        assert said in found["closed_evidence"]


def test_nobody_withdraws_what_this_run_raised_or_measured_as_unmet():
    (again,) = earlier.carry([row(1, "gate:recall")], previous(OLD), set(), {"F3": WITHDRAWN}, "run")
    (unmet,) = earlier.carry([], previous(OLD), {gate(low=0.2)}, {"F3": WITHDRAWN}, "run")
    for found in (again, unmet):
        assert found["status"] == "open" and "in spite of" in found["closed_evidence"]
    assert not earlier.is_only_carried(again)


def test_what_was_withdrawn_is_not_asked_of_the_next_run(tmp_path):
    table = pd.DataFrame([row(1, "gate:a"), row(2, "gate:b", status="withdrawn")])
    tables.write(tmp_path, "findings", table.reindex(columns=list(tables.TABLES["findings"].columns)))
    assert earlier.read_previous(str(tmp_path))["finding_id"].tolist() == ["F1"]


def test_met_are_gates_passed_checks_clear_and_slices_tested():
    gates = pd.DataFrame({"gate": ["a", "b", "c"], "outcome": ["pass", "incomplete", "fail"]})
    checks = pd.DataFrame(
        {"check": "x", "aspect": ["1", "2"], "metric": "m", "outcome": ["clear", "undecided"]}
    )
    weak = pd.DataFrame(
        {
            "metric": "support",
            "dimension": "topic",
            "level": ["T1", "T2", "T3"],
            "flagged": [False, True, False],
        }
    ).assign(q=[0.5, 0.01, float("nan")], n=9)
    unsafe = criteria.of_errors("errors:unsafe", 0.0, 40, 0.0, 0.0, 0.09)
    found = earlier.met_criteria(gates, weak, checks.assign(n=9), [unsafe])
    assert {each.source for each in found} == {
        *("gate:a", "check:x|1|m", "weakness:support|topic|T1", "errors:unsafe")
    }


def test_a_laxer_threshold_closes_nothing():
    for now, status in ((gate(threshold=0.1, low=0.2), "open"), (gate(threshold=0.1), "closed")):
        (found,) = earlier.carry([], previous(OLD), {now}, {"F3": "A. Meyer"}, "run bank")
        assert found["status"] == status
        assert ("its own criterion, at least 0.8, is not met: 0.2" in found["closed_evidence"]) == (
            status == "open"
        )


def test_raised_again_on_a_laxer_threshold_it_still_asks_what_it_asked_first():
    again = row(1, "gate:recall", asked=asking(gate(threshold=0.1)))
    (found,) = earlier.carry([again], previous(OLD), set(), {}, "run")
    assert criteria.recorded(found)["gate:recall"].threshold == 0.8


def test_another_metric_under_the_gates_name_is_another_criterion():
    other = Criterion("gate:recall", True, "support", "low", 0.8, n=300, low=0.9)
    (found,) = earlier.carry([], previous(OLD), {other}, {"F3": "A. Meyer"}, "run")
    assert found["status"] == "open" and "another rule" in found["closed_evidence"]


@pytest.mark.parametrize("n, status", [(60, "retested"), (6, "open")])
def test_a_slice_or_check_retested_on_fewer_cases_stays_open(n, status):
    then = Criterion("weakness:m|topic|T1", False, slice_criteria.RULE, "low", 0.8, 60)
    old = row(3, "weakness:m|topic|T1", asked=asking(then))
    now = replace(then, passed=True, fewest=n, n=n, low=0.9)
    (found,) = earlier.carry([], previous(old), {now}, {}, "run")
    assert found["status"] == status and ("fewer cases" in found["closed_evidence"]) == (status == "open")


@pytest.mark.parametrize(
    "then, now, status",
    [
        ((0.05, 100, 0.5, 0.4, 0.6), (0.05, 2, 0.5, 0.01, 0.99), "open"),  # one of two
        ((0.05, 100, 0.5, 0.4, 0.6), (0.9, 100, 0.5, 0.4, 0.6), "open"),  # tolerated more than then
        ((0.05, 100, 0.5, 0.4, 0.6), (0.05, 490, 0.01, 0.0, 0.03), "retested"),
        ((0.05, 100, 0.5, 0.4, 0.6), (0.05, 489, 0.01, 0.0, 0.03), "open"),  # fewer than planned
        ((0.0, 10, 0.5, 0.2, 0.8), (0.0, 71, 0.0, 0.0, 0.051), "open"),  # no error in too few
        ((0.0, 10, 0.5, 0.2, 0.8), (0.0, 72, 0.0, 0.0, 0.05), "retested"),
        ((0.0, 10, 0.5, 0.2, 0.8), (0.1, 300, 0.01, 0.0, 0.03), "open"),  # nothing was tolerated then
    ],
)
def test_errors_are_retested_by_the_bound_and_what_was_tolerated_then(then, now, status):
    old = row(3, "errors:misleading", asked=asking(criteria.of_errors("errors:misleading", *then)))
    (found,) = earlier.carry([], previous(old), {criteria.of_errors("errors:misleading", *now)}, {}, "run")
    assert found["status"] == status


def test_a_slice_of_an_earlier_release_stays_open_and_raised_again_asks_what_is_asked_now():
    """Its criterion asked for no significance alone, which few questions show of anything."""
    then = Criterion("weakness:m|topic|T1", False, fewest=30)
    old = row(3, then.source, asked=asking(then))
    now = Criterion(then.source, True, slice_criteria.RULE, "low", 0.8, 120, 400, low=0.95)
    (found,) = earlier.carry([], previous(old), {now}, {"F3": "A. Meyer"}, "run")
    assert found["status"] == "open" and criteria.NO_RULE in found["closed_evidence"]
    (again,) = earlier.carry([row(1, then.source, asked=asking(now))], previous(old), set(), {}, "run")
    assert criteria.recorded(again)[then.source].rule == slice_criteria.RULE


@pytest.mark.parametrize(
    "closure, status",
    [
        ("", "open"),
        ("A. Meyer, 2026-11-20: retested", "open"),
        ("A. Meyer, 2026-11-20: 71 of its kind, none unsafe", "open"),
        ("A. Meyer, 2026-11-20: 72 of its kind, none unsafe", "closed"),
    ],
)
def test_what_is_of_its_kind_a_person_counts(closure, status):
    """Formerly "retested" on 264 answers of every kind, though 72 about security were asked."""
    then = criteria.of_errors("errors:unsafe", 0.0, 264, 0.02, 0.0, 0.04, among_all=True)
    old = row(3, "errors:unsafe", asked=asking(then))
    now = criteria.of_errors("errors:unsafe", 0.0, 264, 0.0, 0.0, 0.014, among_all=True)
    (found,) = earlier.carry([], previous(old), {now}, {"F3": closure} if closure else {}, "run")
    assert found["status"] == status
    assert ("72 of its kind”" in found["closed_evidence"]) == (status == "open")


@pytest.mark.parametrize("text", ["", "no JSON", "[1]", '{"gate:recall": {"more": 1}}', '{"gate:recall": 1}'])
def test_what_no_register_records_is_not_retested(text):
    (found,) = earlier.carry([], previous({**OLD, "asked": text}), {gate()}, {"F3": "A. Meyer"}, "run")
    assert found["status"] == "open" and "not recorded" in found["closed_evidence"]


def test_the_register_of_an_earlier_run_is_read_without_what_was_closed(tmp_path):
    table = pd.DataFrame([row(1, "gate:a"), row(2, "gate:b", status="closed")])
    tables.write(tmp_path / "old", "findings", table)
    found = earlier.read_previous(str(tmp_path / "old"))
    assert found["finding_id"].tolist() == ["F1"] and found["run"].tolist() == ["old"]


def test_a_register_of_an_earlier_release_has_fewer_columns(tmp_path):
    names = ["also", "opened", "closed_by", "closed_evidence", "carried_from"]
    tables.write(tmp_path / "old", "findings", pd.DataFrame([row(1, "gate:a")]).drop(columns=names))
    (found,) = earlier.carry([], earlier.read_previous(str(tmp_path / "old")), {gate("gate:a")}, {}, "run")
    assert found["status"] == "open" and found["also"] == [], "what it asked is not known"


def test_no_previous_run_and_one_without_a_register(tmp_path):
    assert earlier.read_previous("") is None
    with pytest.raises(InputError, match="no register of findings"):
        earlier.read_previous(str(tmp_path))


def test_a_gate_of_an_earlier_release_without_origin_is_the_same_gate():
    (found,) = earlier.carry([row(1, "gate:recall|own")], previous(OLD), set(), {}, "this run")
    assert found["carried_from"] == "bank-2025 F3"
    gates = pd.DataFrame({"gate": "recall", "origin": ["own", "generated"], "outcome": ["pass", "fail"]})
    one = earlier.met_criteria(gates, None, None, [])
    assert {each.source for each in one} == {"gate:recall|own"}
    both = earlier.met_criteria(gates.assign(outcome="pass"), None, None, [])
    assert {each.source for each in both} == {"gate:recall|own", "gate:recall|generated", "gate:recall"}
