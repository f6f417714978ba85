"""What this machine can do for a run, examined before one is started."""

import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass

from ragassay import models
from ragassay.errors import KitError
from ragassay.models import batching, cache
from ragassay.models.head_file import NAMES
from ragassay.run import parameters

ENOUGH_GIB = 2.0


@dataclass(frozen=True)
class Row:
    """One thing examined: what was found, whether it is fine, and what to do if not."""

    what: str
    found: str
    fine: bool = True
    do: str = ""


def examine() -> list[Row]:
    """Every row, flaws included; nothing is changed."""
    rows = []
    for name, check in CHECKS.items():
        try:
            rows.append(Row(name, check()))
        except (KitError, OSError) as problem:
            what, do = getattr(problem, "what", str(problem)), getattr(problem, "do", None)
            rows.append(Row(name, what, False, do or "see the message"))
    return rows


def _heads() -> str:
    heads = {head["name"]: head["sha256"] for head in models.shipped_heads()}
    if missing := [name for name in NAMES if name not in heads]:
        raise KitError(f"{', '.join(missing)} missing", do="reinstall ragassay")
    return ", ".join(f"{name} {sha256[:8]}" for name, sha256 in heads.items())


def _models() -> str:
    import torch

    cache.get([])
    model, size = models.identity(), cache.location().stat().st_size / 2**20
    return (
        f"{model['name']}, SHA-256 {model['sha256'][:16]}...; on {', '.join(batching.available_devices())} "
        f"(PyTorch {torch.__version__}); cache {cache.location()}, {size:.1f} MiB"
    )


def _disk() -> str:
    free = shutil.disk_usage(".").free / 2**30
    if free < ENOUGH_GIB:
        raise KitError(f"{free:.1f} GiB free here", do=f"make room: a run wants {ENOUGH_GIB:.0f} GiB")
    return f"{free:.1f} GiB free here"


def _seal() -> str:
    """In a process of its own: a seal cannot be taken off again."""
    code = "from ragassay import network_seal; print(network_seal.close())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if done.returncode:
        raise KitError(done.stderr.strip()[-200:], do="report this as a defect")
    return done.stdout.strip()


CHECKS = {
    "python": lambda: f"{platform.python_version()} on {platform.platform()}, {os.cpu_count()} cores",
    "models": _models,
    "heads": _heads,
    "disk": _disk,
    "notebooks": lambda: f"{len(parameters.notebooks())} in {parameters.notebooks_folder()}",
    "seal": _seal,
}
