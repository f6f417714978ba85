"""Quotes found in passages: exact, across markup, across a cut, by words; and what is not found."""

import pandas as pd
import pytest

from ragassay.cases.evidence_lookup import find_evidence, find_quote

CHUNKS = pd.DataFrame(
    [
        ("fees#p1", "fees", "The monthly fee is $6.00. It is taken on the\nfirst business day."),
        ("fees#p2", "fees", "Wire, outgoing | $22.00 | $12.00"),
        ("fees#p3", "fees", "The fee is waived when the balance"),
        ("fees#p4", "fees", "is $750 or more in the month."),
        ("cards#p1", "cards", "Report a lost card within two days of noticing the loss."),
    ],
    columns=["chunk_id", "doc_id", "text"],
)


@pytest.mark.parametrize(
    "quote, expected",
    [
        ("The monthly fee is $6.00.", ["fees#p1"]),
        ("the **first   business** day", ["fees#p1"]),
        ("| Wire, outgoing | $22.00 | $12.00 |", ["fees#p2"]),
        ("waived when the balance is $750 or more", ["fees#p3", "fees#p4"]),
        ("It’s taken monthly: the monthly fee is $6.00, on the first business day", ["fees#p1"]),
    ],
)
def test_found(quote, expected):
    assert find_quote(quote, "fees", CHUNKS) == (expected, "")


def test_stays_within_its_document():
    ids, reason = find_quote("Report a lost card within two days", "fees", CHUNKS)
    assert ids == [] and "no passage holds it" in reason
    assert find_quote("Report a lost card within two days", None, CHUNKS)[0] == ["cards#p1"]


def test_resolves_in_order_once_and_lists_what_is_lost():
    evidence = [
        {"doc_id": "fees", "quote": "The monthly fee is $6.00"},
        {"doc_id": "fees", "quote": "entirely different words here"},
    ]
    ids, lost = find_evidence(evidence, ["cards#p1", "fees#p9"], CHUNKS)
    assert ids == ["cards#p1", "fees#p1"] and [item["doc_id"] for item in lost] == ["fees", "fees"]
