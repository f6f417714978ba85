"""Sufficiency and conciseness by a judge: what it is shown (the digest), how it is read, and that it is asked only by name."""

import json

import pandas as pd
import pytest

from ragassay.api.scoring import metric_names
from ragassay.models.judge import Reply
from ragassay.scores import DEFAULT, score

ROW = {
    "case_id": "c",
    "system": "s",
    "question": "What is the fee?",
    "answer": "As you ask what the fee is: the fee is 9 euros [a#p1].",
    "contexts": ["The fee is 9 euros."],
    "context_ids": ["a#p1"],
    "language": "en",
    "answer_type": "short_fact",
    "version": "2025-04",
}
NAMES = ["judge_sufficiency", "judge_conciseness"]


def measured(said, metrics=NAMES, **changed):
    asked = []

    def judge(requests):
        asked.extend(requests)
        return [Reply(json.dumps(said)) for _ in requests]

    found = score(pd.DataFrame([ROW | changed]), metrics=metrics, instruments={"judge": judge})
    return found.set_index("metric"), asked


def test_by_hand():
    found, asked = measured({"missing": [], "sufficient": True, "conciseness": 2, "could_go": "the preamble"})
    assert found.value.tolist() == [1.0, 2.0] and "the preamble" in found.detail["judge_conciseness"]
    assert sorted(request.name for request in asked) == ["conciseness", "sufficiency"]


def test_what_is_missing_is_the_evidence():
    found, _ = measured({"missing": ["the year"], "sufficient": False}, NAMES[:1])
    assert found.value.tolist() == [0.0] and "the year" in found.detail.iloc[0]


def test_they_are_shown_the_digest_sufficiency_without_the_answer():
    _, asked = measured({"missing": [], "sufficient": True, "conciseness": 5})
    users = {request.name: request.user for request in asked}
    for user in users.values():
        assert '[a#p1] "The fee is 9 euros."' in user
        assert 'language="en"; answer_type="short_fact"; version="2025-04"' in user
    assert "As you ask" in users["conciseness"] and "As you ask" not in users["sufficiency"]
    _, again = measured({"missing": [], "sufficient": True}, NAMES[:1], answer="Nine.")
    assert again[0] == next(request for request in asked if request.name == "sufficiency"), (
        "asked once for all"
    )


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"missing": ["x"], "sufficient": True},
        {"sufficient": True},
        {"missing": [], "sufficient": 1},
        {"conciseness": 6},
    ],
)
def test_a_reply_that_is_not_the_agreed_one_is_an_error(said):
    found, _ = measured(said)
    assert set(found.state) == {"error"} and found.reason.str.startswith("the judge's reply").all()


def test_they_are_asked_only_by_name():
    assert set(NAMES).isdisjoint({*DEFAULT, *metric_names("judge"), *metric_names("all")})
    assert metric_names("judge_sufficiency") == ["judge_sufficiency"]
    found = score(pd.DataFrame([ROW]), metrics=NAMES)
    assert set(found.reason) == {"no judge named"}
