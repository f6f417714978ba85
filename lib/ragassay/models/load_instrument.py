"""The instrument of a name: a head we ship, the file of a head, or a Hugging Face model (huggingface.py)."""

import functools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ragassay import search_paths
from ragassay.errors import ModelError
from ragassay.models import (
    deterministic_batching,
    devices,
    encoder,
    head_file,
    huggingface,
    model_files,
    onnx,
    packing,
)
from ragassay.models.head_file import Head
from ragassay.models.instrument import Instrument, Loaded, hyperplane_norm
from ragassay.models.tokenization import Input

KINDS_OF = {"pair": ("pair", "aligned")}  # kinds of heads that judge pairs of texts
JUDGED = "unmasked"  # how packed inputs are judged; changes whenever the same head would score otherwise


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
        return huggingface.instrument_of_model(model, kind)
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
        plain = name.partition(" (onnx")[0]
        default = plain == encoder.DEFAULT_NAME
        folder = encoder.folder() if default else model_files.find_folder(plain, model_files.PREFIXES)
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
    runtime, device = onnx.runtime(), devices.chosen_device()
    is_packed = runtime == "torch" and device == devices.CPU
    shapes = f"{packing.SHAPES};{JUDGED}" if is_packed else deterministic_batching.SHAPES
    recipe = ";".join((*hashes, shapes, head.kind)) + onnx.recipe() + devices.recipe()
    load = functools.partial(_load, head, runtime, device)
    return Instrument(head.identity, head.labels, head.max_length, recipe, load, ours=True)


@functools.lru_cache(maxsize=8)
def _load(head: Head, runtime: str, device: str) -> Loaded:
    model_files.set_threads()
    from ragassay.models.head_networks import network

    tokenizer = encoder.new_tokenizer()
    norm = hyperplane_norm(head.layers["out.weight"])
    if runtime != "torch":
        return Loaded(tokenizer, onnx.scores(head.identity["sha256"], lambda: network(head)), norm)
    reader = devices.move(network(head))
    if device != devices.CPU:
        return Loaded(tokenizer, lambda inputs: _read(reader, inputs), norm)

    def packed(items: Sequence[Any], inputs: Sequence[Input]) -> Iterator[dict[Any, NDArray]]:
        return packing.compute_in_packs(items, inputs, reader.encoder, reader.split, reader.judge)

    return Loaded(tokenizer, None, norm, packed)


def _read(network: Any, inputs: dict[str, NDArray]) -> NDArray:
    """Padded inputs of a head to scores of its labels, off the CPU."""
    import torch

    with torch.inference_mode(), devices.memory_told():
        return network(**devices.tensors(network, inputs)).cpu().numpy()
