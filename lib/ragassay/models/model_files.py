"""Where a model's files are on this machine, and which file its weights are; nothing is ever downloaded."""

import contextlib
import functools
import json
import os
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from ragassay import provenance, search_paths
from ragassay.errors import KitError, ModelError

OF_RUN = {
    "encoder": "RAGASSAY_ENCODER",
    "entailment": "RAGASSAY_ENTAILMENT",
    "support": "RAGASSAY_SUPPORT",
    "toxicity": "RAGASSAY_TOXICITY",
    "language_model": "RAGASSAY_LANGUAGE_MODEL",
    "thresholds": "RAGASSAY_THRESHOLDS",
    "device": "RAGASSAY_DEVICE",
}  # what a run names in place of ours: models, the thresholds chosen for one of them, where they compute
PREFIXES = ("", "sentence-transformers/")  # of Hugging Face names that may be left out
WEIGHTS = (  # a large model's are in parts
    "model.safetensors",
    "pytorch_model.bin",
    "model.safetensors.index.json",
    "pytorch_model.bin.index.json",
)
_named: ContextVar[Mapping[str, str]] = ContextVar("_named")
THREADS = 1  # of torch for one batch; part of every recipe: another number may change the last bit


def find_folder(model: str, prefixes: tuple[str, ...] = ("",)) -> Path:
    """The folder of a model given by path or by its Hugging Face name, with one of the prefixes before it; a
    ModelError if it is not on this machine."""
    if search_paths.find(model).is_dir():
        return search_paths.find(model)
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    for prefix in prefixes:
        with contextlib.suppress(LocalEntryNotFoundError, ValueError):
            return Path(snapshot_download(prefix + model, local_files_only=True))
    raise ModelError(f"the model {model!r} is not on this machine", do="download it, or give its folder")


def of_run(kind: str) -> str:
    """What the run names of OF_RUN, in its environment; "" where it takes ours, or none.
    What `naming` names stands before it."""
    return _named.get({}).get(kind) or os.environ.get(OF_RUN[kind], "")


@contextlib.contextmanager
def naming(**named: str) -> Iterator[None]:
    """Within it, these (of OF_RUN) in place of the run's; "" is the run's."""
    before = _named.set({**_named.get({}), **{kind: name for kind, name in named.items() if name}})
    try:
        yield
    finally:
        _named.reset(before)


def note_inputs() -> None:
    """Note what the run names in place of ours as inputs, of a folder with the hash of all its files."""
    for kind in OF_RUN:
        given = of_run(kind).partition("#")[0]
        if given and search_paths.find(given).exists():
            provenance.reads_input(given)


# of all files of a model: configuration and tokenizer decide its results as its weights do
folder_sha256 = functools.cache(provenance.sha256_of)


@functools.cache
def identify(folder: Path, model: str) -> dict[str, str]:
    """Name, weights file and its SHA-256 of a model; a ModelError if it has no weights."""
    weights = next((folder / name for name in WEIGHTS if (folder / name).exists()), None)
    if weights is None:
        raise ModelError(
            f"the model {model!r} has no weights file", where=folder, expected=" or ".join(WEIGHTS)
        )
    return {"name": model, "file": weights.name, "sha256": provenance.sha256_of(weights)}


def settings(folder: Path, model: str, *kinds: str) -> dict[str, Any]:
    """What the model's config.json says; a ModelError if it cannot be read, or none of its architectures ends
    in one of `kinds`."""
    try:
        found = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        architectures = found.get("architectures") or []
    except (OSError, ValueError, AttributeError) as problem:
        raise ModelError(
            f"the model {model!r} has no readable config.json", where=folder, found=problem
        ) from problem
    if not any(str(one).endswith(kinds) for one in architectures):
        raise ModelError(
            f"the model {model!r} is of another kind", where=folder, found=architectures, expected=kinds
        )
    return found


@contextlib.contextmanager
def damage_told(folder: Path) -> Iterator[None]:
    """Around the loading of a model: whatever its libraries raise on a broken folder becomes a ModelError."""
    try:
        yield
    except KitError:
        raise
    except Exception as problem:
        raise ModelError(
            "the model cannot be loaded",
            where=folder,
            found=f"{type(problem).__name__}: {problem}",
            do="copy the folder anew, or name another model",
        ) from problem


def load(folder: Path, family: str) -> tuple[Any, Any]:
    """Tokenizer and network of a model; `family` is one of the Auto classes of transformers."""
    stay_offline()
    import transformers

    with damage_told(folder):
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
        network = getattr(transformers, family).from_pretrained(str(folder), local_files_only=True)
    return tokenizer, network.float().eval()


def stay_offline() -> None:
    """Keep the libraries of models off the network, quiet, and torch on the number of threads that is part of
    every recipe."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import torch
    from transformers.utils import logging

    logging.disable_progress_bar()
    logging.set_verbosity_error()
    torch.set_num_threads(THREADS)
