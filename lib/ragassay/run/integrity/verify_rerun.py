"""Whether the numbers follow from the inputs: the run's own notebooks executed again, elsewhere, and what
they write compared with what the folder holds.

Nothing outside is reached. Where the run could reach endpoints, the answers and replies of its journals stand
in for them. Code of the folder is executed: it should be that of somebody you trust.
"""

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ragassay import provenance, search_paths
from ragassay.errors import InputError, KitError
from ragassay.run.execution import execute_notebook, notebook_record, skip_unchanged
from ragassay.run.execution.run_progress import Progress
from ragassay.run.integrity import manifest
from ragassay.run.integrity.checksums import shown
from ragassay.run.integrity.manifest import FLAW, NOTE, UNCHECKED, Found
from ragassay.run.parameter_file.run_settings import DEVICE, MODELS
from ragassay.run.parameters import GIVEN_BY_RUNNER

CELL_TIMEOUT_S = 7200  # seconds that a cell may take
MEASURED = ("tables/", "figures/")
FROM_JOURNAL = "whether the answers are the assistant's: those of the journal were used"


def check(run_dir: Path) -> Iterator[Found]:
    """The first file that is another one when the run is executed again, or that there is none.

    Files are compared in the order in which they were written; the rest is not run after the first that
    differs, for it follows from that one.
    """
    try:
        content = manifest.read(run_dir)
    except InputError:  # told already
        return
    progress = Progress(list(content["parameters"]))
    records = [notebook_record.load(run_dir, name) or {} for name in progress.names]
    asked = [record.get("system") or {} for record in records]
    anew = not any(each.get(part) for each in asked for part in ("allow", "reused", "taken_up"))
    temporary, same = tempfile.TemporaryDirectory(prefix="ragassay-rerun-"), 0
    with temporary as folder, manifest.places_of(run_dir, content):
        work = Path(folder)
        if any(each.get("allow") for each in asked):
            shutil.copytree(run_dir / "journal", work / "journal")
            yield UNCHECKED, FROM_JOURNAL
        for name in progress.names:
            progress.start(name)
            try:
                _execute(run_dir, work, name, content, progress)
            except (KitError, *manifest.ODD) as problem:
                progress.end(name, "FAILED")
                yield FLAW, f"not run again: {name}: {problem}"
                return
            written = [entry["path"] for entry in content["artefacts"] if entry.get("notebook") == name]
            found = _first(run_dir, work, written, is_asked_anew=anew)
            progress.end(name, "differs" if found else "same")
            if found:
                yield FLAW, found
                return
            same += len(written)
    yield NOTE, f"run again: the {same} files that {len(progress.names)} notebooks wrote are the same"


def _execute(run_dir: Path, work: Path, name: str, content: dict[str, Any], progress: Progress) -> None:
    """Execute one notebook of the run in the folder of work, with the parameters of the manifest."""
    source = work / ".state" / f"{name}.ipynb"
    source.parent.mkdir(exist_ok=True)
    source.write_text(json.dumps(_as_it_was(run_dir, name, content)), encoding="utf-8")
    settings = {model: str(content["own_models"].get(model, "")) for model in MODELS} | {
        "allow": [],
        "cell_timeout_s": CELL_TIMEOUT_S,
        DEVICE: content.get(DEVICE, "cpu"),
        execute_notebook.RUN_ID: "",
    }
    values = content["parameters"][name] | {GIVEN_BY_RUNNER: str(work)}
    output, trace = work / "notebooks" / f"{name}.ipynb", work / ".state" / f"{name}.trace"
    execute_notebook.execute(source, output, values, settings=settings, trace=trace, progress=progress)


def _as_it_was(run_dir: Path, name: str, content: dict[str, Any]) -> dict[str, Any]:
    """The notebook before it was executed; InputError if it is not the one of the manifest."""
    path = f"notebooks/{name}.ipynb"
    expected = {entry["sha256"] for entry in content["artefacts"] if entry["path"] == path}
    if expected != {provenance.sha256_below(run_dir, path)}:
        raise InputError("its executed copy is not the one that the manifest names", where=path)
    book = json.loads(search_paths.file_below(run_dir, path).read_text(encoding="utf-8"))
    book["cells"] = [cell for cell in book["cells"] if not skip_unchanged.injected(cell)]
    for cell in book["cells"]:
        cell.update({"outputs": [], "execution_count": None} if cell["cell_type"] == "code" else {})
    return book


def _first(run_dir: Path, work: Path, written: list[str], *, is_asked_anew: bool) -> str:
    """The first of the files that differs, in words; "" if none does. Texts that tell of answers taken from a
    journal differ by right: then tables and figures alone are compared."""
    own = [path for path in written if path.startswith("notebooks/")]
    others = [path for path in written if path not in own]
    for path in others if is_asked_anew else [path for path in others if path.startswith(MEASURED)]:
        if found := difference_of_files(run_dir, work, path):
            return found
    notebooks = own if is_asked_anew else []
    found_of = (difference_of_notebooks(run_dir, work, path) for path in notebooks)
    return next(filter(None, found_of), "")


def difference_of_files(here: Path, again: Path, name: str) -> str:
    """What differs between `name` of two run folders; "" if their bytes are the same."""
    now, then = provenance.sha256_below(again, name), provenance.sha256_below(here, name)
    if now == then and len(now) == 64:
        return ""
    missing = "it is not written" if now == "missing" else then if len(then) != 64 else "its bytes differ"
    return f"{shown(name)}: is another one when run again; {missing}"


def difference_of_notebooks(here: Path, again: Path, name: str) -> str:
    """The first cell of which two executed notebooks show something else; "" if there is none."""
    for number, (one, other) in enumerate(zip(_outputs(here, name), _outputs(again, name), strict=True), 1):
        if one != other:
            return f"{shown(name)}: its code cell {number} shows something else when run again"
    return ""


def _outputs(folder: Path, name: str) -> list[Any]:
    book = json.loads(search_paths.file_below(folder, name).read_text(encoding="utf-8"))
    return [cell.get("outputs") for cell in book["cells"] if cell["cell_type"] == "code"]
