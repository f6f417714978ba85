"""One notebook executed: a kernel that dies is told with the copy that is left."""

import papermill
import pytest
from nbclient.exceptions import DeadKernelError

from ragassay.errors import NotebookError
from ragassay.run import execute
from ragassay.run.parameters import SETTINGS
from ragassay.run.progress import Progress
from run.conftest import notebook


def test_a_kernel_that_died_is_told(tmp_path, monkeypatch):
    def died(*arguments, **more):
        raise DeadKernelError("Kernel died")

    monkeypatch.setattr(papermill, "execute_notebook", died)
    book = notebook(tmp_path / "00_scope.ipynb", 'run_dir: str = "x"  # where')
    settings = {each.name: each.default for each in SETTINGS}
    with pytest.raises(NotebookError, match="kernel of a notebook died"):
        execute.execute(
            book,
            tmp_path / "out" / "00_scope.ipynb",
            {},
            settings=settings,
            trace=tmp_path / "t",
            progress=Progress(["00_scope"]),
        )
