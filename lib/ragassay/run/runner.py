"""One run: notebooks in order, each executed or skipped, then the manifest and the report."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragassay import provenance, search_paths
from ragassay.answers.log_import import open_log
from ragassay.answers.system_under_test import reachable_hosts, read_described
from ragassay.assistant.described import is_described
from ragassay.errors import ParameterError
from ragassay.report.decision_words import reason_words
from ragassay.run import gate_results, parameters, permitted_endpoints, run_record
from ragassay.run.execution import adopted_notebooks, ask_again, notebook_record
from ragassay.run.execution.adopted_notebooks import Departure
from ragassay.run.execution.execute_notebook import REACHED, RUN_ID
from ragassay.run.execution.notebook_sequence import Books, Selection, execute_all
from ragassay.run.execution.run_progress import Progress
from ragassay.run.gate_results import UNKNOWN, Cause
from ragassay.run.integrity import checksums, manifest
from ragassay.run.parameter_checks import gate_rules, named_values
from ragassay.run.parameter_file import engagement
from ragassay.run.parameter_file.run_settings import DEVICE, FORMATS, MODELS
from ragassay.run.parameters import notebooks
from ragassay.run.run_record import lock
from ragassay.sanitized_text import clean

SET_ASIDE = "every question is asked again; earlier journals are kept: journal/*.set_aside"
UNFINISHED = "not finished"
ASK_AGAIN = "`ragassay run FILE --fresh` asks every question again."
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
    """An engagement as it is about to be run: what its file says, where it goes, its notebooks, what its own
    ones change, and the gates that cannot pass."""

    engagement: engagement.Engagement
    run_dir: Path
    books: Books
    departures: list[Departure]
    warnings: list[str]


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
    path : the engagement's YAML, or `bundled:bank.yml` in an installed package; its stem names the folder
        below `reports`
    folder : where the notebooks are, if not in the usual place
    render : whether to build the report, in the `formats` of section run
    fresh : whether every question is asked again; the answers of before are set aside
    select : which notebooks are executed; None is every one that changed
    given : values that stand for those of the file, as `section.name=value`
    verbosity : -1 says nothing while it lasts, 1 says every cell and why a notebook is executed

    Raises
    ------
    KitError
        If parameters or inputs are flawed (nothing has run), another run works in the folder, or a notebook
        failed (its executed copy says where).
    """
    select = select or Selection()
    if fresh and (select.only or select.start):
        what, do = (
            "--fresh asks every question again, which takes every notebook",
            "leave out --only and --from",
        )
        raise ParameterError(what, where="the command line", do=do)
    with pinned(path):
        asked = prepare(path, reports, folder, given)
        return _run(asked, render, fresh, select, verbosity)


def pinned(path: Path) -> Any:
    """Within this the places are those of the engagement's file."""
    bundled = str(path).startswith(provenance.BUNDLED)
    return search_paths.pinned(search_paths.root(), None if bundled else search_paths.own_folder(Path(path)))


def prepare(path: Path, reports: Path, folder: Path | None = None, given: tuple[str, ...] = ()) -> Asked:
    """Read and check everything that can be checked before a run; nothing is written.

    Raises
    ------
    ParameterError
        With every flaw found.
    """
    is_bundled = str(path).startswith(provenance.BUNDLED)
    path = provenance.source(path) if is_bundled else Path(path)
    kit, own = notebooks(folder), {} if is_bundled else adopted_notebooks.notebooks_of_engagement(path)
    books = dict(sorted((kit | own).items()))
    schemas = {name: parameters.declared(book) for name, book in books.items()}
    asked = engagement.load(path, schemas, given)
    permitted_endpoints.check(path, asked.notebooks, asked.settings["allow"])
    named_values.check_thresholds(path, asked.settings)
    where = reports / asked.name
    values = {
        name: engagement.effective(schema, asked.notebooks.get(name, {}))
        | {parameters.GIVEN_BY_RUNNER: where.as_posix()}
        for name, schema in schemas.items()
    }
    found, warnings = adopted_notebooks.find_departures(own, kit), gate_rules.warnings(values, asked.settings)
    return Asked(asked, provenance.find(where), Books(books, values, asked.settings), found, warnings)


def _run(asked: Asked, render: bool, fresh: bool, select: Selection, verbosity: int) -> Outcome:
    run_dir, names, told = asked.run_dir, list(asked.books.paths), asked.engagement
    select.anew(names)  # a notebook that is none is refused before anything is written
    (run_dir / ".state").mkdir(parents=True, exist_ok=True)
    with lock(run_dir):
        settings = asked.books.settings | {REACHED: reached(asked.books.values)}
        settings |= {RUN_ID: run_record.begin(run_dir, names, fresh=fresh)}
        books = Books(asked.books.paths, asked.books.values, settings)
        progress = Progress(names, verbosity=verbosity)
        warned = (f"warning: {each}" for each in asked.warnings)
        for line in [*code_to_run(books.paths, books.values), *[SET_ASIDE] * fresh, *warned]:
            progress.say(f"  {line}")
        open_ones = execute_all(run_dir, books, select, progress)
        if open_ones:
            found = gate_results.causes_of_notebooks(open_ones)
            return Outcome(run_dir, UNFINISHED, UNKNOWN, {}, causes=tuple(found))
        adopted_notebooks.write_departures(run_dir, asked.departures)
        models = {model: settings[model] for model in MODELS}
        changes = {
            "overrides": told.given,
            "departures": [each.summary for each in asked.departures],
            FORMATS: settings[FORMATS],
        }
        own_folder = search_paths.own_below_project()
        manifest.make(run_dir, told.name, books.values, models, own_folder, settings[DEVICE], changes)
        return _finish(run_dir, progress, settings[FORMATS] if render else None)


def _finish(run_dir: Path, progress: Progress, formats: list[str] | None) -> Outcome:
    """What the run comes to, its report built where there are formats to build it in."""
    documents = {}
    for line in closing_words(run_dir, progress.names):
        progress.say(f"  {line}")
    if formats is not None:
        progress.say("  report")
        from ragassay import report

        documents = report.build(run_dir, formats=formats)
    run_record.finish(run_dir)
    decision = provenance.load(run_dir, "decision.json")
    signed, rationale = checksums.write(run_dir), tuple(reason_words(decision.get("reasons") or []))
    found = tuple(gate_results.causes_of_run(run_dir, decision["exit_code"]))
    return Outcome(run_dir, decision["rating"], decision["exit_code"], documents, signed, rationale, found)


def closing_words(run_dir: Path, names: Sequence[str]) -> Iterator[str]:
    """The lines, in order; those of judges, of versions that are mixed or not known, and of rows of the log
    left out only where there are any."""
    from ragassay.answers import log_import

    records = [record for name in names if (record := notebook_record.load(run_dir, name))]
    for entry in (entry for record in records for entry in record["judges"]):
        yield permitted_endpoints.judge_in_words(entry)
    yield from (f"{clean(line)} {ASK_AGAIN}" for line in ask_again.mixed_versions_in_words(records))
    path = provenance.find(run_dir) / "engagement.json"
    engaged = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if len(log_import.rows_left_out(engaged)):
        yield log_import.in_words(engaged)


def code_to_run(books: Mapping[str, Path], values: Values) -> list[str]:
    """What this run executes besides the kit, a line each: where the notebooks and the assistant are; or how
    the log is read: its schema, which column stands for which of ours, and whether it has contexts."""
    folders = list(dict.fromkeys(book.parent.resolve() for book in books.values()))
    lines = [*(f"notebooks: {folder}" for folder in folders), *map(assistant_in_words, _asked(values))]
    for scope in (each for each in values.values() if each.get("answers_log")):
        opened = open_log(provenance.source(scope["answers_log"]), scope.get("map"))
        absent = "" if opened.holds("contexts") else "; no column is read as contexts, see 00_scope, map"
        lines.append(clean(f"log: {opened.description()}{absent}", 500))
    return lines


def reached(values: Values) -> list[str]:
    """The endpoints of assistants that are described, as host:port; their processes reach them, no notebook
    does."""
    described = [read_described(name).description for name in _asked(values) if is_described(name)]
    return sorted({host for one in described for host in reachable_hosts(one, ()) or ()})


def assistant_in_words(assistant: str) -> str:
    """What is asked: the file that is run, or what a description names."""
    if is_described(assistant):
        described = read_described(assistant).description
        return f"assistant: {described.kind} {described.url or ' '.join(described.command)}"
    name = assistant.rpartition(":")[0]
    file = provenance.located(name if name.endswith(".py") else provenance.MODULE + name)
    return f"assistant: {file.resolve() if file else 'not found'}"


def _asked(values: Values) -> list[str]:
    """The assistants that are asked: none of an engagement with a log."""
    return [
        each["assistant"] for each in values.values() if each.get("assistant") and not each.get("answers_log")
    ]
