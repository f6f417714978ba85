"""Judgements of people in a tool's file are labels, whatever the file; what is none is refused."""

import json

import pytest

from answers.test_one_reader import write
from answers.tool_records import P1, RECORDS, A, Q
from ragassay.errors import LabelError
from ragassay.labels import human_labels

WIDE = {
    "case_id": "c1",
    "question": Q,
    "answer": A,
    "contexts": [P1],
    "ok": "yes",
    "stars": 4,
    "rater": "ann",
}


def labels(path, mapping=None, answers=None) -> list[tuple]:
    found = human_labels.read(path, answers, mapping)[0]
    return found[["case_id", "dimension", "rater", "label", "scale"]].to_records(index=False).tolist()


def test_what_a_tool_notes_of_raters(tmp_path):
    wanted = ("1", "grounded", "not named", 1.0, "0-1")
    assert labels(write(tmp_path / "log.jsonl", [RECORDS["ares"][0]])) == [wanted]


def test_columns_that_the_user_names(tmp_path):
    mapping = {"label:grounded": "ok", "label:helpful:1-5": "stars"}
    found = labels(write(tmp_path / "log.csv", [WIDE]), mapping)
    assert found == [("c1", "grounded", "ann", 1.0, "0-1"), ("c1", "helpful", "ann", 4.0, "1-5")]


@pytest.mark.parametrize(
    "record, mapping, words",
    [
        (RECORDS["ragas"][0], None, "no judgements of people"),
        (WIDE | {"ok": "perhaps"}, {"label:grounded": "ok"}, "no number"),
        ({"case_id": "c1", "label": 1}, None, "column 'dimension' is missing"),
    ],
)
def test_what_is_no_label_is_refused(tmp_path, record, mapping, words):
    (tmp_path / "l.jsonl").write_text(json.dumps(record) + "\n")
    with pytest.raises(LabelError, match=words):
        labels(tmp_path / "l.jsonl", mapping)
