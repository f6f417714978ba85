"""One input tried: a process forked from one that has the library loaded, so that a trial costs milliseconds and a hang a kill."""

import contextlib
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import ragassay
from hostile.sandbox import Sandbox

HANGING = -999  # in place of an exit code
MEMORY = 12 << 30  # bytes of address space: what reads without an end ends before the machine does


@dataclass
class Trial:
    """An input to come.

    verb : of the command line; about : what is hostile in it; arguments : what follows the verb
    outputs : paths below the working folder that it may write, everything below them too
    rows : how many rows its log holds, where that is known; refused : whether only a refusal is right
    bound_s : seconds after which it counts as hanging
    """

    verb: tuple[str, ...]
    about: str
    arguments: list[str]
    outputs: list[str] = field(default_factory=list)
    rows: int | None = None
    refused: bool = False
    bound_s: float = 60


@dataclass(frozen=True)
class Outcome:
    """What came of it: the exit code (HANGING, or minus a signal), what it said, the sandbox before and after."""

    code: int
    out: str
    err: str
    before: dict[str, str]
    after: dict[str, str]


def attempt(trial: Trial, sandbox: Sandbox) -> Outcome:
    """Run the trial in its sandbox."""
    before = sandbox.listing()
    code = _in_a_fork(trial, sandbox)
    said = [_read(sandbox.said / name) for name in ("out", "err")]
    return Outcome(code, *said, before, sandbox.listing())


def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "surrogateescape") if path.exists() else ""


def _in_a_fork(trial: Trial, sandbox: Sandbox) -> int:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["hostile.loaded"])
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))  # where the server looks for it
    process = context.Process(target=_run, args=(trial, sandbox))
    process.start()
    process.join(trial.bound_s)
    hanging = process.is_alive()
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)  # what it started goes with it
    if hanging:
        process.kill()
    process.join()
    return HANGING if hanging else int(process.exitcode or 0)


def _run(trial: Trial, sandbox: Sandbox) -> None:
    """In the fork: the command line as a shell would start it."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    library = str(Path(ragassay.__file__).parents[1])
    os.environ.update({"PYTHONPATH": library} | sandbox.environment)
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(sandbox.said / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    tempfile.tempdir = None
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="strict", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
    os.chdir(sandbox.work)
    sys.path = [place for place in sys.path if place]
    sys.argv = ["ragassay", *trial.verb, *trial.arguments]
    from ragassay.cli import main

    try:
        main()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
