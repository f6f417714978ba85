"""The last-layer vector of every token of a text, for scores that compare token by token (BERTScore)."""

import functools
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ragassay import evidence
from ragassay.models import cache, deterministic_batching, encoder, reading
from ragassay.models.cached_compute import cached_compute
from ragassay.models.instrument import offline

LIMIT = 256  # tokens of a text that are read
RECIPE = f"tokens;limit={LIMIT};{deterministic_batching.SHAPES}"


def token_vectors(texts: Sequence[str]) -> list[NDArray[np.float32]]:
    """Last-layer states of the default encoder, one array (n, 384) per text, without [CLS] and [SEP]; each unique text is read once, ever.

    Texts are cut at 256 tokens. A text without a token gives an array (0, 384). A token takes 1.5 kB of the cache, a text at most 390 kB.
    """
    evidence.model(**encoder.identity())
    recipe = encoder.identity()["sha256"] + RECIPE
    known = cached_compute("tokens", texts, lambda text: cache.key(recipe, text), _read_new)
    return [known[text].reshape(-1, encoder.WIDTH) for text in texts]


def _read_new(texts: list[str]) -> Iterator[dict[str, NDArray]]:
    """The vectors of texts not seen before, a few batches at a time."""
    import torch

    tokenizer, network = _loaded()
    inputs = reading.texts(tokenizer, texts, LIMIT)
    pad = tokenizer.pad_token_id

    def forward(batch: list[reading.Input], length: int) -> list[NDArray]:
        arrays = reading.padded(batch, length, pad)
        with torch.inference_mode():
            states = network(
                **{name: torch.from_numpy(arrays[part]) for name, part in _PARTS.items()}
            ).last_hidden_state.numpy()
        return [states[row, 1 : len(one.ids) - 1] for row, one in enumerate(batch)]

    return deterministic_batching.computed(texts, inputs, [len(one.ids) for one in inputs], LIMIT, forward)


_PARTS = {"input_ids": "ids", "attention_mask": "mask", "token_type_ids": "types"}


@functools.cache
def _loaded():
    offline()
    from transformers import AutoModel, AutoTokenizer

    folder = str(encoder._folder(encoder.DEFAULT))
    return AutoTokenizer.from_pretrained(folder, local_files_only=True), AutoModel.from_pretrained(
        folder, local_files_only=True
    ).eval()
