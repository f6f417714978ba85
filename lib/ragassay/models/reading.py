"""Texts to token numbers: one text, a premise with its hypothesis, a long text in overlapping windows; and their padding."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragassay.models.deterministic_batching import legible

BREAK = "|"  # how a line break is read by a token head, as in its training: the tokenizer would drop it
HYPOTHESIS = 128  # tokens; a longer hypothesis is cut here, and a premise to the room that is left


@dataclass(frozen=True)
class Input:
    """Token ids and types of one input; for a window also the text's place, and each token's word (None: no word) and characters."""

    ids: list[int]
    types: list[int]
    text: int = 0
    words: Sequence[int | None] = ()
    characters: Sequence[tuple[int, int]] = ()


def texts(tokenizer: Any, given: Sequence[str], limit: int) -> list[Input]:
    """One input per text, cut at `limit` tokens."""
    return _inputs(tokenizer([legible(text) for text in given], truncation=True, max_length=limit))


def pairs(tokenizer: Any, given: Sequence[tuple[str, str]], limit: int) -> list[Input]:
    """One input per (premise, hypothesis). Where both are longer than `limit` tokens the premise is cut; a hypothesis only past 128 tokens."""
    hypotheses = sorted({hypothesis for _, hypothesis in given})
    short = dict(zip(hypotheses, _cut(tokenizer, hypotheses, min(HYPOTHESIS, limit // 2)), strict=True))
    premises = [legible(premise) for premise, _ in given]
    return _inputs(
        tokenizer(
            premises,
            [short[hypothesis] for _, hypothesis in given],
            truncation="only_first",
            max_length=limit,
        )
    )


def windows(tokenizer: Any, given: Sequence[str], limit: int) -> list[Input]:
    """The inputs of the texts, in their order; a text of more than `limit` tokens gives several that overlap by a quarter."""
    read = tokenizer(
        [legible(text).replace("\n", BREAK) for text in given],
        truncation=True,
        max_length=limit,
        stride=limit // 4,
        return_overflowing_tokens=True,
        return_offsets_mapping=True,
    )
    owners = read["overflow_to_sample_mapping"]
    return [
        Input(e.ids, e.type_ids, owner, e.word_ids, e.offsets)
        for e, owner in zip(read.encodings, owners, strict=True)
    ]


def padded(batch: Sequence[Input], length: int, pad: int) -> dict[str, NDArray]:
    """Arrays ids, mask and types of shape (inputs, length)."""
    arrays = {name: np.zeros((len(batch), length), dtype=np.int64) for name in ("ids", "mask", "types")}
    arrays["ids"] += pad
    for row, one in enumerate(batch):
        arrays["ids"][row, : len(one.ids)] = one.ids
        arrays["mask"][row, : len(one.ids)] = 1
        arrays["types"][row, : len(one.ids)] = one.types
    return arrays


def _inputs(read: Any) -> list[Input]:
    return [Input(encoding.ids, encoding.type_ids) for encoding in read.encodings]


def _cut(tokenizer: Any, given: list[str], most: int) -> list[str]:
    """Each text up to the last character of its token number `most`."""
    readable = [legible(text) for text in given]
    read = tokenizer(readable, add_special_tokens=False).encodings if readable else []
    return [
        text[: one.offsets[most - 1][1]] if len(one.ids) > most else text
        for text, one in zip(readable, read, strict=True)
    ]
