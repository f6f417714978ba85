"""Steps and tables."""

import pandas as pd
import pytest

from cases.rule_questions.rule_examples import EXAMPLES
from ragassay.cases.rule_questions.askable_units import Block
from ragassay.cases.rule_questions.steps_and_tables import enumeration_questions, questions

SMALL = frozenset(
    [
        "need",
        "branch",
        "account",
        "fee",
        "machines",
        "telephone",
        "rate",
        "on",
        "purchases",
        "a",
        "an",
        "stop",
        "and",
        "using",
        "power",
        "the",
        "mortgage",
        "credit",
        "card",
    ]
)
STEPS = ["Tell any employee what you need.", "Agree on the wording.", "Receive a confirmation."]


def block(kind, lines, title="Access Policy", heading="", language="en"):
    return Block(kind, "d", "T01", language, title, heading, lines, ["d#p1"] * (len(lines) - 1) + ["d#p2"])


@pytest.mark.parametrize("title, heading, language, question", EXAMPLES["steps and tables: steps"])
def test_steps(title, heading, language, question):
    found = list(questions(block("step", STEPS, title, heading, language), SMALL))
    assert [candidate.question for candidate in found] == [question]
    assert (
        found[0].answer.startswith("1. Tell any employee")
        and found[0].chunk_ids == ("d#p1", "d#p2")
        and found[0].answer_type == "multi_step"
    )


def test_two_columns():
    found = list(
        questions(
            block("row", ["Item | Rule", "Rate on purchases | 18.75% a year", "Cash | not available"]), SMALL
        )
    )
    assert [(c.question, c.key_fact) for c in found] == [("What is the rate on purchases?", "18.75% a year")]


def test_rows_with_names():
    rows = ["Branch | Telephone | Monday to Friday | Machines", "Old Mint | 555-0111 | 9:30-16:30 | 2"]
    assert [c.question for c in questions(block("row", rows), SMALL)] == [
        "What is the telephone number of the Old Mint branch?",
        "What are the hours of the Old Mint branch from Monday to Friday?",
        "How many machines does the Old Mint branch have?",
    ]


WHOLE = "A recovery plan must include:\n(a) the person in charge;\n(b) the first steps; and\n(c) a date for review."


def asked(text):
    chunks = pd.DataFrame(
        [{"chunk_id": "d#p1", "doc_id": "d", "text": text, "language": "en", "heading": "Recovery Plans"}]
    )
    return list(enumeration_questions(chunks, frozenset()))


def test_a_list_is_asked_for_as_a_whole():
    found = asked(WHOLE)[0]
    assert (
        found.question == "What must a recovery plan include?"
        and found.answer_type == "multi_step"
        and found.query_type == "open"
    )
    assert (
        found.answer
        == "A recovery plan must include: (1) the person in charge; (2) the first steps; (3) a date for review."
    )


@pytest.mark.parametrize(
    "text",
    [
        WHOLE.rstrip("."),
        WHOLE.replace("(b)", "b"),
        "A plan must include:\n(a) one thing.",
        "It must include:\n(a) one;\n(b) two.",
        "A plan must be:\n(a) one;\n(b) two.",
        "A plan must include:\n(a) one of:\n(i) this;\n(ii) that.",
        "",
        ":\n:\n—\n",
    ],
)
def test_what_is_cut_short_or_nested_is_left(text):
    assert not asked(text)
