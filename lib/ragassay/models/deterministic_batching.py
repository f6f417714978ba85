"""Batches of fixed shape, so that a result has the same bits whatever its neighbours.

Texts are padded to one of a few lengths, and a batch of each length has always the same number of rows: a
resumed run and an undisturbed one agree to the last bit (same machine), however many threads compute.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ragassay.models import devices, tokenization
from ragassay.models.model_files import THREADS
from ragassay.models.tokenization import Input

TOKENS = 512  # of a batch, padding included: wastes little on a few texts, within 5 % of the best speed
LENGTHS = (16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256)
SHAPES = f"tokens={TOKENS};threads={THREADS};lengths={LENGTHS}"


def workers_here() -> int:
    """Batches computed at a time in this process: RAGASSAY_WORKERS, or one for each core, at most 8."""
    return int(os.environ.get("RAGASSAY_WORKERS") or min(8, os.cpu_count() or 1))


def batches(lengths: Sequence[int], limit: int, tokens: int) -> Iterator[tuple[list[int], int, int]]:
    """Places of the inputs of one batch, which share a padded length, that length, and the rows of every
    batch of it; shortest first."""
    shapes = [length for length in LENGTHS if length < limit] + [limit]
    padded = [next((shape for shape in shapes if length <= shape), limit) for length in lengths]
    for shape in sorted(set(padded)):
        same = [place for place, length in enumerate(padded) if length == shape]
        rows = max(1, tokens // shape)
        for start in range(0, len(same), rows):
            yield same[start : start + rows], shape, rows


def compute_in_batches(
    inputs: Sequence[Input], limit: int, forward: Callable[[list[Input], int], Iterable[Any]]
) -> list[Any]:
    """A result for every input, in order, by `forward` (inputs of a batch and their padded length), which
    several threads call at once; a batch that is not full is filled up with its first input."""
    on_cpu = devices.chosen_device() == devices.CPU
    tokens, workers = (TOKENS, workers_here()) if on_cpu else (devices.TOKENS, devices.WORKERS)
    results: list[Any] = [None] * len(inputs)

    def compute(batch: tuple[list[int], int, int]) -> None:
        places, length, rows = batch
        own = [inputs[place] for place in places]
        filled_up = own + own[:1] * (rows - len(own))
        for place, result in zip(places, forward(filled_up, length), strict=False):
            results[place] = result

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(compute, batches([len(one.ids) for one in inputs], limit, tokens)))
    return results


def compute_states(
    inputs: Iterable[Input], network: Any, limit: int, layers: Sequence[int] = (-1,)
) -> dict[Input, Any]:
    """The states (tokens, width) of every input after these layers of a transformers network, side by side,
    on the CPU; an input that is there twice is read once."""
    import torch

    def forward(batch: list[Input], length: int) -> list[Any]:
        with torch.inference_mode():
            read = tokenization.pad(batch, length, network.device)
            found = network(**read, output_hidden_states=True).hidden_states
            states = torch.cat([found[layer] for layer in layers], dim=-1).cpu()
        return [row[: len(one.ids)] for row, one in zip(states, batch, strict=True)]

    unique = list(dict.fromkeys(inputs))
    return dict(zip(unique, compute_in_batches(unique, limit, forward), strict=True))
