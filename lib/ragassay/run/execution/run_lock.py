"""One run at a time in a run folder: who comes second is told who works there."""

import contextlib
import datetime
import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from ragassay.errors import ParameterError

FILE = ".state/lock"
LONGEST = 1000  # characters read of what a lock says


@contextlib.contextmanager
def lock(run_dir: Path) -> Iterator[None]:
    """Hold the folder while this lasts. The lock goes with the process, however it ends: a dead one holds
    nothing.

    Raises
    ------
    ParameterError
        If another run holds it: with its process, its machine and the time at which it began.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    with (run_dir / FILE).open("a+", encoding="utf-8") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            what, do = "another run works in this folder", "wait for it, or stop it"
            raise ParameterError(what, where=run_dir, found=_holder(held), do=do) from None
        _write(held, {"process": os.getpid(), "machine": socket.gethostname(), "since": _now()})
        try:
            yield
        finally:
            held.truncate(0)


def _write(held: IO[str], record: dict[str, object]) -> None:
    held.truncate(0)
    held.write(json.dumps(record))
    held.flush()


def _holder(held: IO[str]) -> str:
    """Who holds the lock, in words, as far as the file says."""
    held.seek(0)
    try:
        record = json.loads(held.read(LONGEST))
        return f"process {record['process']} on {record['machine']}, since {record['since']}"
    except (ValueError, KeyError, TypeError, RecursionError):
        return "a process that has not said who it is"


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
