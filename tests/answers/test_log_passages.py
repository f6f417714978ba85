"""The passages of a log in place of documents: each once, with its id and topic, refused where there is none."""

import hashlib
import json

import pytest

from ragassay import tables
from ragassay.answers.log_import import passages
from ragassay.errors import InputError

FEES, HOURS, BOTH = "The fee is six dollars.\nIt is due in May.", "We open at nine.", "Ask at the counter."


def log_of(path, *rows):
    lines = [{"question": f"Question {i}?", "answer": "So.", **row} for i, row in enumerate(rows)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def log(tmp_path):
    return log_of(
        tmp_path / "log.jsonl",
        {"topic": "money", "contexts": [FEES, BOTH], "context_ids": ["f1", "b1"]},
        {"topic": "time", "contexts": [HOURS, BOTH], "context_ids": ["h1", "b1"]},
        {"topic": "money", "contexts": [FEES], "context_ids": ["f1-again"]},
        {"topic": "money", "contexts": []},
    )


def test_by_hand(log):
    found, left_out = passages(log)
    assert found.fillna("")[["doc_id", "title", "topic"]].to_numpy().tolist() == [
        ["f1", "The fee is six dollars.", "money"],
        ["b1", BOTH, ""],
        ["h1", HOURS, "time"],
    ]
    assert left_out.empty and list(left_out) == ["path", "reason", "do"]
    assert found.sha256[0] == hashlib.sha256(FEES.encode()).hexdigest() and set(found.path) == {"log.jsonl"}
    tables.check("documents", found)


def test_an_id_of_several_texts_loses_none(tmp_path):
    """Ids of documents, each of which stands for several passages."""
    log = log_of(
        tmp_path / "log.jsonl",
        {"contexts": [FEES, HOURS], "context_ids": ["rules.md", "rules.md"]},
        {"contexts": [BOTH, FEES], "context_ids": ["rules.md", "rules.md"]},
    )
    found = passages(log)[0]
    assert found.doc_id.tolist() == ["rules.md", "rules.md#2", "rules.md#3"]
    assert found.text.tolist() == [FEES, HOURS, BOTH]


def test_a_log_without_passages_is_refused(tmp_path):
    with pytest.raises(InputError, match="holds no passage"):
        passages(log_of(tmp_path / "log.jsonl", {"contexts": []}, {"contexts": ["  "]}))
