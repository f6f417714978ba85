"""One run: the notebooks in order, each executed or skipped, so that none reads what is no longer so; then
the manifest and the report."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragassay import output_files, provenance, search_paths
from ragassay.analysis.case_scores import nearest
from ragassay.answers.system_under_test import endpoints, read_described
from ragassay.answers.tool_scores import is_given
from ragassay.assistant.ask_described import hosts
from ragassay.assistant.description import is_described
from ragassay.decision import gates
from ragassay.errors import KitError, NotebookError, ParameterError
from ragassay.models.judge import Spent
from ragassay.report.decision_words import reason_words
from ragassay.run import engagement, execute_notebook, explore, parameters, question_counts, run_records
from ragassay.run.execute_notebook import REACHED, RUN_ID, Progress
from ragassay.run.gate_results import UNKNOWN
from ragassay.run.gate_results import read as read_gates
from ragassay.run.parameters import MODELS


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
            raise ParameterError("only one of --only, --from, --force can be followed", do="name one of them")

    def named(self, names: Sequence[str]) -> set[str]:
        """The notebooks that are executed whatever their state; ParameterError if a word names none."""
        words = [self.start] if self.start else [word for text in self.only for word in text.split(",")]
        found = set(names) if self.force else set[str]()
        for word in filter(None, map(str.strip, words)):
            number = int(word) if word.isdecimal() else -1
            named = [name for name in names if word == name or number == int(name[:2])]
            if not named:
                expected = f"a number or name of {', '.join(names)}{nearest(word, names)}"
                raise ParameterError("there is no such notebook", found=word, expected=expected)
            found |= set(names[names.index(named[0]) :]) if self.start else {named[0]}
        return found

    def left_out(self, names: Sequence[str]) -> set[str]:
        """The notebooks that are not executed whatever their state."""
        return set(names) - self.named(names) if self.only or self.start else set()


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
        """What decides the notebook's outputs besides its inputs (`run_records.key`)."""
        models = {model: self.settings[model] for model in (*MODELS, "device")}
        return run_records.key(self.paths[name], self.values[name], models)

    def warnings(self) -> list[str]:
        """Which critical gates rest on scores that no rater will be compared with, where there are labels."""
        known = {name: value for values in self.values.values() for name, value in values.items()}
        rules = gates.parse(known.get("gates", {})) if known.get("labels") else []
        given = [rule.metric for rule in rules if is_given(rule.metric)]
        unrated = gates.unrated(rules, [*known.get("pairs", ()), known.get("metric", ""), *given])
        return [f"critical, and compared with no rater: {', '.join(unrated)}"] * bool(unrated)

    def why_execute(self, name: str, select: Selection, fresh: bool = False) -> str:
        """Why a notebook must be executed, in words; "" if it need not."""
        asked = (run_records.load(self.run_dir, name) or {}).get("system") or {}
        if fresh and asked:
            return "every question is asked again"
        if name in select.named(list(self.paths)):
            return "executed, as asked"
        if why := run_records.why_execute(self.run_dir, name, self.key(name)):
            return why
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
    # tables that no record lists, of an earlier release or a stopped notebook, are no part of this run
    records = [run_records.load(plan.run_dir, name) or {"writes": []} for name in names]
    listed = {entry["path"] for record in records for entry in record["writes"]}
    for path in (plan.run_dir / "tables").glob("*.parquet"):
        if path.relative_to(plan.run_dir).as_posix() not in listed:
            path.unlink()
    for place, name in enumerate(names):
        why = plan.why_execute(name, select)
        if not why:
            progress.end(name, "unchanged")
        elif name not in left_out:
            _execute(name, plan, progress)
        elif place < last:
            raise ParameterError(f"{name} is left out", found=why, do=f"a later one reads it: --from {name}")
        else:
            unfinished.append(name)
            progress.end(name, "left out")
    return unfinished


def steps(plan: RunPlan, select: Selection, *, fresh: bool = False) -> list[dict[str, Any]]:
    """A record for each notebook of a run: notebook, action (executed, unchanged, depends, left out), why,
    questions (at most; what a changed notebook no longer declares is the kit's default)."""
    kit = {name: engagement.effective(schema, {}) for name, schema in parameters.schemas().items()}
    most = question_counts.most_questions({name: kit.get(name, {}) | v for name, v in plan.values.items()})
    left_out, changed, found = select.left_out(list(plan.paths)), False, []
    for name in plan.paths:
        why = plan.why_execute(name, select, fresh)
        action = "executed" if why else "depends" if changed else "unchanged"
        action = "left out" if name in left_out else action
        changed |= action == "executed"
        why = why or "if what it reads changes" * (action == "depends")
        n = most.get(name, 0) * (action in ("executed", "depends"))
        found.append({"notebook": name, "action": action, "why": why, "questions": n})
    return found


def _execute(name: str, plan: RunPlan, progress: Progress) -> None:
    """Execute a notebook and keep what it did."""
    run_dir, path, key = plan.run_dir, plan.paths[name], plan.key(name)
    trace, output = run_dir / ".state" / f"{name}.trace", run_dir / "notebooks" / path.name
    run_records.forget(run_dir, name)
    output_files.write_text(run_dir / run_records.FILE, plan.settings[RUN_ID])  # this run is under way
    trace.unlink(missing_ok=True)
    try:
        execute_notebook.execute(
            path, output, plan.values[name], settings=plan.settings, trace=trace, progress=progress
        )
    except NotebookError:
        progress.end(name, "FAILED")
        raise
    record = run_records.remember(run_dir, name, key, trace)
    progress.end(name, "done")
    for of in dict.fromkeys(event["of"] for event in record["references"] if event["named"]):
        told = [(event["found"], event["named"]) for event in record["references"] if event["of"] == of]
        what = "passages of answers were known by their text" if of == "answers" else "references were found"
        progress.say("  {} of the {} {}".format(*map(sum, zip(*told, strict=True)), what))
    asked = record["system"] or {}
    if asked.get("failed"):
        progress.say(f"  {asked['failed']} question(s) failed; the next run asks them again")
        for why, n in asked["why"].items():
            progress.say(f"    {n} of them: {why}"[:500])
    if reused := asked.get("reused"):
        progress.say("  {n} answers reused, the last asked on {last}".format_map(reused))


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
    quiet: bool = False,
) -> Outcome:
    """Execute the notebooks in order as the parameter file says, skip unchanged ones, write the manifest and
    the report.

    path : the engagement's YAML, or `bundled:bank.yml`; its stem names the folder below `reports`
    render : whether to build the report, in the `formats` of section run
    fresh : whether every question is asked again; the answers of before are set aside
    select : which notebooks are executed; None is every one that changed
    given : values that stand for those of the file, as `section.name=value`
    quiet : whether nothing is said while it lasts

    Raises KitError if parameters or inputs are flawed (nothing has run), another run works in the folder, a
    notebook failed (its executed copy says where), or something else changed a file of the run."""
    select = select or Selection()
    if fresh and (select.only or select.start):
        raise ParameterError("--fresh asks again by every notebook", do="leave out --only and --from")
    with pin_places(path):
        plan = prepare(path, reports, given)
        select.named(list(plan.paths))  # a name that is none is refused before anything is written
        (plan.run_dir / ".state").mkdir(parents=True, exist_ok=True)
        with run_records.lock(plan.run_dir):
            return _run(plan, render, fresh, select, Progress(quiet=quiet))


def pin_places(path: Path) -> contextlib.AbstractContextManager[None]:
    """Within this the places are those of the engagement's file."""
    own = None if str(path).startswith(provenance.BUNDLED) else search_paths.own_folder(path)
    return search_paths.pinned(search_paths.root(), own)


def prepare(path: Path, reports: Path, given: tuple[str, ...] = ()) -> RunPlan:
    """Read and check everything that can be checked before a run; nothing is written. ParameterError with
    every flaw found."""
    own: dict[str, Path] = {}
    if str(path).startswith(provenance.BUNDLED):
        in_checkout = parameters.PACKAGE.parents[1] / "params" / str(path).removeprefix(provenance.BUNDLED)
        path = in_checkout if in_checkout.is_file() else provenance.source(path)
    else:
        own = parameters.notebooks(explore.folder_of(path))
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
    return RunPlan(asked.name, provenance.find(where), books, values, asked.settings, asked.given, departures)


def _run(plan: RunPlan, render: bool, fresh: bool, select: Selection, progress: Progress) -> Outcome:
    """The notebooks, then the manifest, the report and the list of files."""
    run_dir, settings, names = plan.run_dir, plan.settings, list(plan.paths)
    if n := sum(step["questions"] for step in steps(plan, select, fresh=fresh)):
        told = question_counts.describe_cost(n, settings, run_dir)
        progress.say(f"  questions to the assistant: {told}")
    settings |= {REACHED: _reached(plan.values), RUN_ID: run_records.begin(run_dir, names, fresh=fresh)}
    if fresh:
        progress.say("  every question is asked again; earlier journals are kept: journal/*.set_aside")
    for line in plan.warnings():
        progress.say(f"  {line}")
    if left_out := execute_all(plan, select, progress):
        causes = tuple(f"notebook not executed: {name}" for name in left_out)
        return Outcome(run_dir, "not finished", UNKNOWN, causes=causes)
    explore.write_departures(run_dir, plan.departures)
    run_records.make_manifest(
        run_dir,
        plan.values,
        engagement=plan.name,
        own_folder=search_paths.own_below_project(),
        own_models={model: settings[model] for model in MODELS},
        device=settings["device"],
        overrides=plan.given,
        departures=[{k: v for k, v in each.items() if k != "diff"} for each in plan.departures],
    )
    if changed := run_records.changed_files(run_dir):
        what, found = "files of the run were changed while it lasted", "; ".join(changed)
        raise NotebookError(what, where=run_dir, found=found, do="find what writes there, and run again")
    for record in (run_records.load(run_dir, name) or {"judges": []} for name in names):
        for judge in record["judges"]:
            spent = Spent(**{name: judge[name] for name in Spent.__dataclass_fields__})
            progress.say(f"  judge {judge['model']} at {judge['endpoint']}: {spent}")
    documents = {}
    if render:
        progress.say("  report")
        from ragassay import report

        documents = report.build(run_dir, formats=settings["formats"])
    (run_dir / run_records.FILE).unlink(missing_ok=True)  # what is run from now on is another run
    decision = provenance.load(run_dir, "decision.json")
    causes = ()
    with contextlib.suppress(KitError):  # its tables do not tell
        causes = tuple(read_gates(run_dir).causes())
    return Outcome(
        run_dir,
        decision["rating"],
        decision["exit_code"],
        documents,
        run_records.list_files(run_dir),
        tuple(reason_words(decision.get("reasons") or [])),
        causes,
    )


def _reached(values: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The endpoints of assistants that are described, as host:port; no notebook reaches them."""
    asked = [v["assistant"] for v in values.values() if v.get("assistant") and not v.get("answers_log")]
    described = [read_described(name).description for name in asked if is_described(name)]
    return sorted({host for one in described for host in hosts(one)})
