"""`ragassay convert`: any tool's log in the columns of another, and back; what stands there is never replaced."""

import json

import pytest
from click.testing import CliRunner

from answers.tool_records import P1, P2, RECORDS, A, Q, R
from ragassay.cli import cli
from ragassay.errors import KitError


@pytest.fixture
def log(tmp_path):
    (tmp_path / "log.jsonl").write_text(json.dumps(RECORDS["ragas"][0]) + "\n")
    return tmp_path / "log.jsonl"


def convert(log, *options) -> str:
    return CliRunner().invoke(cli, ["convert", str(log), *map(str, options)], catch_exceptions=False).output


def test_a_log_of_ragas_for_deepeval_and_back(log, tmp_path):
    said = convert(log, "--to", "deepeval", "--out", tmp_path / "deepeval.json")
    assert "schema ragas: ragas 0.2" in said and "written: " in said
    (row,) = json.loads((tmp_path / "deepeval.json").read_text())
    assert (row["input"], row["actual_output"], row["retrieval_context"]) == (Q, A, [P1, P2])
    convert(tmp_path / "deepeval.json", "--to", "ragas", "--out", tmp_path / "again.jsonl")
    again = json.loads((tmp_path / "again.jsonl").read_text())
    assert {name: again[name] for name in RECORDS["ragas"][0]} == RECORDS["ragas"][0]


def test_the_users_names_are_mapped_and_what_is_unreadable_is_said(tmp_path):
    (tmp_path / "log.jsonl").write_text(json.dumps({"frage": Q, "answer": A}) + "\n{\n")
    said = convert(
        tmp_path / "log.jsonl", "--map", "question=frage", "--to", "ours", "--out", tmp_path / "a.csv"
    )
    assert "log.jsonl, line 2" in said and (tmp_path / "a.csv").read_text().count(Q) == 1


def test_a_file_without_answers_is_written_as_the_questions_it_holds(tmp_path):
    """A test set of ragas as goldens of deepeval; no system is named that did not answer."""
    log = tmp_path / "testset.jsonl"
    log.write_text(json.dumps(RECORDS["ragas_testset"][0]) + "\n")
    said = convert(log, "--to", "deepeval", "--out", tmp_path / "goldens.json")
    assert "no column holds answers" in said and "written: " in said
    (golden,) = json.loads((tmp_path / "goldens.json").read_text())
    assert golden == {
        "case_id": "1",
        "input": Q,
        "expected_output": R,
        "context": [P1],
        "synthesizer_name": "single_hop",
    }
    with pytest.raises(KitError, match="no answers that could pass or fail"):
        convert(log, "--to", "junit", "--out", tmp_path / "a.xml")
    assert not (tmp_path / "a.xml").exists()


def test_nothing_is_replaced_and_an_unknown_tool_is_refused(log, tmp_path):
    with pytest.raises(KitError, match="over an input"):
        convert(log, "--to", "ours", "--out", log, "--replace")
    with pytest.raises(KitError, match="did you mean 'ragas'"):
        convert(log, "--to", "raags", "--out", tmp_path / "a.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["log.jsonl"]
