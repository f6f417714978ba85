"""Answers from anywhere, batch by batch: keys, what is assumed, what is told, and memory that does not grow."""

import json

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.answers.answer_batches import open_answers, read_case_facts
from ragassay.errors import InputError

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
