"""Where networks are computed: cpu, cuda or mps, one device for every network of a run (RAGASSAY_DEVICE).

The last bits of a result differ between devices: the device is part of its key in the cache, and the manifest
states it.
"""

from typing import Any

from ragassay.errors import ModelError
from ragassay.models import model_files

DEVICES = ("cpu", "cuda", "mps")
CPU = DEVICES[0]
TOKENS = 8192  # of a batch off the CPU, padding included
WORKERS = 2  # batches at a time off the CPU: one is made ready while another is computed
WHERE = "device in section run, --model device=..., or RAGASSAY_DEVICE"


def chosen_device() -> str:
    """The device that the run names, whether or not it is there; cpu where it names none. A ModelError if it
    is none of DEVICES."""
    named = model_files.of_run("device") or CPU
    if named not in DEVICES:
        expected, do = ", ".join(DEVICES), "name one of these, or none: cpu"
        raise ModelError("there is no such device", where=WHERE, found=named, expected=expected, do=do)
    return named


def available() -> list[str]:
    """The devices of this machine that its PyTorch can compute on."""
    import torch

    there = (True, torch.cuda.is_available(), torch.backends.mps.is_available())
    return [name for name, is_there in zip(DEVICES, there, strict=True) if is_there]


def check_device() -> str:
    """The device that the run names; a ModelError if it is none or not on this machine."""
    named = chosen_device()
    if named != CPU and named not in available():
        what, found = f"the device {named!r} is not on this machine", ", ".join(available())
        do = f"name {CPU}, or install its driver and PyTorch"
        raise ModelError(what, where=WHERE, found=found, expected=named, do=do)
    return named


def recipe() -> str:
    """What the device adds to a result's key in the cache."""
    return "" if chosen_device() == CPU else f";device={chosen_device()};tokens={TOKENS}"


def move(network: Any) -> Any:
    """The network on the device that the run names."""
    return network.to(check_device())
