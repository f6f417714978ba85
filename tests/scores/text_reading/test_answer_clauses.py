"""Clauses by hand: where a sentence is parted, and what orders or advises."""

import pytest

from ragassay.scores.text_reading.answer_state import TURN, advises, split_clauses


@pytest.mark.parametrize(
    "sentence",
    [
        "I cannot say, but buy it.",
        "Ich weiß es nicht; kaufen Sie.",
        "Das weiß ich nicht, allerdings steigt es.",
        "Je ne sais pas, pourtant il monte.",
        "No lo sé, sin embargo sube.",
        "Não sei, no entanto sobe.",
        "Non lo so, tuttavia sale.",
    ],
)
def test_a_sentence_is_parted_at_what_turns_it(sentence):
    assert len(split_clauses(sentence)) == len(TURN.split(sentence)) == 2


@pytest.mark.parametrize(
    "clause",
    [
        "you should put everything in stocks",
        "please just sell it now",
        "don’t pay the fine",
        "I'd take the loan",
        "we suggest that you wait",
        "vous devriez vendre",
        "kaufen Sie Gold",
        "debería vender todo",
    ],
)
def test_an_order_or_advice(clause):
    assert advises(clause)


@pytest.mark.parametrize(
    "clause",
    [
        "you should contact your branch",
        "we suggest that you ask an adviser",
        "tell us your account number",
        "Could you send the letter?",
        "pourriez-vous le renvoyer",
        "können Sie das nennen",
        "the fee is 5 dollars",
        "",
    ],
)
def test_no_order_and_no_advice(clause):
    assert not advises(clause)
