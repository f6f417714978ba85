"""Texts side by side in rows of fixed length: nothing is padded, and no result depends on its neighbours.

A row ("pack") holds several texts. Each attends to itself alone and counts its own positions, so the network
reads it as if it were by itself. The matrix products have the shape of the row, a text's attention the shape
of the text: both follow from the text alone, so a resumed run and an undisturbed one agree to the last bit
(same machine). A row that is not full is cut to what it holds where this machine computes the shorter one to
the same bits, which is tried before it is done. Rows are computed one thread each, several at once.
"""

import functools
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from numpy.typing import NDArray

from ragassay.models.deterministic_batching import THREADS, Item, workers_here
from ragassay.models.tokenization import Input

SHORT = 64  # tokens of a text that goes into the short row
ROWS = (256, 528)  # tokens of a row of short texts and of one of long texts, two of the longest
SPREAD = 0.05  # of the random weights that a shorter row is tried with
STEP = 32  # tokens by which a row that is not full is cut
BLOCK = 512  # items between two writes to the cache
SHAPES = f"packed;short={SHORT};rows={ROWS};threads={THREADS}"

Split = Callable[[Input], tuple[Input, ...]]  # an input to the texts that the network reads apart
Judge = Callable[[Sequence[Any], Input], NDArray]  # the states of those texts, and the input, to its result


def row_length(text: Input) -> int:
    """Tokens of the row that a text goes into."""
    return ROWS[len(text.ids) > SHORT]


def packs(texts: Sequence[Input]) -> Iterator[list[int]]:
    """Places of the texts of one row; every text in one row, each row filled as far as the others allow."""
    for length in ROWS:
        same = [place for place, text in enumerate(texts) if row_length(text) == length]
        waiting = deque(sorted(same, key=lambda place: len(texts[place].ids)))
        while waiting:
            row, room = [], length
            for end, take in ((-1, waiting.pop), (0, waiting.popleft)):  # the longest, then the shortest
                while waiting and (size := len(texts[waiting[end]].ids)) <= room:
                    room -= size
                    row.append(take())
            yield row


def cut_length(held: int, length: int) -> int:
    """Tokens of a row of `length` that holds so many: as few as give the same bits."""
    shorter = -(-held // STEP) * STEP
    return shorter if shorter < length and same_bits(shorter, length) else length


@functools.cache
def same_bits(shorter: int, length: int) -> bool:
    """Whether this machine computes the first `shorter` tokens of a row of `length` to the same bits by
    themselves: tried once in a process, on one layer of the encoder with random numbers. The order in which
    products are summed up depends on their shape, never on the numbers."""
    import torch

    layer, states = _trial()
    spans = [(0, shorter)]
    with torch.inference_mode():
        whole, part = (layer(states[:, :end], None, spans) for end in (length, shorter))
    return torch.equal(whole[:, :shorter], part)


@functools.cache
def _trial() -> tuple[Any, Any]:
    """A layer of the encoder and the states of a row, of random numbers."""
    import torch

    from ragassay.models.encoder_network import WIDTH, Layer

    draw = torch.Generator().manual_seed(0)
    layer = Layer()
    with torch.inference_mode():
        for weights in layer.parameters():
            weights.copy_(torch.randn(weights.shape, generator=draw) * SPREAD)
        return layer, torch.randn(1, max(ROWS), WIDTH, generator=draw)


def read_pack(network: Any, texts: Sequence[Input]) -> list[Any]:
    """The last states of the texts of one row, a tensor (tokens, width) each."""
    import torch

    held = sum(len(text.ids) for text in texts)
    inputs = torch.zeros(3, 1, cut_length(held, row_length(texts[0])), dtype=torch.int64)
    spans, end = [], 0
    for text in texts:
        first, end = end, end + len(text.ids)
        spans.append((first, end))
        inputs[:, 0, first:end] = torch.tensor([text.ids, text.types, range(len(text.ids))])
    ids, types, positions = inputs
    with torch.inference_mode():
        read = network(input_ids=ids, token_type_ids=types, position_ids=positions, spans=spans)
    return [read[0, first:end] for first, end in spans]


def compute_in_packs(
    items: Sequence[Item], inputs: Sequence[Input], network: Any, split: Split, judge: Judge
) -> Iterator[dict[Item, NDArray]]:
    """The results of unique items, a block at a time, so that a killed run keeps what it had.

    Parameters
    ----------
    inputs : the tokens of each item
    network : as `encoder_network.EncoderNetwork`
    split : of an input, the texts that are read apart; a text that several inputs of a block share is read
        once
    judge : called from several threads at once
    """
    with ThreadPoolExecutor(workers_here()) as workers:
        for start in range(0, len(items), BLOCK):
            block = inputs[start : start + BLOCK]
            texts = [split(one) for one in block]
            unique = {_key(text): text for own in texts for text in own}
            states = _states(network, list(unique.values()), workers)
            read = [[states[_key(text)] for text in own] for own in texts]
            yield dict(zip(items[start : start + BLOCK], workers.map(judge, read, block), strict=True))


def _states(network: Any, texts: list[Input], workers: ThreadPoolExecutor) -> dict[Any, Any]:
    """The states of every text, by its key."""
    rows = [[texts[place] for place in row] for row in packs(texts)]
    found: dict[Any, Any] = {}
    for row, read in zip(rows, workers.map(lambda row: read_pack(network, row), rows), strict=True):
        found.update(zip(map(_key, row), read, strict=True))
    return found


def _key(text: Input) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What the network reads of a text."""
    return tuple(text.ids), tuple(text.types)
