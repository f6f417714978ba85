"""One notebook executed: its progress, and what ends it, told with the copy that is left."""

import io
import json
import subprocess
import sys
import time
from pathlib import Path

import papermill
import pytest
from nbclient.exceptions import DeadKernelError

from ragassay.errors import ENDED, NotebookError
from ragassay.run import execute_notebook, run
from ragassay.run import execute_notebook as module
from ragassay.run.engagement import SETTINGS
from ragassay.run.execute_notebook import Progress
from run.conftest import notebook


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


LOOP = {"what": "answers scored", "done": 25, "total": 100}


def go(stream, clock, **how) -> str:
    shown = Progress(stream, **how)
    shown.start("a")
    clock[0] += 70
    shown.cell(3, 4)
    shown.look([LOOP | {"since": time.time() - 30}])
    shown.look([])
    shown.end("a", "done")
    shown.end("b", "unchanged")
    shown.say("  report \x1b[2J")
    return stream.getvalue()


def test_elsewhere_what_is_finished_is_written_and_once_a_minute_how_far_a_loop_is(clock):
    assert go(io.StringIO(), clock).splitlines() == [
        "  a                    answers scored 25 of 100, about 1.5 min left",
        "  a                    done (70 s)",
        "  b                    unchanged (skipped)",
        "  report ␛[2J",
    ]
    assert go(io.StringIO(), clock, quiet=True) == ""


def test_on_a_terminal_a_line_changes_in_place(clock):
    text = go(Terminal(), clock)
    assert all(f"a                    {what}" in text for what in ("starting", "cell 3/4"))
    assert "25 of 100, about 1.5 min left" in text and "done (70 s)\n" in text


DEFAULTS = {each.name: each.default for each in SETTINGS}


def executed(tmp_path, *cells, **settings):
    book = notebook(tmp_path / "04_calibration.ipynb", 'run_dir: str = "x"  # where', *cells)
    output, progress = tmp_path / "out" / "04_calibration.ipynb", Progress(quiet=True)
    given = DEFAULTS | settings
    execute_notebook.execute(book, output, {}, settings=given, trace=tmp_path / "t", progress=progress)
    return json.loads(output.read_text())


def test_a_kernel_that_died_is_told(tmp_path, monkeypatch):
    def died(*arguments, **more):
        raise DeadKernelError("Kernel died")

    monkeypatch.setattr(papermill, "execute_notebook", died)
    with pytest.raises(NotebookError, match="kernel died"):
        executed(tmp_path)


@pytest.mark.slow
def test_a_notebook_that_ends_early_has_not_failed(tmp_path):
    """Its copy holds the reason instead of the error; what comes after is not executed."""
    early = 'from ragassay.errors import NotMeasuredError\nraise NotMeasuredError("too few labels", found=3)'
    book = executed(tmp_path, early, "1 / 0")
    last, later = book["cells"][-2:]
    assert last["outputs"][0]["data"][ENDED] == {"reason": "too few labels; found: 3"}
    assert later["execution_count"] is None and "exception" not in json.dumps(book)


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        "import time; time.sleep(60)",
        "from jupyter_client.session import Session\nSession.send = Session.serialize = None",
    ],
)
def test_a_cell_that_takes_too_long_is_given_up(tmp_path, code):
    with pytest.raises(NotebookError, match="04_calibration stopped"):
        executed(tmp_path, code, "1", cell_timeout_s=2)
    assert (tmp_path / "out" / "04_calibration.ipynb").exists()


SIGNS = """run_dir: str = "reports/tiny"  # where tables go
rule: str = "low >= 0.8"  # a = b
names: list[str] = ["a=b", "c"]
rules: dict[str, str] = {"x": "low >= 0.8"}"""
TELL = """
from ragassay import provenance
provenance.save(run_dir, "told.json", {"told": [rule, names, rules]})
provenance.save(run_dir, "decision.json", {"rating": "", "exit_code": 0, "reasons": []})
"""


@pytest.mark.slow
def test_signs_of_equality_lists_and_mappings_reach_a_notebook(engagement, caplog):
    """Its defaults and those that somebody gives; plain papermill warns of what it cannot read, a run need not."""
    notebook(engagement / "notebooks/07_conclusion.ipynb", SIGNS, TELL)

    def told(command="", *given):
        words = [sys.executable, "-m", *command.split(), *given]
        done = subprocess.run(words, capture_output=True, text=True, check=False) if command else None
        assert not done or done.returncode == 0, done.stderr[-1500:]
        return json.loads(Path("reports/tiny/told.json").read_text())["told"]

    Path("tiny.yml").write_text("07_conclusion: {rule: 'a = b == c', rules: {y: 'high <= 0.2, critical'}}")
    run(Path("tiny.yml"), render=False)
    assert told() == ["a = b == c", ["a=b", "c"], {"y": "high <= 0.2, critical"}]
    assert not [record for record in caplog.records if record.name.startswith("papermill")]
    plainly = "papermill -k python3 -l python notebooks/07_conclusion.ipynb out.ipynb"
    assert told(plainly) == ["low >= 0.8", ["a=b", "c"], {"x": "low >= 0.8"}]
    given = "-p", "rule", "a = b", "-y", "{names: ['d=e', f], rules: {'z = 1': 'a=b'}}"
    assert told(plainly, *given) == ["a = b", ["d=e", "f"], {"z = 1": "a=b"}]
