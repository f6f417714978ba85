"""A log is known by its columns, else by the user's mapping; a list written as a text is read, or flagged."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answers.tool_records import P1, P2, RECORDS, TEXTS, A, Q, R, ours, row_of
from ragassay.answers.log_schemas import (
    MISSING,
    OURS,
    SCHEMAS,
    Unfit,
    as_texts,
    detect,
    dig,
    parse_mapping,
    read_value,
    resolve,
)
from ragassay.assistant.reply_validation import is_placeholder
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
    text = (Path(__file__).parents[2] / "docs" / "logs.md").read_text(encoding="utf-8")
    assert [name for name in SCHEMAS if f"`{name}`" not in text] == []


LITERALS = json.loads(Path(__file__).with_name("list_literals.json").read_text(encoding="utf-8"))
WORDS = st.text(st.characters(categories=("Lu", "Ll", "Zs", "Po", "Nd")), min_size=1, max_size=30)
PASSAGES = st.lists(
    WORDS.filter(lambda text: text.strip() and not is_placeholder(text)), min_size=1, max_size=4
)
PLAIN = ("", "")


def read(value: object, delimiter: str = "") -> list[str]:
    return as_texts(value, PLAIN, delimiter)[0]


@pytest.mark.parametrize(
    "value, found",
    [
        ([P1, P2], [P1, P2]),
        (json.dumps([P1, P2]), [P1, P2]),
        (repr([P1, P2]), [P1, P2]),
        (P1, [P1]),
        ([P1, None, "nan"], [P1, "", ""]),
        ([[P1, P2]], [f"{P1}\n{P2}"]),
        ({"fees#p1": P1}, [P1]),
        ([{"text": P1, "rank": 1}], [P1]),
    ],
)
def test_passages_in_every_form(value, found):
    assert read(value) == found


@pytest.mark.parametrize(
    "value", [*LITERALS["BROKEN"], "[" * 100_000, [{"score": 1}], [[1]], 3.5], ids=lambda v: str(v)[:30]
)
def test_a_broken_list_is_no_passage(value):
    with pytest.raises(Unfit, match="a list of texts"):
        read(value)


@pytest.mark.parametrize("text", LITERALS["PROSE"])
def test_prose_in_brackets_is_one_passage(text):
    assert read(text) == [text]


@pytest.mark.parametrize("column, value, found", [
    ("context_ids", "doc1; doc2", ["doc1", "doc2"]), ("context_ids", ["re\u0301"], ["r\u00e9"]), ("error", {"message": "down", "code": 3}, "down"), ("reference_answer", ["a", "b"], "a"),
])  # fmt: skip
def test_ids_are_parted_and_in_one_form_and_an_error_may_be_an_object(column, value, found):
    assert read_value(column, OURS[column], value, PLAIN, "")[0] == found


@pytest.mark.parametrize("text", ["nan", "None", "[object Object]", "#VALUE!", " NULL "])
def test_a_placeholder_is_no_answer_and_elsewhere_says_nothing(text):
    with pytest.raises(Unfit, match="placeholder"):
        read_value("answer", OURS["answer"], text, PLAIN, "")
    assert read_value("reference_answer", OURS["reference_answer"], text, PLAIN, "")[0] is None
    assert read_value("contexts", OURS["contexts"], text, PLAIN, "")[0] is None


@given(PASSAGES, st.data())
def test_a_list_cut_anywhere_is_never_read(passages, data):
    for text in (json.dumps(passages), repr(passages)):
        with pytest.raises(Unfit):
            read(text[: data.draw(st.integers(1, len(text) - 1))])


def test_messages_give_the_last_question_that_was_answered():
    messages = [
        {"role": "user", "content": "First?"},
        {"role": "assistant", "content": [{"type": "text", "text": "Last."}]},
        {"role": "user", "content": "Unanswered?"},
    ]
    assert dig({"inputs": {"messages": messages}}, "inputs.messages.@human") == "First?"
    assert dig({"inputs": json.dumps({"messages": messages})}, "inputs.messages.@ai") == "Last."
    assert dig({"a.b": 1, "a": {"b": 2}}, "a.b") == 1 and dig({"a": {"b.c": 3}}, "a.b.c") == 3
    assert dig({"a": []}, "a.b") is MISSING
