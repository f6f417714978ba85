"""A finding over runs: open, retested, closed, withdrawn; nothing closes by a weaker threshold."""

import pandas as pd
import pytest

from decision.judged_gates import judge
from decision.test_findings import WEAK, check, checks, errors_of, raise_, rated
from ragassay.decision import earlier_findings
from ragassay.errors import InputError, ParameterError

RULE = {"judged_grounded": "low >= 0.8"}


def gates(k: int, rule: str = "low >= 0.8") -> pd.DataFrame:
    return judge({"judged_grounded": rule}, {"judged_grounded": {"own": (k, 100)}})


def previous(**measured) -> pd.DataFrame:
    found = raise_(**measured)[0]
    return found.assign(run="last", opened="2026-01-05", title="old")


def carry(before: pd.DataFrame, closures=None, *, now=None, **measured):
    nothing = {"gates": judge({}, {}), "checks": checks(), "errors": errors_of(rated()).head(0)}
    nothing["weak"] = pd.DataFrame(columns=[*WEAK, "q", "flagged"])
    now = raise_()[0] if now is None else now
    return earlier_findings.carry(now, before, closures or {}, **nothing | measured)


@pytest.mark.parametrize(
    "now, status, evidence",
    [
        (gates(95), "retested", ""),
        (gates(95, "low >= 0.5"), "retested", ""),
        (gates(70, "low >= 0.5"), "open", "measured again, and not met"),  # the threshold of then holds
        (judge({}, {}), "open", "not measured again"),
    ],
)
def test_a_gate_is_held_against_the_threshold_of_then(now, status, evidence):
    found = carry(previous(gates=gates(10)), gates=now).iloc[0]
    assert (found["status"], found["closed_evidence"], found["carried_from"]) == (status, evidence, "last F1")
    assert found["title"] == "old" and found["finding_id"] == "F1"


def test_who_closes_must_be_named_and_closes_only_what_was_retested():
    before, by = previous(gates=gates(10)), {"F1": "A. Meyer, 2026-11-20, retest"}
    closed = carry(before, by, gates=gates(95)).iloc[0]
    assert (closed["status"], closed["closed_by"]) == ("closed", by["F1"])
    assert carry(before, by).iloc[0]["status"] == "open"
    with pytest.raises(ParameterError, match="names no open finding"):
        carry(before, {"F9": "A. Meyer"})


def test_what_was_not_measured_again_may_be_withdrawn_and_what_was_may_not():
    before = previous(gates=gates(10))
    leaves = {"F1": "withdrawn by A. Meyer, 2026-11-20: out of use; evidence: minutes"}
    gone = carry(before, leaves).iloc[0]
    assert (gone["status"], gone["closed_by"]) == ("withdrawn", "A. Meyer, 2026-11-20")
    assert carry(before, leaves, gates=gates(10)).iloc[0]["status"] == "open"


def test_labels_of_raters_who_are_not_independent_close_nothing():
    found = carry(previous(gates=gates(10)), gates=gates(95), labels_count=False).iloc[0]
    assert (found["status"], found["closed_evidence"]) == ("open", earlier_findings.NOT_INDEPENDENT)


def test_raised_again_keeps_the_day_it_was_opened():
    again = carry(previous(gates=gates(10)), now=raise_(gates=gates(20))[0], gates=gates(20))
    assert again["opened"].tolist() == ["2026-01-05"] and again["carried_from"].tolist() == ["last F1"]
    assert len(again) == 1 and again["status"].tolist() == ["open"]


@pytest.mark.parametrize(
    "outcome, status", [("clear", "retested"), ("undecided", "open"), ("not applicable", "open")]
)
def test_a_check_must_be_clear(outcome, status):
    before = previous(checked=checks(check("misuse", "all", 30, 100)))
    again = check("misuse", "all", 0 if outcome == "clear" else 1, 100, outcome)
    again |= {"n": 0} if outcome == "not applicable" else {}
    assert carry(before, checks=checks(again)).iloc[0]["status"] == status


def test_errors_and_slices():
    bad, good = errors_of(rated(misleading=40)), errors_of(rated(good=300))
    before = previous(errors=bad)
    assert carry(before, errors=good).iloc[0]["status"] == "retested"
    slice_ = ("support", "topic", "fees", 30, 0.5, 0.3, 0.7, -0.3, True)
    weak = pd.DataFrame([slice_], columns=WEAK).assign(q=0.01, flagged=True)
    before = previous(weak=weak)
    assert carry(before, weak=weak.assign(flagged=False)).iloc[0]["status"] == "retested"
    assert carry(before, weak=weak.assign(q=float("nan"))).iloc[0]["closed_evidence"] == "not measured again"


def test_settled_ones_are_not_asked_about_again(tmp_path):
    with pytest.raises(InputError, match="no register"):
        earlier_findings.read_previous(str(tmp_path))
    assert earlier_findings.read_previous("") is None
    (tmp_path / "tables").mkdir()
    kept = pd.concat(
        [previous(gates=gates(10)), previous(gates=gates(10)).assign(finding_id="F2", status="closed")]
    )
    kept.drop(columns="run").to_parquet(tmp_path / "tables/findings.parquet")
    assert earlier_findings.read_previous(str(tmp_path))["finding_id"].tolist() == ["F1"]
    told = carry(previous(gates=gates(10)), gates=gates(95))
    assert told[["carried_from", "status"]].to_numpy().tolist() == [["last F1", "retested"]]
