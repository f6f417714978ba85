"""Texts to token ids: a text, a premise with its hypothesis, a long text in windows; and padding."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

BREAK = "|"  # a line break as a token head reads it, as in its training: the tokenizer would drop it
_ONE_AT_A_TIME = threading.Lock()  # a fast tokenizer changes when it cuts
HYPOTHESIS = 128  # tokens; a longer hypothesis is cut here, and a premise to the room that is left


@dataclass(frozen=True)
class Input:
    """Token ids and types of one input.

    For a window also the number of its text, and each token's word (None: no word) and characters.
    """

    ids: list[int]
    types: list[int]
    text: int = 0
    words: Sequence[int | None] = ()
    characters: Sequence[tuple[int, int]] = ()


def refuse_empty(texts: Sequence[str]) -> None:
    """ValueError if a text is empty: it has no vector."""
    empty = [i for i, text in enumerate(texts) if not text.strip()]
    if empty:
        raise ValueError(f"text {empty[0]} is empty; an empty text has no vector")


def tokenize_texts(tokenizer: Any, given: Sequence[str], limit: int) -> list[Input]:
    """One input per text, cut at `limit` tokens."""
    read = _read(tokenizer, [replace_surrogates(text) for text in given], limit)
    return [Input(one.ids, one.type_ids) for one in read]


def tokenize_pairs(tokenizer: Any, given: Sequence[tuple[str, str]], limit: int) -> list[Input]:
    """One input per (premise, hypothesis).

    Where both are longer than `limit` tokens the premise is cut; a hypothesis only past 128 tokens.
    """
    most, short = min(HYPOTHESIS, limit // 2), {}
    hypotheses = sorted({hypothesis for _, hypothesis in given})
    readable = [replace_surrogates(text) for text in hypotheses]
    for hypothesis, text, one in zip(hypotheses, readable, _read(tokenizer, readable), strict=True):
        short[hypothesis] = text[: one.offsets[most - 1][1]] if len(one.ids) > most else text
    pairs = [(replace_surrogates(premise), short[hypothesis]) for premise, hypothesis in given]
    read = _read(tokenizer, pairs, limit, strategy="only_first")
    return [Input(one.ids, one.type_ids) for one in read]


def count_tokens(tokenizer: Any, given: Sequence[str]) -> list[int]:
    """The number of tokens of each text, without those that mark its beginning and end."""
    return [len(one.ids) for one in _read(tokenizer, [replace_surrogates(text) for text in given])]


def tokenize_windows(tokenizer: Any, given: Sequence[str], limit: int) -> list[Input]:
    """Inputs in the order of the texts; a longer text gives several that overlap by a quarter."""
    texts = [replace_surrogates(text).replace("\n", BREAK) for text in given]
    return [
        Input(one.ids, one.type_ids, owner, one.word_ids, one.offsets)
        for owner, whole in enumerate(_read(tokenizer, texts, limit, stride=limit // 4))
        for one in (whole, *whole.overflowing)
    ]


def pad(batch: Sequence[Input], length: int, pad_id: int = 0) -> dict[str, NDArray]:
    """What a network reads of a batch, by the names of its arguments; of shape (inputs, length)."""
    names = ("input_ids", "attention_mask", "token_type_ids")
    arrays = {name: np.zeros((len(batch), length), dtype=np.int64) for name in names}
    arrays["input_ids"] += pad_id
    for row, one in enumerate(batch):
        arrays["input_ids"][row, : len(one.ids)] = one.ids
        arrays["attention_mask"][row, : len(one.ids)] = 1
        arrays["token_type_ids"][row, : len(one.ids)] = one.types
    return arrays


def replace_surrogates(text: str) -> str:
    """The text with a question mark for every lone surrogate, which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _read(tokenizer: Any, given: Sequence[Any], limit: int = 0, **cut: Any) -> list[Any]:
    """The encodings of texts, or of pairs, each cut at `limit` tokens; `cut` as in `enable_truncation`.
    Without a limit whole, and without the tokens that mark beginning and end."""
    fast = getattr(tokenizer, "backend_tokenizer", tokenizer)
    with _ONE_AT_A_TIME:
        fast.no_padding()
        fast.no_truncation()
        if limit:
            fast.enable_truncation(limit, direction=getattr(tokenizer, "truncation_side", "right"), **cut)
        return fast.encode_batch(given, add_special_tokens=bool(limit))
