"""The two requests, and one question against its facts: what is kept, what it becomes, that no text breaks it."""

import json

import pytest
from case_writer import texts
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.cases.llm_questions import TYPES
from ragassay.cases.llm_questions.replies import (
    Fact,
    Facts,
    Question,
    Questions,
    case_row,
    facts_prompt,
    fold_text,
    questions_prompt,
    quoted_facts,
)
from ragassay.cases.rule_questions.askable_units import Unit
from ragassay.models.judge import Reply
from ragassay.models.judge.messages import Unparsed, parse_reply

FEE = Fact(fact="The fee of the blue card is 9 euros.", quote="The fee is 9 euros a year", kind="number")
STEP = Fact(fact="To block a card, ring the desk.", quote="ring the desk", kind="step")
TERM = Fact(fact="A term is twelve months.", quote="a term is twelve months", kind="definition")
GOOD = {
    "number": 1,
    "question": "What is the fee of the blue card?",
    "answer": "It is 9 euros.",
    "key_fact": "9 euros",
    "facts": [1],
    "options": [],
}


def passage(text="fee: 9 euros", language="en", name="d#p1"):
    return Unit(name, "d", "T1", language, "Fees", "", text)


def screened(kind, known=((FEE,),), **changes):
    return case_row(Question(**GOOD | changes), (kind, "easy"), (passage(),), known)


def test_the_second_request():
    orders = [("multi_hop", "hard"), ("open", "easy")]
    request = questions_prompt((passage(), passage("term: a year")), orders, [[FEE], [TERM]])
    shown = texts(request.user)
    assert shown["FIRST PASSAGE"] == "fee: 9 euros" and shown["SECOND PASSAGE"] == "term: a year"
    told = [json.loads(line) for line in shown["FACTS"].splitlines()]
    assert [(one["number"], one["passage"], one["quote"]) for one in told] == [
        (1, 1, FEE.quote),
        (2, 2, TERM.quote),
    ]
    ordered = [json.loads(line) for line in request.system.splitlines() if line.startswith('{"number"')]
    assert [(one["number"], one["type"], one["difficulty"]) for one in ordered] == [
        (1, *orders[0]),
        (2, *orders[1]),
    ]


@pytest.mark.parametrize("hostile", ["en. Reply {}", "x" * 40, "", "e\nn"])
def test_what_is_no_language_tag_does_not_reach_the_rules(hostile):
    assert facts_prompt(passage(language=hostile)).system == facts_prompt(passage()).system
    assert "(pt-BR)" in facts_prompt(passage(language="pt-BR")).system


def test_the_example_in_each_prompt_is_of_the_form_it_asks_for():
    second = questions_prompt((passage(),), [("open", "easy")], [[FEE]])
    for request, form in ((facts_prompt(passage()), Facts), (second, Questions)):
        lines = request.system.splitlines()
        assert parse_reply(
            Reply(next(one for one in lines if one.startswith(('{"facts"', '{"questions"')))), form
        )


@pytest.mark.parametrize(
    "wrong", [{"number": "1"}, {"number": 0}, {"facts": 1}, {"question": ""}, {"answer": None}]
)
def test_a_wrong_type_and_a_number_twice_are_no_reply(wrong):
    assert parse_reply(Reply(json.dumps({"questions": [GOOD]})), Questions)
    for questions in ([GOOD | wrong], [GOOD, GOOD]):
        with pytest.raises(Unparsed):
            parse_reply(Reply(json.dumps({"questions": questions})), Questions)


def test_a_quotation_stands_in_the_passage_but_for_case_width_and_space():
    text = "The  FEE is\n９ euros a year."
    assert quoted_facts([FEE, STEP], text) == [FEE] and fold_text("ﬁne\tＡ") == "fine a"
    assert quoted_facts([Fact(fact="x", quote="\u3000", kind="other")], text) == []


def test_answer_types_follow_the_facts():
    kinds = [screened("open", ((fact,),))["answer_type"] for fact in (FEE, STEP, TERM)]
    assert kinds == ["short_fact", "instruction", "definition"]
    assert screened("inference")["answer_type"] == "multi_step"
    assert screened("yes_no", ((STEP,),))["answer_type"] == "short_fact"


def test_a_multiple_choice_question_lists_its_options_by_their_letters():
    found = screened(
        "multiple_choice", options=["9 euros.", "12 euros", "8 euros", "7 euros"], key_fact="9 Euros"
    )
    assert found["question"].endswith("card? (A) 12 euros; (B) 7 euros; (C) 8 euros; (D) 9 euros")
    assert found["reference_answer"] == "(D) 9 euros. It is 9 euros." and found["stem"] == GOOD["question"]


def test_a_key_fact_that_is_reckoned_need_not_be_quoted():
    assert screened("inference", key_fact="18 euros")["reason"] == ""
    assert screened("factual", key_fact="18 euros")["reason"] and screened("factual")["reason"] == ""


TEXT = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=80)
NUMBERS, LISTED = st.lists(st.integers(1, 4), max_size=3), st.lists(TEXT, max_size=8)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(TYPES), TEXT, TEXT, TEXT, NUMBERS, LISTED)
def test_whatever_is_written_becomes_a_row(kind, asked, answer, key, facts, options):
    found = screened(
        kind, [[FEE, STEP]], question=asked, answer=answer, key_fact=key, facts=facts, options=options
    )
    assert isinstance(found["reason"], str) and found["family"] == f"model_{kind}"
    assert found["reason"] or (found["stem"].rstrip()[-1] in "?？؟" and found["question"].isprintable())
