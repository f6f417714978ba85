"""A Jupyter kernel that is sealed before any notebook code runs: `python -m ragassay.run.kernel -f
CONNECTION_FILE`."""

import contextlib
import ctypes
import os
import signal
import sys
from pathlib import Path

from ragassay import evidence, seal
from ragassay.models import model_files

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Seal the process as the runner's environment says, then serve as an ordinary IPython kernel."""
    _die_with_the_runner()
    allowed = tuple(filter(None, os.environ.get("RAGASSAY_ALLOW", "").split(",")))
    policy = seal.close(allowed, loopback=os.environ.get("RAGASSAY_TRANSPORT") == "tcp")
    evidence.append({"event": "sealed", "policy": policy})
    model_files.note_inputs()
    from ipykernel.kernelapp import launch_new_instance

    sys.path.insert(0, str(Path.cwd()))
    launch_new_instance()


def _die_with_the_runner() -> None:
    """On Linux: a kernel whose runner was killed stops at once, or it would go on writing beside the kernel
    of the next run."""
    if not sys.platform.startswith("linux"):
        return
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.environ.get("JPY_PARENT_PID", str(os.getppid())) != str(os.getppid()):
        os._exit(1)


if __name__ == "__main__":
    main()
