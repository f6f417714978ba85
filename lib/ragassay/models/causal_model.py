"""Perplexity of texts under a causal language model that the user names; there is none by default."""

import functools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragassay import provenance
from ragassay.errors import ModelError
from ragassay.models import cache, devices, model_files

LIMIT = 1024  # tokens that are read, or fewer where the model takes fewer
RECIPE = f"perplexity;{LIMIT}"  # changes whenever the same model would give other values


def language_model(model: str = "") -> str:
    """The model's name: the one given, else the run's; "" where none is named."""
    return model or model_files.of_run("language_model")


def perplexity(texts: Sequence[str], *, model: str = "") -> NDArray[np.float64]:
    """exp of the mean negative log-likelihood of each text's tokens given those before, shape (n,), at least
    1; lower is likelier; NaN where nothing is predicted.

    The first LIMIT tokens are read, after the token that begins a text, where the tokenizer has one. A
    ModelError if no model is named, it is not on this machine, or is no causal language model.
    """
    named = language_model(model)
    if not named:
        do = "name one: language_model in section run, or RAGASSAY_LANGUAGE_MODEL"
        raise ModelError("no language model is named for perplexity", do=do)
    folder = model_files.find_folder(named)
    identity = model_files.identify(folder, named)
    model_files.settings(folder, named, "ForCausalLM", "LMHeadModel")
    provenance.model(**identity)
    recipe = f"{RECIPE};{identity['sha256']}{devices.recipe()}"

    def compute(missing: list[str]) -> list[NDArray]:
        tokenizer, network = _load(folder, devices.chosen_device())
        return [np.array([_perplexity(tokenizer, network, text)]) for text in missing]

    known = cache.cached_compute("perplexity", recipe, texts, compute)
    return np.array([known[text][0] for text in texts], dtype=float)


@functools.lru_cache(maxsize=1)
def _load(folder: Path, device: str) -> tuple[Any, Any]:
    tokenizer, network = model_files.load(folder, "AutoModelForCausalLM")
    return tokenizer, devices.move(network)


def _perplexity(tokenizer: Any, network: Any, text: str) -> float:
    import torch

    limit = min(LIMIT, int(getattr(network.config, "max_position_embeddings", LIMIT)))
    first = [] if tokenizer.bos_token_id is None else [tokenizer.bos_token_id]
    ids = (first + tokenizer(text, add_special_tokens=False)["input_ids"])[:limit]
    if len(ids) < 2:
        return math.nan
    read = torch.tensor([ids], device=network.device)
    with torch.inference_mode():
        return math.exp(network(input_ids=read, labels=read).loss.item())
