"""Claims as texts: what asserts, how it is cut, and whether passages hold its words and facts."""

import pytest

from ragassay.scores.text_reading.claim_text import Evidence, asserts, clauses, contained, cut, missing

BANK = Evidence(
    (
        "The wire fee is $1,250.50; it is waived after ten business days.",
        "Deposits are insured by the Federal Deposit Insurance Corporation. Ask Dr. José Álvarez at Old Mint.",
    )
)


@pytest.mark.parametrize(
    "sentence, pieces",
    [
        ("The fee is 5, and wires are free.", ["The fee is 5", "wires are free."]),
        ("The fee is 5; it may be waived.", ["The fee is 5", "it may be waived."]),
        ("The fee is 5, 6, and 7.", ["The fee is 5, 6, and 7."]),
        ("Fees, and wires, are free.", ["Fees, and wires, are free."]),
        ("Cuesta 5 y no es gratis, pero se puede anular.", ["Cuesta 5 y no es gratis", "se puede anular."]),
        ("Fees", ["Fees"]),
    ],
)
def test_clauses_by_hand(sentence, pieces):
    assert clauses(sentence) == pieces


@pytest.mark.parametrize(
    "sentence, yes",
    [
        ("The fee is 5.", True),
        ("Paris", True),
        ("Is it 5?", False),
        ("Here are the steps:", False),
        ("Yes.", False),
        ("Sure, happy to help!", False),
        ("Let me know if you need more.", False),
        ("I could not find the fee in the documents.", False),
        ("   ", False),
    ],
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
        ("the WIRE  fee is $1,250.50", True),
        ("The wire fee is $1,250.5", False),
        ("The wire fee is $1,250", False),
        ("wire fees", False),
        ("...", False),
        ("", False),
    ],
)
def test_containment_is_word_for_word(claim, yes):
    assert contained(claim, BANK) is yes


@pytest.mark.parametrize(
    "claim, names, absent",
    [
        ("It costs 1250.5 dollars", [], []),
        ("It is waived after 10 days", [], []),
        ("It is waived after 11 days", [], ["11"]),
        ("2. It costs 1250.50", [], []),
        ("Ask Jose Alvarez", ["Jose Alvarez"], []),
        ("Ask Dr. Alvarez", ["Dr. Alvarez"], []),
        ("Ask Maria Alvarez", ["Maria Alvarez"], ["Maria Alvarez"]),
        ("The FDIC insures it", ["the FDIC"], []),
        ("The NCUA insures it", ["NCUA"], ["NCUA"]),
        ("At the Old Mint's counter", ["the Old Mint's"], []),
        ("Old Minto", ["Old Minto"], ["Old Minto"]),
    ],
)
def test_missing_facts_by_hand(claim, names, absent):
    assert missing(claim, names, BANK) == absent
