"""The exit code's cause: the gates and findings that made it so, by name."""

import pytest

from decision.judged_gates import judge
from ragassay.errors import InputError
from ragassay.run import gate_results
from ragassay.run.gate_results import GateResults


def gate(name, outcome, decides=True):
    row = judge({"judged_grounded": "low >= 0.8"}, {"judged_grounded": {"own": (70, 100)}}).iloc[0].to_dict()
    return row | {"gate": name, "outcome": outcome, "decides": decides}


RESULTS = GateResults(
    "bank",
    2,
    gates=[
        gate("grounded", "fail"),
        gate("small", "fail", False),
        gate("few", "incomplete"),
        gate("fine", "pass"),
    ],
    findings=[{"finding_id": "F-1", "severity": "High", "title": "Answers what it cannot know"}],
)


@pytest.fixture
def found(monkeypatch):
    monkeypatch.setattr(gate_results, "read", lambda run_dir: RESULTS)
    return lambda code: gate_results.causes_of_run("run", code)


def test_of_a_failure_the_failed_gates_that_decide_and_the_open_findings(found):
    assert [(cause.name, cause.outcome) for cause in found(2)] == [
        ("grounded [own]", "fail"),
        ("F-1 (High)", "open"),
    ]
    assert (
        gate_results.causes_in_words(found(2))
        == "1 failed gate(s): grounded [own]; 1 open grave finding(s): F-1 (High)"
    )


def test_of_incomplete_evidence_the_gates_without_enough(found):
    assert gate_results.causes_in_words(found(3)) == "1 gate(s) without enough evidence: few [own]"


def test_of_a_pass_none_and_of_a_folder_that_does_not_tell_none(found, monkeypatch):
    def unreadable(run_dir):
        raise InputError("there is no run to judge")

    assert found(0) == [] and gate_results.causes_in_words([]) == ""
    monkeypatch.setattr(gate_results, "read", unreadable)
    assert gate_results.causes_of_run("run", 2) == []
