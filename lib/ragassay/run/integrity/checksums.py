"""`SHA256SUMS`: the hash of every file of a run folder, the documents too, in the form that `sha256sum -c`
reads. Its own hash stands for the whole folder; `signature.json`, which signs it, is not listed."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from ragassay import output_files, provenance, search_paths
from ragassay.errors import InputError

FILE, SIGNATURES = "SHA256SUMS", "signature.json"
UNLISTED = {FILE, SIGNATURES, ".state/lock"}  # itself, what signs it, what is held while a run lasts
LINE = re.compile(rb"(\\?)([0-9a-f]{64}) [ *](.+)")
# of coreutils: a line with one of them begins with a backslash
ESCAPES: dict[str, str | int | None] = {"\\": "\\\\", "\n": "\\n", "\r": "\\r"}


def write(run_dir: Path) -> str:
    """List every regular file of the folder, the list itself left out; returns the SHA-256 of the list."""
    lines = []
    for name in regular_files(run_dir):
        escaped = name.translate(str.maketrans(ESCAPES))
        mark = "" if escaped == name else "\\"
        lines.append(f"{mark}{provenance.sha256_below(run_dir, name)}  {escaped}\n")
    output_files.write_bytes(run_dir / FILE, os.fsencode("".join(lines)))
    return provenance.sha256_of(run_dir / FILE)


def regular_files(run_dir: Path) -> list[str]:
    """The files that a list names: no devices, no pipes, no links that lead out of the folder."""
    return [name for name in _files(run_dir) if len(provenance.sha256_below(run_dir, name)) == 64]


def read(run_dir: Path) -> dict[str, str]:
    """Name -> SHA-256, as listed.

    Raises
    ------
    InputError
        If there is no list, or a line of it is none.
    """
    do = "`ragassay report` writes one for what the folder holds now"
    try:
        lines = search_paths.file_below(run_dir, FILE).read_bytes().split(b"\n")
    except OSError as problem:
        raise InputError("the list of files cannot be read", where=FILE, found=problem, do=do) from problem
    found = [LINE.fullmatch(line) for line in lines if line]
    if not found or not all(found):
        raise InputError(
            "a line is none of sha256sum's", where=FILE, expected="SHA-256, two spaces, name", do=do
        )
    listed = {}
    for escaped, sha256, name in (match.groups() for match in found if match):
        text = os.fsdecode(name)
        if escaped:
            text = re.sub(r"\\([nr\\])", lambda found: {"n": "\n", "r": "\r"}.get(found[1], "\\"), text)
        listed[text] = sha256.decode()
    return listed


def flaws(run_dir: Path) -> list[str]:
    """What of the folder is not as listed, a sentence for each file: changed, missing, or not listed."""
    try:
        listed = read(run_dir)
    except InputError as problem:
        return [f"{FILE}: {problem.what}; {problem.do}"]
    now = {name: provenance.sha256_below(run_dir, name) for name in listed}
    differ = [differs(name, listed[name], now[name]) for name in sorted(listed) if now[name] != listed[name]]
    extra = sorted(set(_files(run_dir)) - set(listed))
    return [*differ, *(f"{shown(name)}: is not in {FILE}" for name in extra)]


def differs(name: str, expected: str, now: str) -> str:
    """A file that is not what it was, in words; `now` as of `provenance.sha256_below`."""
    is_hash = len(now) == 64
    return f"{shown(name)}: " + (f"changed, {now[:16]} instead of {expected[:16]}" if is_hash else now)


def shown(name: object) -> str:
    """A name of somebody's on one line, where nothing of it acts."""
    return str(name) if str(name).isprintable() else repr(name)


def _files(run_dir: Path) -> Iterator[str]:
    """Everything below the folder that is no folder, links too, in order of the names."""
    found = [path for path in run_dir.rglob("*") if path.is_symlink() or not path.is_dir()]
    names = (path.relative_to(run_dir).as_posix() for path in found)
    return iter(sorted(name for name in names if name not in UNLISTED))
