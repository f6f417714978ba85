"""`SHA256SUMS`: the hash of every file of a run folder, in the form that `sha256sum -c` reads. Its own hash
stands for the whole folder; `signature.json`, which signs it, is not listed."""

import os
import re
from pathlib import Path

from ragassay import output_files, provenance, search_paths
from ragassay.errors import InputError

FILE, SIGNATURES = "SHA256SUMS", "signature.json"
UNLISTED = {FILE, SIGNATURES, ".state/lock"}  # itself, what signs it, what is held while a run lasts
LINE = re.compile(r"([0-9a-f]{64}) [ *](.+)")


def write(run_dir: Path) -> str:
    """List every regular file of the folder, the list itself left out; returns the SHA-256 of the list.
    Devices, pipes, links that lead out of the folder and names of two lines are not listed."""
    hashes = {name: provenance.sha256_below(run_dir, name) for name in _names(run_dir)}
    lines = [f"{sha256}  {name}\n" for name, sha256 in hashes.items() if LINE.fullmatch(f"{sha256}  {name}")]
    output_files.write_bytes(run_dir / FILE, os.fsencode("".join(lines)))
    return provenance.sha256_of(run_dir / FILE)


def read(run_dir: Path) -> dict[str, str]:
    """Name -> SHA-256, as listed; InputError if there is no list, or a line of it is none."""
    do = "`ragassay report` writes one for what the folder holds now"
    try:
        lines = os.fsdecode(search_paths.file_below(run_dir, FILE).read_bytes()).split("\n")
    except OSError as problem:
        raise InputError("the list of files cannot be read", where=FILE, found=problem, do=do) from problem
    matches = [LINE.fullmatch(line) for line in lines if line]
    if not matches or not all(matches):
        expected = "SHA-256, two spaces, name"
        raise InputError("a line is none of sha256sum's", where=FILE, expected=expected, do=do)
    return {match[2]: match[1] for match in matches if match}


def flaws(run_dir: Path) -> list[str]:
    """What of the folder is not as listed, a sentence for each file: changed, missing, or not listed."""
    try:
        listed = read(run_dir)
    except InputError as problem:
        return [f"{FILE}: {problem.what}; {problem.do}"]
    changed = [difference(run_dir, name, listed[name]) for name in sorted(listed)]
    extra = sorted(set(_names(run_dir)) - set(listed))
    return [*filter(None, changed), *(f"{printable(name)}: is not in {FILE}" for name in extra)]


def difference(run_dir: Path, name: str, expected: str) -> str:
    """How a file of the folder differs from its hash, in words; "" if it does not."""
    now = provenance.sha256_below(run_dir, name)
    if now == expected:
        return ""
    is_hash = len(now) == 64
    return f"{printable(name)}: " + (f"changed, {now[:16]} instead of {expected[:16]}" if is_hash else now)


def printable(name: object) -> str:
    """A name of somebody's on one line, where nothing of it acts."""
    return str(name) if str(name).isprintable() else repr(name)


def _names(run_dir: Path) -> list[str]:
    """Everything below the folder that is no folder, links too, in order of the names."""
    paths = [path for path in run_dir.rglob("*") if path.is_symlink() or not path.is_dir()]
    return sorted({path.relative_to(run_dir).as_posix() for path in paths} - UNLISTED)
