"""The tools' records in our words: read right, and given back as they were."""

import copy
import json

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answers.tool_records import RECORDS, TEXTS, A, Q, R, ours, row_of
from ragassay.answers.log_files import Record
from ragassay.answers.log_formats import SCHEMAS, adapt, export
from ragassay.answers.log_formats.nested_values import UNREAD
from ragassay.answers.log_formats.tool_schemas import OURS

EVERY = pytest.mark.parametrize("name", sorted(RECORDS))
CELLS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def test_every_schema_has_a_record_to_prove_it():
    assert set(RECORDS) == set(SCHEMAS)


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
