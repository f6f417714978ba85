"""The notebooks of a run, one after the other: none reads what is no longer so."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragassay.errors import NotebookError, ParameterError
from ragassay.run import run_record
from ragassay.run.execution import compute_ahead, execute_notebook, notebook_record, skip_unchanged
from ragassay.run.execution.ask_again import Assistants, reuse_in_words
from ragassay.run.execution.execute_notebook import RUN_ID
from ragassay.run.execution.notebook_choice import Selection
from ragassay.run.execution.run_progress import Progress
from ragassay.run.integrity.file_guard import Guard
from ragassay.run.parameter_file.run_settings import DEVICE, MODELS

NAMED = "executed, as asked"


@dataclass(frozen=True)
class Books:
    """The notebooks of a run, by name in order: where they are, the values they run with, the runner's
    settings."""

    paths: dict[str, Path]
    values: dict[str, dict[str, Any]]
    settings: dict[str, Any]

    def key(self, name: str) -> str:
        """What decides the notebook's outputs besides its inputs (`skip_unchanged.key`)."""
        models = {model: self.settings[model] for model in (*MODELS, DEVICE)}
        return skip_unchanged.key(self.paths[name], self.values[name], models)


def execute_all(run_dir: Path, books: Books, select: Selection, progress: Progress) -> list[str]:
    """Execute the notebooks that changed, or those selected; returns the names of those that have to be
    executed and were left out, all of them after the last that was selected.

    Raises
    ------
    ParameterError
        If one that is left out stands before one that is executed and is not finished, or changed since.
    NotebookError
        If a notebook fails, or a file of the run is changed while it lasts.
    """
    names, open_ones = list(books.paths), []
    anew, left_out = select.anew(names), select.left_out(names)
    last = max(names.index(name) for name in set(names) - left_out)
    assistants, guard = Assistants(books.settings["allow"]), Guard(run_dir)
    for name in names:
        if name not in left_out:
            _step(name, run_dir, books, progress, assistants, anew=name in anew)
        elif why := skip_unchanged.why_execute(run_dir, name, books.key(name)):
            if names.index(name) < last:
                raise stale(name, why)
            open_ones.append(name)
            progress.end(name, "left out")
            continue
        else:
            progress.end(name, "unchanged")
        guard.add(name)
        guard.check()
    return open_ones


def stale(name: str, why: str) -> ParameterError:
    """That a notebook is left out which has to be executed before another."""
    what = f"{name} is left out, and a later notebook would read what it has not made"
    return ParameterError(what, where="--only, --from", found=why, do=f"run it too: --from {name}")


def _step(
    name: str, run_dir: Path, books: Books, progress: Progress, assistants: Assistants, *, anew: bool
) -> None:
    progress.start(name)
    key = books.key(name)
    why = NAMED if anew else skip_unchanged.why_execute(run_dir, name, key)
    if not why:
        why = assistants.why_ask_again(notebook_record.load(run_dir, name))
        if not why:
            progress.end(name, "unchanged")
            return
        progress.say(f"  {name}: {why}")
    progress.detail(f"  {name}: {why}")
    for file in notebook_record.not_as_left(run_dir, name):
        progress.say(f"  {file} is not as {name} left it; it is executed again")
    notebook_record.forget(run_dir, name)
    run_record.start(run_dir, books.settings[RUN_ID])
    _execute(name, key, run_dir, books, progress)
    for line in reuse_in_words(notebook_record.load(run_dir, name)):
        progress.say(f"  {line}")


def _execute(name: str, key: str, run_dir: Path, books: Books, progress: Progress) -> None:
    book, trace, started = books.paths[name], run_dir / ".state" / f"{name}.trace", time.monotonic()
    trace.unlink(missing_ok=True)
    output, values = run_dir / "notebooks" / book.name, books.values[name]
    compute_ahead.compute(name, run_dir, books.values, books.settings, trace, progress)
    try:
        execute_notebook.execute(
            book, output, values, settings=books.settings, trace=trace, progress=progress
        )
    except NotebookError:
        progress.end(name, "FAILED")
        raise
    notebook_record.remember(run_dir, name, key, trace, time.monotonic() - started)
    progress.end(name, "done")
