"""The two lists of a run folder. `manifest.json`: SHA-256 of inputs, parameters, models, tables, figures and
notebooks, versions, seeds, git revision, network. `SHA256SUMS`: the hash of every file, as `sha256sum -c`
reads it; its own hash stands for the folder. `signature.json`, which signs both, is in neither."""

import contextlib
import json
import os
import platform
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ragassay
from ragassay import output_files, provenance, search_paths
from ragassay.errors import InputError
from ragassay.models import batching, load_instrument
from ragassay.run import run_records
from ragassay.sanitized_text import one_line

SUMS, SIGNATURES = "SHA256SUMS", "signature.json"
UNLISTED = {SUMS, SIGNATURES, ".state/lock"}  # itself, what signs it, what is held while a run lasts
FILE = "manifest.json"
PARTS = ("ragassay", "engagement", "parameters", "packages", "artefacts")  # no run leaves them empty
LINE = re.compile(r"([0-9a-f]{64}) [ *](.+)")


def list_files(run_dir: Path) -> str:
    """List every regular file of the folder, the list itself left out; returns the SHA-256 of the list.
    Devices, pipes, links that lead out of the folder and names of two lines are not listed."""
    hashes = {name: provenance.sha256_below(run_dir, name) for name in _names(run_dir)}
    lines = [f"{sha256}  {name}\n" for name, sha256 in hashes.items() if LINE.fullmatch(f"{sha256}  {name}")]
    output_files.write_bytes(run_dir / SUMS, os.fsencode("".join(lines)))
    return provenance.sha256_of(run_dir / SUMS)


def find_changes(run_dir: Path) -> list[str]:
    """What of the folder is not as listed, a sentence for each file: changed, missing, or not listed."""
    try:
        lines = os.fsdecode(search_paths.file_below(run_dir, SUMS).read_bytes()).split("\n")
    except (OSError, InputError):
        lines = []
    matches = [LINE.fullmatch(line) for line in lines if line]
    listed = {match[2]: match[1] for match in matches if match}
    if not matches or len(listed) < len(matches):
        return [f"{SUMS}: the list of files cannot be read; `ragassay report` writes one"]
    changed = [difference(run_dir, name, listed[name]) for name in sorted(listed)]
    extra = sorted(set(_names(run_dir)) - set(listed))
    return [*filter(None, changed), *(f"{one_line(name)}: is not in {SUMS}" for name in extra)]


def difference(run_dir: Path, name: str, expected: str) -> str:
    """How a file of the folder differs from its hash, in words; "" if it does not."""
    now = provenance.sha256_below(run_dir, name)
    if now == expected:
        return ""
    why = f"changed, {now[:16]} instead of {expected[:16]}" if len(now) == 64 else now
    return f"{one_line(name)}: {why}"


def _names(run_dir: Path) -> list[str]:
    """Everything below the folder that is no folder, links too, in order of the names."""
    paths = [path for path in run_dir.rglob("*") if path.is_symlink() or not path.is_dir()]
    return sorted({path.relative_to(run_dir).as_posix() for path in paths} - UNLISTED)


@dataclass
class Verdict:
    """What was found, in sentences: flaws (none: all agrees), notes, what was not checked; and the SHA-256 of
    `SHA256SUMS` and of the manifest."""

    hashes: dict[str, str]
    flaws: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)


def make(run_dir: Path, parameters: dict[str, dict[str, Any]], **more: Any) -> Path:
    """Write `manifest.json` from what the notebooks' records say; nothing in it depends on time or place.

    more : `engagement`, its name; `own_folder`, its folder seen from the project, "" if that is outside;
        `own_models`, those named in place of the kit's; `device`; `overrides`, values of the command line;
        `departures`, what notebooks of the engagement's own change
    """
    records = {name: record for name in parameters if (record := run_records.load(run_dir, name))}
    # the commit the library was run from, marked where files differ from it; "" outside a repository
    words = ["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    command, revision = ["git", "-C", str(run_records.PACKAGE), *words], ""
    with contextlib.suppress(OSError):  # there is no git
        revision = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()

    def gathered(part: str) -> list[dict[str, Any]]:
        return [{"notebook": name, **entry} for name, record in records.items() for entry in record[part]]

    def policy(part: str) -> str:
        return "; ".join(sorted({record[part] for record in records.values()} - {""}))

    content = {
        **_versions(),
        "platform": f"{platform.system()} {platform.machine()}",
        "git_revision": revision,
        "parameters": parameters,
        **more,
        "seeds": {name: values["seed"] for name, values in parameters.items() if "seed" in values},
        "inputs": _unique(("path", "sha256"), gathered("inputs")),
        "models": _unique(("file", "name", "sha256"), gathered("models")),
        "artefacts": gathered("writes"),
        "versions": run_records.versions(records.values()),
        "network": {name: policy(name) for name in ("policy", "assistant")}
        | {"attempts": gathered("attempts")},
    }
    output_files.write_text(run_dir / FILE, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    return run_dir / FILE


def _versions() -> dict[str, Any]:
    kit = {"ragassay": ragassay.__version__, "code_sha256": run_records.code_sha256()}
    return kit | {"python": platform.python_version(), "packages": run_records.packages()}


def _unique(names: tuple[str, ...], entries: list[dict]) -> list[dict]:
    rows = sorted({tuple(entry[name] for name in names) for entry in entries})
    return [dict(zip(names, row, strict=True)) for row in rows]


def read(run_dir: Path) -> dict[str, Any]:
    """The manifest of a run folder; InputError if there is none, or it is none of a run."""
    try:
        content = json.loads(search_paths.file_below(run_dir, FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError, InputError) as problem:
        raise InputError("cannot be read as a manifest", where=FILE, found=one_line(problem)) from problem
    missing = [part for part in PARTS if not (isinstance(content, dict) and content.get(part))]
    if missing:
        raise InputError("is no manifest", where=FILE, found=f"missing or empty: {', '.join(missing)}")
    return content


def changed_files(run_dir: Path) -> list[str]:
    """The files of the run that are not what its manifest says, a sentence each; InputError if that cannot be
    read."""
    entries = read(run_dir)["artefacts"]
    return list(filter(None, (difference(run_dir, entry["path"], entry["sha256"]) for entry in entries)))


def examine(run_dir: Path) -> Verdict:
    """Compare every file of the folder with `SHA256SUMS`, and what the manifest names with what is here.
    Nothing that a changed manifest names is opened."""
    hashes = {name: provenance.sha256_below(run_dir, name) for name in (SUMS, FILE)}
    verdict = Verdict(hashes, find_changes(run_dir))
    if any(flaw.startswith(f"{FILE}: changed") for flaw in verdict.flaws):
        return verdict
    try:
        content = read(run_dir)
        verdict.flaws += [flaw for flaw in changed_files(run_dir) if flaw not in verdict.flaws]
        with places_of(run_dir, content):
            _compare_inputs_and_models(content, verdict)
        _compare_versions(content, verdict)
    except InputError as problem:
        verdict.flaws.append(f"{FILE}: {problem.what}; {problem.found}")
    except (KeyError, TypeError, AttributeError, ValueError) as problem:
        verdict.flaws.append(f"{FILE}: is of another form: {one_line(problem)[:200]}")
    return verdict


def places_of(run_dir: Path, content: dict[str, Any]) -> contextlib.AbstractContextManager[None]:
    """The places of the run: its project by where its folder is, its engagement's own folder as recorded."""
    recorded = next(iter(content["parameters"].values())).get("run_dir", "")
    project = search_paths.of_run_folder(run_dir, str(recorded))
    own = project / content["own_folder"]
    return search_paths.pinned(project, own if own.resolve().is_relative_to(project.resolve()) else None)


def _compare_inputs_and_models(content: dict[str, Any], verdict: Verdict) -> None:
    """Inputs, looked for from the project that the run folder belongs to, and models, as they are here."""
    own = [model for model in content["own_models"].values() if model]
    here = [(f"input {e['path']}", provenance.located(e["path"]), e["sha256"]) for e in content["inputs"]]
    for entry in content["models"]:
        path = load_instrument.recorded_file(entry["name"], entry["file"], own)
        here.append((f"model {entry['name']} ({entry['file']})", path, entry["sha256"]))
    for name, path, expected in here:
        try:
            now = provenance.sha256_of(search_paths.regular(path)) if path else "not at hand on this machine"
        except InputError as problem:
            verdict.flaws.append(f"{one_line(name)}: {problem.what}")
            continue
        except OSError as problem:
            now = f"cannot be read ({problem.strerror})"
        if len(now) != 64:
            verdict.unchecked.append(f"{one_line(name)}: {now}")
        elif now != expected:
            verdict.flaws.append(f"{one_line(name)}: changed, {now[:16]} instead of {expected[:16]}")


def _compare_versions(content: dict[str, Any], verdict: Verdict) -> None:
    """Library, packages and device: another one now is no flaw of the folder, but results may differ."""
    now = {**_versions(), **run_records.packages(), "packages": ""}
    then = {**{name: content[name] for name in _versions()}, **content["packages"], "packages": ""}
    differ = [f"{n} {then.get(n)} (now {now.get(n)})" for n in then | now if then.get(n) != now.get(n)]
    if differ:
        verdict.notes.append(f"made with other versions than here: {one_line(', '.join(differ))}")
    device = content.get("device", batching.CPU)
    if device != batching.CPU and device not in batching.available_devices():
        what = f"it computed on {one_line(device)}, not here ({', '.join(batching.available_devices())})"
        verdict.notes.append(f"{what}: numbers differ in their last bits")
