"""What a trace says a notebook did."""

import json

import pytest

from ragassay.run.execution import notebook_record, skip_unchanged

READ = {"event": "read", "path": "tables/cases.parquet", "sha256": "11", "cell": 1}
WRITE = {"event": "write", "path": "tables/scores.parquet", "sha256": "22", "cell": 2}


def model(name: str, file: str, sha256: str) -> dict:
    return {"event": "model", "name": name, "file": file, "sha256": sha256}


def summary(tmp_path, *entries: dict) -> dict:
    trace = tmp_path / "trace"
    trace.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return notebook_record.summary(trace, tmp_path)


def test_every_model_that_took_part_is_listed_once(tmp_path):
    """Two files of one name are two models, and so is a file that changed under its name."""
    given = [model("h", "heads/h", "aa"), model("h", "mine/h", "bb"), model("h", "mine/h", "cc")]
    found = summary(tmp_path, *given, given[0])
    assert [entry["sha256"] for entry in found["models"]] == ["aa", "bb", "cc"]


def test_what_is_written_before_it_is_read_is_no_input(tmp_path):
    found = summary(tmp_path, READ, WRITE, WRITE | {"sha256": "33"}, WRITE | {"event": "read"})
    assert [entry["path"] for entry in found["reads"]] == ["tables/cases.parquet"]
    assert [entry["sha256"] for entry in found["writes"]] == ["33"]


def test_without_a_seal_or_a_trace_it_says_so(tmp_path):
    assert summary(tmp_path)["policy"] == "not sealed"
    assert notebook_record.summary(tmp_path / "none", tmp_path)["models"] == []
    sealed = {"event": "sealed", "policy": "sealed; allowed: a:1 (192.0.2.1)"}
    assert summary(tmp_path, sealed)["policy"].endswith("(192.0.2.1)")


def test_of_several_sets_of_questions_all_failures_count_and_whether_a_journal_answered(tmp_path):
    sets = [
        {"event": "system", "assistant": "bot.py", "failed": n, "why": {"down": n}, "reused": reused}
        for n, reused in ((2, {"n": 3}), (1, None))
    ]
    found = summary(tmp_path, READ, *sets)["system"]
    assert (found["assistant"], found["failed"], found["why"]) == ("bot.py", 3, {"down": 3})
    assert found["is_from_journal"] and summary(tmp_path, READ)["system"] is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"key": 3}', "[" * 100_000, '{"writes": [3]}'])
def test_a_broken_record_is_no_record(tmp_path, text):
    (tmp_path / ".state").mkdir()
    (tmp_path / ".state/00_scope.json").write_text(text)
    assert notebook_record.load(tmp_path, "00_scope") is None
    assert skip_unchanged.why_execute(tmp_path, "00_scope", "k")
