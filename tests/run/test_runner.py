"""Which notebooks of the tiny engagement are executed: the changed ones, those named, those after one."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from ragassay.cli import cli
from ragassay.errors import NotebookError, ParameterError
from ragassay.run import question_counts, run, runner
from ragassay.run.runner import Selection
from run.conftest import PARAMETERS, notebook

TINY = Path("tiny.yml")
NO_READING = 'from ragassay import provenance\nprovenance.save(run_dir, "decision.json", {"rating": "", "exit_code": 0, "reasons": []})'


def go(**how):
    return run(TINY, render=False, **how)


def outcomes(said: str) -> list[str]:
    return [line.split()[1] for line in said.splitlines() if line.startswith("  0") and "(" in line]


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


def test_a_run_folder_that_was_moved_is_not_executed_anew(quick, capsys):
    go()
    (quick / "reports").rename(quick / "moved")
    capsys.readouterr()
    go(reports=Path("moved"))
    assert outcomes(capsys.readouterr().err) == ["unchanged", "unchanged"]


def test_what_is_left_out_after_the_last_makes_the_evidence_incomplete(quick, capsys):
    outcome = go(select=Selection(only=("0",)))
    assert outcomes(capsys.readouterr().err) == ["done", "left"]
    assert (outcome.exit_code, outcome.rating, outcome.documents) == (3, "not finished", {})
    assert outcome.causes == ("notebook not executed: 07_conclusion",)
    assert not (quick / "reports/tiny/manifest.json").exists() and go().exit_code == 0


@pytest.mark.parametrize("select", [Selection(only=("7",)), Selection(start="7")])
def test_nothing_reads_what_is_not_there_or_no_longer_so(quick, select):
    with pytest.raises(ParameterError, match=r"00_scope is left out(?s:.*)has not been finished"):
        go(select=select)
    go()
    (quick / "input.txt").write_text("changed")
    with pytest.raises(ParameterError, match=r"(?s)input.txt is not as it was.*--from 00_scope"):
        go(select=select)
    step = runner.steps(runner.prepare(TINY, Path("reports")), select)[0]
    assert (step["action"], step["why"]) == ("left out", "input.txt is not as it was")


def test_a_value_of_the_command_line_is_run_with_and_noted(quick):
    assert go(given=("07_conclusion.factor=2.5",)).rating == "hello 2.5"
    manifest = json.loads(Path("reports/tiny/manifest.json").read_text())
    assert manifest["overrides"] == {"07_conclusion.factor": 2.5}
    assert manifest["parameters"]["07_conclusion"]["factor"] == 2.5
    assert go().rating == "hello 1.0"
    assert json.loads(Path("reports/tiny/manifest.json").read_text())["overrides"] == {}


def test_the_dry_run_of_the_command_line_tells_both_notebooks_and_questions(quick):
    said = CliRunner().invoke(cli, ["run", "tiny.yml", "--dry-run"])
    assert said.exit_code == 0 and "executed: it has not been finished here" in said.output
    assert "questions to the assistant: none" in said.output and not Path("reports").exists()


def test_a_run_tells_beforehand_what_it_asks_and_at_what_cost(quick, monkeypatch, capsys):
    """Of the notebooks that it may execute; nothing where all is unchanged."""
    most = {"00_scope": 1200, "07_conclusion": 34}
    monkeypatch.setattr(question_counts, "most_questions", lambda values: most)
    priced = ("run.price_per_answer=0.5", "run.per_minute=60")
    for how, told in (
        ({}, ["at most 1,234", "617.00", "0:20:34"]),
        ({"select": Selection(start="7")}, ["34", "17.00"]),
    ):
        go(given=priced, **how)
        first = capsys.readouterr().err.splitlines()[0]
        assert all(word in first for word in told)
    go(given=priced)
    assert len(capsys.readouterr().err.splitlines()) == 2
    go(given=priced, fresh=True, quiet=True)
    assert not capsys.readouterr().err


NAMES = ["00_scope", "04_calibration", "07_conclusion"]


@pytest.mark.parametrize("word", ["3", "calibration", "-1", "4.0", "\x1b[31m"])
def test_a_notebook_that_is_none_is_refused(word):
    with pytest.raises(ParameterError, match="no such notebook"):
        Selection((word,)).named(NAMES)
    with pytest.raises(ParameterError, match="only one of"):
        Selection((word,), "4")


@pytest.mark.parametrize(
    "code",
    [
        "Path(FILE).write_text('forged')",
        "Path(FILE).unlink()",
        "Path(FILE).unlink(); Path(FILE).symlink_to('/etc/hostname')",
        "Path('reports/tiny/notebooks/00_scope.ipynb').write_text('{}')",
    ],
)
def test_a_file_that_something_else_changed_stops_the_run_and_is_made_anew(quick, code):
    """A notebook between the two whose code does what an assistant might do."""
    book = notebook(
        quick / "notebooks" / "02_functionality.ipynb",
        PARAMETERS,
        f"from pathlib import Path\nFILE = 'reports/tiny/count.json'\n{code}",
    )
    notebook(quick / "notebooks" / "07_conclusion.ipynb", PARAMETERS, NO_READING)
    with pytest.raises(NotebookError, match="changed while it lasted") as caught:
        go()
    assert ("count.json" in code or "FILE" in code) == ("count.json" in caught.value.found)
    book.unlink()
    assert go().exit_code == 0 and "hello" in Path("reports/tiny/count.json").read_text()
