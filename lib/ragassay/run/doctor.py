"""What this machine can do for a run, examined before one is started."""

import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass

from ragassay.errors import KitError
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


def _encoder() -> str:
    from ragassay.models import identity

    model = identity()
    return f"{model['name']}, SHA-256 {model['sha256'][:16]}... as expected"


def _heads() -> str:
    from ragassay.models import shipped_heads
    from ragassay.models.head_file import NAMES

    heads = {head["name"]: head["sha256"] for head in shipped_heads()}
    if missing := [name for name in NAMES if name not in heads]:
        raise KitError(f"{', '.join(missing)} missing", do="reinstall ragassay")
    return ", ".join(f"{name} {sha256[:8]}" for name, sha256 in heads.items())


def _devices() -> str:
    import torch

    from ragassay.models import batching

    return f"{', '.join(batching.available_devices())} (PyTorch {torch.__version__})"


def _cache() -> str:
    from ragassay.models import cache

    cache.get([])
    return f"{cache.location()}, {cache.location().stat().st_size / 2**20:.1f} MiB"


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
    "encoder": _encoder,
    "heads": _heads,
    "devices": _devices,
    "cache": _cache,
    "disk": _disk,
    "notebooks": lambda: f"{len(parameters.notebooks())} in {parameters.notebooks_folder()}",
    "seal": _seal,
}
