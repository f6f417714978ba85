"""A network that scores labels: a head of ours by name or file, or a Hugging Face model by name or folder; the same to its callers."""

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragassay import evidence
from ragassay.errors import ModelError
from ragassay.models import deterministic_batching, encoder, headfile, model_files, onnx
from ragassay.models.headfile import Head


@dataclass(frozen=True)
class Loaded:
    """Tokenizer and network: padded inputs to scores, and the length of the weights behind z (NaN: not known)."""

    tokenizer: Any
    scores: Callable[[dict[str, NDArray]], NDArray]
    reach: float


@dataclass(frozen=True)
class Instrument:
    """What is known of a network before it is loaded.

    `several`: labels are judged apart (sigmoid), not against each other (softmax). `recipe` tells its results from any other's in the cache.
    `ours`: a head on the kit's encoder.
    """

    identity: dict[str, str]
    labels: tuple[str, ...]
    limit: int
    recipe: str
    load: Callable[[], Loaded]
    several: bool = False
    ours: bool = False

    def note(self) -> None:
        """Note in the trace which models take part."""
        evidence.model(**(onnx.said(self.identity) if self.ours else self.identity))
        if self.ours:
            evidence.model(**encoder.identity())


def named(model: str, kind: str) -> Instrument:
    """The instrument of this name: a head of the kind we ship, a head's file, or a Hugging Face model (`name` or `name#LABEL,LABEL`).

    Raises
    ------
    ModelError
        If there is none on this machine, or it is of another kind.
    """
    path = headfile.place(model)
    if path is None:
        if model in headfile.NAMES:
            raise ModelError(
                f"the head {model!r} is not in this installation",
                where=headfile.FOLDER,
                do="reinstall ragassay",
            )
        from ragassay.models import huggingface

        return huggingface.instrument(model, kind)
    head = headfile.read(path)
    if head.kind != kind:
        raise ModelError(f"the head {model!r} is of another kind", where=path, found=head.kind, expected=kind)
    return ours(head)


def of_pairs(model: str) -> list[Instrument]:
    """The instruments that judge pairs under this name: one, or a head of ours and the aligned one beside it. Errors as in `named`."""
    first, *others = headfile.beside(model)
    return [named(first, "pair"), *(named(other, "aligned") for other in others)]


def ours(head: Head) -> Instrument:
    """The instrument of one of our heads."""
    recipe = (
        ";".join(
            (head.identity["sha256"], encoder.identity()["sha256"], deterministic_batching.SHAPES, head.kind)
        )
        + onnx.recipe()
    )
    return Instrument(
        head.identity, head.labels, head.max_length, recipe, lambda: _load(head, onnx.runtime()), ours=True
    )


@functools.lru_cache(maxsize=8)
def _load(head: Head, runtime: str) -> Loaded:
    offline()
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(str(encoder._folder(encoder.DEFAULT)), local_files_only=True)
    scores = (
        _torch_scores(_network(head))
        if runtime == "torch"
        else onnx.scores(head.identity["sha256"], lambda: _network(head))
    )
    return Loaded(tokenizer, scores, reach(head.layers["out.weight"]))


def _network(head: Head) -> Any:
    from ragassay.models.networks import network

    return network(head)


def _torch_scores(network: Any) -> Callable[[dict[str, NDArray]], NDArray]:
    import torch

    def scores(inputs: dict[str, NDArray]) -> NDArray:
        with torch.inference_mode():
            return network(*(torch.from_numpy(inputs[name]) for name in ("ids", "mask", "types"))).numpy()

    return scores


def reach(weights: NDArray, first: int = 0) -> float:
    """Length of w = (row `first`) - (mean of the other rows): what z is divided by to become a distance."""
    rows = weights.astype(np.float64)
    return float(np.linalg.norm(rows[first] - np.delete(rows, first, axis=0).mean(axis=0)))


def offline() -> None:
    """Libraries kept off the network, quiet, and on the number of threads that is part of every recipe."""
    for name, value in model_files.OFFLINE.items():
        os.environ.setdefault(name, value)
    import torch
    from transformers.utils import logging

    logging.disable_progress_bar()
    logging.set_verbosity_error()
    torch.set_num_threads(deterministic_batching.THREADS)
