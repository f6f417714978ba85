"""The instrument of a name: a network that scores labels, whether a head we ship, the file of a head, or a
Hugging Face model for classification, whose labels are found by their names, or named after a `#`.
And what a call names in place of the run's models: checked before anything is computed, and said to readers.
"""

import contextlib
import functools
import math
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragassay import provenance, search_paths
from ragassay.errors import ModelError
from ragassay.models import batching, encoder, entailment_thresholds, head_file, model_files
from ragassay.models.batching import SHAPES, Input
from ragassay.models.head_file import Head

HEADS = {"pair": ("aligned",), "text": ("text", "sentence"), "token": ("token",)}  # kinds of heads that serve
LIMIT = 512  # tokens that a named model reads, or fewer where it takes fewer
ENTAILMENT = ("entailment", "entailed", "entails")
SUPPORT = "supported supports support grounded faithful consistent factual attributable".split()
MEANINGS: dict[str, tuple[Sequence[str], ...]] = {  # asked -> of each answer the names that mean it
    "entailment": (ENTAILMENT, ("neutral",), ("contradiction", "contradicts", "contradictory")),
    "toxicity": (("toxic", "toxicity", "hate", "hateful", "hate speech", "abusive"),),
    "acceptability": (("acceptable",),),
    "support": ((*SUPPORT, *ENTAILMENT),),
}
KINDS = {"entailment": "pair", "support": "support", "toxicity": "text"}  # of instruments
NAMED = (*KINDS, "thresholds", "device")
IN_PLACE_OF = {"entailment": "head", "support": "logistic model", "toxicity": "head"}  # of the kit


@dataclass(frozen=True)
class Loaded:
    """Tokenizer (of tokenizers, or a fast one of transformers) and network: inputs to the labels' scores."""

    tokenizer: Any
    compute: Callable[[Sequence[Input]], list[NDArray]]
    hyperplane_norm: float = math.nan  # length of the weights behind z; NaN where it is unknown


@dataclass(frozen=True)
class Instrument:
    """What is known of a network before it is loaded."""

    identity: dict[str, str]
    labels: tuple[str, ...]
    limit: int  # tokens
    recipe: str  # tells its results from any other's in the cache
    load: Callable[[], Loaded]
    several: bool = False  # labels are judged independently (sigmoid), not against each other (softmax)
    on_our_encoder: bool = False

    def record_use(self) -> None:
        """Note in the trace which models take part."""
        provenance.model(**self.identity)
        if self.on_our_encoder:
            provenance.model(**encoder.identity(encoder.DEFAULT))


def find_instrument(model: str, kind: str) -> Instrument:
    """The instrument of this name, a head, shipped or a file, or a model (`name#LABEL,LABEL`), that is to
    judge a pair, text, token or support; a ModelError if there is none here, or it is of another kind."""
    path = head_file.find_head(model)
    if path is None:
        name = model.partition("#")[0]
        folder = model_files.find_folder(name)
        identity = model_files.identify(folder, name)
        settings = model_files.settings(folder, name, "ForSequenceClassification")
        by_number = settings.get("id2label", {0: "LABEL_0", 1: "LABEL_1"})
        labels = tuple(by_number[number] for number in sorted(by_number, key=int))
        limit = min(LIMIT, int(settings.get("max_position_embeddings", LIMIT)) - 2)
        recipe = ";".join((model_files.folder_sha256(folder), SHAPES, kind, str(limit)))
        load = functools.partial(_load_model, folder, kind, model, limit, batching.chosen_device())
        several = settings.get("problem_type") == "multi_label_classification" or len(labels) == 1
        return Instrument(identity, labels, limit, recipe + batching.device_recipe(), load, several)
    head = head_file.read(path)
    if head.kind not in HEADS.get(kind, ()):
        raise ModelError(f"the head {model!r} is of another kind", where=path, found=head.kind, expected=kind)
    hashes = (head.identity["sha256"], encoder.identity(encoder.DEFAULT)["sha256"])
    recipe = ";".join((*hashes, SHAPES, head.kind)) + batching.device_recipe()
    load = functools.partial(_load_head, head, batching.chosen_device())
    return Instrument(head.identity, head.labels, head.max_length, recipe, load, on_our_encoder=True)


@functools.lru_cache(maxsize=8)
def _load_head(head: Head, device: str) -> Loaded:
    from ragassay.models import head_networks

    with model_files.damage_told(Path(head.identity["file"])):
        network, judge = batching.move_to_device(head_networks.encoder_of(head)), head_networks.judge_of(head)

    def compute(inputs: Sequence[Input]) -> list[NDArray]:
        aligned = head.kind == "aligned"
        apart = [head_networks.split_pair(one) if aligned else (one,) for one in inputs]
        states = batching.compute_states((text for own in apart for text in own), network, head.max_length)
        with ThreadPoolExecutor(batching.workers_here()) as pool:
            return list(pool.map(judge, ([states[text] for text in own] for own in apart)))

    return Loaded(encoder.new_tokenizer(), compute, hyperplane_norm(head.layers["out.weight"]))


@functools.lru_cache(maxsize=4)
def _load_model(folder: Path, kind: str, model: str, limit: int, device: str) -> Loaded:
    import torch

    tokenizer, network = model_files.load(folder, "AutoModelForSequenceClassification")
    batching.move_to_device(network)
    if not tokenizer.is_fast:
        raise ModelError("the model has no fast tokenizer", where=folder, do="add a tokenizer.json")
    pad_id, read = tokenizer.pad_token_id or 0, {"input_ids", "attention_mask", *tokenizer.model_input_names}

    def forward(batch: list[Input], length: int) -> NDArray:
        padded = batching.pad(batch, length, network.device, pad_id)
        with torch.inference_mode():
            return network(**{name: padded[name] for name in padded if name in read}).logits.cpu().numpy()

    compute = functools.partial(batching.compute_in_batches, limit=limit, forward=forward)
    # the distance is known where the last layer of a three-way model is linear and the output
    layers = [module for module in network.modules() if isinstance(module, torch.nn.Linear)]
    if kind != "pair" or not layers or layers[-1].out_features != 3:
        return Loaded(tokenizer, compute)
    entailment = label_columns([network.config.id2label[i] for i in range(3)], "entailment", model)[0]
    return Loaded(tokenizer, compute, hyperplane_norm(layers[-1].weight.detach().cpu().numpy(), entailment))


def hyperplane_norm(weights: NDArray, first: int = 0) -> float:
    """Length of w = (row `first`) - (mean of the other rows): what z is divided by to become a distance."""
    rows = weights.astype(np.float64)
    return float(np.linalg.norm(rows[first] - np.delete(rows, first, axis=0).mean(axis=0)))


def label_columns(labels: Sequence[str], asked: str, model: str) -> list[int]:
    """The columns among `labels` of the answers asked for, in the order of MEANINGS; a ModelError if one is
    not found."""
    chosen = model.partition("#")[2]
    own = [(name.strip().lower(),) for name in chosen.split(",")]
    wanted: Sequence[Sequence[str]] = own if chosen else MEANINGS[asked]
    lower = [label.lower() for label in labels]
    columns = [lower.index(name) for names in wanted for name in [n for n in names if n in lower][:1]]
    if not len(columns) == len(wanted) == len(MEANINGS[asked]):
        form = "#LABEL" + ",LABEL" * (len(MEANINGS[asked]) - 1)
        raise ModelError(
            f"the labels of {model!r} do not say which means {asked}",
            found=", ".join(labels),
            expected=", ".join(" or ".join(names) for names in MEANINGS[asked]),
            do=f"name them in this order: model{form}",
        )
    return columns


def recorded_file(name: str, file: str, own: Sequence[str] = ()) -> Path | None:
    """The file on this machine that a run's record of a model names, None if it is not at hand; `own` are
    models that the run named in place of the kit's."""
    places = [place for model in own if (place := search_paths.find(model.partition("#")[0])).name == file]
    if file.startswith(head_file.SHIPPED):
        places = [head_file.FOLDER / Path(file).name]
    elif name == encoder.DEFAULT_NAME:
        places.append(encoder.folder() / Path(file).name)
    else:
        with contextlib.suppress(ModelError):
            places.append(model_files.find_folder(name, model_files.PREFIXES) / Path(file).name)
    return next((place for place in places if place.is_file()), None)


def check_model(kind: str, model: str) -> None:
    """Refuse a model that cannot serve as this (encoder, language_model, entailment, support, toxicity),
    without loading it: a ModelError if it is not on this machine, lacks weights, configuration or tokenizer,
    is of another kind, or none of its labels means what is asked."""
    if kind == "encoder":
        place = encoder.folder(model)
        encoder.identity(model)
        missing = [name for name in ("config.json", "tokenizer.json") if not (place / name).is_file()]
        if missing:
            what = f"the encoder {model!r} has no {missing[0]}"
            raise ModelError(what, where=place, do="save it by SentenceTransformer(...).save(folder)")
    elif kind == "language_model":
        place = model_files.find_folder(model)
        model_files.identify(place, model)
        model_files.settings(place, model, "ForCausalLM", "LMHeadModel")
    else:
        label_columns(find_instrument(model, KINDS[kind]).labels, kind, model)


@contextlib.contextmanager
def use_models(**named: str) -> Iterator[None]:
    """Within it, these (NAMED) in place of the run's; "" is the run's. A ModelError if a model or the device
    is not here or a model is of another kind, an InputError if the thresholds are not for these models."""
    with model_files.naming(**named):
        for kind in KINDS:
            if named.get(kind):
                check_model(kind, named[kind])
        entailment_thresholds.own()
        batching.check_device()
        yield


def limits(of: Collection[str] = tuple(KINDS), encoder: str = "") -> list[str]:
    """Which models judge `of` (of KINDS) in place of the kit's, each with its hash, and which thresholds do
    not hold for them or for the encoder of a call, in sentences; none with the kit's."""
    found = []
    for kind, model in _named(of).items():
        identity = find_instrument(model, KINDS[kind]).identity
        known = f"{identity['name']} (SHA-256 {identity['sha256'][:16]})"
        found.append(f"{kind.capitalize()} is judged by {known}, not by the kit's {IN_PLACE_OF[kind]}.")
    return found + (entailment_thresholds.uncalibrated(encoder) if "entailment" in of else [])


def hashes(of: Collection[str] = tuple(KINDS)) -> dict[str, str]:
    """SHA-256 of the files of each model of `of` that is named in place of the kit's."""
    return {kind: head_file.files_sha256(model) for kind, model in _named(of).items()}


def _named(of: Collection[str]) -> dict[str, str]:
    return {kind: model for kind in of if (model := model_files.of_run(kind)) not in ("", kind)}
