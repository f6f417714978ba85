"""Whether a run folder is still what it was when its report was signed, and what of that cannot be told.

SHA256SUMS <- every file;  manifest <- the notebooks' files, this machine's models and inputs;
`signed` <- the hash that somebody kept;  signature.json <- the public key that somebody knows;
`rerun` <- the run's own notebooks, executed again elsewhere
"""

import json
import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ragassay import provenance, search_paths
from ragassay.errors import InputError, KitError, ParameterError
from ragassay.run.execution import execute_notebook, notebook_record, skip_unchanged
from ragassay.run.execution.run_progress import Progress
from ragassay.run.integrity import checksums, manifest, signing
from ragassay.run.integrity.manifest import Verdict
from ragassay.run.parameter_file.run_settings import MODELS
from ragassay.run.parameters import GIVEN_BY_RUNNER

UNSIGNED = "unsigned: no key vouches for it; `ragassay sign`, or --signed HASH"
LOOSE = f"whether the documents are those signed: the hash of {checksums.FILE} covers them"
NUMBERS = "whether the numbers follow from the inputs: --rerun executes the notebooks again"
FROM_JOURNAL = "whether the answers are the assistant's: those of the journal were used"
UNREADABLE = (KitError, OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)


def verify(
    run_dir: str | Path, signed: str = "", key_files: Sequence[Path] = (), *, rerun: bool = False
) -> Verdict:
    """Recompute every hash that a finished run left, whatever the working folder; nothing is written there.

    Parameters
    ----------
    signed : the SHA-256 of `SHA256SUMS`, or that of the manifest as a cover prints it; "": none is known
    key_files : public keys that you know; each must have signed the folder
    rerun : whether the run's notebooks are executed again elsewhere, which takes as long as the run. Code of
        the folder is executed: it should be that of somebody you trust

    Raises
    ------
    InputError
        If there is no such folder, neither a list of files nor a manifest in it, or a key cannot be read.
    ParameterError
        If `signed` is no SHA-256.
    """
    folder = provenance.source(run_dir)
    if not any((folder / name).exists() for name in (checksums.FILE, manifest.FILE)):
        what, do = "this is no folder of a finished run", "name one, such as reports/bank"
        raise InputError(what, where=folder, expected=f"{checksums.FILE} and {manifest.FILE}", do=do)
    trusted = [signing.read_public(path) for path in key_files]
    verdict = manifest.examine(folder)
    is_signed = signing.check(folder, verdict, trusted)
    _check_kept_hash(signed.strip().lower(), verdict, is_signed=is_signed)
    if rerun:
        _rerun(folder, verdict)
    else:
        verdict.unchecked.append(NUMBERS)
    return verdict


def _check_kept_hash(signed: str, verdict: Verdict, *, is_signed: bool) -> None:
    """What the hash that was kept says, and that nothing vouches for the folder where nothing does."""
    if not signed:
        verdict.unchecked += [] if is_signed else [UNSIGNED]
        return
    if not re.fullmatch("[0-9a-f]{64}", signed):
        what, expected = "what was signed is no SHA-256", "64 letters and digits, as a run and a cover print"
        raise ParameterError(what, where="--signed", found=signed, expected=expected)
    names = [name for name, sha256 in verdict.hashes.items() if sha256 == signed]
    if not names:
        both = ", ".join(verdict.hashes)
        verdict.flaws.append(f"{both}: neither has the hash that was kept, {signed[:16]}")
        return
    unsigned = "" if is_signed else f"unsigned: there is no {signing.FILE}; "
    verdict.notes.append(f"{unsigned}the hash that was kept is that of {names[0]}")
    verdict.unchecked += [LOOSE] if names[0] == manifest.FILE else []


def _rerun(run_dir: Path, verdict: Verdict) -> None:
    """Execute the run's notebooks again in a folder of their own; the first file that is another one, and no
    more after it, becomes a flaw. Nothing outside is reached: where the run could reach endpoints, the
    answers of its journals stand in for them."""
    try:
        content = manifest.read(run_dir)
    except InputError:  # a flaw already
        return
    names = list(content["parameters"])
    asked = [(notebook_record.load(run_dir, name) or {}).get("system") or {} for name in names]
    is_anew = not any(each.get(name) for each in asked for name in ("allow", "reused"))
    progress, same = Progress(), 0
    temporary = tempfile.TemporaryDirectory(prefix="ragassay-rerun-")
    with temporary as folder, manifest.places_of(run_dir, content):
        work = Path(folder)
        if any(each.get("allow") for each in asked):
            shutil.copytree(run_dir / "journal", work / "journal")
            verdict.unchecked.append(FROM_JOURNAL)
        for name in names:
            written = [entry["path"] for entry in content["artefacts"] if entry.get("notebook") == name]
            try:
                _execute_again(run_dir, work, name, content, progress)
                found = _first_difference(run_dir, work, written, is_anew=is_anew)
            except UNREADABLE as problem:
                found = f"not run again: {name}: {problem}"
            progress.end(name, "differs" if found else "same")
            if found:
                verdict.flaws.append(found)
                return
            same += len(written)
    verdict.notes.append(f"run again: the {same} files that {len(names)} notebooks wrote are the same")


def _execute_again(run_dir: Path, work: Path, name: str, content: dict[str, Any], progress: Progress) -> None:
    """Execute one notebook of the run in the folder of work, with the parameters of the manifest."""
    path = f"notebooks/{name}.ipynb"
    expected = [entry["sha256"] for entry in content["artefacts"] if entry["path"] == path]
    if expected != [provenance.sha256_below(run_dir, path)]:
        raise InputError("its executed copy is not the one that the manifest names", where=path)
    book = json.loads(search_paths.file_below(run_dir, path).read_text(encoding="utf-8"))
    source = work / ".state" / f"{name}.ipynb"
    source.parent.mkdir(exist_ok=True)
    source.write_text(json.dumps(skip_unchanged.without_outputs(book)), encoding="utf-8")
    settings = {model: content["own_models"].get(model, "") for model in MODELS}
    settings |= {"allow": [], "device": content["device"], execute_notebook.RUN_ID: ""}
    values = content["parameters"][name] | {GIVEN_BY_RUNNER: str(work)}
    trace = work / ".state" / f"{name}.trace"
    execute_notebook.execute(source, work / path, values, settings=settings, trace=trace, progress=progress)


def _first_difference(here: Path, again: Path, written: list[str], *, is_anew: bool) -> str:
    """The first of the files that is another one, in words; "" if none is. Texts that tell of answers taken
    from a journal differ by right: then tables and figures alone are compared."""
    for name in written:
        if name.startswith("notebooks/"):
            continue
        if not is_anew and not name.startswith(("tables/", "figures/")):
            continue
        now, then = provenance.sha256_below(again, name), provenance.sha256_below(here, name)
        if now != then or len(now) != 64:
            why = "it is not written" if now == "missing" else then if len(then) != 64 else "its bytes differ"
            return f"{checksums.printable(name)}: is another one when run again; {why}"
    for name in (name for name in written if is_anew and name.startswith("notebooks/")):
        pairs = zip(_outputs(here, name), _outputs(again, name), strict=True)
        for number, (one, other) in enumerate(pairs, 1):
            if one != other:
                return f"{name}: its code cell {number} shows something else when run again"
    return ""


def _outputs(folder: Path, name: str) -> list[Any]:
    book = json.loads(search_paths.file_below(folder, name).read_text(encoding="utf-8"))
    return [cell.get("outputs") for cell in book["cells"] if cell["cell_type"] == "code"]
