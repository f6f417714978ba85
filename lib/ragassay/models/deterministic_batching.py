"""Batches of fixed shape, so that a result has the same bits whatever its neighbours.

Texts are padded to one of a few lengths, and a batch of each length has always the same number of rows. With
the shape of every matrix product fixed, a text's result does not depend on what else is in its batch, so a
resumed run and an undisturbed one agree to the last bit (same machine). Several batches are computed at once,
each by one thread: more workers change the time and no bit, and a busy machine stalls none of them.
"""

import os
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from numpy.typing import NDArray

TOKENS = 512  # of a batch, padding included: wastes little on a few texts, within 5 % of the best speed
THREADS = 1  # of one batch; part of the recipe: another number may change the last bit
WORKERS = min(8, os.cpu_count() or 1)  # batches at a time, where RAGASSAY_WORKERS names no number
LENGTHS = (16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256)
COMMIT = 64  # batches between two writes to the cache
SHAPES = f"tokens={TOKENS};threads={THREADS};lengths={LENGTHS}"

Item = TypeVar("Item", bound=Hashable)
Forward = Callable[[list[Any], int], Sequence[NDArray]]  # inputs and their padded length -> one result each


def workers_here() -> int:
    """How many batches are computed at a time in this process: RAGASSAY_WORKERS, or one for each core."""
    return int(os.environ.get("RAGASSAY_WORKERS") or WORKERS)


def rows(length: int, tokens: int = TOKENS) -> int:
    """How many inputs of a padded length make a batch of that many tokens."""
    return max(1, tokens // length)


def batches(
    lengths: Sequence[int], limit: int, one_per_batch: bool = False, tokens: int = TOKENS
) -> Iterator[tuple[list[int], int]]:
    """Places of the inputs of one batch, which share a padded length, and that length; shortest first."""
    shapes = [length for length in LENGTHS if length < limit] + [limit]
    padded = [next((shape for shape in shapes if length <= shape), limit) for length in lengths]
    for shape in sorted(set(padded)):
        same = [place for place, length in enumerate(padded) if length == shape]
        size = 1 if one_per_batch else rows(shape, tokens)
        for start in range(0, len(same), size):
            yield same[start : start + size], shape


def compute_in_batches(
    items: Sequence[Item],
    inputs: Sequence[Any],
    lengths: Sequence[int],
    limit: int,
    forward: Forward,
    *,
    one_per_batch: bool = False,
    tokens: int = TOKENS,
    workers: int = 0,
) -> Iterator[dict[Item, NDArray]]:
    """The results of unique items, a few batches at a time, so that a killed run keeps what it had.

    Parameters
    ----------
    inputs : what `forward` takes for each item
    lengths : tokens of each input
    limit : the longest padded length
    forward : called from several threads at once; a batch that is not full is filled up with its first input
    one_per_batch : for a network whose result depends on the others in it
    tokens : of a batch, padding included
    workers : batches at a time; 0 as `workers_here`
    """

    def of_batch(one: tuple[list[int], int]) -> Sequence[NDArray]:
        given = [inputs[i] for i in one[0]]
        size = 1 if one_per_batch else rows(one[1], tokens)
        return forward(given + given[:1] * (size - len(given)), one[1])[: len(given)]

    planned = list(batches(lengths, limit, one_per_batch, tokens))
    with ThreadPoolExecutor(workers or workers_here()) as pool:
        for start in range(0, len(planned), COMMIT):
            part = planned[start : start + COMMIT]
            results = pool.map(of_batch, part)
            yield {
                items[i]: row
                for (places, _), found in zip(part, results, strict=True)
                for i, row in zip(places, found, strict=True)
            }
