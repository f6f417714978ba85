"""What a run keeps in `.state`: a record of each notebook (what it ran with, read and wrote when it was last
executed, by which it counts as unchanged), and `run_id`, which run is under way.

A run that was killed, or stopped at an error, goes on under the same id; a finished one is followed by a new
one. Answers in a journal carry the id of the run in which they were asked.

The two lists of the folder. `manifest.json`: SHA-256 of inputs, parameters, models, tables, figures and
notebooks, versions, seeds, git revision, network. `SHA256SUMS`: the hash of every file, as `sha256sum -c`
reads it; its own hash stands for the folder. `signature.json`, which signs both, is in neither."""

import contextlib
import functools
import hashlib
import importlib.metadata
import json
import os
import platform
import re
import subprocess
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import filelock

from ragassay import __version__, output_files, provenance, search_paths
from ragassay.answers import system_under_test
from ragassay.errors import InputError, ParameterError
from ragassay.sanitized_text import one_line

NOT_NOTEBOOK_CODE = ("run", "cli", "diff", "serve", "example")
PACKAGE = Path(provenance.__file__).parent
PARTS = set("key reads writes inputs models judges policy assistant system attempts versions".split())
LOCK, FILE = ".state/lock", ".state/run_id"
MANIFEST, SUMS, SIGNATURES = "manifest.json", "SHA256SUMS", "signature.json"
UNLISTED = {SUMS, SIGNATURES, LOCK}  # itself, what signs it, what is held while a run lasts
MANIFEST_PARTS = ("ragassay", "engagement", "parameters", "packages", "artefacts")  # no run leaves them empty
LINE = re.compile(r"([0-9a-f]{64}) [ *](.+)")


def forget(run_dir: Path, name: str) -> None:
    """Remove what an earlier execution of the notebook wrote: none of it may be taken for this one's."""
    for entry in (load(run_dir, name) or {}).get("writes", []):
        with contextlib.suppress(InputError, IsADirectoryError):  # of a record that somebody changed
            search_paths.file_below(run_dir, entry["path"]).unlink(missing_ok=True)
    (run_dir / f".state/{name}.json").unlink(missing_ok=True)


def remember(run_dir: Path, name: str, key_now: str, trace: Path) -> dict[str, Any]:
    """Keep what the trace says the notebook did; returns the record."""
    record = {"key": key_now, **summary(trace)}
    path = f"notebooks/{name}.ipynb"
    record["writes"].append({"path": path, "sha256": provenance.sha256_of(run_dir / path), "cell": None})
    output_files.write_text(run_dir / f".state/{name}.json", json.dumps(record, indent=1, ensure_ascii=False))
    trace.unlink(missing_ok=True)
    return record


def load(run_dir: Path, name: str) -> dict[str, Any] | None:
    """What is known of the notebook's last finished execution; None if nothing is, or if what stands there is
    no record."""
    with contextlib.suppress(OSError, ValueError, RecursionError, InputError):
        path = search_paths.file_below(run_dir, f".state/{name}.json")
        record = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(record, dict) and set(record) >= PARTS:
            return record
    return None


def summary(trace: Path) -> dict[str, Any]:
    """The trace in order: files read before being written here, files written (last state), inputs, models,
    network."""
    lines = trace.read_text(encoding="utf-8").splitlines() if trace.exists() else []
    of: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for entry in map(json.loads, lines):
        of[entry.pop("event")].append(entry)

    def last_of(event: str, *names: str) -> dict[tuple, dict[str, Any]]:
        return {tuple(entry[name] for name in names): entry for entry in of[event]}

    writes = last_of("write", "path")
    reads = {name: entry for name, entry in last_of("read", "path").items() if name not in writes}
    return {
        "reads": list(reads.values()),
        "writes": list(writes.values()),
        "inputs": list(last_of("input", "path").values()),
        "models": list(last_of("model", "name", "file", "sha256").values()),
        "judges": list(last_of("judge", "endpoint", "model").values()),  # the last count of each
        "policy": of["sealed"][0]["policy"] if of["sealed"] else "not sealed",
        "assistant": of["confined"][0]["policy"] if of["confined"] else "",
        "system": _system(of["system"]),
        "attempts": of["network"],
        "versions": of[system_under_test.VERSIONS],
        "references": of["references"],
    }


def _system(asked: list[dict[str, Any]]) -> dict[str, Any] | None:
    """What the trace says of the assistant, over all sets of questions put to it: the last entry, with the
    failures of them all, and the answers of before that were taken (`reused`): n, first and last day, or
    None; None if nothing was asked."""
    if not asked:
        return None
    why = sum((Counter(each.get("why") or {}) for each in asked), Counter[str]())
    parts = [each["reused"] for each in asked if each.get("reused")]
    reused = parts and {
        "n": sum(part["n"] for part in parts),
        "first": min(part["first"] for part in parts),
        "last": max(part["last"] for part in parts),
    }
    failed = sum(each.get("failed") or 0 for each in asked)
    return {**asked[-1], "failed": failed, "why": dict(why), "reused": reused or None}


def versions(records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A row for each version of the assistant and by whose word it is known: version (None where a reply
    named none), by, answers, first and last (journal, case), in the order in which the notebooks asked."""
    rows: dict[tuple, dict[str, Any]] = {}
    for event in (event for record in records for event in record["versions"]):
        for part in event["parts"]:
            ends = [{"journal": event["journal"], "case_id": part[end]} for end in ("first", "last")]
            new = {"version": part["version"], "by": event["by"], "answers": 0, "first": ends[0]}
            row = rows.setdefault((part["version"], event["by"]), new)
            row |= {"answers": row["answers"] + part["n"], "last": ends[1]}
    return list(rows.values())


def key(notebook: Path, parameters: dict[str, Any], models: dict[str, str]) -> str:
    """Content hash of what decides a notebook's outputs besides its inputs: its source, its parameters, the
    models named in place of the kit's, the library and the versions."""
    book = without_outputs(json.loads(notebook.read_text(encoding="utf-8")))
    parts = {
        "cells": [["".join(cell["source"]), cell["cell_type"]] for cell in book["cells"]],
        "parameters": {name: v for name, v in parameters.items() if name != "run_dir"},  # it may be moved
        "models": models,
        "code": code_sha256(),
        "packages": packages(),
        "python": platform.python_version(),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


def is_injected(cell: dict[str, Any]) -> bool:
    """Whether a cell is the one in which the runner gave an executed copy its parameters."""
    return "injected-parameters" in cell["metadata"].get("tags", [])


def without_outputs(book: dict[str, Any]) -> dict[str, Any]:
    """A notebook before it was executed."""
    book["cells"] = [cell for cell in book["cells"] if not is_injected(cell)]
    for cell in book["cells"]:
        cell.update({"outputs": [], "execution_count": None} if cell["cell_type"] == "code" else {})
    return book


@functools.cache
def code_sha256() -> str:
    """SHA-256 of the library files that notebooks run."""
    names = [path.relative_to(PACKAGE) for path in sorted(PACKAGE.rglob("*")) if path.is_file()]
    kept = [n for n in names if n.parts[0] not in NOT_NOTEBOOK_CODE and "__pycache__" not in n.parts]
    lines = (f"{name.as_posix()}\0{provenance.sha256_of(PACKAGE / name)}\n" for name in kept)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


@functools.cache
def packages() -> dict[str, str]:
    """Versions of the packages the project depends on, by name."""
    requires = [line for line in importlib.metadata.requires("ragassay") or [] if "extra ==" not in line]
    names = {re.split(r"[^A-Za-z0-9._-]", line)[0] for line in requires}
    return {name: importlib.metadata.version(name) for name in sorted(names)}


def why_execute(run_dir: Path, name: str, key_now: str) -> str:
    """Why the notebook must be executed, in words; "" if it finished earlier with this key and everything it
    read and wrote is still as it was."""
    record = load(run_dir, name)
    if record is None:
        return "it has not been finished here"
    if record["key"] != key_now:
        return "its cells, its parameters, the library or a version changed"
    for entry in record["reads"] + record["writes"]:
        if provenance.sha256_below(run_dir, entry["path"]) != entry["sha256"]:
            return f"{entry['path']} is not as it was"
    for entry in record["inputs"]:
        path = provenance.located(entry["path"])
        if path is None or not path.exists() or provenance.sha256_of(path) != entry["sha256"]:
            return f"{entry['path']} is not as it was"
    return ""


@contextlib.contextmanager
def lock(run_dir: Path) -> Iterator[None]:
    """Hold the folder while this lasts, or until the process ends; ParameterError if another run holds it."""
    try:
        with filelock.FileLock(run_dir / LOCK, timeout=0):
            yield
    except filelock.Timeout:
        raise ParameterError("another run works in this folder", where=run_dir, do="wait for it") from None


def begin(run_dir: Path, names: list[str], *, fresh: bool = False) -> str:
    """The id of the run that begins or goes on; in a fresh one every question is asked again: what is known
    of the notebooks that ask is forgotten, and the journals are set aside, renamed by the run's id.

    names : the notebooks of the run
    """
    under_way = run_dir / FILE
    if not fresh and under_way.is_file() and (known := under_way.read_text("utf-8", "replace")):
        return known
    run_id = uuid.uuid4().hex
    if fresh:
        output_files.write_text(under_way, run_id)
        for name in names:
            if (load(run_dir, name) or {}).get("system"):
                forget(run_dir, name)
        for journal in (run_dir / "journal").glob("*.jsonl"):
            journal.rename(journal.with_suffix(f".before-{run_id[:8]}.set_aside"))
    return run_id


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


def make_manifest(run_dir: Path, parameters: dict[str, dict[str, Any]], **more: Any) -> Path:
    """Write `manifest.json` from what the notebooks' records say; nothing in it depends on time or place.

    more : `engagement`, its name; `own_folder`, its folder seen from the project, "" if that is outside;
        `own_models`, those named in place of the kit's; `device`; `overrides`, values of the command line;
        `departures`, what notebooks of the engagement's own change
    """
    records = {name: record for name in parameters if (record := load(run_dir, name))}
    # the commit the library was run from, marked where files differ from it; "" outside a repository
    words = ["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    command, revision = ["git", "-C", str(PACKAGE), *words], ""
    with contextlib.suppress(OSError):  # there is no git
        revision = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()

    def gathered(part: str) -> list[dict[str, Any]]:
        return [{"notebook": name, **entry} for name, record in records.items() for entry in record[part]]

    def policy(part: str) -> str:
        return "; ".join(sorted({record[part] for record in records.values()} - {""}))

    content = {
        **versions_here(),
        "platform": f"{platform.system()} {platform.machine()}",
        "git_revision": revision,
        "parameters": parameters,
        **more,
        "seeds": {name: values["seed"] for name, values in parameters.items() if "seed" in values},
        "inputs": _unique(("path", "sha256"), gathered("inputs")),
        "models": _unique(("file", "name", "sha256"), gathered("models")),
        "artefacts": gathered("writes"),
        "versions": versions(records.values()),
        "network": {name: policy(name) for name in ("policy", "assistant")}
        | {"attempts": gathered("attempts")},
    }
    output_files.write_text(run_dir / MANIFEST, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    return run_dir / MANIFEST


def versions_here() -> dict[str, Any]:
    """Library, Python and packages as they are on this machine."""
    kit = {"ragassay": __version__, "code_sha256": code_sha256()}
    return kit | {"python": platform.python_version(), "packages": packages()}


def _unique(names: tuple[str, ...], entries: list[dict]) -> list[dict]:
    return [dict(row) for row in sorted({tuple((name, entry[name]) for name in names) for entry in entries})]


def read_manifest(run_dir: Path) -> dict[str, Any]:
    """The manifest of a run folder; InputError if there is none, or it is none of a run."""
    try:
        content = json.loads(search_paths.file_below(run_dir, MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError, InputError) as problem:
        raise InputError("cannot be read as a manifest", where=MANIFEST, found=one_line(problem)) from problem
    missing = [part for part in MANIFEST_PARTS if not (isinstance(content, dict) and content.get(part))]
    if missing:
        raise InputError("is no manifest", where=MANIFEST, found=f"missing or empty: {', '.join(missing)}")
    return content


def changed_files(run_dir: Path) -> list[str]:
    """The files of the run that are not what its manifest says, a sentence each; InputError if that cannot be
    read."""
    entries = read_manifest(run_dir)["artefacts"]
    return list(filter(None, (difference(run_dir, entry["path"], entry["sha256"]) for entry in entries)))
