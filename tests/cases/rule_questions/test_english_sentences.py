"""Sentences in their place: pronouns resolved, consequences asked, fragments left."""

import pytest

from cases.rule_questions.rule_examples import EXAMPLES
from ragassay.cases.rule_questions.askable_units import Unit
from ragassay.cases.rule_questions.english_sentences import mine, questions

SMALL = frozenset(["purchases", "wages"])


def unit(text, before=""):
    return Unit("d#p1", "d", "T01", "en", "Home Loan", "", text, before)


def asked(text, before=""):
    return {candidate.family: candidate for candidate in questions(unit(text, before), SMALL)}


def test_it_stands_for_the_subject_of_the_sentence_before():
    found = asked("It costs $5 a copy.", "A paper statement is sent on request.")["price"]
    assert (
        found.question == "How much does a paper statement cost?"
        and found.answer == "A paper statement costs $5 a copy."
    )


@pytest.mark.parametrize("before", ["", "If you ask, we send one.", "Paper statements are sent on request."])
def test_it_without_a_clear_subject_gives_nothing(before):
    assert not asked("It costs $5 a copy.", before)


@pytest.mark.parametrize("text, question, key", EXAMPLES["english sentences: consequences"])
def test_consequences(text, question, key):
    found = asked(text)["consequence"]
    assert (found.question, found.key_fact) == (question, key)


@pytest.mark.parametrize("text", EXAMPLES["english sentences: no consequence"])
def test_no_consequence(text):
    assert "consequence" not in asked(text)


def test_the_reader_becomes_the_asker():
    assert (
        mine("you are late with your card and the bank calls you")
        == "I am late with my card and the bank calls me"
    )
