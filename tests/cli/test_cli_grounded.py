"""`ragassay grounded --made-up`: a company nobody knows, its documents, and questions whose answers they state."""

import json

from click.testing import CliRunner

from ragassay.cli import cli


def grounded(*arguments):
    return CliRunner().invoke(cli, ["grounded", *map(str, arguments)])


def test_a_made_up_company_is_written_and_asked_about(tmp_path):
    made_up, out = tmp_path / "company", tmp_path / "cases.jsonl"
    done = grounded("--made-up", made_up, "--out", out)
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    stated = "\n".join(path.read_text() for path in (made_up / "documents").iterdir())
    assert (made_up / "knowledge.db").is_file() and rows and "made up: " in done.output
    lookups = [row for row in rows if "JOIN" not in row["sql"] and row["sql"].count("[") == 1]
    assert lookups and all(row["reference_answer"] in stated for row in lookups)


def test_a_database_must_be_named(tmp_path):
    done = grounded("--out", tmp_path / "cases.jsonl")
    assert "one database must be named" in str(done.exception)
