"""`ragassay score`: a file in, a summary out, the scores written; what is detected, assumed and unreadable on stderr."""

import json

import numpy as np
import pandas as pd
import pytest

from command_line import called
from ragassay import models

LOG = [
    {"input": "What does it cost?", "actual_output": "It is $18.", "retrieval_context": ["It costs $18."]},
    {"input": "Why?", "actual_output": "Because.", "retrieval_context": ["So it is."]},
]


@pytest.fixture
def call(monkeypatch, tmp_path, capsys):
    """Run the command line in an empty folder with a log of two answers; gives exit code, output, errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        models, "encode", lambda texts, model="minilm": np.eye(26)[[len(text) % 26 for text in texts]]
    )
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in LOG))

    def run(*words: str) -> tuple[int, str, str]:
        return called(["score", *words], monkeypatch, capsys)

    return run


def test_a_log_is_scored_and_written(call):
    code, out, err = call("log.jsonl", "--metrics", "groundedness,privacy_leaks", "--out", "scores.parquet")
    table = pd.read_parquet("scores.parquet")
    assert code == 0 and len(table) == 4 and table["metric"].tolist() == ["groundedness", "privacy_leaks"] * 2
    assert "Scores of 2 answer(s), 2 metric(s)" in out and "written: scores.parquet" in out
    assert "schema deepeval" in err and "contexts=retrieval_context" in err and "case_id" in err


def test_the_summary_goes_into_a_file_and_over_none(call):
    words = ("log.jsonl", "--metrics", "groundedness,citation_correctness", "--out", "scores.summary.csv")
    code, out, _ = call(*words)
    table = pd.read_csv("scores.summary.csv")
    assert code == 0 and "written: scores.summary.csv" in out
    assert list(table["metric"]) == ["groundedness", "citation_correctness"]
    assert {"value", "low", "high", "n", "why"} <= set(table) and table["n"].iloc[0] == 2
    assert call(*words)[0] == 1 and call(*words[:-1], "log.jsonl", "--replace")[0] == 1


def test_columns_are_mapped_and_cases_joined(call, tmp_path):
    (tmp_path / "mine.csv").write_text("case_id,ask,said\nc1,Why?,So.\nc2,Who?,I do not know.\n")
    (tmp_path / "cases.csv").write_text("case_id,answerable\nc1,yes\nc2,no\n")
    words = "mine.csv --metrics abstention_correct --map question=ask --map answer=said --cases cases.csv"
    code, _, err = call(*words.split(), "--out", "s.csv")
    assert code == 0 and "question=ask, answer=said" in err
    assert pd.read_csv("s.csv")["value"].tolist() == [1.0, 1.0]


def test_unreadable_lines_are_told_and_kept(call, tmp_path):
    (tmp_path / "log.jsonl").write_text(json.dumps(LOG[0]) + "\n{broken\n")
    code, out, err = call("log.jsonl", "--metrics", "privacy_leaks", "--out", "s.jsonl")
    assert code == 0 and "log.jsonl, line 2: found" in err
    assert "n=1, 1 error: the row could not be read (1)" in out
    assert len((tmp_path / "s.jsonl").read_text().splitlines()) == 2
