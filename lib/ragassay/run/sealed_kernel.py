"""A kernel sealed before any notebook code runs: `python -m ragassay.run.sealed_kernel -f FILE`."""

import logging
import os
import sys
from pathlib import Path

import numpy as np

from ragassay import network_seal, provenance
from ragassay.models import model_files

FIGURES = {  # left open in a cell: the same bytes each time; JupyterLab shows SVG in trusted notebooks alone
    "figure_formats": {"svg", "png"},
    "print_figure_kwargs": {"bbox_inches": "tight", "metadata": {"Date": None}},
    "rc": {"svg.hashsalt": "ragassay", "svg.fonttype": "path"},
}


def main() -> None:
    """Seal the process as the runner's environment says, then serve as an ordinary IPython kernel. It ends
    with its runner, or it would go on writing beside the kernel of the next run."""
    network_seal.die_with(int(os.environ.get("JPY_PARENT_PID", os.getppid())))
    allowed = tuple(filter(None, os.environ.get("RAGASSAY_ALLOW", "").split(",")))
    by_assistant = os.environ.get("RAGASSAY_REACHED", "")
    is_tcp = os.environ.get("RAGASSAY_TRANSPORT") == "tcp"
    policy = network_seal.close(allowed, loopback=is_tcp, leave=not by_assistant)
    policy += f"; the assistant's own process alone: {by_assistant}" if by_assistant else ""
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


if __name__ == "__main__":
    main()
