"""A kernel sealed before any notebook code runs, forked from a process that has imported what notebooks need,
which takes longer than many of them: `python -m ragassay.run.sealed_kernel SOCKET`. That process runs no code
of others, and nobody but the runner can reach it: its socket has no address.
"""

import atexit
import functools
import gc
import importlib
import json
import logging
import os
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import py3langid

from ragassay import network_seal, provenance
from ragassay.models import cache, model_files

FIGURES = {  # left open in a cell: the same bytes each time; JupyterLab shows SVG in trusted notebooks alone
    "figure_formats": {"svg", "png"},
    "print_figure_kwargs": {"bbox_inches": "tight", "metadata": {"Date": None}},
    "rc": {"svg.hashsalt": "ragassay", "svg.fonttype": "path"},
}
IMPORTED = ["ipykernel.kernelapp", "ipykernel.ipkernel", "bs4", "networkx", "seaborn", "sklearn.cluster"]
IMPORTED += ["pyarrow.parquet", "ragassay.api", "ragassay.decision.of_run", "ragassay.report.decision_words"]
UNCACHED = ["torch", "transformers.models.bert.modeling_bert"]  # for runs that begin with nothing encoded


class ForkedKernel:
    """A forked kernel, as jupyter_client reads a `subprocess.Popen`."""

    stdin = stdout = stderr = None

    def __init__(self, command: list[str], env: dict[str, str], cwd: str | None = None, **_: Any):
        self._ended, held = os.pipe()  # the kernel holds the other end as long as it lives
        with mock.patch.dict(os.environ, env):  # the seed of hashes is read when the process starts
            server = _fork_server()
        socket.send_fds(server, [b"\n"], [held])
        server.sendall(json.dumps([command, env, cwd or "."]).encode() + b"\n")
        os.close(held)
        self.pid = int(server.recv(32))

    def poll(self) -> int | None:
        """None while it runs, else 0: how it ended is not known here."""
        return 0 if select.select([self._ended], [], [], 0)[0] else None

    def wait(self) -> int:
        """0, once it has ended."""
        select.select([self._ended], [], [])
        return 0

    def send_signal(self, number: int) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    terminate = functools.partialmethod(send_signal, signal.SIGTERM)
    kill = functools.partialmethod(send_signal, signal.SIGKILL)


@functools.cache
def _fork_server() -> socket.socket:
    """The runner's end of the socket of the process that forks kernels; that process ends with the runner."""
    ours, theirs = socket.socketpair()
    with theirs:
        command = [sys.executable, "-m", "ragassay.run.sealed_kernel", str(theirs.fileno())]
        subprocess.Popen(command, pass_fds=[theirs.fileno()], start_new_session=True)
    return ours


def _serve_forks(door: socket.socket) -> None:
    """Fork a kernel for every order, until the runner has gone."""
    for name in [*IMPORTED, *([] if cache.location().exists() else UNCACHED)]:
        importlib.import_module(name)
    py3langid.rank("")  # unpacks its model
    gc.freeze()  # no kernel goes through all that again
    server, before = os.getpid(), signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while (received := socket.recv_fds(door, 1, 1))[1]:
        order = b""
        while not order.endswith(b"\n"):
            order += door.recv(1 << 16)
        if os.fork():
            os.close(received[1][0])
            continue
        network_seal.die_with(server)  # it would go on writing beside the kernel of the next run
        signal.signal(signal.SIGCHLD, before)
        os.setsid()  # jupyter_client ends a kernel by its group
        sys.argv, env, folder = json.loads(order)
        os.environ.clear()
        os.environ.update(env)
        os.chdir(folder)
        door.sendall(str(os.getpid()).encode())
        door.close()
        main()
        atexit._run_exitfuncs()
        break
    os._exit(0)  # at once: kernels end with this process, and to clear one away takes a second


def main() -> None:
    """Seal the process as the runner's environment says, then serve as an ordinary IPython kernel."""
    allowed = tuple(filter(None, os.environ.get("RAGASSAY_ALLOW", "").split(",")))
    by_assistant = os.environ.get("RAGASSAY_REACHED", "")
    policy = network_seal.close(allowed, leave=not by_assistant)
    policy += f"; the assistant's own process alone: {by_assistant}" if by_assistant else ""
    provenance.append({"event": "sealed", "policy": policy})
    model_files.note_inputs()
    from ipykernel.kernelapp import IPKernelApp
    from matplotlib import pyplot
    from traitlets.config import Config

    from ragassay import show

    sys.path.insert(0, str(Path.cwd()))
    app = IPKernelApp.instance(config=Config({"InlineBackend": FIGURES}))
    app.initialize()
    app.shell.enable_matplotlib("inline")  # matplotlib was imported before there was a shell
    pyplot.uninstall_repl_displayhook()  # draws each figure once more than the inline backend, for no window
    show.register(app.shell)
    np.random.seed(0)  # seaborn's jitter, and whatever else is drawn without a seed of its own
    # with the key in this file an assistant could have code executed here; messages without it are no news
    logging.getLogger("tornado.general").setLevel(logging.CRITICAL)
    Path(app.abs_connection_file).unlink(missing_ok=True)
    app.start()


if __name__ == "__main__":
    _serve_forks(socket.socket(fileno=int(sys.argv[1])))
