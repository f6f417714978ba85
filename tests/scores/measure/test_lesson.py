"""Language, format, budgets, abstention and directness measured."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from word_tools import WordTools

from ragassay.scores.measure import lesson
from ragassay.scores.measure.result import NotApplicable
from ragassay.scores.sample import Sample

TOOLS = WordTools()
SPANISH = "La comisión mensual no se cobra si el saldo medio supera el límite."


def material(answer: str | None, **more) -> Sample:
    return Sample("c1", "s", answer=answer, **more)


def test_language_by_hand():
    value, detail = lesson.language_match(
        material(f"{SPANISH} [a#p1]", language="es", declared_language="es"), TOOLS
    )
    assert value == 1.0 and detail == [{"text": SPANISH, "language": "es", "expected": "es"}]
    assert lesson.language_match(material(SPANISH, language="en", declared_language="en"), TOOLS)[0] == 0.0
    with pytest.raises(NotApplicable, match="fewer than 20 letters"):
        lesson.language_match(material("5 %"), TOOLS)


@pytest.mark.parametrize(
    "answer, more, value",
    [
        ("The fee is 5 [a#p1].", {"context_ids": ("a#p1",)}, 1.0),
        ("The fee is 5.", {"context_ids": ("a#p1",)}, 0.0),
        ("The fee is 5.", {"answerable": False}, 1.0),
        ("I could not find it.", {}, 1.0),
        ("The fee is 5 [a].", {"context_ids": ("a#p1",)}, 0.0),
    ],
)
def test_the_house_format_by_hand(answer, more, value):
    found, detail = lesson.schema_valid(material(answer, **more), TOOLS)
    assert found == value and (detail == []) is (value == 1.0)


def test_the_language_of_the_case_then_of_the_question_then_english():
    question = "¿Cuánto cuesta la cuenta corriente al mes?"
    assert lesson.expected_language(material(SPANISH, question=question)) == "es"
    assert (
        lesson.expected_language(material(SPANISH, question=question, language="pt", declared_language="pt"))
        == "pt"
    )
    assert lesson.expected_language(material(SPANISH, question="¿Y?")) == "en"


def test_the_schema_of_the_case_decides_where_there_is_one():
    schema = '{"type": "object", "required": ["fee"]}'
    assert lesson.schema_valid(material('{"fee": 5}', schema=schema), TOOLS) == (1.0, [])
    assert lesson.schema_valid(material("The fee is 5 [a#p1].", schema=schema), TOOLS)[0] == 0.0
    for broken in ("{", "[1]"):
        with pytest.raises(ValueError, match="the JSON schema"):
            lesson.schema_valid(material("{}", schema=broken), TOOLS)


def test_budgets_by_hand():
    assert lesson.length_within_budget(material("one two [a#p1] three"), TOOLS, budget=3) == (
        1.0,
        [{"words": 3, "budget": 3}],
    )
    assert lesson.length_within_budget(material("one two three four"), TOOLS, budget=3)[0] == 0.0
    assert lesson.answer_words(material("one two [1]"), TOOLS) == (2.0, [])
    assert lesson.latency_within_budget(material("x", latency_s=2.0), TOOLS, budget=1.5)[0] == 0.0
    with pytest.raises(ValueError, match="a budget is above 0"):
        lesson.latency_within_budget(material("x", latency_s=-1.0), TOOLS)


def test_abstention_by_hand():
    refusal, answer = "I could not find this.", "The fee is 5."
    assert (
        lesson.abstains(material(refusal), TOOLS)[0] == 1.0
        and lesson.abstains(material(answer), TOOLS)[0] == 0.0
    )
    found = [
        lesson.should_have_abstained(material(text, answerable=known), TOOLS)[0]
        for text in (refusal, answer)
        for known in (True, False)
    ]
    assert found == [0.0, 0.0, 0.0, 1.0]


def test_directness_by_hand():
    question = "How much is the wire fee?"
    first = lesson.direct(material("The wire fee is 5 dollars.", question=question), TOOLS)
    late = lesson.direct(
        material("Sure! Perhaps cats purr. The wire fee is 5 dollars.", question=question), TOOLS
    )
    assert first[0] == 1.0 and late[0] == pytest.approx((0.5 + 0 + 2 / 3 + 1 / 3) / 4)
    assert [record["answers"] for record in late[1]] == [False, False, True]
    assert [record["speculates"] for record in late[1]] == [False, True, False]
    assert [record["preamble"] for record in late[1]] == [True, False, False]


@given(st.text(min_size=1, max_size=60))
def test_any_answer_has_a_directness_within_bounds(text):
    said = material(f"{text} a", question="How much is it?")
    assert 0 <= lesson.direct(said, TOOLS)[0] <= 1
