"""The record of each notebook: what it ran with, read and wrote when it was last executed."""

import contextlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ragassay import provenance, search_paths
from ragassay.answers import assistant_versions
from ragassay.errors import InputError
from ragassay.run import permitted_endpoints
from ragassay.run.execution import ask_again

PARTS: dict[str, Any] = {  # of a record, with their types
    "key": str,
    "seconds": int | float,
    **dict.fromkeys(("reads", "writes", "inputs", "models", "attempts", "judges"), list),
    **dict.fromkeys(("policy", "assistant"), str),
}
ENTRIES = {  # of the lists in a record, what each entry says in text
    **dict.fromkeys(("reads", "writes", "inputs"), ("path", "sha256")),
    "models": ("name", "file", "sha256"),
    "attempts": ("call", "address"),
}


def changed(run_dir: Path, entries: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Of a record's files of the run those that are not what they were: name -> its hash now, "missing", or
    what stands there in its place."""
    found = {entry["path"]: provenance.sha256_below(run_dir, entry["path"]) for entry in entries}
    return {e["path"]: found[e["path"]] for e in entries if found[e["path"]] != e["sha256"]}


def forget(run_dir: Path, name: str) -> None:
    """Remove what an earlier execution of the notebook wrote: none of it may be taken for this one's."""
    for entry in (load(run_dir, name) or {}).get("writes", []):
        with contextlib.suppress(InputError, IsADirectoryError):  # of a record that somebody changed
            search_paths.file_below(run_dir, entry["path"]).unlink(missing_ok=True)
    (run_dir / file(name)).unlink(missing_ok=True)


def remember(run_dir: Path, name: str, key_now: str, trace: Path, seconds: float) -> None:
    """Keep what the trace says the notebook did."""
    record = {"key": key_now, "seconds": round(seconds, 1), **summary(trace, run_dir)}
    executed = run_dir / "notebooks" / f"{name}.ipynb"
    record["writes"].append(
        {"path": f"notebooks/{name}.ipynb", "sha256": provenance.sha256_of(executed), "cell": None}
    )
    draft = (run_dir / file(name)).with_suffix(".draft")
    draft.write_text(json.dumps(record, indent=1, ensure_ascii=False), encoding="utf-8")
    draft.replace(run_dir / file(name))
    trace.unlink(missing_ok=True)


def load(run_dir: Path, name: str) -> dict[str, Any] | None:
    """What is known of the notebook's last finished execution; None if nothing is, or if what stands there is
    no record."""
    try:
        record = json.loads(search_paths.file_below(run_dir, file(name)).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError, InputError):
        return None
    if not isinstance(record, dict):
        return None
    typed = all(isinstance(record.get(part), kind) for part, kind in PARTS.items())
    entries = [(entry, names) for part, names in ENTRIES.items() for entry in record[part]] if typed else []
    for entry, names in entries:
        typed &= isinstance(entry, dict) and all(isinstance(entry.get(name), str) for name in names)
    return record if typed else None


def not_as_left(run_dir: Path, name: str) -> list[str]:
    """The files that the notebook wrote when it was last executed and that somebody has changed since."""
    record = load(run_dir, name)
    return list(changed(run_dir, record["writes"])) if record else []


def summary(trace: Path, run_dir: Path) -> dict[str, Any]:
    """The trace in order: files read before being written here, files written (last state), inputs, models,
    network."""
    lines = trace.read_text(encoding="utf-8").splitlines() if trace.exists() else []
    entries = [json.loads(line) for line in lines]
    of: dict[str, list[dict[str, Any]]] = {}
    for entry in entries:
        of.setdefault(entry["event"], []).append(entry)

    def parts(event: str, *names: str) -> list[dict[str, Any]]:
        return [{name: e[name] for name in names if name in e} for e in of.get(event, ())]

    writes = {e["path"]: e for e in parts("write", "path", "sha256", "cell")}
    reads = {e["path"]: e for e in parts("read", "path", "sha256") if e["path"] not in writes}
    inputs = {e["path"]: e for e in parts("input", "path", "sha256")}
    models = parts("model", "name", "file", "sha256")  # of one name there may be two files
    policy = next((e["policy"] for e in of.get("sealed", ())), "not sealed")
    policy += "".join(f"; before it was sealed, {e['what']}" for e in of.get("ahead", ()))
    versions = of.get(assistant_versions.EVENT, ())
    return {
        "reads": list(reads.values()),
        "writes": list(writes.values()),
        "inputs": list(inputs.values()),
        "models": [one for place, one in enumerate(models) if one not in models[:place]],
        "judges": permitted_endpoints.judges_used(entries),
        "policy": policy,
        "assistant": next((e["policy"] for e in of.get("confined", ())), ""),
        "system": ask_again.of_all_sets(entries),
        "attempts": parts("network", "call", "address", "by"),
        "versions": [{name: value for name, value in e.items() if name != "event"} for e in versions],
    }


def file(name: str) -> str:
    """Where the record of a notebook is, seen from the run folder."""
    return f".state/{name}.json"
