"""The tools' records in our words: each is known by its columns, read right, and given back as it was."""

import copy
import json

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answers.tool_records import P1, P2, RECORDS, TEXTS, A, Q, R
from ragassay.answers.log_files import Record
from ragassay.answers.log_formats import SCHEMAS, adapt, detect, export, parse_mapping, resolve
from ragassay.answers.log_formats.paths import UNREAD
from ragassay.answers.log_formats.schemas import OURS
from ragassay.answers.log_formats.values import Unfit, as_texts
from ragassay.errors import InputError, ParameterError

EVERY = pytest.mark.parametrize("name", sorted(RECORDS))
CELLS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def row_of(record: dict, schema=None) -> dict:
    row, flaws = adapt(Record(record, "here"), schema or detect([record]))
    assert not flaws
    return row


def ours(row: dict) -> dict:
    return {name: value for name, value in row.items() if name in OURS}


def test_every_schema_has_a_record_to_prove_it():
    assert set(RECORDS) == set(SCHEMAS)


@EVERY
def test_a_schema_is_known_by_its_columns(name):
    assert detect([RECORDS[name][0]]).name == name


@EVERY
def test_a_record_is_read_in_our_words(name):
    record, wanted = RECORDS[name]
    assert ours(row_of(record)) == wanted


@EVERY
def test_a_record_is_given_back_as_it_was(name):
    record = RECORDS[name][0]
    given = copy.deepcopy(record)
    returned = export(row_of(record), SCHEMAS[name])
    assert {key: returned[key] for key in record if record[key] not in ("", None)} == {
        key: v for key, v in record.items() if v not in ("", None)
    }
    assert record == given


@EVERY
def test_a_changed_answer_is_given_back_changed(name):
    row = row_of(RECORDS[name][0]) | {"answer": "Another answer."}
    again = row_of(export(row, SCHEMAS[name]), SCHEMAS[name])
    assert again["answer"] == "Another answer." and again["question"] == row["question"]


@EVERY
def test_rows_of_ours_can_be_written_for_every_tool(name):
    """ours -> theirs -> ours is the identity on what every tool can say."""
    row = row_of({"case_id": "c1", **TEXTS, "reference_answer": R})
    assert {key: row_of(export(row, SCHEMAS[name]), SCHEMAS[name])[key] for key in row} == row


@EVERY
def test_a_csv_that_spells_lists_and_dicts_is_read_alike(name):
    record, wanted = RECORDS[name]
    spelled = {
        key: json.dumps(value) if isinstance(value, dict | list) else value for key, value in record.items()
    }
    assert ours(row_of(spelled, SCHEMAS[name])) == wanted
    printed = {key: repr(value) if isinstance(value, dict | list) else value for key, value in record.items()}
    assert ours(row_of(printed, SCHEMAS[name])) == wanted


@pytest.mark.parametrize(
    "record, name",
    [
        ({"question": Q, "answer": A}, "ours"),
        ({"question": Q, "answer": A, "ground_truths": [R]}, "ragas_0_1"),
        ({"input": Q, "actual_output": A}, "deepeval"),
        ({"input": Q, "actualOutput": A, "retrievalContext": [P1]}, "deepeval"),
        (
            {
                "input": Q,
                "actual_output": A,
                "context": [P1],
                "expected_output": R,
                "key": "k",
                "test_key": "t",
            },
            "h2o_sonar",
        ),
        ({"Question": Q, "Answer": A, "Document": P1}, "ares"),
        ({"record_root": {"input": Q, "output": A}}, "trulens_otel"),
        ({"user_input": Q, "response": A, "retrieved_contexts": None}, "ragas"),
    ],
)
def test_variants_are_known_too(record, name):
    assert detect([record]).name == name and row_of(record)["question"] == Q


def test_columns_may_stand_in_later_records_only():
    assert detect([{"user_input": Q}, {"user_input": Q, "response": A}]).name == "ragas"


def test_nothing_known_is_read_by_usual_names():
    schema = resolve([{"User Query": Q, "Bot-Answer": A, "Passages": [P1]}], "here")
    assert schema.name == "by_name" and ours(
        row_of({"User Query": Q, "Bot-Answer": A, "Passages": [P1]}, schema)
    ) == TEXTS | {"contexts": [P1]}


def test_the_users_mapping_comes_first_and_may_be_partial():
    record = {"question": "old", "prompt": Q, "answer": A, "contexts": [P1]}
    schema = resolve([record], "here", mapping={"question": "prompt"})
    row = row_of(record, schema)
    assert (row["question"], row["answer"], row["raw:question"]) == (Q, A, "old")


def test_a_mapped_column_loses_the_meaning_it_had():
    record = {"input": Q, "actual_output": A, "context": [P1]}
    row = row_of(record, resolve([record], "here", mapping={"contexts": "context"}))
    assert row["contexts"] == [P1] and "reference_contexts" not in row


def test_a_mapping_may_name_what_stands_below():
    record = {"question": Q, "reply": {"text.en": A}}
    assert row_of(record, resolve([record], "here", mapping={"answer": "reply.text.en"}))["answer"] == A


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


def test_a_value_of_the_wrong_kind_is_told_and_the_rest_is_kept():
    record = Record(
        {"question": Q, "answer": A, "contexts": [[1]], "latency_s": "fast", "answerable": "maybe"},
        "log.jsonl, line 3",
    )
    row, flaws = adapt(record, SCHEMAS["ours"])
    assert (row["answer"], row["contexts"], row["latency_s"], row["answerable"]) == (A, UNREAD, None, None)
    assert {flaw.column for flaw in flaws} == {"contexts", "latency_s", "answerable"}
    assert str(flaws[-1]).startswith(
        "log.jsonl, line 3, column 'latency_s': found 'fast'; expected a number of at least 0"
    )


@pytest.mark.parametrize(
    "value, found",
    [
        ([P1, P2], [P1, P2]),
        (json.dumps([P1, P2]), [P1, P2]),
        (repr([P1, P2]), [P1, P2]),
        (P1, [P1]),
        ("[1] A footnote.", ["[1] A footnote."]),
        ("", []),
        ([], []),
        ([P1, None], [P1, ""]),
        ([[P1, P2]], [f"{P1}\n{P2}"]),
        ({"fees#p1": P1}, [P1]),
        ([{"text": P1, "rank": 1}], [P1]),
        (("a", 7), ["a", "7"]),
        ("[" * 100_000, ["[" * 100_000]),
        ("['" + "x" * 10, ["['" + "x" * 10]),
    ],
)
def test_passages_in_every_form(value, found):
    assert as_texts(value, SCHEMAS["ours"])[0] == found


def test_a_delimiter_parts_a_text_where_the_tool_has_one():
    assert as_texts(f"{P1}|{P2}", SCHEMAS["deepeval"])[0] == [P1, P2]
    assert as_texts(f"{P1}|{P2}", SCHEMAS["ours"])[0] == [f"{P1}|{P2}"]


@pytest.mark.parametrize("value", ["['a' 'b']", "[Document(page_content='a')]", [{"score": 1}], [[1]], 3.5])
def test_what_is_no_list_of_passages_is_refused(value):
    with pytest.raises(Unfit, match="a list of texts"):
        as_texts(value, SCHEMAS["ours"])


def test_ids_are_parted_by_commas():
    row = row_of({"question": Q, "answer": A, "contexts": [P1, P2], "context_ids": "fees#p1, fees#p2"})
    assert row["context_ids"] == ["fees#p1", "fees#p2"]


@pytest.mark.parametrize(
    "written, read",
    [(True, True), ("Yes", True), (0, False), ("0.0", False), (1.0, True), ("", None), (float("nan"), None)],
)
def test_flags(written, read):
    assert row_of({"question": Q, "answer": A, "answerable": written})["answerable"] is read


def test_an_empty_answer_is_empty_and_no_answer_is_none():
    assert row_of({"question": Q, "answer": ""})["answer"] == ""
    assert row_of({"question": Q, "answer": None})["answer"] is None
    assert row_of({"question": Q, "answer": pd.NA})["answer"] is None


@settings(deadline=None)
@given(
    st.dictionaries(st.sampled_from([*OURS, "user_input", "response", "raw:x", "other"]), CELLS, max_size=6)
)
def test_any_record_is_read_or_told(record):
    for schema in (SCHEMAS["ours"], SCHEMAS["ragas_multi_turn"], SCHEMAS["mlflow"]):
        row, flaws = adapt(Record(record, "here"), schema)
        assert all(flaw.where == "here" and flaw.expected for flaw in flaws)
        assert all(
            isinstance(row.get(name), str | None) or row[name] is UNREAD
            for name in ("answer", "question", "error")
        )
        export(row, schema)


def test_a_surrogate_does_not_survive():
    assert row_of({"question": Q, "answer": "a\ud800b"})["answer"] == "a?b"
