"""Facts, and questions made of sentences: by hand, their laws."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.scores.families.facts import find, is_held, questions, read_source

SOURCE = read_source(
    (
        "The monthly fee is $6.00, or 5 % of 1,250 units, waived within thirty business days.",
        "Due 12 March 2024 at 10 a.m. in the U.S.",
    )
)


@pytest.mark.parametrize(
    "claim, found",
    [
        ("a fee of $6", [True]),
        ("a fee of 6", [True]),
        ("5 per cent", [True]),
        ("1.250 units", [True]),
        ("30 months", [False]),
        ("in March 2024", [True]),
        ("on a Tuesday", [True]),
        ("at 10:00", [True]),
        ("in 2024", [True]),
        ("no fact", []),
    ],
)
def test_each_kind_is_looked_up(claim, found):
    assert [is_held(fact, SOURCE) for fact in find(claim)] == found


@given(st.text(), st.text())
@settings(deadline=None)
def test_a_text_holds_its_own_facts_and_more_text_holds_no_less(one, other):
    for fact in find(one):
        assert is_held(fact, read_source((one,))) and is_held(fact, read_source((other, one)))


@pytest.mark.parametrize(
    "sentence, asked",
    [
        ("The monthly fee is $6.00.", ["What is the monthly fee?", "The monthly fee is what?"]),
        ("It was opened in Germany by engineers.", ["It was opened in Germany by what?"]),
        ("They like the branch.", ["They like the what?"]),
        ("So it is.", []),
        ("fee " * 1000, []),
    ],
)
def test_questions_by_hand(sentence, asked):
    assert questions(sentence) == asked
