"""What a question must pass."""

import pytest

from cases.rule_questions.rule_examples import EXAMPLES
from ragassay.cases.rule_questions.askable_units import Unit, fact_candidate
from ragassay.cases.rule_questions.question_form_checks import (
    flaw,
    is_anybody,
    is_telling,
    is_whole,
    name_document,
    opening_for,
    points_back,
    unnamed,
)

UNIT = Unit("d#p1", "d", None, "en", "T", "", "The fee is $6.00.")


@pytest.mark.parametrize(
    "question, reason",
    [
        ("What is the monthly fee today", "question mark"),
        ("What is it?", "words"),
        ("What is the fee " + "so " * 30 + "low?", "words"),
        ("What is the fee in this case?", "points"),
        ("What is the | fee today?", "loose"),
        ("What is the the monthly fee?", "repeats"),
        ("What is the fee of?", "breaks off"),
        ("What is the fee of $6.00?", "own answer"),
        ("What is the fee for a dealer under Rule 4?", "points"),
        ("Must FEES AND CHARGES a fee be paid?", "heading"),
    ],
)
def test_refused(question, reason):
    assert reason in flaw(question, fact_candidate(UNIT, "amount", question, "$6.00"))


def test_kept():
    assert flaw("What is the monthly fee?", fact_candidate(UNIT, "amount", "", "$6.00")) == ""
    assert (
        flaw("Is the monthly fee $6.00?", fact_candidate(UNIT, "yes_no", "", "yes", query_type="yes_no"))
        == ""
    )


@pytest.mark.parametrize("key, answer, reason", EXAMPLES["question form checks: poor answers"])
def test_poor_answers(key, answer, reason):
    assert reason in flaw(
        "What happens to the monthly fee?", fact_candidate(UNIT, "consequence", "", key, answer=answer)
    )


@pytest.mark.parametrize(
    "question",
    [
        "When must the application be made?",
        "Must the new period be over?",
        "Does the Guidance apply to dealers?",
    ],
)
def test_things_not_named(question):
    assert (
        unnamed(question)
        and not unnamed("When must the bank be told?")
        and not unnamed("When is the fee for a wire due?")
    )


@pytest.mark.parametrize("title, opening", EXAMPLES["question form checks: openings"])
def test_openings(title, opening):
    assert opening_for(title) == opening


def test_a_question_that_does_not_is_placed():
    assert (
        name_document("When is the fee waived?", "Wire Transfers")
        == "For Wire Transfers, when is the fee waived?"
    )
    assert name_document("¿Cuánto cuesta?", "Guía", "es") == "Según «Guía», ¿cuánto cuesta?"


@pytest.mark.parametrize("title", ["", "Introduction", "a3f09b11c2d4e5f60718", "doc 1234567", "1."])
def test_a_title_that_is_no_name_places_nothing(title):
    assert name_document("When is the fee waived?", title) is None


@pytest.mark.parametrize("subject", ["tower reports", "benchmarking", "the choice of rope", "Tier 2 capital"])
def test_telling(subject):
    assert is_telling(subject)


@pytest.mark.parametrize(
    "subject",
    ["the report", "the bank", "examiners", "these tower reports", "its lamp", "35 towers",
     "consider how towers", "towers (in part)", "regardless of towers"],
)  # fmt: skip
def test_not_telling(subject):
    assert not is_telling(subject)


def test_somebody_of_a_kind():
    assert is_anybody("an Authorised Person") and is_anybody("the financial firm")
    assert not is_anybody("tower reports") and not is_anybody("a firm with lamps in several towers")


def test_what_points_back():
    assert (
        points_back("Its lamps") and points_back("these lamps") and not points_back("lamps such as red ones")
    )
    assert is_whole("the bank") and not is_whole("the same tower")
