"""Directness: what is asked for, where the answer stands, and the mean of the four points."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.scores.directness import answering, asked, directness, first, is_preamble, speculates


@pytest.mark.parametrize(
    "question, kind",
    [
        ("How much does a wire cost?", "number"),
        ("¿Cuánto cuesta?", "number"),
        ("When is it due?", "time"),
        ("Quando vence?", "time"),
        ("Who decides?", "name"),
        ("May I cancel it?", "yes_no"),
        ("Explain the fee.", None),
        ("", None),
    ],
)
def test_what_is_asked(question, kind):
    assert asked(question) == kind


@pytest.mark.parametrize(
    "question, sentences, cosines, place",
    [
        ("How much is it?", ["Wires are common.", "It is 5 dollars."], [0.9, 0.2], 1),
        ("May I?", ["Cards are cards.", "No, you may not."], [0.9, 0.2], 1),
        ("Explain it.", ["Cards are cards.", "So it is.", "Thus."], [0.1, 0.75, 0.8], 1),
        ("How much is it?", ["It is dear.", "It is."], [0.5, 0.5], 0),
    ],
)
def test_where_the_answer_stands(question, sentences, cosines, place):
    assert answering(question, sentences, cosines) == place


def test_the_mean_by_hand():
    assert [first(place) for place in range(5)] == [1.0, 0.5, 0.5, 0.0, 0.0]
    assert directness(0, False, [False], [True]) == 1.0
    assert directness(1, True, [True, False], [True, False]) == pytest.approx((0.5 + 0 + 0.5 + 0.5) / 4)


@given(st.integers(0, 9), st.booleans(), st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1))
def test_bounds_and_direction(place, preamble, sentences):
    speculating, about = zip(*sentences, strict=True)
    value = directness(place, preamble, speculating, about)
    assert 0 <= value <= 1
    assert (
        directness(place + 1, preamble, speculating, about)
        <= value
        <= directness(0, False, [False] * len(about), [True] * len(about))
    )


@given(st.text(), st.lists(st.text(), min_size=1, max_size=5))
def test_some_sentence_holds_the_answer(question, sentences):
    assert 0 <= answering(question, sentences, np.linspace(0, 1, len(sentences))) < len(sentences)


def test_signs():
    assert (
        is_preamble("Great question! The fee is 5.")
        and is_preamble("As an AI, I say 5.")
        and not is_preamble("The fee is 5.")
    )
    assert speculates("It is probably 5.") and speculates("Creo que es 5.") and not speculates("It is 5.")


def test_no_sentence_is_refused():
    with pytest.raises(ValueError, match="empty"):
        directness(0, False, [], [])
