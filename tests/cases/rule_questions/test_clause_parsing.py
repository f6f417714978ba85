"""Words and clauses: verb forms, names, sentences parted into subject, verb and rest, or better left alone."""

import pytest

from ragassay.cases.rule_questions import word_forms
from ragassay.cases.rule_questions.clause_parsing import parse_clause

SMALL = frozenset({"purchases", "credit", "statements", "fees"})


@pytest.mark.parametrize("sentence, subject, verb, asked", [
    ("The monthly fee for the Quay Account is $6.", "the monthly fee for the Quay Account", "is", None),
    ("The bank charges $5 for each copy.", "the bank", "charges", "does the bank charge X"),
    ("Purchases of gold carry a fee.", "purchases of gold", "carry", "do purchases of gold carry X"),
    ("Early repayment charges for the loan are $50.", "Early repayment charges for the loan", "are", None),
    ("A refused applicant may also ask for it.", "a refused applicant", "may", "may a refused applicant X"),
    ("A loan cannot be sold.", "a loan", "cannot", "can a loan X"),
])  # fmt: skip
def test_parted(sentence, subject, verb, asked):
    clause = parse_clause(sentence, SMALL)
    assert clause is not None and (clause.subject, clause.verb) == (subject, verb)
    assert asked in (None, clause.ask("X"))


@pytest.mark.parametrize("sentence", [
    "If the fee is late, tell us.",
    "Ask at a branch before noon is over.",
    "(d) the fee is $6.",
    "Fees and charges.",
    "A customer who believes that a fee is wrong should say so.",
    "The period is 30 days.",
    "Its fee is $6.",
    "the fee is $6.",
    "",
])  # fmt: skip
def test_left_alone(sentence):
    assert parse_clause(sentence, SMALL) is None


@pytest.mark.parametrize("base, third, gerund", [
    ("carry", "carries", "carrying"), ("stop", "stops", "stopping"), ("close", "closes", "closing"),
    ("transfer", "transfers", "transferring"), ("agree", "agrees", "agreeing"),
])  # fmt: skip
def test_verb_forms(base, third, gerund):
    assert word_forms.third_person()[third] == base and word_forms.gerunds()[gerund] == base


def test_lower_case_inside_a_sentence_but_for_names():
    known = word_forms.small_words(
        ["The fee is low. Purchases count.", "A Harbour Saver pays. Open a Harbour Saver."]
    )
    phrases = ["The fee", "Purchases abroad", "Harbour Saver", "IBAN"]
    inside = [word_forms.uncapitalize(phrase, known) for phrase in phrases]
    assert inside == ["the fee", "purchases abroad", "Harbour Saver", "IBAN"]
    assert word_forms.names("What does the Quay Plus Account cost?") == ["Quay Plus Account"]
    assert word_forms.names("Can the Branch Manager refuse?") == []
