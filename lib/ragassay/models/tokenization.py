"""Texts to token ids: a text, a premise with its hypothesis, a whole text; and padding."""

import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

HYPOTHESIS = 128  # tokens; a longer hypothesis is cut here, and a premise to the room that is left
CLS, SEP = 101, 102  # before and after a text of the default encoder
_ONE_AT_A_TIME = threading.Lock()  # a fast tokenizer changes when it cuts


class Input(NamedTuple):
    """Token ids of one input, and the type of each."""

    ids: tuple[int, ...]
    types: tuple[int, ...]


def refuse_empty(texts: Sequence[str]) -> None:
    """ValueError if a text is empty."""
    empty = [i for i, text in enumerate(texts) if not text.strip()]
    if empty:
        raise ValueError(f"text {empty[0]} is empty; an empty text has no vector and no judgement")


def tokenize_texts(tokenizer: Any, texts: Sequence[str], limit: int) -> list[Input]:
    """One input per text, cut at `limit` tokens."""
    read = _read(tokenizer, [replace_surrogates(text) for text in texts], limit)
    return [Input(tuple(one.ids), tuple(one.type_ids)) for one in read]


def tokenize_pairs(tokenizer: Any, pairs: Sequence[tuple[str, str]], limit: int) -> list[Input]:
    """One input per (premise, hypothesis).

    Where both are longer than `limit` tokens the premise is cut; a hypothesis only past 128 tokens.
    """
    most, short = min(HYPOTHESIS, limit // 2), {}
    hypotheses = sorted({hypothesis for _, hypothesis in pairs})
    for hypothesis, one in zip(hypotheses, read_whole(tokenizer, hypotheses), strict=True):
        text = replace_surrogates(hypothesis)
        short[hypothesis] = text[: one.offsets[most - 1][1]] if len(one.ids) > most else text
    readable = [(replace_surrogates(premise), short[hypothesis]) for premise, hypothesis in pairs]
    read = _read(tokenizer, readable, limit, strategy="only_first")
    return [Input(tuple(one.ids), tuple(one.type_ids)) for one in read]


def read_whole(tokenizer: Any, texts: Sequence[str]) -> list[Any]:
    """The encoding (of tokenizers) of each whole text, without the tokens that mark beginning and end."""
    return _read(tokenizer, [replace_surrogates(text) for text in texts])


def pad(batch: Sequence[Input], length: int, device: Any, pad_id: int = 0) -> dict[str, Any]:
    """The tensors that a network reads of a batch, by the names of its arguments; shape (inputs, length)."""
    import torch

    rest = [length - len(one.ids) for one in batch]
    rows = {
        "input_ids": [(*one.ids, *[pad_id] * more) for one, more in zip(batch, rest, strict=True)],
        "attention_mask": [[1] * (length - more) + [0] * more for more in rest],
        "token_type_ids": [(*one.types, *[0] * more) for one, more in zip(batch, rest, strict=True)],
    }
    return {name: torch.tensor(values, device=device) for name, values in rows.items()}


def replace_surrogates(text: str) -> str:
    """The text with a question mark for every lone surrogate, which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _read(tokenizer: Any, given: Sequence[Any], limit: int = 0, **cut: Any) -> list[Any]:
    """The encodings of texts or pairs, each cut at `limit` tokens (`cut` as in `enable_truncation`), or
    whole and without the tokens that mark beginning and end."""
    fast = getattr(tokenizer, "backend_tokenizer", tokenizer)
    with _ONE_AT_A_TIME:
        fast.no_padding()
        fast.no_truncation()
        if limit:
            fast.enable_truncation(limit, direction=getattr(tokenizer, "truncation_side", "right"), **cut)
        return fast.encode_batch(given, add_special_tokens=bool(limit))
