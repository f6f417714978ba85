"""Two columns for one thing are refused, and so is a file of two tools; a list is read in five spellings."""

import json

import pytest

from answers.tool_records import P1, P2, RECORDS, A, Q, row_of
from ragassay.answers import load_log, open_answers
from ragassay.answers.log_formats import resolve
from ragassay.errors import InputError

OTHER = "Something else?"


@pytest.mark.parametrize(
    "record, words",
    [
        ({"user_input": Q, "question": OTHER, "response": A}, "hold the question.*--map question="),
        ({"question": Q, "answer": A, "prompt": OTHER, "response": A}, "hold the question"),
        ({"question": Q, "answer": A, "response": "No."}, "hold the answer.*--map answer="),
        ({"Query": Q, "user question": OTHER, "reply": A}, "hold the question"),
    ],
)
def test_two_columns_that_do_not_agree_are_refused(record, words):
    with pytest.raises(InputError, match=f"(?s){words}"):
        resolve([record], "log.jsonl")


def test_the_user_decides_and_columns_that_agree_need_no_decision():
    record = {"user_input": Q, "question": OTHER, "response": A}
    schema = resolve([record], "log.jsonl", mapping={"question": "question"})
    assert row_of(record, schema)["question"] == OTHER
    assert resolve([record], "log.jsonl", schema="ragas").name == "ragas"
    assert resolve([record | {"question": f" {Q}"}], "log.jsonl").name == "ragas"


def test_a_column_that_the_tool_reads_as_something_else_is_no_candidate():
    record = RECORDS["langtest"][0]
    assert resolve([record], "here").name == "langtest"


@pytest.mark.parametrize("read", ["score", "run"])
def test_a_record_of_another_tool_is_told_and_left_out(tmp_path, read):
    log = tmp_path / "log.jsonl"
    records = [RECORDS["ragas"][0], RECORDS["langchain_qa"][0], RECORDS["deepeval"][0]]
    log.write_text("".join(json.dumps(record) + "\n" for record in records))
    if read == "run":
        cases, answers = load_log(log)
        assert (len(answers), cases.attrs["n_bad"]) == (1, 2)
        flaws = cases.attrs["flaws"]
    else:
        opened = open_answers(log)
        assert sum(map(len, opened)) == 3 and opened.n_bad == 2
        flaws = opened.flaws
    assert "a record of ragas" in str(flaws[0]) and "a record of langchain_qa" in str(flaws[1])
    assert all("a file of its own" in str(flaw) for flaw in flaws)


@pytest.mark.parametrize(
    "spelled",
    [
        [P1, P2],
        json.dumps([P1, P2]),
        repr([P1, P2]),
        f"{P1}|{P2}",
        json.dumps([{"context": P1, "source": "a"}, {"context": P2, "source": "b"}]),
        repr([{"context": P1}, {"context": P2}]),
    ],
)
def test_a_list_in_any_spelling(spelled):
    record = {"input": Q, "actual_output": A, "retrieval_context": spelled}
    assert row_of(record)["contexts"] == [P1, P2]
