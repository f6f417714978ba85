"""One run: notebooks in order, each executed or skipped, then the manifest and the report."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragassay import evidence, places
from ragassay.errors import NotebookError
from ragassay.run import (
    endpoints,
    engagement,
    execute,
    manifest,
    named_models,
    parameters,
    run_record,
    state,
    sums,
)
from ragassay.run.asked_again import Assistants, reuse_in_words
from ragassay.run.code_to_run import code_to_run, reached
from ragassay.run.execute import REACHED, RUN_ID
from ragassay.run.guard import Guard
from ragassay.run.parameters import notebooks
from ragassay.run.progress import Progress
from ragassay.run.settings import DEVICE, MODELS

SET_ASIDE = "every question is asked again; the journals of before are kept as journal/*.set_aside"


@dataclass(frozen=True)
class Outcome:
    """A finished run: where it is, its decision, the exit code, the documents, the SHA-256 of `SHA256SUMS`,
    and what the decision rests on, in sentences.

    The code is 0 if everything passed, 2 if a gate failed or a grave finding is open, 3 if the
    evidence is incomplete.
    """

    run_dir: Path
    rating: str
    exit_code: int
    documents: dict[str, Path]
    sha256: str = ""
    rationale: tuple[str, ...] = ()


def run(
    path: Path,
    *,
    reports: Path = Path("reports"),
    folder: Path | None = None,
    render: bool = True,
    fresh: bool = False,
) -> Outcome:
    """Execute the notebooks in order as the parameter file says, skip unchanged ones, write the manifest and
    the report.

    Parameters
    ----------
    path : the engagement's YAML, or `bundled:bank.yml` in an installed package; its stem names the folder
        below `reports`
    folder : where the notebooks are, if not in the usual place
    render : whether to build the report
    fresh : whether every question is asked again; the answers of before are set aside

    Raises
    ------
    KitError
        If parameters or inputs are flawed (nothing has run), or a notebook failed (its executed copy says
        where).
    """
    bundled = str(path).startswith(evidence.BUNDLED)
    with places.pinned(places.root(), None if bundled else places.own_folder(Path(path))):
        return _run(evidence.source(path) if bundled else Path(path), reports, folder, render, fresh)


def _run(path: Path, reports: Path, folder: Path | None, render: bool, fresh: bool) -> Outcome:
    books = notebooks(folder)
    schemas = {name: parameters.declared(book) for name, book in books.items()}
    asked = engagement.load(path, schemas)
    endpoints.check(path, asked.notebooks, asked.settings["allow"])
    named_models.check_thresholds(path, asked.settings)
    given = reports / asked.name
    run_dir = evidence.find(given)
    (run_dir / ".state").mkdir(parents=True, exist_ok=True)
    values = {
        name: engagement.effective(schema, asked.notebooks.get(name, {}))
        | {parameters.GIVEN_BY_RUNNER: given.as_posix()}
        for name, schema in schemas.items()
    }
    with state.lock(run_dir):
        settings = asked.settings | {REACHED: reached(values)}
        settings |= {RUN_ID: run_record.begin(run_dir, list(books), fresh=fresh)}
        assistants, guard = Assistants(settings["allow"]), Guard(run_dir)
        progress = Progress(list(books), _usual(run_dir, books))
        for line in [*code_to_run(books, values), *[SET_ASIDE] * fresh]:
            progress.say(f"  {line}")
        for name, book in books.items():
            _step(name, book, values[name], run_dir, settings, progress, assistants)
            guard.add(name)
            guard.check()
        device, own_folder = asked.settings[DEVICE], places.own_below_project()
        manifest.make(run_dir, asked.name, values, _models(asked.settings), own_folder, device)
        return _finish(run_dir, progress, render)


def _models(settings: dict[str, Any]) -> dict[str, str]:
    """The models that the user names (`settings.MODELS`); "" where none is."""
    return {model: settings[model] for model in MODELS}


def _step(
    name: str,
    book: Path,
    values: dict[str, Any],
    run_dir: Path,
    settings: dict[str, Any],
    progress: Progress,
    assistants: Assistants,
) -> None:
    progress.start(name)
    key = state.key(book, values, _models(settings) | {DEVICE: settings[DEVICE]})
    if state.unchanged(run_dir, name, key):
        why = assistants.why_ask_again(state.load(run_dir, name))
        if not why:
            progress.end(name, "unchanged")
            return
        progress.say(f"  {name}: {why}")
    for file in state.not_as_left(run_dir, name):
        progress.say(f"  {file} is not as {name} left it; it is executed again")
    state.forget(run_dir, name)
    run_record.start(run_dir, settings[RUN_ID])
    trace, started = run_dir / ".state" / f"{name}.trace", time.monotonic()
    trace.unlink(missing_ok=True)
    try:
        execute.execute(
            book, run_dir / "notebooks" / book.name, values, settings=settings, trace=trace, progress=progress
        )
    except NotebookError:
        progress.end(name, "FAILED")
        raise
    state.remember(run_dir, name, key, trace, time.monotonic() - started)
    progress.end(name, "done")
    for line in reuse_in_words(state.load(run_dir, name)):
        progress.say(f"  {line}")


def _finish(run_dir: Path, progress: Progress, render: bool) -> Outcome:
    documents = {}
    usage = f"encoder: {_encoder_usage(run_dir, progress.names)}"
    for line in [usage, *_judges(run_dir, progress.names), *_rows_left_out(run_dir)]:
        progress.say(f"  {line}")
    if render:
        progress.say("  report")
        from ragassay import report

        documents = report.build(run_dir)
    run_record.finish(run_dir)
    decision = evidence.load(run_dir, "decision.json")
    signed, rationale = sums.write(run_dir), tuple(decision.get("rationale") or ())
    return Outcome(run_dir, decision["rating"], decision["exit_code"], documents, signed, rationale)


def _encoder_usage(run_dir: Path, names: list[str]) -> str:
    """What all notebooks of this report asked of the encoder when they were executed."""
    used = [record["encoder"] for name in names if (record := state.load(run_dir, name))]
    total = {name: sum(each[name] for each in used) for name in state.USAGE}
    words = (
        "{seen:,} texts seen, {unique:,} unique by call, {encoded:,} encoded, {cached:,} from the "
        "cache, {seconds:.0f} s"
    )
    return words.format(**total)


def _judges(run_dir: Path, names: list[str]) -> list[str]:
    """What the judges of this report took when the notebooks were executed, a line each."""
    return [
        endpoints.judge_in_words(entry)
        for name in names
        for entry in (state.load(run_dir, name) or {}).get("judges", [])
    ]


def _rows_left_out(run_dir: Path) -> list[str]:
    """How many rows of the log could not be read, and the first of them; nothing where all could."""
    from ragassay.answers import left_out

    path = evidence.find(run_dir) / "engagement.json"
    record = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return [left_out.in_words(record)] if len(left_out.rows_left_out(record)) else []


def _usual(run_dir: Path, books: dict[str, Path]) -> dict[str, float]:
    return {name: record["seconds"] for name in books if (record := state.load(run_dir, name))}
