"""Claims as texts: what asserts, how it is cut, whether passages hold its words and facts; departures: each kind by
hand, and what is the same."""

import pytest

from ragassay.scores.text_reading.claim_text import (
    CONDITION,
    NEGATION,
    QUANTITY,
    WORD,
    asserts,
    contained,
    cut,
    find_departure,
    missing,
    read_evidence,
)

BANK = read_evidence(
    (
        "The wire fee is $1,250.50; it is waived after ten business days.",
        "Deposits are insured by the Federal Deposit Insurance Corporation. Ask Dr. José Álvarez at Old Mint.",
    )
)


@pytest.mark.parametrize(
    "sentence, yes",
    [
        ("The fee is 5.", True),
        ("Is it 5?", False),
        ("Yes.", False),
        ("TRUE", False),
        ("Let me know if you need more.", False),
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


LEASE = [
    "The tenant may not keep dogs in the flat.",
    "The landlord repairs the boiler within three working days unless the tenant caused the damage.",
    "Most visitors park free of charge in the yard.",
    "The deposit is 900 euros and the monthly rent is 750 euros.",
    "The cellar is cleaned by the caretaker; the roof is cleaned by a firm.",
    "Bicycles may be left only in the cellar.",
    "The office is open on weekdays.",
    "Theft without signs of forced entry is not covered.",
    "Theft after forced entry is covered.",
    "Tenants of two years receive a second key.",
]


@pytest.mark.parametrize(
    "claim, departure",
    [
        ("The tenant may keep dogs in the flat.", NEGATION),
        ("Bicycles may be left in the cellar.", CONDITION),
        ("All visitors park free of charge in the yard.", QUANTITY),
        ("The roof is cleaned by the caretaker.", WORD),
        ("The office is closed on weekdays.", WORD),
        ("The office is never open on weekdays.", NEGATION),
        ("Everyone receives a second key.", WORD),
        ("Theft without signs of forced entry is covered.", NEGATION),
    ],
)
def test_each_kind_by_hand(claim, departure):
    assert find_departure(claim, LEASE) == departure


@pytest.mark.parametrize(
    "claim",
    [
        *LEASE,
        "No, the tenant may not keep dogs in the flat.",
        "The cellar is cleaned by the caretaker.",
        "The boiler is repaired by the landlord within three working days unless the tenant caused the damage.",
        "The rent is 0.75 thousand euros.",
        "Parking costs nothing for nearly all guests.",
        "",
    ],
)
def test_what_says_the_same_or_has_other_words(claim):
    assert find_departure(claim, LEASE) == ""


@pytest.mark.parametrize(
    "claim, passage",
    [
        ("Die Gebühr wird erstattet.", "Die Gebühr wird nicht erstattet."),
        ("La tarifa es reembolsable.", "La tarifa no es reembolsable."),
        ("Les frais sont remboursables.", "Les frais ne sont pas remboursables."),
        ("手续费可以退还", "手续费不可以退还。"),
    ],
)
def test_negations_of_other_languages(claim, passage):
    assert find_departure(claim, [passage]) == NEGATION and find_departure(passage, [passage]) == ""
