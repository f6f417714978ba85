"""`ragassay run`: what its options hand over, the cause of the exit code in a line."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from ragassay.cli import cli
from ragassay.errors import ParameterError
from ragassay.run import Outcome

CAUSES = ("gate fail: grounded [own]", "finding open: F-1 (High)")


@pytest.fixture
def call(monkeypatch):
    """Run the verb with a run that notes what it was asked; gives the result and what was asked."""
    asked = {}

    def fake(path, **how):
        asked.update(how)
        return Outcome(Path("reports/x"), "Not fit", 2, {"html": Path("r.html")}, "ab", ("because",), CAUSES)

    monkeypatch.setattr("ragassay.run.run", fake)
    return lambda *words: (CliRunner().invoke(cli, ["run", "x.yml", *words]), asked)


def test_its_options_are_handed_over(call):
    _, asked = call("--only", "4,7", "--only", "2", "-p", "a.b=1", "-p", "a.c=[x, y]")
    assert asked["select"].only == ("4,7", "2") and asked["given"] == ("a.b=1", "a.c=[x, y]")
    assert not asked["quiet"] and not asked["fresh"]
    assert call("--from", "3", "-q")[1]["select"].start == "3" and asked["quiet"]
    assert call("--force", "--fresh")[1]["select"].force and asked["fresh"]


@pytest.mark.parametrize("words", [("--force", "--from", "3"), ("--only", "1", "--from", "2")])  # fmt: skip
def test_what_contradicts_itself_is_refused(call, words):
    result, asked = call(*words)
    assert isinstance(result.exception, ParameterError) and not asked


def test_a_log_goes_to_a_report_by_one_command(monkeypatch, tmp_path):
    """Its parameter file is written at the first call; what is said of it goes to the errors."""
    monkeypatch.chdir(tmp_path)
    ran = []

    def fake(path, **how):
        ran.append(str(path))
        return Outcome(Path("reports/x"), "Not fit", 2, {})

    monkeypatch.setattr("ragassay.run.run", fake)
    Path("a.jsonl").write_text('{"frage": "What?", "answer": "It.", "contexts": ["It."]}\n')
    words = ["run", "--log", "a.jsonl", "--map", "question=frage"]
    dry = CliRunner().invoke(cli, [*words, "--dry-run"])
    assert dry.exit_code == 0 and "reports/a" in dry.output and not Path("params").exists()
    first, second = CliRunner().invoke(cli, words), CliRunner().invoke(cli, words[:3])
    assert ran == ["params/a.yml"] * 2 and first.exit_code == 2
    assert "frage" in first.stderr and "written for this log" in first.stderr
    assert "as it stands" in second.stderr and "question" not in second.stderr


def test_the_demonstration_is_copied_and_run(call, tmp_path):
    _, asked = call()
    result = CliRunner().invoke(cli, ["demo", "--out", str(tmp_path / "d")])
    assert result.exit_code == 0 and "the report: r.html" in result.output
    assert (tmp_path / "d/demo.yml").is_file() and asked["reports"] == tmp_path / "d/reports"


def test_the_cause_of_the_exit_code_is_said_in_a_line(call):
    result, _ = call()
    assert result.exit_code == 2
    assert result.output.splitlines()[-3:] == [
        "decision: Not fit (exit code 2)",
        "cause of exit code 2: gate fail: grounded [own]; finding open: F-1 (High)",
        "  because",
    ]
    assert len(call("-q")[0].output.splitlines()) == 2
