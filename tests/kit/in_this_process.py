"""Notebooks run by the runner as always, but their cells executed here: no kernel is started and the models are loaded once.

The kernels themselves, sealed, one to a notebook, are what the small bank's own run and the killed one are for.
"""

import types
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from nbformat.v4 import new_output
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook
from traitlets.config import Config

from ragassay import run as running
from ragassay.errors import ENDED, NotMeasuredError
from ragassay.run import Outcome, execute_notebook


def run_here(parameters: Path, cache: Path | None = None) -> Outcome:
    """`ragassay run` of an engagement, from its folder, with every cell executed in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(parameters.parent)
        patch.setattr(execute_notebook, "execute", _execute)
        if cache:
            patch.setenv("RAGASSAY_CACHE", str(cache))
        return running.run(Path(parameters.name))


def _execute(notebook: Path, output: Path, parameters: dict, *, settings, trace: Path, progress) -> None:
    """As `execute_notebook.execute`: the notebook with these parameters, its executed copy with what each cell shows."""
    book = parameterize_notebook(load_notebook_node(str(notebook)), parameters)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in execute_notebook.environment(settings, trace).items():
            patch.setenv(name, value)
        patch.setenv("IPYTHONDIR", str(trace.parent / "ipython"))
        shell = InteractiveShell.instance(
            user_module=types.ModuleType("notebook_here"),
            config=Config({"HistoryManager": {"enabled": False}}),
        )
        try:
            for cell in book.cells:
                if cell.cell_type == "code":
                    cell.execution_count, cell.outputs = shell.execution_count, list(_outputs(shell, cell))
        except NotMeasuredError as ended:  # the notebook ends early, as the runner has it
            cell.outputs = [new_output("display_data", data={ENDED: {"reason": str(ended)}})]
        finally:
            shell.restore_sys_module_state()
            InteractiveShell.clear_instance()
    output.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(book, output)
    execute_notebook.normalise(output)


def _outputs(shell: InteractiveShell, cell) -> Iterator[nbformat.NotebookNode]:
    """What the cell shows: its last value, if it has one. Raises what the cell raises."""
    with capture_output():
        done = shell.run_cell(cell.source, store_history=True)
    done.raise_error()
    if done.result is not None:
        data, metadata = shell.display_formatter.format(done.result)
        yield nbformat.v4.new_output(
            "execute_result", data, metadata=metadata, execution_count=cell.execution_count
        )
