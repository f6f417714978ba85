"""ONNX Runtime in torch's place: RAGASSAY_RUNTIME=onnx, and the packages onnx and onnxruntime (the extra
`onnx`).

torch      as trained
onnx       the same scores to 1e-3 (found: 1e-6), sooner where the machine is busy
onnx-int8  8-bit weights, each text computed by itself, because the scale of its numbers is taken over the
           batch. Single scores move by up to 0.04 (cosines) or 0.3 (probabilities)

A network is exported once, into the folder of the cache, where the results of the three are kept apart.
"""

import logging
import os
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ragassay.errors import ModelError, install
from ragassay.models import cache, deterministic_batching

RUNTIMES = ("torch", "onnx", "onnx-int8")
OPSET = 17
INPUTS = ("ids", "mask", "types")


def runtime() -> str:
    """The runtime that the environment names: torch, onnx or onnx-int8.

    Raises
    ------
    ModelError
        If RAGASSAY_RUNTIME names another.
    """
    named = os.environ.get("RAGASSAY_RUNTIME") or RUNTIMES[0]
    if named not in RUNTIMES:
        raise ModelError("RAGASSAY_RUNTIME names no runtime", found=named, expected=", ".join(RUNTIMES))
    return named


def one_per_batch() -> bool:
    """Whether texts must be computed one by one."""
    return runtime() == "onnx-int8"


def recipe() -> str:
    """What the runtime adds to a result's key in the cache."""
    return "" if runtime() == "torch" else f";{runtime()}"


def with_runtime(identity: dict[str, str]) -> dict[str, str]:
    """A model's identity with its runtime in its name, where that is not torch."""
    return identity if runtime() == "torch" else {**identity, "name": f"{identity['name']} ({runtime()})"}


def scores(sha256: str, build: Callable[[], Any]) -> Callable[[dict[str, NDArray]], NDArray]:
    """Padded inputs of a head to scores of its labels; `build` makes the network of this hash."""
    session = _session(sha256, build, INPUTS)
    return lambda inputs: session.run(None, {name: inputs[name] for name in INPUTS})[0]


def replace(transformer: Any, sha256: str) -> None:
    """Put ONNX Runtime in the place of the network inside a sentence-transformers `Transformer` module."""
    import torch
    from transformers.modeling_outputs import BaseModelOutput

    names = tuple(
        name
        for name in transformer.tokenizer.model_input_names
        if name in ("input_ids", "attention_mask", "token_type_ids")
    )
    network = transformer.model

    class States(torch.nn.Module):
        """The network's last states, from inputs by place."""

        def __init__(self):
            super().__init__()
            self.network = network

        def forward(self, *inputs):
            return self.network(**dict(zip(names, inputs, strict=True))).last_hidden_state

    session = _session(sha256, States, names)

    class Exported(torch.nn.Module):
        """Takes the network's place."""

        config = network.config

        def forward(self, return_dict=True, **inputs):
            return BaseModelOutput(
                last_hidden_state=torch.from_numpy(
                    session.run(None, {name: inputs[name].numpy() for name in names})[0]
                )
            )

    transformer.model = Exported()


def _session(sha256: str, build: Callable[[], Any], names: Sequence[str]) -> Any:
    try:
        import onnx  # noqa: F401  (the export asks for it)
        import onnxruntime
    except ImportError as problem:
        raise ModelError(
            "ONNX Runtime is not installed", found=problem, do=f"{install('onnx')}; or unset RAGASSAY_RUNTIME"
        ) from problem
    path = _file(sha256)
    if not path.exists():
        _export(build().eval(), path, names)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = deterministic_batching.THREADS
    options.use_deterministic_compute = True
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _file(sha256: str) -> Path:
    """Where the export of these weights is kept: another torch or transformers exports anew."""
    import torch
    import transformers

    return (
        cache.location().parent
        / "onnx"
        / f"{sha256[:32]}-{runtime()}-torch{torch.__version__}-transformers{transformers.__version__}.onnx"
    )


def _export(network: Any, path: Path, names: Sequence[str]) -> None:
    import torch

    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(f".{os.getpid()}")
    example = tuple(torch.ones(2, 8, dtype=torch.int64) for _ in names)
    axes = {name: {0: "batch", 1: "length"} for name in names} | {"scores": {0: "batch"}}
    with warnings.catch_warnings(), torch.inference_mode():
        warnings.simplefilter("ignore")  # the exporter's notes about traced constants; agreement is tested
        torch.onnx.export(
            network,
            example,
            str(draft),
            input_names=list(names),
            output_names=["scores"],
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,
        )
    if one_per_batch():
        _shrink(draft)
    draft.replace(path)


def _shrink(path: Path) -> None:
    """Make the weights of an export's matrix products 8-bit, with a scale per channel."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    small, level = path.with_name(f"{path.name}.small"), logging.root.manager.disable
    logging.disable(logging.WARNING)  # its advice to optimise the graph first
    quantize_dynamic(
        path, small, weight_type=QuantType.QInt8, per_channel=True, op_types_to_quantize=["MatMul"]
    )
    logging.disable(level)
    small.replace(path)
