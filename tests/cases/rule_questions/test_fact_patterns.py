"""One sentence per pattern, its question and its key fact; and look-alikes that must give none."""

import pytest

from ragassay.cases.rule_questions.clause_parsing import part
from ragassay.cases.rule_questions.english_sentences import PATTERNS
from ragassay.cases.rule_questions.fact_patterns import vague

SMALL = frozenset(
    ["errors", "limits", "wages", "credit", "complaints", "purchases", "approval", "complaint", "smallest"]
)


def made(family, sentence):
    clause = part(sentence, SMALL)
    return clause and PATTERNS[family](clause)


@pytest.mark.parametrize(
    "family, sentence, question, key",
    [
        (
            "amount",
            "The monthly fee for the Quay Account is $6.00.",
            "what is the monthly fee for the Quay Account",
            "$6.00",
        ),
        ("amount", "The rate is fixed.", None, None),
        ("amount", "A payment is 10 days late.", None, None),
        (
            "price",
            "A stop order on a Quay Account costs $18.00 per request and lasts 6 months.",
            "how much does a stop order on a Quay Account cost",
            "$18.00 per request",
        ),
        (
            "price",
            "The saver charges $5.00 for each withdrawal after the 6th in a month.",
            "how much does the saver charge for each withdrawal after the 6th in a month",
            "$5.00",
        ),
        (
            "duration",
            "The files are kept for 6 years after the last letter.",
            "how long are the files kept after the last letter",
            "6 years",
        ),
        ("duration", "The fee is waived for a month in which the balance is $750.", None, None),
        ("duration", "An order lasts 6 months.", "how long does an order last", "6 months"),
        (
            "number",
            "One person may hold no more than two Quay Accounts, counting joint ones.",
            "how many Quay Accounts may one person hold",
            "no more than two",
        ),
        ("number", "The borrower must be at least 18 and have a gross income.", None, None),
        ("number", "The bank may hold a wire for up to 2 business days.", None, None),
        (
            "deadline",
            "Errors on a statement must be reported within 60 days of the statement date.",
            "within how many days of the statement date must errors on a statement be reported",
            "60 days",
        ),
        ("deadline", "Nothing is changed unless the customer accepts within 60 days.", None, None),
        (
            "date",
            "The account was launched on 1 March 2016.",
            "when was the account launched",
            "on 1 March 2016",
        ),
        (
            "date",
            "Proof must be renewed every year by 31 October.",
            "by what date must Proof be renewed every year",
            "by 31 October",
        ),
        (
            "time",
            "The main line is answered from 8:00 to 20:00.",
            "between what times is the main line answered",
            "8:00 to 20:00",
        ),
        (
            "age",
            "The borrower must be at least 21 and must live in the home.",
            "how old must the borrower be",
            "at least 21",
        ),
        (
            "condition",
            "The fee is waived if the balance is $750 or more.",
            "when is the fee waived",
            "if the balance is $750 or more",
        ),
        ("condition", "Examiners should assess if the process includes a review.", None, None),
        ("condition", "The rules apply as if the firm were a bank.", None, None),
        (
            "definition",
            "A pre-approval is a written statement of what the bank may lend.",
            "what is a pre-approval",
            "a written statement of what the bank may lend",
        ),
        ("definition", "A sound culture is an important source of good governance.", None, None),
        (
            "person",
            "Rafael Quintana is Head of Fraud Operations, on extension 2002.",
            "who is the Head of Fraud Operations",
            "Rafael Quintana",
        ),
        (
            "person",
            "A report of fraud is handled by Fraud Operations at once.",
            "by whom is a report of fraud handled",
            "Fraud Operations",
        ),
        ("person", "A fee is paid by card.", None, None),
    ],
)
def test_pattern(family, sentence, question, key):
    assert made(family, sentence) == ((question, key) if question else None)


@pytest.mark.parametrize(
    "subject", ["the period", "the same withdrawal", "trying to use it", "a ninth", "the second"]
)
def test_vague(subject):
    assert vague(subject)


@pytest.mark.parametrize("subject", ["the fee", "a withdrawal", "the period of notice"])
def test_clear(subject):
    assert not vague(subject)
