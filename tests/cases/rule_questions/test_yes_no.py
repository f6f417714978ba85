"""Claims asked back: true, false by another figure, permissions and prohibitions; hedged claims are not asked."""

import numpy as np
import pytest

from cases.rule_questions.rule_examples import EXAMPLES
from ragassay.cases.rule_questions.askable_units import Unit
from ragassay.cases.rule_questions.yes_no import other, questions


def asked(text, seed=0):
    unit = Unit("d#p1", "d", "T01", "en", "Home Loan", "", text)
    return list(questions(unit, frozenset(), np.random.default_rng(seed)))


def test_a_figure_is_asked_truly_or_falsely_and_the_answer_says_which():
    found = [asked("The fee must be paid within 60 days.", seed)[0] for seed in range(12)]
    assert {candidate.key_fact for candidate in found} == {"yes", "no"}
    for candidate in found:
        assert ("within 60 days" in candidate.question) == (candidate.key_fact == "yes")
        assert candidate.answer == f"{candidate.key_fact.capitalize()}. The fee must be paid within 60 days."


@pytest.mark.parametrize(
    "text, question, verdict",
    [
        ("A certificate cannot be sold or assigned.", "Can a certificate be sold or assigned?", "no"),
        ("The account may not be used for a trade.", "May the account be used for a trade?", "no"),
        ("An adult may lower any limit.", "May an adult lower any limit?", "yes"),
    ],
)
def test_permissions(text, question, verdict):
    found = asked(text)[0]
    assert (found.question, found.key_fact, found.query_type) == (question, verdict, "yes_no")


@pytest.mark.parametrize("text", EXAMPLES["yes no: hedged or empty claims are not asked"])
def test_hedged_or_empty_claims_are_not_asked(text):
    assert not asked(text)


def test_duties_and_permissions_are_asked_as_their_opposites_too():
    duty = {
        (one.question, one.key_fact)
        for seed in range(12)
        for one in asked("A borrower must insure the house.", seed)
    }
    assert duty == {
        ("Must a borrower insure the house?", "yes"),
        ("Is it optional for a borrower to insure the house?", "no"),
    }
    allowed = {
        (one.question, one.key_fact)
        for seed in range(12)
        for one in asked("The bank may sell the loan.", seed)
    }
    assert allowed == {
        ("May the bank sell the loan?", "yes"),
        ("Is it mandatory for the bank to sell the loan?", "no"),
    }


@pytest.mark.parametrize("number", ["60", "$1,250.00".strip("$"), "2.5", "1", "0.50", "0", "1,000", "45"])
@pytest.mark.parametrize("seed", range(6))
def test_another_figure_of_the_same_form(number, seed):
    changed = other(number, np.random.default_rng(seed))
    assert (
        changed != number
        and len(changed.partition(".")[2]) == len(number.partition(".")[2])
        and float(changed.replace(",", "")) > 0
    )
