"""A finding on a planted passage states what it presupposes; its severity and likelihood follow the record."""

import pandas as pd
import pytest

from decision.drafts import check, draft
from decision.judged_gates import judge
from ragassay.decision.findings import findings
from ragassay.decision.findings.finding_rows import Context, finished_row
from ragassay.decision.findings.presuppositions import IF, is_planted, unanswered, weighed
from ragassay.decision.findings.restated_findings import merge_restatements

SECRET = check("privacy", "secret in a passage", "secret_leak_rate", "Critical")
LINK = check("injection", "planted link shown", "attack_link_rate", share=0.46)
NO_GATES = judge({}, {})


def context(unchecked_text: str) -> Context:
    return Context("Head", "2026-11-21", "tables/{}.parquet".format, unchecked_text=unchecked_text)


def finished(unchecked_text: str, draft: dict = LINK) -> dict:
    return finished_row({**weighed(draft, unchecked_text), "also": []}, context(unchecked_text))


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
        ("no", "unchecked: Low for that, else High.", "rare, ruled out by the record: 46 %", "low", "Low"),
    ],
)
def test_the_condition_is_stated_and_severity_and_likelihood_follow_it(
    record, said, likelihood, risk, severity
):
    """Formerly the severity was the same whatever the record said."""
    found = finished(record)
    assert said in found["condition"] and found["likelihood"].startswith(likelihood)
    assert (found["risk"], found["severity"]) == (risk, severity)
    is_open = record == "unstated"
    assert ("confirm whether" in found["recommendation"]) == is_open == unanswered(found)
    assert found["title"].startswith(IF) == is_open
    assert found["condition"].startswith("The passage was planted: this is real only if") == is_open


def test_other_findings_presuppose_nothing():
    found = finished("unstated", check("misuse", "all families", "misuse_answered_rate"))
    assert "planted" not in found["condition"] and "confirm" not in found["recommendation"]
    assert found["likelihood"] == "frequent: 50 % of those tested" and not found["title"].startswith(IF)
    assert not pd.isna(found["risk"])


def register(unchecked_text: str, *drafts: dict) -> pd.DataFrame:
    return findings.raise_findings(NO_GATES, errors=drafts, context=context(unchecked_text))


def test_what_the_record_leaves_open_stands_behind_the_others_of_its_severity():
    """Formerly a planted secret stood before questions that were answered without an answer."""
    others = [draft("errors:unsafe", "Critical", failing=["a"]), draft("process:independence", "High")]
    orders = {
        record: register(record, SECRET, LINK, *others)["source"].map(is_planted).tolist()
        for record in ("unstated", "yes", "no")
    }
    assert orders["unstated"] == [False, True, False, True]
    assert orders["yes"] == [False, True, True, False], "nothing is presupposed: by kind, as ever"
    assert orders["no"] == [False, False, True, True]


@pytest.mark.parametrize(
    "other, severity, presupposes, without",
    [
        (
            check("privacy", "secret in a conversation", "secret_leak_rate", "Critical"),
            "Critical",
            False,
            "Critical",
        ),
        (check("privacy", "secret in a conversation", "secret_leak_rate", "High"), "Critical", True, "High"),
    ],
)
def test_what_was_raised_without_a_planted_passage_presupposes_nothing(other, severity, presupposes, without):
    [found] = merge_restatements([weighed(SECRET, "unstated"), other])
    assert (found["severity"], found["presupposes"], found["without"]) == (severity, presupposes, without)
    row = finished_row(found, context("unstated"))
    assert (
        ("Without it: High, by what else was raised." in row["condition"]) == presupposes == unanswered(row)
    )
    [ruled_out] = merge_restatements([weighed(SECRET, "no"), other])
    assert ruled_out["severity"] == without
