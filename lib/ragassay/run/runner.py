"""One run: notebooks in order, each executed or skipped, then the manifest and the report."""

import contextlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragassay import provenance, search_paths
from ragassay.answers import log_import
from ragassay.answers.system_under_test import reachable_hosts, read_described
from ragassay.assistant.described import is_described
from ragassay.errors import KitError, NotebookError, ParameterError
from ragassay.models import entailment_thresholds, model_files
from ragassay.models.judge import Spent
from ragassay.report.decision_words import reason_words
from ragassay.run import explore, gate_results, parameters, permitted_endpoints, run_record
from ragassay.run.execution import notebook_record
from ragassay.run.execution.execute_notebook import REACHED, RUN_ID
from ragassay.run.execution.notebook_sequence import Books, Selection, execute_all
from ragassay.run.execution.run_progress import Progress
from ragassay.run.gate_results import UNKNOWN, Cause
from ragassay.run.integrity import checksums, manifest
from ragassay.run.parameter_checks.gate_rules import error_line
from ragassay.run.parameter_file import engagement
from ragassay.run.parameter_file.run_settings import MODELS
from ragassay.run.run_record import lock
from ragassay.sanitized_text import clean

Values = Mapping[str, Mapping[str, Any]]  # notebook -> its parameters


@dataclass(frozen=True)
class Outcome:
    """A finished run: where it is, its decision, the exit code, the documents, the SHA-256 of `SHA256SUMS`,
    what the decision rests on, in sentences, and what caused the exit code.

    The code is 0 if everything passed, 2 if a gate failed or a grave finding is open, 3 if the
    evidence is incomplete, or notebooks that must be executed were left out (no documents then).
    """

    run_dir: Path
    rating: str
    exit_code: int
    documents: dict[str, Path]
    sha256: str = ""
    rationale: tuple[str, ...] = ()
    causes: tuple[Cause, ...] = ()


@dataclass(frozen=True)
class Asked:
    """An engagement as it is about to be run: what its file says, where it goes, its notebooks, and what its
    own ones change."""

    engagement: engagement.Engagement
    run_dir: Path
    books: Books
    departures: list[dict[str, Any]]


def run(
    path: Path,
    *,
    reports: Path = Path("reports"),
    folder: Path | None = None,
    render: bool = True,
    fresh: bool = False,
    select: Selection | None = None,
    given: tuple[str, ...] = (),
    verbosity: int = 0,
) -> Outcome:
    """Execute the notebooks in order as the parameter file says, skip unchanged ones, write the manifest and
    the report.

    Parameters
    ----------
    path : the engagement's YAML, or `bundled:bank.yml`; its stem names the folder below `reports`
    folder : where the notebooks are, if not in the usual place
    render : whether to build the report, in the `formats` of section run
    fresh : whether every question is asked again; the answers of before are set aside
    select : which notebooks are executed; None is every one that changed
    given : values that stand for those of the file, as `section.name=value`
    verbosity : -1 says nothing while it lasts, 1 says every cell and why a notebook is executed

    Raises
    ------
    KitError
        If parameters or inputs are flawed (nothing has run), another run works in the folder, a notebook
        failed (its executed copy says where), or something else changed a file of the run.
    """
    select = select or Selection()
    if fresh and (select.only or select.start):
        what, do = "--fresh asks every question again, by every notebook", "leave out --only and --from"
        raise ParameterError(what, where="the command line", do=do)
    with pin_places(path):
        asked = prepare(path, reports, folder, given)
        select.named(list(asked.books.paths))  # a name that is none is refused before anything is written
        (asked.run_dir / ".state").mkdir(parents=True, exist_ok=True)
        with lock(asked.run_dir):
            return _run(asked, render, fresh, select, verbosity)


def pin_places(path: Path) -> contextlib.AbstractContextManager[None]:
    """Within this the places are those of the engagement's file."""
    is_bundled = str(path).startswith(provenance.BUNDLED)
    return search_paths.pinned(search_paths.root(), None if is_bundled else search_paths.own_folder(path))


def prepare(path: Path, reports: Path, folder: Path | None = None, given: tuple[str, ...] = ()) -> Asked:
    """Read and check everything that can be checked before a run; nothing is written.

    Raises
    ------
    ParameterError
        With every flaw found.
    """
    own: dict[str, Path] = {}
    if str(path).startswith(provenance.BUNDLED):
        name = str(path).removeprefix(provenance.BUNDLED)
        in_checkout = parameters.PACKAGE.parents[1] / "params" / name
        path = in_checkout if in_checkout.is_file() else provenance.source(path)
    else:
        own = explore.notebooks_of_engagement(path)
    kit = parameters.notebooks(folder)
    books = dict(sorted((kit | own).items()))
    schemas = {name: parameters.declared(book) for name, book in books.items()}
    asked = engagement.load(path, schemas, given)
    permitted_endpoints.check(path, asked.notebooks, asked.settings["allow"])
    try:
        with model_files.naming(**{kind: asked.settings[kind] for kind in MODELS}):
            entailment_thresholds.own()  # whether they were chosen for these models
    except KitError as problem:
        raise ParameterError(f"run.thresholds: {error_line(problem)}", where=path) from problem
    where = reports / asked.name
    values = {
        name: engagement.effective(schema, asked.notebooks.get(name, {}))
        | {parameters.GIVEN_BY_RUNNER: where.as_posix()}
        for name, schema in schemas.items()
    }
    departures = explore.find_departures(own, kit)
    return Asked(asked, provenance.find(where), Books(books, values, asked.settings), departures)


def _run(asked: Asked, render: bool, fresh: bool, select: Selection, verbosity: int) -> Outcome:
    """The notebooks, then the manifest, the report and the list of files."""
    run_dir, values, names = asked.run_dir, asked.books.values, list(asked.books.paths)
    settings = asked.books.settings | {
        REACHED: _reached(values),
        RUN_ID: run_record.begin(run_dir, names, fresh=fresh),
    }
    progress = Progress(verbosity=verbosity)
    for line in code_to_run(asked.books.paths, values):
        progress.say(f"  {line}")
    if fresh:
        progress.say("  every question is asked again; earlier journals are kept: journal/*.set_aside")
    left_out = execute_all(run_dir, Books(asked.books.paths, values, settings), select, progress)
    if left_out:
        causes = gate_results.causes_of_notebooks(left_out)
        return Outcome(run_dir, "not finished", UNKNOWN, {}, causes=tuple(causes))
    explore.write_departures(run_dir, asked.departures)
    manifest.make(
        run_dir,
        values,
        engagement=asked.engagement.name,
        own_folder=search_paths.own_below_project(),
        own_models={model: settings[model] for model in MODELS},
        device=settings["device"],
        overrides=asked.engagement.given,
        departures=[{k: v for k, v in each.items() if k != "diff"} for each in asked.departures],
        formats=settings["formats"],
    )
    if changed := manifest.changed_files(run_dir):
        what, do = "files of the run were changed while it lasted", "find what writes there, and run again"
        raise NotebookError(what, where=run_dir, found="; ".join(changed), do=do)
    for line in _closing_lines(run_dir, names):
        progress.say(f"  {line}")
    documents = {}
    if render:
        progress.say("  report")
        from ragassay import report

        documents = report.build(run_dir, formats=settings["formats"])
    run_record.finish(run_dir)
    decision = provenance.load(run_dir, "decision.json")
    return Outcome(
        run_dir,
        decision["rating"],
        decision["exit_code"],
        documents,
        checksums.write(run_dir),
        tuple(reason_words(decision.get("reasons") or [])),
        tuple(gate_results.causes_of_run(run_dir, decision["exit_code"])),
    )


def code_to_run(books: Mapping[str, Path], values: Values) -> list[str]:
    """What this run executes besides the kit, a line each: where the notebooks and the assistant are; or how
    the log is read: its schema, which column stands for which of ours, and whether it has contexts."""
    lines = [f"notebooks: {folder}" for folder in {book.parent.resolve(): "" for book in books.values()}]
    for assistant in _assistants(values):
        if is_described(assistant):
            described = read_described(assistant).description
            lines.append(f"assistant: {described.kind} {described.url or ' '.join(described.command)}")
            continue
        name = assistant.rpartition(":")[0]
        file = provenance.located(name if name.endswith(".py") else provenance.MODULE + name)
        lines.append(f"assistant: {file.resolve() if file else 'not found'}")
    for scope in (each for each in values.values() if each.get("answers_log")):
        opened = log_import.open_log(provenance.source(scope["answers_log"]), scope.get("map"))
        known = "contexts" in opened.read_from()
        absent = "" if known else "; no column is read as contexts, see 00_scope, map"
        lines.append(clean(f"log: {opened.description()}{absent}", 500))
    return lines


def _reached(values: Values) -> list[str]:
    """The endpoints of assistants that are described, as host:port; no notebook reaches them."""
    described = [read_described(name).description for name in _assistants(values) if is_described(name)]
    return sorted({host for one in described for host in reachable_hosts(one, ()) or ()})


def _assistants(values: Values) -> list[str]:
    """The assistants that are asked: none of an engagement with a log."""
    return [
        each["assistant"] for each in values.values() if each.get("assistant") and not each.get("answers_log")
    ]


def _closing_lines(run_dir: Path, names: list[str]) -> Iterator[str]:
    """What each judge took, and the rows of the log left out, where there are any."""
    records = [record for name in names if (record := notebook_record.load(run_dir, name))]
    for judge in (judge for record in records for judge in record["judges"]):
        spent = Spent(**{name: judge[name] for name in Spent.__dataclass_fields__})
        yield f"judge {judge['model']} at {judge['endpoint']}: {spent}"
    path = run_dir / "engagement.json"
    engaged = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if (rows := engaged.get("log_rows", {})).get("left_out"):
        yield f"rows of the log left out: {rows['left_out']:,} of {rows['n']:,}"
