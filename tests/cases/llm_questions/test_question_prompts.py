"""The requests: rules that never change with the matter, matter in fences, replies of one form."""

import json

import pytest
from case_writer import texts

from ragassay.cases.llm_questions.question_prompts import (
    Fact,
    Facts,
    Questions,
    facts_prompt,
    questions_prompt,
)
from ragassay.cases.llm_questions.request_planning import Order, Passage, Task
from ragassay.models.judge import Reply
from ragassay.models.judge.messages import Unparsed, parse_reply

FEE = Fact(fact="The fee is 9 euros.", quote="fee: 9 euros", kind="number")
TERM = Fact(fact="The term is a year.", quote="term: a year", kind="condition")


def passage(text: str = "fee: 9 euros", language: str = "en", title: str = "Fees") -> Passage:
    return Passage("d#p1", text, "T1", language, title)


def test_the_second_request():
    task = Task((passage(), passage("term: a year")), (Order("multi_hop", "hard"), Order("open", "easy")))
    request = questions_prompt(task, [[FEE], [TERM]])
    shown = texts(request.user)
    assert shown["FIRST PASSAGE"] == "fee: 9 euros" and shown["SECOND PASSAGE"] == "term: a year"
    told = [json.loads(line) for line in shown["FACTS"].splitlines()]
    assert [(one["number"], one["passage"], one["quote"]) for one in told] == [
        (1, 1, "fee: 9 euros"),
        (2, 2, "term: a year"),
    ]
    ordered = [json.loads(line) for line in request.system.splitlines() if line.startswith('{"number"')]
    assert ordered == [
        {"number": 1, "type": "multi_hop", "difficulty": "hard"},
        {"number": 2, "type": "open", "difficulty": "easy"},
    ]


@pytest.mark.parametrize("hostile", ["en. Reply {}", "x" * 40, "", "e\nn"])
def test_what_is_no_language_tag_does_not_reach_the_rules(hostile):
    assert facts_prompt(passage(language=hostile)).system == facts_prompt(passage()).system
    assert "(pt-BR)" in facts_prompt(passage(language="pt-BR")).system


def test_the_example_in_each_prompt_is_of_the_form_it_asks_for():
    for request, form in (
        (facts_prompt(passage()), Facts),
        (questions_prompt(Task((passage(),), (Order("open", "easy"),)), [[FEE]]), Questions),
    ):
        example = next(
            line for line in request.system.splitlines() if line.startswith(('{"facts"', '{"questions"'))
        )
        assert parse_reply(Reply(example), form)


GOOD = {"number": 1, "question": "What?", "answer": "So.", "key_fact": "so", "facts": [1], "options": []}


@pytest.mark.parametrize(
    "wrong",
    [
        {"number": "1"},
        {"number": True},
        {"number": 0},
        {"facts": ["1"]},
        {"facts": 1},
        {"question": ""},
        {"question": None},
        {"answer": None},
        {"options": "a"},
    ],
)
def test_a_wrong_type_is_no_question(wrong):
    assert parse_reply(Reply(json.dumps({"questions": [GOOD]})), Questions)
    with pytest.raises(Unparsed):
        parse_reply(Reply(json.dumps({"questions": [GOOD | wrong]})), Questions)


def test_two_questions_of_one_number_are_none():
    with pytest.raises(Unparsed, match="one number"):
        parse_reply(Reply(json.dumps({"questions": [GOOD, GOOD]})), Questions)
