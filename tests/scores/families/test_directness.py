"""Directness: what is asked for, where the answer stands, the mean of the four points, and answers measured."""

import pytest
from word_tools import WordTools

from ragassay.scores.families.form import (
    answering_sentence,
    directness,
    kind_asked_for,
    mean_of_points,
    point_of_place,
)
from ragassay.scores.prepared_answer import Sample


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
    assert kind_asked_for(question) == kind


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
    assert answering_sentence(question, sentences, cosines) == place


def test_the_mean_by_hand():
    assert [point_of_place(place) for place in range(5)] == [1.0, 0.5, 0.5, 0.0, 0.0]
    assert mean_of_points(0, False, [False], [True]) == 1.0
    assert mean_of_points(1, True, [True, False], [True, False]) == pytest.approx((0.5 + 0 + 0.5 + 0.5) / 4)


def test_no_sentence_is_refused():
    with pytest.raises(ValueError, match="empty"):
        mean_of_points(0, False, [], [])


TOOLS = WordTools()


def sample_of(answer: str | None, **more) -> Sample:
    return Sample("c1", "s", answer=answer, **more)


def test_directness_by_hand():
    question = "How much is the wire fee?"
    first = directness(sample_of("The wire fee is 5 dollars.", question=question), TOOLS)
    late = directness(
        sample_of("Sure! Perhaps cats purr. The wire fee is 5 dollars.", question=question), TOOLS
    )
    assert first[0] == 1.0 and late[0] == pytest.approx((0.5 + 0 + 2 / 3 + 1 / 3) / 4)
    assert [record["answers"] for record in late[1]] == [False, False, True]
    assert [record["speculates"] for record in late[1]] == [False, True, False]
    assert [record["preamble"] for record in late[1]] == [True, False, False]
