"""Claims as texts: what asserts, how it is cut, and whether passages hold its words and facts."""

import pytest

from ragassay.scores.text_reading.claim_text import Evidence, asserts, contained, cut, missing

BANK = Evidence(
    (
        "The wire fee is $1,250.50; it is waived after ten business days.",
        "Deposits are insured by the Federal Deposit Insurance Corporation. Ask Dr. José Álvarez at Old Mint.",
    )
)


@pytest.mark.parametrize(
    "sentence, yes",
    [("The fee is 5.", True), ("Is it 5?", False), ("Yes.", False), ("Let me know if you need more.", False)],
)
def test_what_asserts(sentence, yes):
    assert asserts(sentence) is yes


def test_what_claims_nothing_is_left_out():
    assert cut(["Sure!", "The fee is 5, and wires are free.", "Anything else?"]) == [
        "The fee is 5",
        "wires are free.",
    ]


@pytest.mark.parametrize(
    "claim, yes",
    [
        ("The wire fee is $1,250.50.", True),
        ("The wire fee is $1,250.5", False),
        ("The wire fee is $1,250", False),
        ("", False),
    ],
)
def test_containment_is_word_for_word(claim, yes):
    assert contained(claim, BANK) is yes


@pytest.mark.parametrize(
    "claim, names, absent",
    [
        ("It costs 1250.5 dollars", [], []),
        ("It is waived after 11 days", [], ["11"]),
        ("Ask Jose Alvarez", ["Jose Alvarez"], []),
        ("Ask Maria Alvarez", ["Maria Alvarez"], ["Maria Alvarez"]),
        ("The NCUA insures it", ["NCUA"], ["NCUA"]),
        ("Old Minto", ["Old Minto"], ["Old Minto"]),
    ],
)
def test_missing_facts_by_hand(claim, names, absent):
    assert missing(claim, names, BANK) == absent
