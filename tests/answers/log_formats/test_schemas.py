"""A log is known by its columns; where it is not, the user's mapping says which is which."""

from pathlib import Path

import pytest

from answers.tool_records import P1, RECORDS, TEXTS, A, Q, R, ours, row_of
from ragassay.answers.log_schemas import SCHEMAS, detect, parse_mapping, resolve
from ragassay.errors import InputError, ParameterError

EVERY = pytest.mark.parametrize("name", sorted(RECORDS))


@EVERY
def test_a_schema_is_known_by_its_columns(name):
    assert detect([RECORDS[name][0]]).name == name


@pytest.mark.parametrize(
    "record, name",
    [
        ({"question": Q, "answer": A}, "ours"),
        ({"question": Q, "answer": A, "ground_truths": [R]}, "ragas_0_1"),
        ({"input": Q, "actual_output": A}, "deepeval"),
        ({"input": Q, "actualOutput": A, "retrievalContext": [P1]}, "deepeval"),
        ({"Question": Q, "Answer": A, "Document": P1}, "ares"),
        ({"record_root": {"input": Q, "output": A}}, "trulens_otel"),
        ({"user_input": Q, "response": A, "retrieved_contexts": None}, "ragas"),
    ],
)
def test_variants_are_known_too(record, name):
    assert detect([record]).name == name and row_of(record)["question"] == Q


def test_nothing_known_is_read_by_usual_names():
    schema = resolve([{"User Query": Q, "Bot-Answer": A, "Passages": [P1]}], "here")
    assert schema.name == "by_name" and ours(
        row_of({"User Query": Q, "Bot-Answer": A, "Passages": [P1]}, schema)
    ) == TEXTS | {"contexts": [P1]}


def test_mappings_are_parsed():
    assert parse_mapping(["question=prompt,answer = a b", "contexts=x=y"]) == {
        "question": "prompt",
        "answer": "a b",
        "contexts": "x=y",
    }
    with pytest.raises(ParameterError, match="ours=theirs"):
        parse_mapping(["question"])


@pytest.mark.parametrize(
    "options, problem, words",
    [
        ({"mapping": {"qestion": "prompt"}}, ParameterError, "did you mean 'question'"),
        ({"mapping": {"question": "promt"}}, InputError, "did you mean 'prompt'"),
        ({"schema": "raga"}, ParameterError, "did you mean 'ragas'"),
        ({}, InputError, "--map question="),
    ],
)
def test_what_cannot_be_told_is_refused(options, problem, words):
    with pytest.raises(problem, match=words):
        resolve([{"prompt_": Q, "prompt": Q} if options else {"alpha": 1, "beta": 2}], "log.jsonl", **options)


@pytest.mark.parametrize("mark, named", [("|", "|"), ("\n", "\\n"), (" ;; ", ";;")])
def test_the_users_delimiter_parts_lists(mark, named):
    record = {"question": Q, "answer": A, "contexts": mark.join(TEXTS)}
    assert row_of(record)["contexts"] == [mark.join(TEXTS)]
    schema = resolve([record], "log.csv", mapping=parse_mapping([f"list_delimiter={named}"]))
    assert row_of(record, schema)["contexts"] == list(TEXTS)


def test_every_format_stands_on_the_page_of_logs():
    text = (Path(__file__).parents[3] / "docs" / "logs.md").read_text(encoding="utf-8")
    assert [name for name in SCHEMAS if f"`{name}`" not in text] == []
