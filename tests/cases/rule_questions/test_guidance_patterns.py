"""Each form of guidance prose: a sentence, its question and key fact; and sentences that only look like it."""

import pytest

from cases.rule_questions.rule_examples import EXAMPLES
from ragassay.cases.rule_questions import clause_parsing
from ragassay.cases.rule_questions.guidance_patterns import PATTERNS


def made(family, sentence):
    clause = clause_parsing.part(
        sentence, frozenset(["price", "tower", "night", "senior", "rope", "examples"])
    )
    return clause and PATTERNS[family](clause)


@pytest.mark.parametrize("family, sentence, question, key", EXAMPLES["guidance patterns: forms"])
def test_forms(family, sentence, question, key):
    assert made(family, sentence) == (question, key)


@pytest.mark.parametrize("family, sentence", EXAMPLES["guidance patterns: look alikes give nothing"])
def test_look_alikes_give_nothing(family, sentence):
    assert not made(family, sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Tower reports should describe the lamps and assess the height of the glass.",
        "Tower reports should describe the lamps; the ropes; and the glass.",
        "Tower reports should describe these lamps and the ropes.",
    ],
)
def test_a_second_predicate_or_list_leaves_no_key_fact(sentence):
    question, key = made("what", sentence)
    assert (question, key) == ("what should tower reports describe", "")
