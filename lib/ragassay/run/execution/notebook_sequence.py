"""The notebooks of a run, one after the other: none reads what is no longer so."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragassay.analysis.case_scores import nearest
from ragassay.answers.system_under_test import endpoints
from ragassay.errors import NotebookError, ParameterError
from ragassay.run import run_record
from ragassay.run.execution import execute_notebook, notebook_record
from ragassay.run.execution.execute_notebook import RUN_ID
from ragassay.run.execution.run_progress import Progress
from ragassay.run.parameter_file.run_settings import MODELS

LONGEST = 500  # characters of a line


@dataclass(frozen=True)
class Selection:
    """What somebody asks of a run; without anything every notebook that changed is executed.

    only : notebooks by number or name, a text may hold several, parted by commas; they are executed, changed
        or not, and no other
    start : a notebook by number or name; it and all after it are executed, changed or not, and none before
    force : every notebook is executed, changed or not
    """

    only: tuple[str, ...] = ()
    start: str = ""
    force: bool = False

    def __post_init__(self) -> None:
        if sum(map(bool, (self.only, self.start, self.force))) > 1:
            what, do = "only one of --only, --from and --force can be followed", "name one of them"
            raise ParameterError(what, where="the command line", do=do)

    def named(self, names: Sequence[str]) -> set[str]:
        """The notebooks that are executed whatever their state; ParameterError if a word names none."""
        if self.start:
            return set(names[names.index(_named(self.start, names)) :])
        words = (word for text in self.only for word in text.split(",") if word.strip())
        return set(names) if self.force else {_named(word, names) for word in words}

    def left_out(self, names: Sequence[str]) -> set[str]:
        """The notebooks that are not executed whatever their state."""
        return set(names) - self.named(names) if self.only or self.start else set()


def _named(given: str, names: Sequence[str]) -> str:
    """The notebook of a number (4, 04) or a name."""
    word = given.strip()
    for name in names:
        if word == name or (word.isdecimal() and int(word) == int(name[:2])):
            return name
    expected = f"a number or name of {', '.join(names)}{nearest(word, names)}"
    raise ParameterError("there is no such notebook", where="--only, --from", found=word, expected=expected)


@dataclass(frozen=True)
class RunPlan:
    """An engagement as it is about to be run: its name and folder; its notebooks by name in order, where they
    are and the values they run with; the runner's settings; the values given on the command line, by
    `section.name`; what notebooks of its own change of the kit's."""

    name: str
    run_dir: Path
    paths: dict[str, Path]
    values: dict[str, dict[str, Any]]
    settings: dict[str, Any]
    given: dict[str, Any]
    departures: list[dict[str, Any]]

    def key(self, name: str) -> str:
        """What decides the notebook's outputs besides its inputs (`notebook_record.key`)."""
        models = {model: self.settings[model] for model in (*MODELS, "device")}
        return notebook_record.key(self.paths[name], self.values[name], models)

    def why_execute(self, name: str, select: Selection) -> str:
        """Why a notebook must be executed, in words; "" if it need not."""
        if name in select.named(list(self.paths)):
            return "executed, as asked"
        if why := notebook_record.why_execute(self.run_dir, name, self.key(name)):
            return why
        asked = (notebook_record.load(self.run_dir, name) or {}).get("system") or {}
        if asked.get("failed"):
            return f"{asked['failed']} question(s) failed and are asked again"
        if asked and asked.get("allow") != endpoints(asked["assistant"], tuple(self.settings["allow"])):
            return "the assistant may reach other endpoints: it is asked again"
        return ""


def execute_all(plan: RunPlan, select: Selection, progress: Progress) -> list[str]:
    """Execute the notebooks that changed, or those selected; returns the names of those that have to be
    executed and were left out, all of them after the last that was selected.

    Raises ParameterError if one that is left out stands before one that is executed and is not finished, or
    changed since; NotebookError if a notebook fails."""
    names, unfinished = list(plan.paths), []
    left_out = select.left_out(names)
    last = max(names.index(name) for name in set(names) - left_out)
    _remove_tables_of_nobody(plan.run_dir, names)
    for place, name in enumerate(names):
        why = plan.why_execute(name, select)
        if not why:
            progress.end(name, "unchanged")
        elif name not in left_out:
            progress.detail(f"  {name}: {why}")
            _execute(name, plan, progress)
        elif place < last:
            what, do = f"{name} is left out, and a later one reads its tables", f"run it too: --from {name}"
            raise ParameterError(what, where="--only, --from", found=why, do=do)
        else:
            unfinished.append(name)
            progress.end(name, "left out")
    return unfinished


def _remove_tables_of_nobody(run_dir: Path, names: Sequence[str]) -> None:
    """Tables that no notebook's record lists are those of an earlier release, or of a notebook that was
    stopped: none may be read as if it were a part of this run's."""
    records = [notebook_record.load(run_dir, name) or {"writes": []} for name in names]
    listed = {entry["path"] for record in records for entry in record["writes"]}
    for path in (run_dir / "tables").glob("*.parquet"):
        if path.relative_to(run_dir).as_posix() not in listed:
            path.unlink()


def _execute(name: str, plan: RunPlan, progress: Progress) -> None:
    """Execute a notebook and keep what it did."""
    run_dir, path, key, started = plan.run_dir, plan.paths[name], plan.key(name), time.monotonic()
    trace = run_dir / ".state" / f"{name}.trace"
    notebook_record.forget(run_dir, name)
    run_record.start(run_dir, plan.settings[RUN_ID])
    trace.unlink(missing_ok=True)
    how: dict[str, Any] = {"settings": plan.settings, "trace": trace, "progress": progress}
    output = run_dir / "notebooks" / path.name
    try:
        execute_notebook.execute(path, output, plan.values[name], **how)
    except NotebookError:
        progress.end(name, "FAILED")
        raise
    record = notebook_record.remember(run_dir, name, key, trace, time.monotonic() - started)
    progress.end(name, "done")
    asked = record["system"] or {}
    if asked.get("failed"):
        progress.say(f"  {asked['failed']} question(s) failed; the next run asks them again")
        for why, n in asked["why"].items():
            progress.say(f"    {n} of them: {why}"[:LONGEST])
    if reused := asked.get("reused"):
        first, last = reused["first"], reused["last"]
        days = f"on {first}" if first == last else f"from {first} to {last}"
        progress.say(f"  {reused['n']} answers reused, asked {days}")
