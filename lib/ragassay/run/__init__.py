"""The runner: parameters + notebooks -> papermill in order -> manifest -> report.

parameters : the notebooks' tagged cells as schema, the YAML checked against them
execute    : one notebook in a sealed kernel of its own
kernel, seal : the kernel that refuses the network;  judges, databases : a language model and a database that it may reach
state      : what each notebook read and wrote; unchanged ones are skipped
manifest   : the hashes of everything
progress   : which cell, how long still
"""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragassay import evidence
from ragassay.errors import InputError, NotebookError, ParameterError
from ragassay.run import databases, execute, judges, manifest, parameters, state
from ragassay.run.progress import Progress

PASSED, ERROR, GATE_FAILED, INCOMPLETE = 0, 1, 2, 3


@dataclass(frozen=True)
class Outcome:
    """A finished run: where it is, its decision, the exit code (0 passed, 2 a gate failed, 3 evidence incomplete), the documents."""

    run_dir: Path
    rating: str
    exit_code: int
    documents: dict[str, Path]


def notebooks_folder() -> Path:
    """The notebooks: of the project one works in, else those installed with the package."""
    nearby = [parent / "notebooks" for parent in (Path.cwd(), *Path.cwd().parents)]
    candidates = [*nearby, state.PACKAGE / "notebooks", state.PACKAGE.parents[1] / "notebooks"]
    found = next((folder for folder in candidates if (folder / "00_scope.ipynb").exists()), None)
    if found is None:
        raise InputError(
            "the notebooks are not found",
            where=Path.cwd(),
            do="work in the project's folder, or reinstall the package",
        )
    return found


def notebooks(folder: Path | None = None) -> dict[str, Path]:
    """Notebook name -> path, in the order of execution."""
    place = folder or notebooks_folder()
    found = {path.stem: path for path in sorted(place.glob("[0-9][0-9]_*.ipynb"))}
    if not found:
        raise ParameterError(
            "there are no notebooks", where=place, expected="files named 00_scope.ipynb and so on"
        )
    return found


def run(
    path: Path, *, reports: Path = Path("reports"), folder: Path | None = None, render: bool = True
) -> Outcome:
    """Execute the notebooks in order as the parameter file says, skip unchanged ones, write the manifest, build the report.

    Parameters
    ----------
    path : the engagement's YAML, or `bundled:bank.yml` in an installed package; its stem names the run folder below `reports`
    folder : where the notebooks are, if not in the usual place
    render : whether to build the report

    Raises
    ------
    KitError
        If parameters or inputs are flawed (nothing has run), or a notebook failed (its executed copy says where).
    """
    books = notebooks(folder)
    schemas = {name: parameters.declared(book) for name, book in books.items()}
    bundled = str(path).startswith(evidence.BUNDLED)
    engagement = parameters.load(evidence.source(path) if bundled else Path(path), schemas)
    for part in (judges, databases):
        part.check(path, engagement.notebooks, engagement.settings["allow"])
    run_dir = reports / engagement.name
    (run_dir / ".state").mkdir(parents=True, exist_ok=True)
    values = {
        name: parameters.effective(schema, engagement.notebooks.get(name, {}))
        | {parameters.GIVEN_BY_RUNNER: run_dir.as_posix()}
        for name, schema in schemas.items()
    }
    with state.lock(run_dir):
        progress = Progress(list(books), _usual(run_dir, books))
        for name, book in books.items():
            _step(name, book, values[name], run_dir, engagement.settings, progress)
        manifest.make(run_dir, engagement.name, values)
        return _finish(run_dir, progress, render)


def _step(
    name: str, book: Path, values: dict[str, Any], run_dir: Path, settings: dict[str, Any], progress: Progress
) -> None:
    progress.start(name)
    key = state.key(book, values)
    if state.unchanged(run_dir, name, key):
        progress.end(name, "unchanged")
        return
    state.forget(run_dir, name)
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


def _finish(run_dir: Path, progress: Progress, render: bool) -> Outcome:
    documents = {}
    for line in [f"encoder: {_encoder_usage(run_dir, progress.names)}", *_judges(run_dir, progress.names)]:
        progress.say(f"  {line}")
    if render:
        progress.say("  report")
        from ragassay import report

        documents = report.build(run_dir)
    decision = json.loads((evidence.find(run_dir) / "decision.json").read_text(encoding="utf-8"))
    return Outcome(run_dir, decision["rating"], decision["exit_code"], documents)


def _encoder_usage(run_dir: Path, names: list[str]) -> str:
    """What all notebooks of this report asked of the encoder when they were executed."""
    used = [record["encoder"] for name in names if (record := state.load(run_dir, name))]
    total = {name: sum(each[name] for each in used) for name in state.USAGE}
    return "{seen:,} texts seen, {unique:,} unique by call, {encoded:,} encoded, {cached:,} from the cache, {seconds:.0f} s".format(
        **total
    )


def _judges(run_dir: Path, names: list[str]) -> list[str]:
    """What the judges of this report took when the notebooks were executed, a line each."""
    return [
        judges.in_words(entry)
        for name in names
        for entry in (state.load(run_dir, name) or {}).get("judges", [])
    ]


def _usual(run_dir: Path, books: dict[str, Path]) -> dict[str, float]:
    return {name: record["seconds"] for name in books if (record := state.load(run_dir, name))}
