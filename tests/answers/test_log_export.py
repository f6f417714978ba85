"""Answers back in every tool's words and in every file: read again, they are the same rows."""

import json

import numpy as np
import pandas as pd
import pytest

from answers.tool_records import P1, P2, RECORDS, A, Q, R, ours, row_of
from ragassay.answers.answer_batches import open_answers
from ragassay.answers.log_export import KINDS, write_answers
from ragassay.answers.log_formats import SCHEMAS
from ragassay.errors import ParameterError

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


@pytest.mark.parametrize("schema", sorted(RECORDS))
def test_a_tools_file_says_the_same_when_it_is_written_again(tmp_path, schema):
    row = row_of(RECORDS[schema][0], SCHEMAS[schema])
    table = pd.DataFrame([row | {"groundedness": 0.5}], dtype=object)
    written = json.loads(write_answers(table, tmp_path / "b.jsonl", schema).read_text())
    assert ours(row_of(written, SCHEMAS[schema])) == ours(row) and written["groundedness"] == 0.5


def test_what_is_unknown_is_refused(tmp_path):
    with pytest.raises(ParameterError, match="did you mean 'ragas'"):
        write_answers(ANSWERS, tmp_path / "a.jsonl", "raags")
    with pytest.raises(ParameterError, match=r"\.jsonl"):
        write_answers(ANSWERS, tmp_path / "a.pickle", "ragas")
    assert not list(tmp_path.iterdir())
