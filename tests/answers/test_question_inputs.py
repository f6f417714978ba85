"""Cases with passages, a history or turns: asked in order with the real replies before, known again by all of
it, and not asked of an assistant that does not take them."""

import json

import pandas as pd
import pytest

from assistants.in_this_process import ask_all
from ragassay import tables
from ragassay.answers.asking import CUT_OFF
from ragassay.cases.case_table import cases_frame
from ragassay.errors import TableError

KINDS = {"answer_type": "short_fact", "query_type": "factual", "kind": "own"}


def cases(*rows):
    return cases_frame([{"case_id": f"c{i}", "question": "q", **KINDS, **row} for i, row in enumerate(rows)])


def turns(*placed):
    """(conversation, turn) as cases, the question named by both."""
    return cases(*({"conversation_id": c, "turn": t, "question": f"{c}{t}"} for c, t in placed))


class Noting:
    """Answers with what it was asked with, and keeps it."""

    def __init__(self):
        self.asked = []

    def __call__(self, question, history=None, passages=None):
        self.asked.append(question)
        said = [turn["content"] for turn in history or []]
        return json.dumps([question, said, passages])


def ask(table, system, run_dir, **options):
    return ask_all(table, system, name="s", run_dir=run_dir, **options)


def test_passages_reach_the_assistant_as_they_stand_in_the_case(tmp_path):
    table = cases(
        {"passages": ["one", "two"], "passage_ids": ["a", "b"]}, {"passages": []}, {}, {"passages": ["x"]}
    )
    tables.write(tmp_path, "cases", table)
    given = ask(tables.read(tmp_path, "cases"), Noting(), tmp_path)
    assert [json.loads(answer)[2] for answer in given["answer"]] == [
        [{"id": "a", "text": "one"}, {"id": "b", "text": "two"}],
        [],
        None,
        [{"id": "p1", "text": "x"}],
    ]


def test_a_conversation_is_asked_turn_by_turn_with_its_real_replies(tmp_path):
    system = Noting()
    table = ask(turns(("x", 2), ("y", 1), ("x", 1), ("y", 2)), system, tmp_path)
    assert system.asked == ["x1", "x2", "y1", "y2"]
    first = json.dumps(["x1", [], None])
    assert table["question"].tolist() == ["x2", "y1", "x1", "y2"]
    assert json.loads(table["answer"][0])[1] == ["x1", first]


def test_a_turn_after_one_without_an_answer_is_not_asked(tmp_path):
    def silent(question, history=None):
        return "" if question == "x2" else question

    table = ask(turns(("x", 1), ("x", 2), ("x", 3), ("x", 4)), silent, tmp_path)
    assert table["error"].tolist() == ["", "the assistant returned nothing", CUT_OFF, CUT_OFF]


def test_what_the_assistant_does_not_take_is_not_asked(tmp_path):
    table = turns(("x", 1), ("x", 2))
    table = pd.concat([table, cases({"case_id": "p", "passages": ["a"]})], ignore_index=True)
    given = ask(table, str.upper, tmp_path)
    assert given["answer"].tolist() == ["X1", "", ""]
    assert [error.split("and the")[0] for error in given["error"]] == [
        "",
        "not applicable: it needs the conversation so far, ",
        "not applicable: it needs passages in place of those retrieved, ",
    ]
    assert given.attrs["hooks"] == ()


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({"history": ["a"]}, "1 texts"),
        ({"passages": ["a"], "passage_ids": ["a", "b"]}, "2 ids"),
        ({"turn": 1}, "conversation"),
        ({"conversation_id": "x", "turn": 2}, "1 comes next"),
        ({"conversation_id": "x", "turn": 1.5}, "1 comes next"),
    ],
)
def test_refuses_before_anything_is_asked(tmp_path, row, complaint):
    system = Noting()
    with pytest.raises(TableError, match=complaint):
        ask(cases({}, row), system, tmp_path)
    assert system.asked == []
