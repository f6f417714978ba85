"""Which notebooks of the tiny engagement are executed: the changed ones, those named, those after one."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from ragassay.cli import cli
from ragassay.errors import ParameterError
from ragassay.run import run
from ragassay.run.dry_run import plan
from ragassay.run.execution.notebook_sequence import Selection

TINY = Path("tiny.yml")


def go(**how):
    return run(TINY, render=False, **how)


def outcomes(said: str) -> list[str]:
    return [line.split()[1] for line in said.splitlines() if line.startswith("  0") and "(" in line]


def steps(**how) -> list[tuple[str, str]]:
    return [(step.notebook[:2], step.action) for step in plan(TINY, Path("reports"), **how)[1]]


def test_a_notebook_that_is_named_is_executed_though_nothing_changed(quick, capsys):
    go()
    for select, expected in [
        (Selection(), ["unchanged", "unchanged"]),
        (Selection(only=("7",)), ["unchanged", "done"]),
        (Selection(start="7"), ["unchanged", "done"]),
        (Selection(force=True), ["done", "done"]),
    ]:
        capsys.readouterr()
        outcome = go(select=select)
        assert outcomes(capsys.readouterr().err) == expected and outcome.exit_code == 0 and outcome.sha256


def test_what_is_left_out_after_the_last_makes_the_evidence_incomplete(quick, capsys):
    outcome = go(select=Selection(only=("0",)))
    assert outcomes(capsys.readouterr().err) == ["done", "left"]
    assert (outcome.exit_code, outcome.rating, outcome.documents) == (3, "not finished", {})
    assert [cause.name for cause in outcome.causes] == ["07_conclusion"]
    assert not (quick / "reports/tiny/manifest.json").exists() and go().exit_code == 0


@pytest.mark.parametrize("select", [Selection(only=("7",)), Selection(start="7")])
def test_nothing_reads_what_is_not_there_or_no_longer_so(quick, select):
    with pytest.raises(ParameterError, match=r"00_scope is left out(?s:.*)has not been finished"):
        go(select=select)
    go()
    (quick / "input.txt").write_text("changed")
    with pytest.raises(ParameterError, match=r"(?s)input.txt is not as it was.*--from 00_scope"):
        go(select=select)
    with pytest.raises(ParameterError, match="00_scope is left out"):
        plan(TINY, Path("reports"), select=select)


def test_a_word_for_no_notebook_writes_nothing(quick):
    with pytest.raises(ParameterError, match="no such notebook"):
        go(select=Selection(only=("5",)))
    with pytest.raises(ParameterError, match="takes every notebook"):
        go(select=Selection(start="7"), fresh=True)
    assert not Path("reports").exists()


def test_the_plan_says_what_the_run_does_and_writes_nothing(quick, capsys):
    assert steps() == [("00", "executed"), ("07", "executed")] and not Path("reports").exists()
    go()
    before = {path: path.read_bytes() for path in Path("reports").rglob("*") if path.is_file()}
    assert steps() == [("00", "unchanged"), ("07", "unchanged")]
    assert steps(given=("00_scope.seed=9",)) == [("00", "executed"), ("07", "depends")]
    assert steps(given=("07_conclusion.factor=2.0",)) == [("00", "unchanged"), ("07", "executed")]
    assert steps(select=Selection(only=("0",))) == [("00", "executed"), ("07", "left out")]
    assert steps(select=Selection(force=True)) == [("00", "executed"), ("07", "executed")]
    assert {path: path.read_bytes() for path in Path("reports").rglob("*") if path.is_file()} == before


def test_a_value_of_the_command_line_is_run_with_and_noted(quick):
    assert go(given=("07_conclusion.factor=2.5",)).rating == "hello 2.5"
    manifest = json.loads(Path("reports/tiny/manifest.json").read_text())
    assert manifest["overrides"] == {"07_conclusion.factor": 2.5}
    assert manifest["parameters"]["07_conclusion"]["factor"] == 2.5
    assert go().rating == "hello 1.0"
    assert json.loads(Path("reports/tiny/manifest.json").read_text())["overrides"] == {}


def test_quiet_says_nothing_and_loud_says_why(quick, capsys):
    go(verbosity=-1)
    assert capsys.readouterr().err == ""
    go(select=Selection(only=("7",)), verbosity=1)
    assert "07_conclusion: executed, as asked" in capsys.readouterr().err


def test_the_dry_run_of_the_command_line_tells_both_notebooks_and_questions(quick):
    said = CliRunner().invoke(cli, ["run", "tiny.yml", "--dry-run"])
    assert (
        said.exit_code == 0
        and "  00_scope             executed: it has not been finished here" in said.output
    )
    assert "questions to the assistant: none" in said.output and not Path("reports").exists()
    told = json.loads(CliRunner().invoke(cli, ["run", "tiny.yml", "--dry-run", "--json"]).stdout)
    assert [step["action"] for step in told["notebooks"]] == ["executed"] * 2 and told["questions"] == []
