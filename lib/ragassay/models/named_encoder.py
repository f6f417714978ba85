"""Vectors of an encoder that the user names, or of ours under ONNX Runtime, by sentence-transformers."""

import functools
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ragassay.models import deterministic_batching, devices, model_files, onnx, tokenization


def compute(texts: list[str], place: Path, sha256: str, tokenizer: Any) -> Iterator[dict[str, NDArray]]:
    """The unit vectors of unique texts, a few batches at a time.

    Parameters
    ----------
    place, sha256 : of the model's folder and of its weights
    tokenizer : counts tokens (tokenizers.Tokenizer)
    """
    forward, limit = _load(place, sha256, onnx.runtime(), devices.chosen_device())
    readable = [tokenization.replace_surrogates(text) for text in texts]
    lengths = [len(encoded.ids) for encoded in tokenizer.encode_batch(readable)]
    shape = {"one_per_batch": onnx.one_per_batch(), **devices.batching()}
    return deterministic_batching.compute_in_batches(texts, readable, lengths, limit, forward, **shape)


@functools.cache
def _load(place: Path, sha256: str, runtime: str, device: str) -> tuple[Callable, int]:
    """What encodes a batch, and the tokens it reads of a text."""
    model_files.stay_offline()
    import torch
    from sentence_transformers import SentenceTransformer

    with model_files.damage_told(place):
        network = SentenceTransformer(str(place), device="cpu", local_files_only=True).eval()
    found = devices.move(network).device
    if runtime != "torch":
        onnx.replace(network[0], sha256)
    one_at_a_time = threading.Lock()  # a fast tokenizer changes when it pads

    def forward(batch: list[str], length: int) -> NDArray:
        with one_at_a_time:
            features = network.tokenizer(
                batch, padding="max_length", truncation=True, max_length=length, return_tensors="pt"
            )
        with torch.inference_mode(), devices.memory_told():
            vectors = network(dict(features.to(found)))["sentence_embedding"]
        return torch.nn.functional.normalize(vectors, dim=1).cpu().numpy()

    return forward, int(network.max_seq_length or deterministic_batching.LENGTHS[-1])
