"""The tools' records in our words: read right, and given back as they were."""

import json

import numpy as np
import pandas as pd
import pytest

from answers.tool_records import P1, P2, RECORDS, A, Q, R, ours, row_of
from ragassay.answers.answer_batches import KINDS, adapt, open_answers, write_answers
from ragassay.answers.log_files import Record
from ragassay.answers.log_schemas import SCHEMAS
from ragassay.errors import ParameterError

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
