"""What a sentence says, asked as if it said otherwise; nothing of a sentence with conditions."""

import numpy as np
import pytest
from rule_examples import EXAMPLES

from ragassay.cases import outside_documents
from ragassay.cases.rule_questions.askable_units import Unit


def asked(text):
    unit = Unit("d#p1", "d", "T01", "en", "Terms", "", text)
    return list(
        outside_documents.premise_questions(unit, frozenset({"a", "the", "cash"}), np.random.default_rng(0))
    )


@pytest.mark.parametrize(
    ("text", "opening", "family", "key_fact"), EXAMPLES["false premise questions: by hand"]
)
def test_by_hand(text, opening, family, key_fact):
    (made,) = asked(text)
    assert made.question.startswith(opening) and made.question.endswith("?")
    assert (made.family, made.key_fact, made.answer) == (family, key_fact, text)
    assert not key_fact or key_fact not in made.question


@pytest.mark.parametrize(
    "text", EXAMPLES["false premise questions: what makes no one plain claim is not asked"]
)
def test_what_makes_no_one_plain_claim_is_not_asked(text):
    assert asked(text) == []
