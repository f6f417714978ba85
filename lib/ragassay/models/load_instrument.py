"""The instrument of a name: a network that scores labels, as its callers know it whether it is a head we
ship, the file of a head, or a Hugging Face model for classification (by name or folder, from this machine).

Which of a model's labels mean what is asked is found by their names, or named by the user after a `#`.
"""

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragassay import provenance, search_paths
from ragassay.errors import ModelError
from ragassay.models import deterministic_batching, devices, encoder, head_file, model_files, tokenization
from ragassay.models.deterministic_batching import SHAPES, Item
from ragassay.models.head_file import Head
from ragassay.models.tokenization import Input

KINDS_OF = {"pair": ("pair", "aligned")}  # kinds of heads that judge pairs of texts
LIMIT = 512  # tokens that a named model reads, or fewer where it takes fewer
MEANINGS: dict[
    str, tuple[tuple[str, ...], ...]
] = {  # asked -> for each answer the lower-case names that mean it
    "entailment": (
        ("entailment", "entailed", "entails"),
        ("neutral",),
        ("contradiction", "contradicts", "contradictory"),
    ),
    "toxicity": (("toxic", "toxicity", "hate", "hateful", "hate speech", "abusive"),),
    "acceptability": (("acceptable",),),
    "support": (
        (
            *("supported", "supports", "support", "grounded", "faithful", "consistent", "factual"),
            *("attributable", "entailment", "entailed", "entails"),
        ),
    ),
}


@dataclass(frozen=True)
class Loaded:
    """Tokenizer (of tokenizers, or a fast one of transformers) and network.

    Attributes
    ----------
    compute : unique items and their inputs to scores of the labels, a part at a time
    hyperplane_norm : length of the weights behind z; NaN where it is unknown
    """

    tokenizer: Any
    compute: Callable[[Sequence[Item], Sequence[Input]], Iterator[dict[Item, NDArray]]]
    hyperplane_norm: float = math.nan


@dataclass(frozen=True)
class Instrument:
    """What is known of a network before it is loaded.

    Attributes
    ----------
    recipe : tells its results from any other's in the cache
    several : labels are judged independently (sigmoid), not against each other (softmax)
    ours : a head on the kit's encoder
    """

    identity: dict[str, str]
    labels: tuple[str, ...]
    limit: int
    recipe: str
    load: Callable[[], Loaded]
    several: bool = False
    ours: bool = False

    def note(self) -> None:
        """Note in the trace which models take part."""
        provenance.model(**self.identity)
        if self.ours:
            provenance.model(**encoder.identity(encoder.DEFAULT))


def find_instrument(model: str, kind: str) -> Instrument:
    """The instrument of this name: a head, shipped or a file, or a model (`name#LABEL,LABEL`).

    Raises
    ------
    ModelError
        If there is none on this machine, or it is of another kind.
    """
    path = head_file.find_head(model)
    if path is None:
        if model in head_file.NAMES:
            raise ModelError(
                f"the head {model!r} is not in this installation",
                where=head_file.FOLDER,
                do="reinstall ragassay",
            )
        return instrument_of_model(model, kind)
    head = head_file.read(path)
    if head.kind not in KINDS_OF.get(kind, (kind,)):
        raise ModelError(f"the head {model!r} is of another kind", where=path, found=head.kind, expected=kind)
    return instrument_of_head(head)


def recorded_file(name: str, file: str, own: Sequence[str] = ()) -> Path | None:
    """The file on this machine that a run's record of a model names; None if it is not at hand.

    own : models that the run named in place of the kit's, each a folder, a name or the file of a head
    """
    if head_file.is_shipped(file):
        return _if_there(head_file.FOLDER / Path(file).name)
    mine = [search_paths.find(model) for given in own if Path(model := given.partition("#")[0]).name == file]
    try:
        default = name == encoder.DEFAULT_NAME
        folder = encoder.folder() if default else model_files.find_folder(name, model_files.PREFIXES)
    except ModelError:
        return _if_there(*mine)
    return _if_there(*mine, folder / Path(file).name)


def _if_there(*paths: Path) -> Path | None:
    return next((path for path in paths if path.is_file()), None)


def files_sha256(model: str) -> str:
    """SHA-256 of a head's file, or of all files of a model's folder; ModelError if there is none."""
    name = model.partition("#")[0]
    head = head_file.find_head(name)
    return model_files.sha256(head) if head else model_files.folder_sha256(model_files.find_folder(name))


def instrument_of_head(head: Head) -> Instrument:
    """The instrument of one of our heads."""
    hashes = (head.identity["sha256"], encoder.identity(encoder.DEFAULT)["sha256"])
    recipe = ";".join((*hashes, SHAPES, head.kind)) + devices.recipe()
    load = functools.partial(_load_head, head, devices.chosen_device())
    return Instrument(head.identity, head.labels, head.max_length, recipe, load, ours=True)


@functools.lru_cache(maxsize=8)
def _load_head(head: Head, device: str) -> Loaded:
    from ragassay.models import head_networks

    network, layers = devices.move(head_networks.encoder_of(head)), head_networks.layers_of(head)

    def compute(items: Sequence[Item], inputs: Sequence[Input]) -> Iterator[dict[Item, NDArray]]:
        return deterministic_batching.compute_states(
            items, inputs, network, head.max_length, layers.judge, split=layers.split
        )

    return Loaded(encoder.new_tokenizer(), compute, hyperplane_norm(head.layers["out.weight"]))


def instrument_of_model(model: str, kind: str) -> Instrument:
    """The instrument behind `name` or `folder`; after a `#` the user's choice of labels.

    Raises
    ------
    ModelError
        If the model is not on this machine, has no configuration, or is not a classifier of this kind.
    """
    name = model.partition("#")[0]
    folder = model_files.find_folder(name)
    identity, settings = (
        _identity(folder, name),
        model_files.settings(folder, name, "ForSequenceClassification"),
    )
    by_number = settings.get("id2label", {0: "LABEL_0", 1: "LABEL_1"})
    labels = tuple(by_number[number] for number in sorted(by_number, key=int))
    limit = min(LIMIT, int(settings.get("max_position_embeddings", LIMIT)) - 2)
    recipe = ";".join((model_files.folder_sha256(folder), SHAPES, kind, str(limit))) + devices.recipe()
    load = functools.partial(_load_model, folder, kind, model, limit, devices.chosen_device())
    several = settings.get("problem_type") == "multi_label_classification" or len(labels) == 1
    return Instrument(identity, labels, limit, recipe, load, several)


@functools.cache
def _identity(folder: Path, name: str) -> dict[str, str]:
    weights = model_files.find_weights(folder, name)
    return {"name": name, "file": weights.name, "sha256": model_files.sha256(weights)}


@functools.lru_cache(maxsize=4)
def _load_model(folder: Path, kind: str, model: str, limit: int, device: str) -> Loaded:
    model_files.stay_offline()
    import torch
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
    pad_id, read = tokenizer.pad_token_id or 0, {"input_ids", "attention_mask", *tokenizer.model_input_names}

    def forward(batch: list[Input], length: int) -> NDArray:
        given = devices.tensors(network, tokenization.pad(batch, length, pad_id))
        with torch.inference_mode(), devices.memory_told():
            return network(**{name: given[name] for name in given if name in read}).logits.cpu().numpy()

    def compute(items: Sequence[Item], inputs: Sequence[Input]) -> Iterator[dict[Item, NDArray]]:
        lengths = [len(one.ids) for one in inputs]
        return deterministic_batching.compute_in_batches(items, inputs, lengths, limit, forward)

    return Loaded(tokenizer, compute, _norm_of_model(network, model) if kind == "pair" else math.nan)


def _norm_of_model(network: Any, model: str) -> float:
    """As `hyperplane_norm`, where the last layer of a three-way model is linear and the output; else NaN."""
    from torch import nn

    layers = [module for module in network.modules() if isinstance(module, nn.Linear)]
    names = [network.config.id2label[i] for i in range(network.config.num_labels)]
    if len(names) != 3 or not layers or layers[-1].out_features != 3:
        return math.nan
    entailment = label_columns(names, "entailment", model)[0]
    return hyperplane_norm(layers[-1].weight.detach().cpu().numpy(), entailment)


def hyperplane_norm(weights: NDArray, first: int = 0) -> float:
    """Length of w = (row `first`) - (mean of the other rows): what z is divided by to become a distance."""
    rows = weights.astype(np.float64)
    return float(np.linalg.norm(rows[first] - np.delete(rows, first, axis=0).mean(axis=0)))


def label_columns(labels: Sequence[str], asked: str, model: str) -> list[int]:
    """The columns among `labels` of the answers asked for, in the order of MEANINGS.

    Raises
    ------
    ModelError
        If a label is not found.
    """
    _, _, chosen = model.partition("#")
    by_user = [(name.strip(),) for name in chosen.split(",")]
    wanted: Sequence[Sequence[str]] = by_user if chosen else MEANINGS[asked]
    lower = [label.lower() for label in labels]
    found = [_first_of(names, lower) for names in wanted]
    columns = [column for column in found if column is not None]
    if len(columns) != len(MEANINGS[asked]) or None in found:
        raise ModelError(
            f"the labels of {model!r} do not say which means {asked}",
            found=", ".join(labels),
            expected=", ".join(" or ".join(names) for names in MEANINGS[asked]),
            do="name the model's labels in this order after a #: model#LABEL"
            + ",LABEL" * (len(MEANINGS[asked]) - 1),
        )
    return columns


def _first_of(names: Sequence[str], labels: list[str]) -> int | None:
    return next((labels.index(name.lower()) for name in names if name.lower() in labels), None)
