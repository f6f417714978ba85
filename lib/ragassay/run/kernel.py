"""A Jupyter kernel that is sealed before any notebook code runs: `python -m ragassay.run.kernel -f CONNECTION_FILE`."""

import os
import sys
from pathlib import Path

from ragassay import evidence
from ragassay.run import seal


def main() -> None:
    """Seal the process as the runner's environment says, then serve as an ordinary IPython kernel."""
    allowed = tuple(filter(None, os.environ.get("RAGASSAY_ALLOW", "").split(",")))
    policy = seal.close(allowed, loopback=os.environ.get("RAGASSAY_TRANSPORT") == "tcp")
    evidence.append({"event": "sealed", "policy": policy})
    from ipykernel.kernelapp import launch_new_instance

    sys.path.insert(0, str(Path.cwd()))
    launch_new_instance()


if __name__ == "__main__":
    main()
