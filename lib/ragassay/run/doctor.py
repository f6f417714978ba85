"""What this machine can do for a run, examined before one is started."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ragassay.errors import KitError

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
    return [_guarded(name, check) for name, check in CHECKS.items()]


def _guarded(name: str, check: Callable[[], Row]) -> Row:
    try:
        return check()
    except KitError as problem:
        return Row(name, problem.what, False, problem.do or "")
    except OSError as problem:
        return Row(name, str(problem), False, "see the message")


def _python() -> Row:
    return Row(
        "python",
        f"{platform.python_version()} on {platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    )


def _encoder() -> Row:
    from ragassay.models import identity

    model = identity()
    return Row("encoder", f"{model['name']}, SHA-256 {model['sha256'][:16]}... as expected")


def _heads() -> Row:
    from ragassay.models import shipped_heads
    from ragassay.models.head_file import NAMES

    found = {head["name"]: head["sha256"] for head in shipped_heads()}
    absent = [name for name in NAMES if name not in found]
    said = ", ".join(
        [*(f"{name} {sha256[:8]}" for name, sha256 in found.items()), *(f"{name} missing" for name in absent)]
    )
    return Row("heads", said, not absent, "reinstall ragassay")


def _devices() -> Row:
    import torch

    from ragassay.models import devices

    return Row("devices", f"{', '.join(devices.available())} (PyTorch {torch.__version__})")


def _cache() -> Row:
    from ragassay.models import cache

    path = cache.location()
    cache.get([])
    return Row("cache", f"{path}, {path.stat().st_size / 2**20:.1f} MiB")


def _disk() -> Row:
    free = shutil.disk_usage(Path.cwd()).free / 2**30
    return Row(
        "disk",
        f"{free:.1f} GiB free here",
        free >= ENOUGH_GIB,
        f"make room: a run wants {ENOUGH_GIB:.0f} GiB",
    )


def _notebooks() -> Row:
    from ragassay import run

    books = run.notebooks()
    return Row("notebooks", f"{len(books)} in {next(iter(books.values())).parent}")


def _seal() -> Row:
    """In a process of its own: a seal cannot be taken off again."""
    from ragassay.assistant.sandbox import in_words, landlock_abi

    code = "from ragassay import network_seal; print(network_seal.close())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return Row(
        "seal",
        f"{done.stdout.strip() or done.stderr.strip()[-200:]}; the assistant: {in_words(landlock_abi())}",
        done.returncode == 0,
        "report this as a defect",
    )


CHECKS = {
    "python": _python,
    "encoder": _encoder,
    "heads": _heads,
    "devices": _devices,
    "cache": _cache,
    "disk": _disk,
    "notebooks": _notebooks,
    "seal": _seal,
}
