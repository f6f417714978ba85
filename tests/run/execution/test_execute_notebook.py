"""One notebook executed: a kernel that dies is told with the copy that is left; the copy is written now and then."""

import asyncio
import json
import os
import time
from queue import Empty
from types import SimpleNamespace

import papermill
import pytest
from nbclient.exceptions import DeadKernelError
from papermill import engines

from ragassay.errors import ENDED, NotebookError
from ragassay.run.execution import execute_notebook
from ragassay.run.execution.run_progress import Progress
from ragassay.run.parameter_file.run_settings import SETTINGS
from run.conftest import notebook


def test_a_kernel_that_died_is_told(tmp_path, monkeypatch):
    def died(*arguments, **more):
        raise DeadKernelError("Kernel died")

    monkeypatch.setattr(papermill, "execute_notebook", died)
    book = notebook(tmp_path / "00_scope.ipynb", 'run_dir: str = "x"  # where')
    settings = {each.name: each.default for each in SETTINGS}
    with pytest.raises(NotebookError, match="kernel of a notebook died"):
        execute_notebook.execute(
            book,
            tmp_path / "out" / "00_scope.ipynb",
            {},
            settings=settings,
            trace=tmp_path / "t",
            progress=Progress(["00_scope"]),
        )


def test_a_notebook_that_ends_early_has_not_failed(tmp_path):
    """Its copy holds the reason instead of the error; what comes after is not executed."""
    cells = [
        'from ragassay.errors import NotMeasuredError\nraise NotMeasuredError("too few labels", found=3)',
        "1 / 0",
    ]
    book = notebook(tmp_path / "04_calibration.ipynb", 'run_dir: str = "x"  # where', *cells)
    settings, output = (
        {each.name: each.default for each in SETTINGS},
        tmp_path / "out" / "04_calibration.ipynb",
    )
    progress = Progress(["04_calibration"])
    execute_notebook.execute(book, output, {}, settings=settings, trace=tmp_path / "t", progress=progress)
    last, later = json.loads(output.read_text())["cells"][-2:]
    assert last["outputs"][0]["data"][ENDED] == {"reason": "too few labels; found: 3"}
    assert later["execution_count"] is None and "exception" not in output.read_text()


def client_of(loops_file, *, replies_at=None, dies_at=None):
    """The client of a kernel that replies, or dies, at a look; each look is a second of its loop's life."""
    manager = SimpleNamespace(nb=None)
    with execute_notebook.counted_from_progress(loops_file):
        client = engines.PapermillNotebookClient.__new__(engines.PapermillNotebookClient, manager)
    looks = []

    async def get_msg(timeout):
        looks.append(timeout)
        if len(looks) == replies_at:
            return {"content": {"status": "ok"}}
        if len(looks) == 3 and replies_at is None:
            os.utime(loops_file, (0, 0))  # it stands still from now on
        raise Empty

    async def check_alive():
        if len(looks) == dies_at:
            raise DeadKernelError("Kernel died")

    async def interrupt_kernel():
        looks.append("interrupted")

    client.kc = SimpleNamespace(shell_channel=SimpleNamespace(get_msg=get_msg))
    client._async_check_alive = check_alive
    client.km = SimpleNamespace(interrupt_kernel=interrupt_kernel)
    client.interrupt_on_timeout = True
    return client, looks


@pytest.fixture
def loops_file(tmp_path):
    file = tmp_path / "02.loops"
    file.write_text("[]")
    return file


def handled(client, limit_s=60):
    return asyncio.run(client._async_handle_timeout(limit_s, None))


def test_a_cell_that_makes_progress_is_waited_for_until_it_replies(loops_file):
    client, looks = client_of(loops_file, replies_at=2)
    assert handled(client) == {"content": {"status": "ok"}} and looks == [execute_notebook.LOOK_S] * 2


def test_a_cell_whose_loops_stand_still_is_interrupted(loops_file):
    client, looks = client_of(loops_file)
    assert handled(client) is None and looks[3:] == ["interrupted"]


@pytest.mark.parametrize("age_s", [None, 61])
def test_a_cell_without_progress_within_the_limit_is_interrupted_at_once(loops_file, age_s):
    client, looks = client_of(loops_file)
    loops_file.unlink() if age_s is None else os.utime(loops_file, (time.time() - age_s,) * 2)
    assert handled(client) is None and looks == ["interrupted"]


def test_a_kernel_that_dies_while_it_is_waited_for_is_told(loops_file):
    client, _ = client_of(loops_file, dies_at=2)
    with pytest.raises(DeadKernelError):
        handled(client)


def test_nbclient_asks_for_the_time_that_is_given(loops_file):
    """Were its method named otherwise, every slow assistant would be interrupted again."""
    from nbclient import NotebookClient

    assert hasattr(NotebookClient, "_async_handle_timeout") and hasattr(NotebookClient, "_async_check_alive")
