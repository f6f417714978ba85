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
from ragassay.run import execute_notebook, manifest, run_records, signing
from ragassay.run.execute_notebook import Progress
from ragassay.run.manifest import Verdict
from ragassay.run.parameters import GIVEN_BY_RUNNER, MODELS

UNSIGNED = "unsigned: no key vouches for it; `ragassay sign`, or --signed HASH"
LOOSE = f"whether the documents are those signed: the hash of {manifest.SUMS} covers them"
NUMBERS = "whether the numbers follow from the inputs: --rerun executes the notebooks again"
UNREADABLE = (KitError, OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)


def verify(
    run_dir: str | Path, signed: str = "", key_files: Sequence[Path] = (), *, rerun: bool = False
) -> Verdict:
    """Recompute every hash that a finished run left, whatever the working folder; nothing is written there.

    signed : the SHA-256 of `SHA256SUMS`, or that of the manifest as a cover prints it; "": none is known
    key_files : public keys that you know; each must have signed the folder
    rerun : whether the run's notebooks are executed again elsewhere, which takes as long as the run. Code of
        the folder is executed: it should be that of somebody you trust

    Raises InputError if there is no such folder, neither a list of files nor a manifest in it, or a key
    cannot be read; ParameterError if `signed` is no SHA-256."""
    folder, signed = provenance.source(run_dir), signed.strip().lower()
    if not any((folder / name).exists() for name in (manifest.SUMS, manifest.FILE)):
        what, expected = "this is no folder of a finished run", f"{manifest.SUMS} and {manifest.FILE}"
        raise InputError(what, where=folder, expected=expected, do="name one, such as reports/bank")
    if signed and not re.fullmatch("[0-9a-f]{64}", signed):
        raise ParameterError("--signed is no SHA-256", found=signed, expected="64 letters, as a run prints")
    trusted = [signing.read_public(path) for path in key_files]
    verdict = manifest.examine(folder)
    is_signed = signing.check(folder, verdict, trusted)
    of = next((name for name, sha256 in verdict.hashes.items() if sha256 == signed), "")
    if not signed and not is_signed:
        verdict.unchecked.append(UNSIGNED)
    elif signed and not of:
        both = ", ".join(verdict.hashes)
        verdict.flaws.append(f"{both}: neither has the hash that was kept, {signed[:16]}")
    elif signed:
        unsigned = "" if is_signed else f"unsigned: there is no {signing.FILE}; "
        verdict.notes.append(f"{unsigned}the hash that was kept is that of {of}")
        verdict.unchecked += [LOOSE] if of == manifest.FILE else []
    if rerun:
        _rerun(folder, verdict)
    else:
        verdict.unchecked.append(NUMBERS)
    return verdict


def _rerun(run_dir: Path, verdict: Verdict) -> None:
    """Execute the run's notebooks again in a folder of their own; the first file that is another one, and no
    more after it, becomes a flaw. Nothing outside is reached: where the run could reach endpoints, the
    answers of its journals stand in for them, and texts that tell of it are not compared."""
    try:
        content = manifest.read(run_dir)
    except InputError:  # a flaw already
        return
    names, progress, same = list(content["parameters"]), Progress(), 0
    asked = [(run_records.load(run_dir, name) or {}).get("system") or {} for name in names]
    is_anew = not any(each.get(name) for each in asked for name in ("allow", "reused"))
    settings = {model: content.get("own_models", {}).get(model, "") for model in MODELS}
    settings |= {"allow": [], "device": content.get("device", "cpu"), execute_notebook.RUN_ID: ""}
    with (
        tempfile.TemporaryDirectory(prefix="ragassay-rerun-") as folder,
        manifest.places_of(run_dir, content),
    ):
        work = Path(folder)
        if any(each.get("allow") for each in asked):
            shutil.copytree(run_dir / "journal", work / "journal")
            verdict.unchecked.append(
                "whether the answers are the assistant's: those of the journal were used"
            )
        for name in names:
            path, state = f"notebooks/{name}.ipynb", work / ".state"
            listed = {
                each["path"]: each["sha256"] for each in content["artefacts"] if each["notebook"] == name
            }
            try:
                if listed.get(path) != provenance.sha256_below(run_dir, path):
                    raise InputError("its executed copy is not the one that the manifest names", where=path)
                source, trace = state / f"{name}.ipynb", state / f"{name}.trace"
                state.mkdir(exist_ok=True)
                text = json.dumps(run_records.without_outputs(_book(run_dir, path)))
                source.write_text(text, encoding="utf-8")
                values = content["parameters"][name] | {GIVEN_BY_RUNNER: str(work)}
                how: dict[str, Any] = {"settings": settings, "trace": trace, "progress": progress}
                execute_notebook.execute(source, work / path, values, **how)
                compared = (_difference(run_dir, work, each, is_anew=is_anew) for each in listed)
                found = next(filter(None, compared), "")
            except UNREADABLE as problem:
                found = f"not run again: {name}: {problem}"
            progress.end(name, "differs" if found else "same")
            if found:
                verdict.flaws.append(found)
                return
            same += len(listed)
    verdict.notes.append(f"run again: the {same} files that {len(names)} notebooks wrote are the same")


def _difference(here: Path, again: Path, name: str, *, is_anew: bool) -> str:
    """How a file, or what a notebook shows, differs when made again, in words; "" if it does not. Where
    answers came from a journal, only tables and figures are compared."""
    if not is_anew and not name.startswith(("tables/", "figures/")):
        return ""
    if name.startswith("notebooks/"):
        books = [
            [each for each in _book(side, name)["cells"] if each["cell_type"] == "code"]
            for side in (here, again)
        ]
        pairs = enumerate(zip(*books, strict=True), 1)
        places = [place for place, (one, other) in pairs if one.get("outputs") != other.get("outputs")]
        return f"{name}: its code cell {places[0]} shows something else when run again" if places else ""
    now, then = provenance.sha256_below(again, name), provenance.sha256_below(here, name)
    if now == then and len(now) == 64:
        return ""
    why = "it is not written" if now == "missing" else "its bytes differ"
    return f"{manifest.printable(name)}: is another one when run again; {why}"


def _book(folder: Path, name: str) -> dict[str, Any]:
    return json.loads(search_paths.file_below(folder, name).read_text(encoding="utf-8"))
