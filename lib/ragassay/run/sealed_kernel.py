"""A kernel sealed before any notebook code runs, forked from a process that has imported what notebooks need,
which takes longer than many of them."""

import atexit
import logging
import multiprocessing
import os
import sys
import threading
import time
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from types import ModuleType
from unittest import mock

import numpy as np

from ragassay import network_seal, provenance
from ragassay.models import model_files

FIGURES = {  # left open in a cell: the same bytes each time; JupyterLab shows SVG in trusted notebooks alone
    "figure_formats": {"svg", "png"},
    "print_figure_kwargs": {"bbox_inches": "tight", "metadata": {"Date": None}},
    "rc": {"svg.hashsalt": "ragassay", "svg.fonttype": "path"},
}
IMPORTED = ["ipykernel.kernelapp", "ipykernel.ipkernel", "seaborn", "matplotlib_inline.backend_inline"]
IMPORTED += ["sklearn.linear_model", "scipy.stats", "pyarrow.parquet", "ragassay.analysis", "ragassay.show"]


class ForkedKernel(ForkServerProcess):
    """A forked kernel, as jupyter_client reads a `subprocess.Popen`."""

    stdin = stdout = stderr = None

    def __init__(self, command: list[str], env: dict[str, str], cwd: str | None = None, **_: object):
        super().__init__()
        self.command, self.env, self.cwd = command, env, cwd
        multiprocessing.set_forkserver_preload(IMPORTED)
        # what started the runner is not to be imported by a kernel; the seed of hashes is read at the start
        with (
            mock.patch.dict(sys.modules, {"__main__": ModuleType("__main__")}),
            mock.patch.dict(os.environ, env),
        ):
            self.start()
        while self.exitcode is None and os.getpgid(self.pid or 0) != self.pid:
            time.sleep(0.01)  # jupyter_client ends a kernel by its group, which is the runner's until then

    def run(self) -> None:
        """In the kernel's process: serve as if started by the command, in a session of its own."""
        os.setsid()
        os.environ.clear()
        os.environ.update(self.env)
        os.chdir(self.cwd or ".")
        sys.argv = self.command
        main()
        atexit._run_exitfuncs()

    def poll(self) -> int | None:
        """The exit code, None while it runs."""
        return self.exitcode

    def wait(self) -> int | None:
        """The exit code, once it has ended."""
        self.join()
        return self.exitcode

    def send_signal(self, number: int) -> None:
        """Send it a signal."""
        os.kill(self.pid or 0, number)


def main() -> None:
    """Seal the process as the runner's environment says, then serve as an ordinary IPython kernel. It ends
    with its runner, or it would go on writing beside the kernel of the next run."""
    allowed = tuple(filter(None, os.environ.get("RAGASSAY_ALLOW", "").split(",")))
    by_assistant = os.environ.get("RAGASSAY_REACHED", "")
    policy = network_seal.close(allowed, leave=not by_assistant)
    policy += f"; the assistant's own process alone: {by_assistant}" if by_assistant else ""
    if runner := multiprocessing.parent_process():
        threading.Thread(target=lambda: (runner.join(), os._exit(1)), daemon=True).start()
    provenance.append({"event": "sealed", "policy": policy})
    model_files.note_inputs()
    from ipykernel.kernelapp import IPKernelApp
    from traitlets.config import Config

    from ragassay import show

    sys.path.insert(0, str(Path.cwd()))
    app = IPKernelApp.instance(config=Config({"InlineBackend": FIGURES}))
    app.initialize()
    show.register(app.shell)
    np.random.seed(0)  # seaborn's jitter, and whatever else is drawn without a seed of its own
    # the file holds the key to this kernel, which the runner has in memory: an assistant may read files, and
    # with the key it could have code executed here. Messages without it are no news.
    logging.getLogger("tornado.general").setLevel(logging.CRITICAL)
    Path(app.abs_connection_file).unlink(missing_ok=True)
    app.start()
