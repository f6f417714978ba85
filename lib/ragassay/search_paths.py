"""Where files are looked for: in the folder one works in, the project and the engagement's own folder, in
this order, and nowhere else.

project     the folder one works in; if that is a project's `notebooks/` the folder above; if it is a run
            folder's `notebooks/`, what holds `reports/<engagement>/`
own folder  that of the engagement's YAML, or the one above if it is called `params`; known during a run

`ragassay run` pins all three, so that they stay the same whatever a notebook does with its working folder.
"""

import os
from contextlib import AbstractContextManager
from pathlib import Path, PurePath, PurePosixPath
from typing import Any

from ragassay.errors import InputError

ROOT, OWN = "RAGASSAY_ROOT", "RAGASSAY_ENGAGEMENT"  # environment of a run: folder worked in, own folder
MARKS = (".state", "manifest.json")  # what a run folder holds from its first and its last notebook on
MADE_UP = ("/proc/", "/sys/")  # where a regular file may have no end


def root() -> Path:
    """The folder one works in; during a run the one it was started from."""
    return Path(os.environ.get(ROOT) or Path.cwd())


def project() -> Path:
    """The project that the folder one works in belongs to."""
    here = root()
    if here.name != "notebooks":
        return here
    return of_run_folder(here.parent) if is_run_folder(here.parent) else here.parent


def is_run_folder(folder: Path) -> bool:
    """Whether a run has left its marks in the folder."""
    return any((folder / mark).exists() for mark in MARKS)


def of_run_folder(run_dir: Path, recorded: str = "") -> Path:
    """The project of a run folder: what is left of its path without `recorded`, the path below the project
    that its run was given; where the folder is not there any more, what stands two above, as for
    `reports/<engagement>`."""
    whole, below = absolute(run_dir), PurePosixPath(recorded).parts
    above = [whole, *whole.parents]
    if below and whole.parts[-len(below) :] == below and not PurePosixPath(recorded).is_absolute():
        return above[len(below)]
    return above[min(2, len(above) - 1)]


def absolute(path: str | Path) -> Path:
    """An absolute path without `..`; links in it stay as they are named."""
    return Path(os.path.normpath(Path(path).absolute()))


def own_folder(parameters: Path) -> Path:
    """The engagement's own folder, by its YAML."""
    folder = parameters.absolute().parent
    return folder.parent if folder.name == "params" else folder


def own_below_project() -> str:
    """The engagement's own folder seen from the project; "" if it is outside, or there is none."""
    own = Path(os.environ.get(OWN) or os.sep)
    return own.relative_to(project()).as_posix() if own.is_relative_to(project()) else ""


def pinned(worked_in: Path, own: Path | None) -> AbstractContextManager[Any]:
    """Within this, and in every process started from it, the places are these.

    worked_in : as `root`; own : as `own_folder`, None where there is none
    """
    from unittest import mock  # on first use: it loads asyncio

    return mock.patch.dict(os.environ, {ROOT: str(worked_in), OWN: str(own or "")})


def folders() -> list[Path]:
    """Every place in which a file is looked for, the first first, each once."""
    own = os.environ.get(OWN)
    return list(dict.fromkeys([root(), project(), *([Path(own)] if own else [])]))


def find(given: str | Path) -> Path:
    """An input's path as given if absolute, else in the first of the places that has it, else below the
    project."""
    return _first(given, folders())


def find_run(run_dir: str | Path) -> Path:
    """A run folder's path: as for an input, but never in the engagement's own folder, where none is
    written."""
    return _first(run_dir, [root(), project()])


def file_below(folder: Path, name: Any) -> Path:
    """The path of a file that a record names, below its folder; whether it exists is not asked.

    Raises
    ------
    InputError
        If the name is absolute or has a `..`, or leads out of the folder by a link, or what is there is no
        regular file.
    """
    path = None
    if isinstance(name, str) and "\0" not in name and PurePosixPath(name).parts:
        ways = PurePosixPath(name), PurePath(name)
        path = None if any(way.anchor or ".." in way.parts for way in ways) else folder / name
    if path is None or not path.resolve().is_relative_to(folder.resolve()):
        raise InputError("a path leads out of the run folder", where=folder, found=repr(name))
    return regular(path)


def regular(path: Path) -> Path:
    """The path itself, if a regular file, a folder or nothing is there.

    Raises
    ------
    InputError
        If it is a device, a pipe or a socket, or stands below /proc or /sys: reading it may not end.
    """
    is_made_up = f"{os.path.realpath(path)}/".startswith(MADE_UP)
    if is_made_up or (path.exists() and not (path.is_file() or path.is_dir())):
        raise InputError("what stands there is no regular file", where=path, do="put the file itself there")
    return path


def _first(given: str | Path, where: list[Path]) -> Path:
    return next((folder / given for folder in where if (folder / given).exists()), project() / given)
