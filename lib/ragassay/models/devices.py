"""Where networks are computed: cpu, cuda or mps, one device for every network of a run (RAGASSAY_DEVICE).

Another device adds the same numbers in another order, so that the last bits of a result differ: the device is
part of its key in the cache, and the manifest states it. Off the CPU texts are padded into larger batches of
fixed shape (deterministic_batching), in float32 as on it.
"""

from typing import Any

from numpy.typing import NDArray

from ragassay.errors import ModelError
from ragassay.models import model_files

DEVICES = ("cpu", "cuda", "mps")
CPU = DEVICES[0]
TOKENS = 8192  # of a batch off the CPU, padding included
WORKERS = 2  # batches at a time off the CPU: one is made ready while another is computed
WHERE = "device in section run, --model device=..., or RAGASSAY_DEVICE"


def chosen_device() -> str:
    """The device that the run names, whether or not it is there; cpu where it names none.

    Raises
    ------
    ModelError
        If it is none of DEVICES.
    """
    named = model_files.of_run("device") or CPU
    if named not in DEVICES:
        raise ModelError(
            "there is no such device",
            where=WHERE,
            found=named,
            expected=", ".join(DEVICES),
            do="name one of these, or none: cpu",
        )
    return named


def available() -> list[str]:
    """The devices of this machine that its PyTorch can compute on."""
    import torch

    there = (True, torch.cuda.is_available(), torch.backends.mps.is_available())
    return [name for name, is_there in zip(DEVICES, there, strict=True) if is_there]


def check_device() -> str:
    """The device that the run names; errors as in `chosen_device`, and a ModelError if it is not on this
    machine."""
    named = chosen_device()
    if named != CPU and named not in available():
        raise ModelError(
            f"the device {named!r} is not on this machine",
            where=WHERE,
            found=", ".join(available()),
            expected=named,
            do=f"name {CPU}, or install the driver and the build of PyTorch for that device",
        )
    return named


def recipe() -> str:
    """What the device adds to a result's key in the cache."""
    return "" if chosen_device() == CPU else f";device={chosen_device()};tokens={TOKENS}"


def move(network: Any) -> Any:
    """The network on the device that the run names; errors as in `check_device`."""
    return network.to(check_device())


def tensors(network: Any, inputs: dict[str, NDArray]) -> dict[str, Any]:
    """Padded inputs as tensors beside the network's weights."""
    import torch

    place = next(network.parameters()).device
    return {name: torch.from_numpy(array).to(place) for name, array in inputs.items()}
