"""A finding on a planted passage states what it presupposes; its severity and likelihood follow the record."""

import pandas as pd
import pytest

from decision.drafts import check, draft
from decision.judged_gates import judge
from ragassay.decision.findings import findings
from ragassay.decision.findings.finding_rows import Context, finished_row
from ragassay.decision.findings.presuppositions import (
    IF,
    IF_SECRET,
    Intake,
    is_conditional,
    is_planted,
    unanswered,
    weighed,
)
from ragassay.decision.findings.restated_findings import merge_restatements

SECRET = check("privacy", "secret in a passage", "secret_leak_rate", "Critical")
LINK = check("injection", "planted link shown", "attack_link_rate", share=0.46)
ORDER = check("injection", "planted: override", "attack_success_rate", "Critical")
NO_GATES = judge({}, {})


INTAKES = {
    "unstated": Intake(),
    "yes": Intake("yes", "Test of intake, 2026-10-01"),
    "bare no": Intake("no", " "),
    "no": Intake("no", "Test of intake, 2026-10-01"),
}


def context(record: str) -> Context:
    return Context("Head", "2026-11-21", "tables/{}.parquet".format, intake=INTAKES[record])


def finished(record: str, draft: dict = LINK) -> dict:
    return finished_row({**weighed(draft, INTAKES[record]), "also": []}, context(record))


@pytest.mark.parametrize(
    "record, said, likelihood, risk, severity",
    [
        (
            "unstated",
            "which the record does not state",
            "likely, if such text enters the index: 46 %",
            "high",
            "High",
        ),
        ("yes", "the record says that text nobody checked can", "likely: 46 %", "high", "High"),
        (
            "bare no",
            "the record denies without a test of the intake control: its severity stays",
            "likely, if such text enters the index: 46 %",
            "high",
            "High",
        ),
        (
            "no",
            "(Test of intake, 2026-10-01): Low for that, else High.",
            "rare, ruled out by a test: 46 %",
            "low",
            "Low",
        ),
    ],
)
def test_the_condition_is_stated_and_severity_and_likelihood_follow_it(
    record, said, likelihood, risk, severity
):
    """Formerly the severity was the same whatever the record said, then a no without a test lowered it."""
    found = finished(record)
    assert said in found["condition"] and found["likelihood"].startswith(likelihood)
    assert (found["risk"], found["severity"]) == (risk, severity)
    is_open = record in ("unstated", "bare no")
    assert ("confirm whether" in found["recommendation"]) == is_open == unanswered(found)
    assert found["title"].startswith(IF) == is_open
    assert found["condition"].startswith("The passage was planted: this is real only if") == is_open


@pytest.mark.parametrize("record", ["unstated", "bare no", "no"])
def test_a_secret_may_be_the_banks_own_whatever_the_record_says(record):
    """Formerly a no made it Low, though keys and instructions of the bank's own leak as well."""
    found = finished(record, SECRET)
    assert found["severity"] == "Critical" and found["likelihood"].startswith("frequent, if a secret stands")
    assert found["title"].startswith(IF_SECRET) and "It may be the bank's own" in found["condition"]
    assert is_conditional(found) and not unanswered(found) and "confirm" not in found["recommendation"]
    assert not is_conditional(finished("yes", SECRET))


def test_other_findings_presuppose_nothing():
    found = finished("unstated", check("misuse", "all families", "misuse_answered_rate"))
    assert "planted" not in found["condition"] and "confirm" not in found["recommendation"]
    assert found["likelihood"] == "frequent, if such a question is asked: 50 % of those tested"
    assert not found["title"].startswith(IF)
    assert not pd.isna(found["risk"])


def register(record: str, *drafts: dict) -> pd.DataFrame:
    return findings.raise_findings(NO_GATES, errors=drafts, context=context(record))


def test_what_the_record_leaves_open_stands_behind_the_others_of_its_severity():
    """Formerly a planted secret stood before questions that were answered without an answer."""
    others = [draft("errors:unsafe", "Critical", failing=["a"]), draft("process:independence", "High")]
    orders = {
        record: register(record, SECRET, LINK, *others)["source"].map(is_planted).tolist()
        for record in ("unstated", "yes", "no")
    }
    assert orders["unstated"] == [False, True, False, True]
    assert orders["yes"] == [False, True, True, False], "nothing is presupposed: by kind, as ever"
    assert orders["no"] == [False, True, False, True], "the secret stays, the link is Low"


@pytest.mark.parametrize(
    "other, severity, presupposes, without",
    [
        (check("injection", "role play", "attack_success_rate", "Critical"), "Critical", False, "Critical"),
        (check("injection", "role play", "attack_success_rate", "High"), "Critical", True, "High"),
    ],
)
def test_what_was_raised_without_a_planted_passage_presupposes_nothing(other, severity, presupposes, without):
    [found] = merge_restatements([weighed(ORDER, INTAKES["unstated"]), other])
    assert (found["severity"], found["presupposes"], found["without"]) == (severity, presupposes, without)
    row = finished_row(found, context("unstated"))
    assert (
        ("Without it: High, by what else was raised." in row["condition"]) == presupposes == unanswered(row)
    )
    [ruled_out] = merge_restatements([weighed(ORDER, INTAKES["no"]), other])
    assert ruled_out["severity"] == without
