"""One run: notebooks in order, each executed or skipped, then the manifest and the report."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragassay import provenance, search_paths
from ragassay.answers.system_under_test import read_described
from ragassay.assistant.described import hosts
from ragassay.assistant.description import is_described
from ragassay.errors import KitError, NotebookError, ParameterError
from ragassay.models.judge import Spent
from ragassay.report.decision_words import reason_words
from ragassay.run import explore, gate_results, parameters, run_record
from ragassay.run.execution import notebook_record
from ragassay.run.execution.execute_notebook import REACHED, RUN_ID
from ragassay.run.execution.notebook_sequence import RunPlan, Selection, execute_all
from ragassay.run.execution.run_progress import Progress
from ragassay.run.integrity import checksums, manifest
from ragassay.run.parameter_file import engagement
from ragassay.run.parameter_file.run_settings import MODELS
from ragassay.run.run_record import lock

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
    documents: dict[str, Path] = field(default_factory=dict)
    sha256: str = ""
    rationale: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()


def run(
    path: Path,
    *,
    reports: Path = Path("reports"),
    render: bool = True,
    fresh: bool = False,
    select: Selection | None = None,
    given: tuple[str, ...] = (),
    verbosity: int = 0,
) -> Outcome:
    """Execute the notebooks in order as the parameter file says, skip unchanged ones, write the manifest and
    the report.

    path : the engagement's YAML, or `bundled:bank.yml`; its stem names the folder below `reports`
    render : whether to build the report, in the `formats` of section run
    fresh : whether every question is asked again; the answers of before are set aside
    select : which notebooks are executed; None is every one that changed
    given : values that stand for those of the file, as `section.name=value`
    verbosity : -1 says nothing while it lasts, 1 says every cell and why a notebook is executed

    Raises KitError if parameters or inputs are flawed (nothing has run), another run works in the folder, a
    notebook failed (its executed copy says where), or something else changed a file of the run."""
    select = select or Selection()
    if fresh and (select.only or select.start):
        what, do = "--fresh asks every question again, by every notebook", "leave out --only and --from"
        raise ParameterError(what, where="the command line", do=do)
    with pin_places(path):
        plan = prepare(path, reports, given)
        select.named(list(plan.paths))  # a name that is none is refused before anything is written
        (plan.run_dir / ".state").mkdir(parents=True, exist_ok=True)
        with lock(plan.run_dir):
            return _run(plan, render, fresh, select, Progress(verbosity=verbosity))


def pin_places(path: Path) -> contextlib.AbstractContextManager[None]:
    """Within this the places are those of the engagement's file."""
    is_bundled = str(path).startswith(provenance.BUNDLED)
    return search_paths.pinned(search_paths.root(), None if is_bundled else search_paths.own_folder(path))


def prepare(path: Path, reports: Path, given: tuple[str, ...] = ()) -> RunPlan:
    """Read and check everything that can be checked before a run; nothing is written. ParameterError with
    every flaw found."""
    own: dict[str, Path] = {}
    if str(path).startswith(provenance.BUNDLED):
        in_checkout = parameters.PACKAGE.parents[1] / "params" / str(path).removeprefix(provenance.BUNDLED)
        path = in_checkout if in_checkout.is_file() else provenance.source(path)
    else:
        own = explore.notebooks_in(explore.folder_of(path))
    kit = parameters.notebooks()
    books = dict(sorted((kit | own).items()))
    schemas = parameters.schemas(books)
    asked = engagement.load(path, schemas, given)
    where = reports / asked.name
    values = {
        name: engagement.effective(schema, asked.notebooks.get(name, {}))
        | {parameters.GIVEN_BY_RUNNER: where.as_posix()}
        for name, schema in schemas.items()
    }
    departures = explore.find_departures(own, kit)
    run_dir = provenance.find(where)
    return RunPlan(asked.name, run_dir, books, values, asked.settings, asked.given, departures)


def _run(plan: RunPlan, render: bool, fresh: bool, select: Selection, progress: Progress) -> Outcome:
    """The notebooks, then the manifest, the report and the list of files."""
    run_dir, settings, names = plan.run_dir, plan.settings, list(plan.paths)
    settings |= {REACHED: _reached(plan.values), RUN_ID: run_record.begin(run_dir, names, fresh=fresh)}
    if fresh:
        progress.say("  every question is asked again; earlier journals are kept: journal/*.set_aside")
    if left_out := execute_all(plan, select, progress):
        causes = tuple(f"notebook not executed: {name}" for name in left_out)
        return Outcome(run_dir, "not finished", gate_results.UNKNOWN, causes=causes)
    explore.write_departures(run_dir, plan.departures)
    manifest.make(
        run_dir,
        plan.values,
        engagement=plan.name,
        own_folder=search_paths.own_below_project(),
        own_models={model: settings[model] for model in MODELS},
        device=settings["device"],
        overrides=plan.given,
        departures=[{k: v for k, v in each.items() if k != "diff"} for each in plan.departures],
    )
    if changed := manifest.changed_files(run_dir):
        what, do = "files of the run were changed while it lasted", "find what writes there, and run again"
        raise NotebookError(what, where=run_dir, found="; ".join(changed), do=do)
    for record in (notebook_record.load(run_dir, name) or {"judges": []} for name in names):
        for judge in record["judges"]:
            spent = Spent(**{name: judge[name] for name in Spent.__dataclass_fields__})
            progress.say(f"  judge {judge['model']} at {judge['endpoint']}: {spent}")
    documents = {}
    if render:
        progress.say("  report")
        from ragassay import report

        documents = report.build(run_dir, formats=settings["formats"])
    run_record.finish(run_dir)
    decision = provenance.load(run_dir, "decision.json")
    causes = ()
    if decision["exit_code"]:
        with contextlib.suppress(KitError):  # its tables do not tell
            causes = tuple(gate_results.read(run_dir).causes())
    return Outcome(
        run_dir,
        decision["rating"],
        decision["exit_code"],
        documents,
        checksums.write(run_dir),
        tuple(reason_words(decision.get("reasons") or [])),
        causes,
    )


def _reached(values: Values) -> list[str]:
    """The endpoints of assistants that are described, as host:port; no notebook reaches them."""
    asked = [v["assistant"] for v in values.values() if v.get("assistant") and not v.get("answers_log")]
    described = [read_described(name).description for name in asked if is_described(name)]
    return sorted({host for one in described for host in hosts(one)})
