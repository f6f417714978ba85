"""The chain of evidence: which files a notebook read and wrote, and what it concludes from them.

The runner names a trace file in RAGASSAY_TRACE; every door of the library that opens a file notes it there.
Without a runner nothing is noted.
"""

import contextlib
import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

from ragassay import output_files, search_paths
from ragassay.errors import InputError

MODULE = "module:"  # prefix of the system under test, named by its module
TRACE = "RAGASSAY_TRACE"  # set by the runner: the file of the trace
BUNDLED = "bundled:"  # prefix of paths inside the package: bundled:documents


find = search_paths.find_run


def source(path: str | Path) -> Path:
    """An input as a path: `bundled:documents` is the example shipped with the package, anything else a file
    or folder of the user's.

    Raises
    ------
    InputError
        If there is no such file or folder.
    """
    text = str(path)
    inside = Path(__file__).parent / "example"
    resolved = inside / text.removeprefix(BUNDLED) if text.startswith(BUNDLED) else search_paths.find(text)
    if not resolved.exists():
        raise InputError(
            "an input does not exist",
            where=text,
            found=f"nothing at {resolved}",
            expected=f"a file or folder below {' or '.join(map(str, search_paths.folders()))}",
            do="correct the path where you named it, on the command line or in the parameters",
        )
    return resolved


def located(name: str) -> Path | None:
    """Where an input that a trace names is now (`search_paths.find`); None if it is gone.

    `module:my_assistant` is the source file of a module.
    """
    if not name.startswith(MODULE):
        with contextlib.suppress(InputError):
            return source(name)
        return None
    import importlib.util
    from importlib.machinery import PathFinder

    names = name.removeprefix(MODULE).split(".")
    file = search_paths.find("/".join(names) + ".py")
    if file.is_file():
        return file
    # else where Python looks; no package is executed to find it, as `find_spec` would of a whole name
    found = importlib.util.find_spec(names[0]) if names[0] else None
    for depth in range(1, len(names)):
        within = found.submodule_search_locations if found else None
        found = PathFinder.find_spec(".".join(names[: depth + 1]), within) if within else None
    return Path(found.origin) if found and found.origin else None


def sha256_of(path: Path) -> str:
    """SHA-256 of a file, or of a folder's sorted relative paths and file hashes; hidden files do not count,
    as in `documents.load`.

    In a folder, a file that cannot be read counts by its name; pipes, sockets, devices and what the system
    makes up (/proc) are never opened and do not count.
    """
    if not path.is_dir():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    whole = hashlib.sha256()
    for file_path in sorted(path.rglob("*")):
        below = file_path.relative_to(path)
        is_hidden = any(part.startswith(".") or part == "__pycache__" for part in below.parts)
        is_made_up = os.path.realpath(file_path).startswith(search_paths.MADE_UP)
        # Path.is_file would raise where stat is not permitted
        is_stored = os.path.isfile(file_path) and not is_made_up  # noqa: PTH113
        if is_stored and not is_hidden:
            try:
                digest = sha256_of(file_path)
            except OSError:
                digest = "unreadable"
            whole.update(os.fsencode(below.as_posix()) + f"\0{digest}\n".encode())
    return whole.hexdigest()


def sha256_below(run_dir: Path, name: Any) -> str:
    """SHA-256 of the file of a run folder that a record names; "missing", or why there is none."""
    try:
        path = search_paths.file_below(run_dir, name)
        return sha256_of(path) if path.is_file() else "missing"
    except InputError as problem:
        return problem.what
    except OSError as problem:
        return f"cannot be read ({problem.strerror})"


def reads(run_dir: str | Path, path: Path) -> None:
    """Note that the notebook read this file of the run."""
    _note("read", path, run_dir=run_dir)


def writes(run_dir: str | Path, path: Path) -> None:
    """Note that the notebook wrote this file of the run."""
    _note("write", path, run_dir=run_dir)


def reads_input(given: str | Path) -> Path:
    """Resolve a user's file or folder, note that the notebook read it, and return its path."""
    path = source(given)
    _note("input", path, str(given))
    return path


def reads_code(name: str, path: Path) -> None:
    """Note that the notebook ran code from outside the kit: the system under test."""
    _note("input", path, name)


def model(name: str, file: str, sha256: str) -> None:
    """Note a model that took part."""
    append({"event": "model", "name": name, "file": file, "sha256": sha256})


def save(run_dir: str | Path, name: str, record: dict) -> None:
    """Write a record as JSON into the run folder, in one move."""
    path = find(run_dir) / name
    output_files.write_text(path, json.dumps(record, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    writes(run_dir, path)


def load(run_dir: str | Path, name: str) -> dict:
    """A record written by an earlier notebook.

    Raises
    ------
    InputError
        If no notebook has written it yet.
    """
    path = find(run_dir) / name
    if not path.exists():
        raise InputError(
            f"{name} does not exist yet",
            where=path.parent,
            do="execute the earlier notebooks first, 00_scope before all; a copy of your own from an earlier "
            "release may not write it: make your changes in this release's notebook, `ragassay adopt` it",
        )
    reads(run_dir, path)
    return json.loads(path.read_text(encoding="utf-8"))


def append(entry: dict) -> None:
    """Add one line to the trace, if a runner asked for one."""
    trace = os.environ.get(TRACE)
    if trace:
        with Path(trace).open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")


def _note(event: str, path: Path, name: str = "", run_dir: str | Path = "") -> None:
    if os.environ.get(TRACE):
        name = name or path.resolve().relative_to(find(run_dir).resolve()).as_posix()
        shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
        cell = shell.displayhook.prompt_count if shell else None  # from 1, in order of execution
        append({"event": event, "path": name, "sha256": sha256_of(path), "cell": cell})
