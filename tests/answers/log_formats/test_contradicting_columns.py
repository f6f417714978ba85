"""Two columns for one thing are refused, and so is a file of two tools; a list is read in five spellings."""

import json

import pytest

from answers.tool_records import P1, P2, RECORDS, A, Q, R, row_of
from ragassay.answers import load_log, open_answers
from ragassay.answers.log_formats import resolve
from ragassay.errors import InputError

OTHER = "Something else?"


def lines(folder, records):
    log = folder / "log.jsonl"
    log.write_text("".join(json.dumps(record) + "\n" for record in records))
    return log


@pytest.mark.parametrize(
    "record, words",
    [
        ({"user_input": Q, "question": OTHER, "response": A}, "hold the question.*--map question="),
        ({"question": Q, "answer": A, "prompt": OTHER, "response": A}, "hold the question"),
        ({"question": Q, "answer": A, "response": "No."}, "hold the answer.*--map answer="),
        ({"Query": Q, "user question": OTHER, "reply": A}, "hold the question"),
        ({"user_input": Q, "response": A, "answer": "No."}, "hold the answer.*--map answer=answer"),
        ({"input": Q, "actual_output": A, "actualOutput": "No."}, "hold the answer"),
        ({"inputs": {"question": Q, "query": OTHER}, "outputs": A, "expectations": {}}, "inputs.query"),
        ({"question": Q, "answer": A, "contexts": [P1], "retrieved_docs": repr([P2])}, "hold the contexts"),
        (
            {"question": Q, "answer": A, "reference_answer": "$18", "gold_answer": "$9"},
            "the reference_answer",
        ),
    ],
)
def test_two_columns_that_do_not_agree_are_refused(record, words):
    with pytest.raises(InputError, match=f"(?s){words}"):
        resolve([record], "log.jsonl")


def test_the_first_row_that_differs_is_named_with_both_columns(tmp_path):
    rows = [{"user_input": f"{i}. {Q}", "response": A, "Answer": A if i < 3 else "No."} for i in range(6)]
    with pytest.raises(InputError) as told:
        open_answers(lines(tmp_path, rows))
    assert told.value.where == "log.jsonl, line 4"
    assert f"{A!r} in response, 'No.' in Answer" in told.value.found and "answer=Answer" in told.value.do


@pytest.mark.parametrize(
    "more",
    [
        {"prompt": f"Answer from the passages. {Q}"},
        {"instruction": ["Be brief.", "Be brief."]},
        {"result": ["pass", "fail"]},
        {"output": [{"text": "No."}, {"text": "No."}]},
        {"output": ['{"text": "No."}', '{"text": "None."}']},
        {"output": ["", None]},
        {"retrieved_docs": [["d1", "d2"], ["d3", "d4"]]},
        {"sources": [["Fees of the bank"], ["Other fees"]]},
        {"reference": ["Fees, page 3", "Fees, page 4"]},
    ],
)
def test_a_column_that_says_something_else_is_none_of_two(more):
    """A prompt around the question, one text in every row, a verdict, an object, ids, sources."""
    records = [
        {"question": f"{Q} {i}", "answer": f"{A} {i}", "contexts": [P1], "reference_answer": R}
        for i in (1, 2)
    ]
    for i, record in enumerate(records):
        record |= {
            name: value[i] if isinstance(value, list) else f"{value} {i + 1}" for name, value in more.items()
        }
    assert resolve(records, "log.jsonl").columns["answer"] == "answer"


def test_a_row_that_differs_later_is_left_out_and_named(tmp_path):
    rows = [{"user_input": f"{i}. {Q}", "response": A, "answer": A} for i in range(300)]
    rows[280]["answer"] = "No."
    cases, answers = load_log(lines(tmp_path, rows))
    assert cases.attrs["n_bad"] == 1 and answers["answer"].eq("").sum() == 1
    assert "line 281" in str(cases.attrs["flaws"][0]) and "--map answer=" in str(cases.attrs["flaws"][0])


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
    log = lines(tmp_path, [RECORDS[name][0] for name in ("ragas", "langchain_qa", "deepeval")])
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
