"""Sentences parted into subject, verb and rest; and sentences that are better left alone."""

import pytest

from ragassay.cases.rule_questions.clause_parsing import cut, part

NONE = frozenset({"purchases", "credit", "statements", "fees"})


@pytest.mark.parametrize(
    "sentence, subject, verb",
    [
        ("The monthly fee for the Quay Account is $6.00.", "the monthly fee for the Quay Account", "is"),
        ("The bank charges $5 for each copy.", "the bank", "charges"),
        ("Purchases in a foreign currency carry a fee.", "purchases in a foreign currency", "carry"),
        ("Credit limits on the card run from $500 to $8,000.", "credit limits on the card", "run"),
        ("Early repayment charges for the loan are $50.", "Early repayment charges for the loan", "are"),
        ("A refused applicant may also ask for a review.", "a refused applicant", "may"),
        ("Card Services writes within 10 business days.", "Card Services", "writes"),
    ],
)
def test_parted(sentence, subject, verb):
    clause = part(sentence, NONE)
    assert clause is not None and (clause.subject, clause.verb) == (subject, verb)


@pytest.mark.parametrize(
    "sentence",
    [
        "If the fee is late, tell us.",
        "Ask at a branch before noon is over.",
        "Furthermore, the fee is $6.",
        "(d) the fee is $6.",
        "Fees and charges.",
        "A customer who believes that a fee is wrong should say so.",
        "In March the fee is waived.",
        "Fees.",
        "",
    ],
)
def test_left_alone(sentence):
    assert part(sentence, NONE) is None


@pytest.mark.parametrize(
    "sentence, asked",
    [
        ("The bank charges $5 a copy.", "does the bank charge X"),
        ("Purchases carry a fee.", "do purchases carry X"),
        ("The fee is waived.", "is the fee X"),
        ("A loan cannot be sold.", "can a loan X"),
        ("The bank has two doors.", "does the bank have X"),
    ],
)
def test_asked(sentence, asked):
    clause = part(sentence, NONE)
    assert clause is not None and clause.ask("X") == asked


@pytest.mark.parametrize(
    "rest, kept",
    [
        ("paid at once, and the bank writes", "paid at once"),
        ("paid; the rest is not", "paid"),
        ("paid because it is due", "paid"),
        ("paid to Ann, Bob", "paid to Ann, Bob"),
    ],
)
def test_cut(rest, kept):
    assert cut(rest) == kept
