"""Kill a process, and all that it started, at a chosen moment."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from typing import IO

LOOK_S = 0.01  # seconds between two looks at whether the moment has come


def start(command: list[str], stderr: int | IO | None = subprocess.DEVNULL, **options) -> subprocess.Popen:
    """Start a command in a process group of its own; options as of Popen."""
    return subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=stderr, start_new_session=True, **options
    )


def kill_when(
    started: subprocess.Popen, has_come: Callable[[], bool], within_s: float = float("inf")
) -> bool:
    """Kill the group of a process once the moment has come, or so many seconds have passed; whether the
    process still ran then."""
    until = time.monotonic() + within_s
    while not has_come() and started.poll() is None and time.monotonic() < until:
        time.sleep(LOOK_S)
    still_ran = started.poll() is None
    if still_ran:
        os.killpg(started.pid, signal.SIGKILL)
    started.wait(30)
    return still_ran
