"""Superseded and staff-only text in answers: by hand, as the rule is written, its laws, its refusals."""

import pandas as pd
import pytest

from ragassay.scores import score
from ragassay.scores.prepared_answer import RUN

OLD = "Under the old policy the overdraft fee was thirty four dollars for every item paid."
NEW = "The overdraft fee is twenty eight dollars for every item that we pay."
STAFF = "Do not tell the caller that the case is under review by Fraud Operations today."
CHUNKS = pd.DataFrame(
    {
        "chunk_id": ["old#p1", "new#p1", "staff#p1"],
        "text": [OLD, NEW, STAFF],
        "status": ["superseded", "current", None],
        "audience": [None, None, "staff"],
    }
)
METRICS = ["superseded_cited", "staff_only_reach"]


def row(answer, *, chunks=CHUNKS, **more):
    given = pd.DataFrame(
        [
            {
                "case_id": "c",
                "system": "s",
                "question": "What is the fee?",
                "answer": answer,
                "contexts": [OLD, NEW, STAFF],
                "context_ids": ["old#p1", "new#p1", "staff#p1"],
                **more,
            }
        ]
    )
    return score(given, chunks=chunks, metrics=METRICS).set_index("metric")


@pytest.mark.parametrize(
    "answer, superseded, staff",
    [
        (f"{OLD} [old#p1]", 1, 0),
        ("The fee was $34. [old#p1]", 1, 0),
        ("The fee was $34. [1]", 1, 0),
        (OLD.upper(), 1, 0),
        (f"{NEW} [new#p1]", 0, 0),
        (f"As told to staff: {STAFF.lower()}", 0, 1),
        ("It is reviewed. [staff#p1] It was $34. [old#p1]", 1, 1),
        ("I could not find this in the bank's documents.", 0, 0),
    ],
)
def test_by_hand(answer, superseded, staff):
    assert row(answer)["value"].tolist() == [superseded, staff]


def test_as_the_rule_is_written():
    """A citation of a marked passage, or eight words in a row that stand in marked passages alone."""
    words = OLD.rstrip(".").split()
    for n in range(1, len(words) + 1):
        assert row("So: " + " ".join(words[:n]) + ".")["value"]["superseded_cited"] == (n >= RUN), n


def test_the_evidence_names_passage_or_words():
    assert "old#p1" in row("$34 [old#p1]")["detail"]["superseded_cited"]
    assert "wording" in row(OLD)["detail"]["superseded_cited"]


def test_what_does_not_apply_says_why():
    asked = row(f"{OLD} [old#p1]", reference_chunk_ids=["old#p1"])
    assert asked["state"]["superseded_cited"] == "not_applicable" and "asks for" in asked["reason"].iloc[0]
    staff = row(STAFF, segment="Staff")
    assert staff["state"].tolist() == ["scored", "not_applicable"]
    for unmarked in (CHUNKS.drop(columns=["status", "audience"]), CHUNKS.assign(status=None, audience=None)):
        found = row(OLD, chunks=unmarked)
        assert set(found["state"]) == {"not_applicable"} and found["reason"].str.contains("no document").all()
