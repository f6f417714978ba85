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
Judge = Callable[[Sequence[Any], Input], NDArray]  # the states of those texts, and the input, to its result


def workers_here() -> int:
    """How many batches are computed at a time in this process: RAGASSAY_WORKERS, or one for each core."""
    return int(os.environ.get("RAGASSAY_WORKERS") or WORKERS)


def rows(length: int, tokens: int = TOKENS) -> int:
    """How many inputs of a padded length make a batch of that many tokens."""
    return max(1, tokens // length)


def batches(lengths: Sequence[int], limit: int, tokens: int = TOKENS) -> Iterator[tuple[list[int], int]]:
    """Places of the inputs of one batch, which share a padded length, and that length; shortest first."""
    shapes = [length for length in LENGTHS if length < limit] + [limit]
    padded = [next((shape for shape in shapes if length <= shape), limit) for length in lengths]
    for shape in sorted(set(padded)):
        same = [place for place, length in enumerate(padded) if length == shape]
        size = rows(shape, tokens)
        for start in range(0, len(same), size):
            yield same[start : start + size], shape


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

    def of_batch(one: tuple[list[int], int]) -> Any:
        given = [inputs[i] for i in one[0]]
        return forward(given + given[:1] * (rows(one[1], tokens) - len(given)), one[1])[: len(given)]

    planned = list(batches(lengths, limit, tokens))
    with ThreadPoolExecutor(workers) as pool:
        for start in range(0, len(planned), COMMIT):
            part = planned[start : start + COMMIT]
            results = pool.map(of_batch, part)
            yield {
                items[i]: row
                for (places, _), found in zip(part, results, strict=True)
                for i, row in zip(places, found, strict=True)
            }


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
        given = devices.tensors(network, tokenization.pad(batch, length))
        with torch.inference_mode(), devices.memory_told():
            found = network(**given, output_hidden_states=True).hidden_states
            states = torch.cat([found[layer] for layer in layers], dim=-1).cpu()
        return [row[: len(text.ids)] for row, text in zip(states, batch, strict=True)]

    for places in _blocks(inputs):
        block = [inputs[place] for place in places]
        texts = [split(one) for one in block]
        unique = {_key(text): text for own in texts for text in own}
        lengths = [len(text.ids) for text in unique.values()]
        states: dict[Any, Any] = {}
        for part in compute_in_batches(list(unique), list(unique.values()), lengths, limit, forward):
            states |= part
        read = [[states[_key(text)] for text in own] for own in texts]
        with ThreadPoolExecutor(workers_here()) as pool:
            results = pool.map(judge, read, block)
            yield dict(zip([items[place] for place in places], results, strict=True))


def _blocks(inputs: Sequence[Input]) -> Iterator[list[int]]:
    """Places of neighbours that hold some BLOCK tokens together."""
    before = accumulate((len(one.ids) for one in inputs), initial=0)
    numbered = zip(range(len(inputs)), before, strict=False)
    for _, block in groupby(numbered, key=lambda one: one[1] // BLOCK):
        yield [place for place, _ in block]


def _key(text: Input) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What the network reads of a text."""
    return tuple(text.ids), tuple(text.types)
