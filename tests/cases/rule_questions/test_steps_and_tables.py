"""Steps and table rows, over passages."""

import pandas as pd
import pytest

from ragassay.cases.rule_questions.askable_units import read
from ragassay.cases.rule_questions.steps_and_tables import questions

SMALL = frozenset("need branch account fee machines telephone rate on purchases a an and power the".split())
STEPS = "1. Tell any employee what you need.\n2. Agree on the wording.\n3. Receive a confirmation."


def asked(text, heading="", title="Access Policy"):
    row = {
        "chunk_id": "d#p1",
        "doc_id": "d",
        "text": text,
        "heading": heading,
        "title": title,
        "language": "en",
    }
    _, blocks = read(pd.DataFrame([row]))
    return [one for block in blocks for one in questions(block, SMALL)]


@pytest.mark.parametrize("title, heading, question", [
    ("Access Policy", "Registering a need", "How do I register a need?"),
    ("Access Policy", "Registering and using a power", "How do I register and use a power?"),
    ("Access Policy", "How to ask, step by step", "How do I ask?"),
    ("Closing an Account", "How to close", "How do I close an account?"),
])  # fmt: skip
def test_steps(title, heading, question):
    (found,) = asked(STEPS, heading, title)
    assert (found.question, found.answer_type, found.query_type) == (question, "multi_step", "open")
    assert found.answer.startswith("1. Tell any employee what you need. 2. Agree")


@pytest.mark.parametrize("text", ["- The passport.\n- Two letters.\n- A bill.", "1. Ring the bell."])
def test_a_list_of_things_and_a_single_line_are_no_steps(text):
    assert not asked(text, "Registering a need")


def test_rows_and_columns_with_names():
    branch = asked("Branch | Telephone | Machines\nOld Mint | 555-0111 | 2")
    assert [one.question for one in branch] == [
        "What is the telephone number of the Old Mint branch?",
        "How many machines does the Old Mint branch have?",
    ]
    fees = asked("Fee | Quay Plus Account | Tide Classic\nMonthly maintenance | $6.00 | None")
    assert [one.question for one in fees] == [
        "What is the Monthly maintenance fee for the Quay Plus Account?"
    ]
