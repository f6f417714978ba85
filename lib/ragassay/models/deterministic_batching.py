"""Batches of fixed shape, so that a result has the same bits whatever its neighbours.

Texts are padded to one of a few lengths, and a batch of each length has always the same number of rows. With
the shape of every matrix product fixed, a text's result does not depend on what else is in its batch, so a
resumed run and an undisturbed one agree to the last bit (same machine). Several batches are computed at once,
each by one thread: more workers change the time and no bit, and a busy machine stalls none of them.
"""

import os
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, groupby
from typing import Any, TypeVar

from numpy.typing import NDArray

from ragassay.models import devices, tokenization
from ragassay.models.model_files import THREADS
from ragassay.models.tokenization import Input

TOKENS = 512  # of a batch, padding included: wastes little on a few texts, within 5 % of the best speed
WORKERS = min(8, os.cpu_count() or 1)  # batches at a time, where RAGASSAY_WORKERS names no number
LENGTHS = (16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256)
COMMIT = 64  # batches between two writes to the cache
BLOCK = 2**16  # tokens whose states are held at a time
SHAPES = f"tokens={TOKENS};threads={THREADS};lengths={LENGTHS}"

Item = TypeVar("Item", bound=Hashable)
Forward = Callable[[list[Any], int], Any]  # inputs and their padded length -> a row of each
Split = Callable[[Input], tuple[Input, ...]]  # an input to the texts that the network reads apart
Judge = Callable[[Sequence[Any]], NDArray]  # the states of those texts to their result


def workers_here() -> int:
    """How many batches are computed at a time in this process: RAGASSAY_WORKERS, or one for each core."""
    return int(os.environ.get("RAGASSAY_WORKERS") or WORKERS)


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
    items: Sequence[Item], inputs: Sequence[Any], lengths: Sequence[int], limit: int, forward: Forward
) -> Iterator[dict[Item, Any]]:
    """The results of unique items, a few batches at a time, so that a killed run keeps what it had.

    Parameters
    ----------
    inputs : what `forward` takes for each item
    lengths : tokens of each input
    limit : the longest padded length
    forward : called from several threads at once; a batch that is not full is filled up with its first input
    """
    on_cpu = devices.chosen_device() == devices.CPU
    tokens, workers = (TOKENS, workers_here()) if on_cpu else (devices.TOKENS, devices.WORKERS)

    def compute(batch: tuple[list[int], int, int]) -> Any:
        places, length, rows = batch
        own = [inputs[place] for place in places]
        return forward(own + own[:1] * (rows - len(own)), length)[: len(own)]

    planned = list(batches(lengths, limit, tokens))
    with ThreadPoolExecutor(workers) as pool:
        for start in range(0, len(planned), COMMIT):
            part = planned[start : start + COMMIT]
            found: dict[Item, Any] = {}
            for (places, *_), rows in zip(part, pool.map(compute, part), strict=True):
                found |= {items[place]: row for place, row in zip(places, rows, strict=True)}
            yield found


def compute_states(
    items: Sequence[Item],
    inputs: Sequence[Input],
    network: Any,
    limit: int,
    judge: Judge,
    *,
    split: Split = lambda one: (one,),
    layers: Sequence[int] = (-1,),
) -> Iterator[dict[Item, NDArray]]:
    """The results of unique items from the states of their tokens, a block of items at a time.

    Parameters
    ----------
    inputs : the tokens of each item
    network : of transformers
    judge : called from several threads at once, with the states (tokens, width) of each text, on the CPU
    split : of an input, the texts that are read apart; a text that several inputs of a block share is read
        once
    layers : whose states are put side by side
    """
    import torch

    def forward(batch: list[Input], length: int) -> list[Any]:
        padded = devices.tensors(network, tokenization.pad(batch, length))
        with torch.inference_mode():
            found = network(**padded, output_hidden_states=True).hidden_states
            states = torch.cat([found[layer] for layer in layers], dim=-1).cpu()
        return [row[: len(text.ids)] for row, text in zip(states, batch, strict=True)]

    before = accumulate((len(one.ids) for one in inputs), initial=0)
    numbered = zip(range(len(inputs)), before, strict=False)
    for _, block in groupby(numbered, key=lambda one: one[1] // BLOCK):
        places = [place for place, _ in block]
        texts = [split(inputs[place]) for place in places]
        unique = {(tuple(text.ids), tuple(text.types)): text for own in texts for text in own}
        lengths = [len(text.ids) for text in unique.values()]
        states: dict[Any, Any] = {}
        for part in compute_in_batches(list(unique), list(unique.values()), lengths, limit, forward):
            states |= part
        read = [[states[tuple(text.ids), tuple(text.types)] for text in own] for own in texts]
        with ThreadPoolExecutor(workers_here()) as pool:
            yield dict(zip([items[place] for place in places], pool.map(judge, read), strict=True))
