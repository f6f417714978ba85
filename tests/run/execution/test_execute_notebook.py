"""One notebook executed: what ends it is told with the copy that is left."""

import json

import papermill
import pytest
from nbclient.exceptions import DeadKernelError

from ragassay.errors import ENDED, NotebookError
from ragassay.run.execution import execute_notebook
from ragassay.run.execution.run_progress import Progress
from ragassay.run.parameter_file.run_settings import SETTINGS
from run.conftest import notebook

DEFAULTS = {each.name: each.default for each in SETTINGS}


def executed(tmp_path, *cells, **settings):
    book = notebook(tmp_path / "04_calibration.ipynb", 'run_dir: str = "x"  # where', *cells)
    output, progress = tmp_path / "out" / "04_calibration.ipynb", Progress(verbosity=-1)
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
