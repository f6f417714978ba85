"""What a question must pass."""

import pytest

from ragassay.cases.questions.candidate import fact
from ragassay.cases.questions.checks import asked_before, flaw, given_away, unnamed
from ragassay.cases.questions.units import Unit

UNIT = Unit("d#p1", "d", None, "en", "T", "", "The fee is $6.00.")


@pytest.mark.parametrize(
    "question, reason",
    [
        ("What is the monthly fee today", "question mark"),
        ("What is? The fee?", "question mark"),
        ("What is it?", "words"),
        ("What is the fee " + "so " * 30 + "low?", "words"),
        ("What is the fee in this case?", "points"),
        ("What is the fee under (2)?", "points"),
        ("What is the | fee today?", "loose"),
        ("What is the the monthly fee?", "repeats"),
        ("What is the fee of?", "breaks off"),
        ("What is the fee of $6.00?", "own answer"),
        ("What is the fee for a dealer under Rule 4?", "points"),
        ("What is the fee under ABC 4.2 for dealers?", "points"),
        ("Must FEES AND CHARGES a fee be paid?", "heading"),
        ("When must the dealer disclose?", "breaks off"),
    ],
)
def test_refused(question, reason):
    assert reason in flaw(question, fact(UNIT, "amount", question, "$6.00"))


def test_kept():
    assert flaw("What is the monthly fee?", fact(UNIT, "amount", "", "$6.00")) == ""
    assert flaw("Is the monthly fee $6.00?", fact(UNIT, "yes_no", "", "yes", query_type="yes_no")) == ""


def test_given_away_by_words_only_where_there_is_no_figure():
    assert given_away("What happens if the branch manager agrees", "the branch manager agrees")
    assert not given_away("Within how many business days of receipt", "5 business days")


@pytest.mark.parametrize(
    "key, answer, reason",
    [
        ("it follows the procedure in Rule 6", "", "elsewhere"),
        ("a loan for the purposes of this Part", "", "elsewhere"),
        ("when it: (a) is late", "", "part of a list"),
        ("it is paid", "It is paid; b. it is late.", "part of a list"),
    ],
)
def test_poor_answers(key, answer, reason):
    assert reason in flaw(
        "What happens to the monthly fee?", fact(UNIT, "consequence", "", key, answer=answer)
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


def test_two_questions_alike():
    assert (
        asked_before("What is the fee?") == asked_before("what is a fee") != asked_before("What is the rate?")
    )
