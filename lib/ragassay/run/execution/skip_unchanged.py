"""Whether a notebook counts as unchanged, so that a run skips it: its key, and what it read and wrote."""

import functools
import hashlib
import importlib.metadata
import json
import platform
import re
from pathlib import Path
from typing import Any

from ragassay import provenance
from ragassay.run.execution import notebook_record

NOT_NOTEBOOK_CODE = ("run", "cli", "report", "diff", "serve", "example", "__pycache__")
PACKAGE = Path(provenance.__file__).parent


def key(notebook: Path, parameters: dict[str, Any], models: dict[str, str]) -> str:
    """Content hash of what decides a notebook's outputs besides its inputs: its source, its parameters, the
    models named in place of the kit's, the library and the versions."""
    book = without_outputs(json.loads(notebook.read_text(encoding="utf-8")))
    parts = {
        "cells": [["".join(cell["source"]), cell["cell_type"]] for cell in book["cells"]],
        "parameters": parameters,
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
    record = notebook_record.load(run_dir, name)
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
