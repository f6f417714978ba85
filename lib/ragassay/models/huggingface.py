"""Hugging Face models for classification in the place of our heads: by name or folder, from this machine
only.
"""

import functools
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ragassay.errors import ModelError
from ragassay.models import deterministic_batching, devices, model_files
from ragassay.models.instrument import Instrument, Loaded, hyperplane_norm, label_columns

LIMIT = 512  # tokens, or fewer where the model takes fewer


def instrument_of_model(model: str, kind: str) -> Instrument:
    """The instrument behind `name` or `folder`; after a `#` the user's choice of labels (instrument.py).

    Raises
    ------
    ModelError
        If the model is not on this machine, has no configuration, or is not a classifier of this kind.
    """
    name = model.partition("#")[0]
    folder = model_files.find_folder(name)
    identity, settings = _identity(folder, name), _settings(folder, name)
    _check_kind(settings, folder, name)
    labels = _labels(settings)
    limit = min(LIMIT, int(settings.get("max_position_embeddings", LIMIT)) - 2)
    recipe = ";".join((model_files.folder_sha256(folder), deterministic_batching.SHAPES, kind, str(limit)))
    load = functools.partial(_load, folder, kind, model, devices.chosen_device())
    several = settings.get("problem_type") == "multi_label_classification" or len(labels) == 1
    return Instrument(identity, labels, limit, recipe + devices.recipe(), load, several)


@functools.cache
def _identity(folder: Path, name: str) -> dict[str, str]:
    weights = model_files.find_weights(folder, name)
    return {"name": name, "file": weights.name, "sha256": model_files.sha256(weights)}


def _settings(folder: Path, name: str) -> dict[str, Any]:
    try:
        return json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise ModelError(
            f"the model {name!r} has no readable config.json", where=folder, found=problem
        ) from problem


def _check_kind(settings: dict[str, Any], folder: Path, name: str) -> None:
    wanted = "ForSequenceClassification"
    if not any(str(architecture).endswith(wanted) for architecture in settings.get("architectures") or []):
        raise ModelError(
            f"the model {name!r} is of another kind",
            where=folder,
            found=settings.get("architectures"),
            expected=f"a model ...{wanted}",
        )


def _labels(settings: dict[str, Any]) -> tuple[str, ...]:
    """The model's labels in the order of their numbers."""
    by_number = settings.get("id2label", {0: "LABEL_0", 1: "LABEL_1"})
    return tuple(by_number[number] for number in sorted(by_number, key=int))


@functools.lru_cache(maxsize=4)
def _load(folder: Path, kind: str, model: str, device: str) -> Loaded:
    model_files.stay_offline()
    import transformers

    family = transformers.AutoModelForSequenceClassification
    with model_files.damage_told(folder):
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
        network = family.from_pretrained(str(folder), local_files_only=True).float().eval()
    devices.move(network)
    if not tokenizer.is_fast:
        raise ModelError(
            "the model has no fast tokenizer, so places in a text are not known",
            where=folder,
            do="name a model with a tokenizer.json",
        )
    scores = _scores(network, "token_type_ids" in tokenizer.model_input_names)
    norm = _hyperplane_norm(network, model) if kind == "pair" else math.nan
    return Loaded(tokenizer, scores, norm, pad_id=tokenizer.pad_token_id or 0)


def _scores(network: Any, with_types: bool) -> Callable[[dict[str, NDArray]], NDArray]:
    import torch

    def scores(inputs: dict[str, NDArray]) -> NDArray:
        read = devices.tensors(network, inputs)
        given = {"input_ids": read["ids"], "attention_mask": read["mask"]}
        if with_types:
            given["token_type_ids"] = read["types"]
        with torch.inference_mode(), devices.memory_told():
            return network(**given).logits.cpu().numpy()

    return scores


def _hyperplane_norm(network: Any, model: str) -> float:
    """As `hyperplane_norm`, where the last layer of a three-way model is linear and the output; else NaN."""
    from torch import nn

    layers = [module for module in network.modules() if isinstance(module, nn.Linear)]
    names = [network.config.id2label[i] for i in range(network.config.num_labels)]
    if len(names) != 3 or not layers or layers[-1].out_features != 3:
        return math.nan
    entailment = label_columns(names, "entailment", model)[0]
    return hyperplane_norm(layers[-1].weight.detach().cpu().numpy(), entailment)
