"""One notebook executed: a kernel that dies is told with the copy that is left; the copy is written now and then."""

from datetime import timedelta

import nbformat
import papermill
import pytest
from nbclient.exceptions import DeadKernelError

from ragassay.errors import NotebookError
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


def test_the_copy_is_written_now_and_then_and_at_the_end(tmp_path, monkeypatch):
    """Papermill alone would write it twice a cell."""
    written = []
    monkeypatch.setattr("papermill.engines.write_ipynb", lambda book, path: written.append(path))
    cells = [nbformat.v4.new_code_cell("1") for _ in range(20)]
    book = nbformat.v4.new_notebook(cells=cells, metadata={"papermill": {}})
    manager = papermill.engines.NotebookExecutionManager(book, tmp_path / "o.ipynb", progress_bar=False)
    manager.notebook_start()
    with execute_notebook._saved_now_and_then(manager):
        for number, cell in enumerate(book.cells):
            if number == 10:
                manager.last_save_time -= timedelta(seconds=execute_notebook.SAVED_EVERY_S)
            manager.cell_start(cell, number)
            manager.cell_complete(cell, number)
    assert len(written) == 2
    manager.notebook_complete()
    assert len(written) == 3
