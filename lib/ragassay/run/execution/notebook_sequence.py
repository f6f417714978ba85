"""The notebooks of a run, one after the other: none reads what is no longer so."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import answers, provenance, scores, tables
from ragassay.api import Cluster, ray_cluster
from ragassay.errors import NotebookError, ParameterError
from ragassay.models import model_files
from ragassay.run import run_record
from ragassay.run.execution import execute_notebook, notebook_record, skip_unchanged
from ragassay.run.execution.ask_again import Assistants, reuse_in_words
from ragassay.run.execution.execute_notebook import RUN_ID
from ragassay.run.execution.run_progress import Progress
from ragassay.run.parameter_checks.named_values import nearest
from ragassay.run.parameter_file.run_settings import DEVICE, MODELS

NAMED = "executed, as asked"
SCOPE, SCORING = "00_scope", "02_functionality"
SAFETY = ("privacy_names", "toxicity")  # what notebook 03 asks networks of the same answers


@dataclass(frozen=True)
class Selection:
    """What somebody asks of a run; without anything every notebook that changed is executed.

    only : notebooks by number or name; they are executed, changed or not, and no other
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

    def anew(self, names: Sequence[str]) -> set[str]:
        """The notebooks that are executed whatever their state.

        Raises
        ------
        ParameterError
            If a number or name is none of a notebook.
        """
        if self.start:
            return set(names[names.index(_named(self.start, names)) :])
        return set(names) if self.force else {_named(each, names) for each in self.only}

    def left_out(self, names: Sequence[str]) -> set[str]:
        """The notebooks that are not executed whatever their state."""
        return set(names) - self.anew(names) if self.only or self.start else set()


def from_words(only: Sequence[str], start: str, force: bool) -> Selection:
    """The selection of the words of a command line; one word of `only` may hold several, parted by commas."""
    parts = (part.strip() for word in only for part in word.split(","))
    return Selection(tuple(part for part in parts if part), start.strip(), force)


def _named(given: str, names: Sequence[str]) -> str:
    """The notebook of a number (4, 04) or a name."""
    number = given.lstrip("0") or "0"
    found = [name for name in names if given == name or number == (name.split("_")[0].lstrip("0") or "0")]
    if not found:
        expected = f"a number or name of {', '.join(names)}{nearest(given, names)}"
        raise ParameterError(
            "there is no such notebook", where="--only, --from", found=given, expected=expected
        )
    return found[0]


@dataclass
class Guard:
    """The files of each finished notebook: what it wrote, its executed copy, the runner's record of it."""

    run_dir: Path
    _files: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def add(self, name: str) -> None:
        """Know a finished notebook's files from now on.

        Raises
        ------
        NotebookError
            If what it read of an earlier notebook's files is not what that one wrote. It is forgotten too.
        """
        record = notebook_record.load(self.run_dir, name)
        wrote = {e["path"]: (by, e["sha256"]) for by, entries in self._files.items() for e in entries}
        for entry in record["reads"] if record else []:
            by, sha256 = wrote.get(entry["path"], (name, entry["sha256"]))
            if sha256 != entry["sha256"]:
                notebook_record.forget(self.run_dir, name)
                self._stop(by, {entry["path"]: sha256}, {entry["path"]: entry["sha256"]})
        path = notebook_record.file(name)
        own = {"path": path, "sha256": provenance.sha256_of(self.run_dir / path)}
        self._files[name] = [*(record["writes"] if record else []), own]

    def check(self) -> None:
        """Hash every file again; sizes and times are not trusted.

        Raises
        ------
        NotebookError
            If one is not as its notebook left it. That notebook is forgotten: the next run executes it anew.
        """
        for name, entries in self._files.items():
            if changed := notebook_record.changed(self.run_dir, entries):
                notebook_record.forget(self.run_dir, name)
                self._stop(name, {entry["path"]: entry["sha256"] for entry in entries}, changed)

    def _stop(self, name: str, wanted: dict[str, str], changed: dict[str, str]) -> None:
        first = next(iter(changed))
        raise NotebookError(
            f"{first} was changed by something other than {name}, which wrote it; the run is stopped",
            where=self.run_dir,
            found=", ".join(f"{path}: {sha256[:16]}" for path, sha256 in changed.items()),
            expected=", ".join(f"{path}: {wanted[path][:16]}" for path in changed),
            do="find what writes there, and run again: what it touched is executed anew",
        )


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
    what = f"{name} is left out, and a later notebook reads its tables"
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
    compute_ahead(name, run_dir, books.values, books.settings, trace, progress)
    try:
        execute_notebook.execute(
            book, output, values, settings=books.settings, trace=trace, progress=progress
        )
    except NotebookError:
        progress.end(name, "FAILED")
        raise
    notebook_record.remember(run_dir, name, key, trace, time.monotonic() - started)
    progress.end(name, "done")


def compute_ahead(
    name: str,
    run_dir: Path,
    values: Mapping[str, Mapping[str, Any]],
    settings: Mapping[str, Any],
    trace: Path,
    progress: Progress,
) -> None:
    """Before the notebook that scores, if the section `run` names a cluster: the logged answers of all
    systems, by the metrics that take no judge and those of notebook 03; noted in its trace.

    Raises
    ------
    ClusterError
        If the cluster cannot be reached, is lost, or fails; the next run goes on.
    """
    if name != SCORING or settings["executor"] != "ray" or not values[SCOPE]["answers_log"]:
        return
    where = settings["cluster"] or "this machine"
    progress.say(f"  {name}: a Ray cluster ({where}) reads the answers before it")
    with model_files.naming(**{kind: settings[kind] for kind in (*MODELS, DEVICE)}):
        record, cases = provenance.load(run_dir, "engagement.json"), tables.read(run_dir, "cases")
        given = answers.collect_answers(record, cases, run_dir=run_dir)
        others = answers.challengers(record, cases, values[name]["challengers"])
        read = pd.concat([given[given.repeat == 0], others], ignore_index=True)
        with_model = bool(model_files.of_run("language_model"))
        chosen = scores.choose(values[name]["metrics"], with_language_model=with_model)
        cards = {metric: scores.METRICS[metric] for metric in chosen}
        metrics = [m for m, card in cards.items() if "judge" not in card.models and card.family != "own"]
        cluster, premise = Cluster(settings["cluster"], settings["workers"]), values[name]["premise"]
        wanted = list(dict.fromkeys([*metrics, *SAFETY]))
        n = ray_cluster.compute_ahead(read, cases, wanted, cluster, {"premise": premise})
    what = f"a Ray cluster ({where}) read {len(read)} logged answers: {n} results of networks"
    progress.say(f"  {name}: {what}")
    with trace.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"event": "ahead", "what": what}) + "\n")
