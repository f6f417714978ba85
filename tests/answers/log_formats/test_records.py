"""The tools' records in our words: read right, and given back as they were."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answers.tool_records import RECORDS, A, Q, ours, row_of
from ragassay.answers.log_files import Record
from ragassay.answers.log_formats import SCHEMAS, adapt, export
from ragassay.answers.log_formats.schemas import OURS

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
    assert (row["answer"], row["contexts"], row["latency_s"], row["answerable"]) == (A, None, None, None)
    assert {flaw.column for flaw in flaws} == {"contexts", "latency_s", "answerable"}
    assert str(flaws[-1]).startswith(
        "log.jsonl, line 3, column 'latency_s': found 'fast'; expected a number of at least 0"
    )


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from([*OURS, "user_input", "response", "other"]), CELLS, max_size=6))
def test_any_record_is_read_or_told(record):
    for schema in (SCHEMAS["ours"], SCHEMAS["ragas_multi_turn"], SCHEMAS["mlflow"]):
        row, flaws = adapt(Record(record, "here"), schema)
        assert all(flaw.where == "here" and flaw.expected for flaw in flaws)
        assert all(isinstance(row.get(name), str | None) for name in ("answer", "question", "error"))
        export(row, schema)
