"""A fresh process in a fresh folder, and the end of both."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from ragassay.assistant.error_texts import OWN_FOLDER_PREFIX
from ragassay.assistant.pipes import Pipes

SECRETS = (  # the examiner's own
    "RAGASSAY_TRACE",
    "RAGASSAY_PROGRESS",
    "RAGASSAY_JUDGE_KEY",
    "JPY_PARENT_PID",
    "JPY_SESSION_NAME",
)


def fresh_folder() -> Path:
    """The folder that a process works in."""
    return Path(tempfile.mkdtemp(prefix=OWN_FOLDER_PREFIX)).resolve()


def usable(cache: Path | None) -> Path | None:
    """The folder, made if need be; None if it cannot be: vectors are then kept as long as the process."""
    try:
        if cache:
            cache.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return cache


def spawn(folder: Path, cache: Path | None, reads: str) -> subprocess.Popen:
    """The assistant's process; never forked, so that it holds nothing of ours; in its own session."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "ragassay.assistant.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        cwd=folder,
        env=_environment(folder, cache, reads),
        start_new_session=True,
    )


def end(process: subprocess.Popen, pipes: Pipes, folder: Path) -> None:
    """Kill the process with its group, and remove its folder."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(10)
    pipes.close()
    with contextlib.suppress(OSError, RecursionError):
        shutil.rmtree(folder, ignore_errors=True)


def _environment(folder: Path, cache: Path | None, reads: str) -> dict[str, str]:
    """The examiner's, without its secrets; with temporary files and vectors in places of its own."""
    kept = {name: value for name, value in os.environ.items() if name not in SECRETS}
    path = [str(Path(part).absolute()) for part in kept.get("PYTHONPATH", "").split(os.pathsep) if part]
    own = dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(folder))
    own |= {"RAGASSAY_CACHE": str(cache or folder), "RAGASSAY_CACHE_BESIDE": reads}
    own |= {"RAGASSAY_DEVICE": ""}  # drivers of a device write where a confined process may not
    return kept | own | {"PYTHONPATH": os.pathsep.join(path)}
