"""Answers from anywhere, batch by batch: keys, what is assumed, what is told, and memory that does not grow."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answers.tool_records import P1, P2, RECORDS, A, Q, R, ours, row_of
from ragassay.answers.answer_batches import KINDS, adapt, open_answers, read_case_facts, write_answers
from ragassay.answers.log_schemas import SCHEMAS
from ragassay.documents.record_files import Record
from ragassay.errors import InputError, ParameterError

PLAIN = {"question": "Why?", "answer": "So.", "contexts": ["So it is."]}


def all_of(opened) -> pd.DataFrame:
    return pd.concat(list(opened), ignore_index=True)


def jsonl(path, *lines):
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return path


def test_rows_get_a_key_and_it_is_said():
    opened = open_answers([PLAIN, PLAIN])
    assert all_of(opened)[["case_id", "system", "repeat"]].values.tolist() == [
        ["1", "system", 0],
        ["2", "system", 0],
    ]
    assert {"case_id", "system"} <= {row.column for row in opened.mapped() if "not in the file" in row.remark}


def test_repeated_ids_are_kept_and_told_apart():
    opened = open_answers(
        [
            PLAIN | {"case_id": 7, "system": "a"},
            PLAIN | {"case_id": 7.0, "system": "a"},
            PLAIN | {"case_id": 7, "system": "b"},
        ]
    )
    assert all_of(opened)[["case_id", "system", "repeat"]].values.tolist() == [
        ["7", "a", 0],
        ["7", "a", 1],
        ["7", "b", 0],
    ]


@pytest.mark.parametrize(
    "source, words",
    [
        ([], "no answer to read"),
        (pd.DataFrame(), "no answer to read"),
        ([3], "neither a dict nor a DataFrame"),
        (PLAIN, "give a list of dicts"),
        ([{"a": 1}], "--map"),
    ],
)
def test_what_holds_no_answers_is_refused(source, words):
    with pytest.raises(InputError, match=words):
        open_answers(source)


def test_cases_are_one_row_per_id(tmp_path):
    rows = [
        {"case_id": "c1", "question": "Why?", "reference_answer": "So."},
        {"case_id": "c1", "question": "Who?"},
        {"case_id": "c2", "question": "Who?"},
    ]
    cases = read_case_facts(jsonl(tmp_path / "cases.jsonl", *rows))
    assert (
        cases["case_id"].tolist() == ["c1", "c2"]
        and cases["reference_answer"][0] == "So."
        and "system" not in cases
    )
    with pytest.raises(InputError, match="no column holds case_id"):
        read_case_facts([PLAIN])
    assert read_case_facts([{"case_id": "c1", "answerable": "no"}])["answerable"].tolist() == [False]


@settings(deadline=None)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["case_id", "system", "repeat", "answer", "question", "contexts"]),
            st.none() | st.text() | st.integers() | st.floats(),
        ),
        max_size=8,
    )
)
def test_every_record_comes_back_in_its_place(records):
    given_rows = [record | {"question": f"q{i}"} for i, record in enumerate(records)] or [PLAIN]
    rows = all_of(open_answers(given_rows, batch=3))
    assert len(rows) == len(given_rows) and rows["case_id"].map(bool).all() and (rows["repeat"] >= 0).all()
    assert rows["question"].tolist() == [row["question"] for row in given_rows]


EVERY = pytest.mark.parametrize("name", sorted(RECORDS))


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


ANSWERS = pd.DataFrame(
    [
        {"case_id": "c1", "system": "bot", "repeat": 0, "question": Q, "answer": f"{A}\n| \"quoted\", 'so'; שלום", "contexts": [P1, P2], "reference_answer": R},
        {"case_id": "c2", "system": "bot", "repeat": 0, "question": Q, "answer": "[no list", "contexts": np.array([P1], dtype=object), "reference_answer": R},
    ]
)  # fmt: skip
SAME = ["case_id", "system", "repeat", "question", "answer", "contexts", "reference_answer"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("schema", sorted(SCHEMAS))
def test_there_and_back(tmp_path, schema, kind):
    path = write_answers(ANSWERS, tmp_path / f"a{kind}", schema)
    opened = open_answers(path, schema=schema)
    found = pd.concat(list(opened))[SAME]
    assert found.to_dict("records") == ANSWERS.assign(contexts=[list(one) for one in ANSWERS["contexts"]])[
        SAME
    ].to_dict("records")
    assert opened.n_flaws == 0 and [file.name for file in tmp_path.iterdir()] == [path.name]


def test_what_is_unknown_is_refused(tmp_path):
    with pytest.raises(ParameterError, match="did you mean 'ragas'"):
        write_answers(ANSWERS, tmp_path / "a.jsonl", "raags")
    with pytest.raises(ParameterError, match=r"\.jsonl"):
        write_answers(ANSWERS, tmp_path / "a.pickle", "ragas")
    assert not list(tmp_path.iterdir())
