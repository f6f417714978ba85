"""One question against its facts: what is kept, what it becomes, and that no text breaks the screen."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.cases.llm_questions.question_prompts import Fact, Question
from ragassay.cases.llm_questions.reply_screening import facts_found_in, fold_text, row
from ragassay.cases.llm_questions.request_planning import TYPES, Order, Passage, Task

FEE = Fact(fact="The fee of the blue card is 9 euros.", quote="The fee is 9 euros a year", kind="number")
STEP = Fact(fact="To block a card, ring the desk.", quote="ring the desk", kind="step")
TERM = Fact(fact="A term is twelve months.", quote="a term is twelve months", kind="definition")
ONE = Task((Passage("d#p1", "", "T1", "en", ""),), ())
TWO = Task((Passage("d#p1", "", "T1", "en", ""), Passage("d#p2", "", "T1", "en", "")), ())


def question(**changes) -> Question:
    given = {
        "number": 1,
        "question": "What is the fee of the blue card?",
        "answer": "It is 9 euros.",
        "key_fact": "9 euros",
        "facts": [1],
        "options": [],
    }
    return Question(**(given | changes))


def screened(kind: str, task: Task = ONE, facts=((FEE,),), **changes) -> dict:
    return row(question(**changes), Order(kind, "easy"), task, facts)


def test_a_quotation_stands_in_the_passage_but_for_case_width_and_space():
    text = "The  FEE is\n９ euros a year."
    assert facts_found_in([FEE, STEP], text) == [FEE] and fold_text("ﬁne\tＡ") == "fine a"
    assert facts_found_in([Fact(fact="x", quote="\u3000", kind="other")], text) == []


def test_answer_types_follow_the_facts():
    kinds = {
        kind: screened("open", facts=((fact,),))["answer_type"]
        for kind, fact in (("n", FEE), ("s", STEP), ("d", TERM))
    }
    assert kinds == {"n": "short_fact", "s": "instruction", "d": "definition"}
    assert (
        screened("inference")["answer_type"] == "multi_step"
        and screened("yes_no", facts=((STEP,),))["answer_type"] == "short_fact"
    )


def test_a_multiple_choice_question_lists_its_options_by_their_letters():
    found = screened(
        "multiple_choice", options=["9 euros.", "12 euros", "8 euros", "7 euros"], key_fact="9 Euros"
    )
    assert (
        found["question"].endswith("card? (A) 12 euros; (B) 7 euros; (C) 8 euros; (D) 9 euros")
        and found["reason"] == ""
    )
    assert (
        found["reference_answer"] == "(D) 9 euros. It is 9 euros."
        and found["stem"] == "What is the fee of the blue card?"
    )


def test_a_key_fact_that_is_reckoned_need_not_be_quoted():
    assert (
        screened("inference", key_fact="18 euros")["reason"] == ""
        and screened("factual", key_fact="18 euros")["reason"]
    )
    assert (
        screened("factual", key_fact="9 euros.")["reason"] == ""
        and screened("factual", key_fact=" . ")["reason"] == "has no answer"
    )


TEXT = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=80)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(TYPES),
    TEXT,
    TEXT,
    TEXT,
    st.lists(st.integers(1, 4), max_size=3),
    st.lists(TEXT, max_size=8),
)
def test_whatever_is_written_becomes_a_row(kind, asked, answer, key, facts, options):
    made = question(question=asked, answer=answer, key_fact=key, facts=facts, options=options)
    found = row(made, Order(kind, "easy"), ONE, [[FEE, STEP]])
    assert isinstance(found["reason"], str) and found["family"] == f"model_{kind}"
    assert found["reason"] or (found["stem"].rstrip()[-1] in "?？؟" and found["question"].isprintable())
