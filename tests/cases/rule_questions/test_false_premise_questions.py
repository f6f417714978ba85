"""What a sentence says, asked as if it said otherwise; nothing of a sentence with conditions."""

import numpy as np
import pytest

from ragassay.cases import outside_documents
from ragassay.cases.rule_questions.askable_units import Unit


def asked(text):
    unit = Unit("d#p1", "d", "T01", "en", "Terms", "", text)
    return list(
        outside_documents.premise_questions(unit, frozenset({"a", "the", "cash"}), np.random.default_rng(0))
    )


@pytest.mark.parametrize(
    ("text", "opening", "family", "key_fact"),
    [
        ("The monthly fee is $6.00.", "Why is the monthly fee $", "premise_figure", "$6.00"),
        ("A stop order costs $18.00.", "Why does a stop order cost $", "premise_figure", "$18.00"),
        (
            "A branch cannot change the credit limit.",
            "How can a branch change the credit",
            "premise_allowed",
            "",
        ),
        ("A customer may not sell the loan on.", "How can a customer sell the loan", "premise_allowed", ""),
        ("Cash is not delivered to customers.", "When is cash delivered to customers", "premise_allowed", ""),
        ("A customer may close the account early.", "Why can a customer not close", "premise_forbidden", ""),
    ],
)
def test_by_hand(text, opening, family, key_fact):
    (made,) = asked(text)
    assert made.question.startswith(opening) and made.question.endswith("?")
    assert (made.family, made.key_fact, made.answer) == (family, key_fact, text)
    assert not key_fact or key_fact not in made.question


@pytest.mark.parametrize(
    "text",
    [
        "The monthly fee is $6.00 unless the balance is $750.",
        "The fee is $6.00, and the deposit is $50.",
        "If the card is lost, the fee is $7.00.",
        "The period is 30 days.",
        "Fees",
        "",
    ],
)
def test_what_makes_no_one_plain_claim_is_not_asked(text):
    assert asked(text) == []
