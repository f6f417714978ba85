"""The file of a trained head: low-rank changes of the encoder's matrices and a small layer on top, in one
safetensors file.

text      reads one text: concat[first token, mean of all tokens]
token     reads each token's state
sentence  reads the unit vector of `models.inner_vectors` and, for each category of toxic_terms.py, whether a
          term of it stands in the text (1 or 0); the encoder stays as it is
ngrams    reads hashed n-grams, weighed by `idf` (ngrams.py); no encoder is run
aligned   reads premise and hypothesis separately and compares their tokens (`head_networks.AlignedHead`)

Then an optional layer `dense` with tanh, and the linear layer `out` with one row per label, whose softmax is
the answer. All numbers are float16.
"""

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragassay.errors import ModelError
from ragassay.models import encoder, model_files

FOLDER = Path(__file__).parent / "heads"
SHIPPED = "heads/"  # prefix of a shipped head's file, as recorded
NAMES = ("entailment", "toxicity", "acceptability", "entities", "refusals")
KINDS = ("text", "token", "sentence", "ngrams", "aligned")
VERSION = 1


@dataclass(frozen=True, eq=False)
class Head:
    """A head as read, float32: `changes` maps a matrix of the encoder to its up (scaled) and down."""

    identity: dict[str, str]
    kind: str
    labels: tuple[str, ...]
    max_length: int
    changes: dict[str, tuple[NDArray, NDArray]]
    layers: dict[str, NDArray]
    about: dict[str, Any]


def write(path: str | Path, tensors: Mapping[str, Any], about: Mapping[str, Any]) -> None:
    """Write a head.

    Parameters
    ----------
    tensors : name -> torch tensor or array; names as in the file, or with one `encoder.` more, as in training
    about : kind, labels, max_length, and scale (1.0), script, seed, training_data, measured

    Raises
    ------
    ModelError
        If a tensor does not fit float16, or an entry of `about` is missing.
    """
    from safetensors.numpy import save_file

    arrays, rank = {}, 0
    for name, value in tensors.items():
        array = np.asarray(value.detach().cpu() if hasattr(value, "detach") else value, dtype=np.float32)
        largest = np.abs(array).max(initial=0)
        if not largest <= np.finfo(np.float16).max:
            what, found = "a tensor of the head does not fit float16", f"largest {largest}"
            raise ModelError(what, where=name, found=found)
        arrays[name.replace("encoder.encoder.", "encoder.", 1)] = np.ascontiguousarray(
            array, dtype=np.float16
        )
        rank = max(rank, len(array)) if name.endswith(".down") else rank
    sha256 = encoder.identity(encoder.DEFAULT)["sha256"]
    entry = {**about, "rank": rank, "version": VERSION, "encoder": sha256}
    _check(Path(path), entry)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    save_file(arrays, path, metadata={"head": json.dumps(entry, ensure_ascii=False, sort_keys=True)})


def find_head(model: str) -> Path | None:
    """The file of a head given by name (entailment, ...) or by path; None if `model` names neither."""
    if model.endswith(".safetensors") and Path(model).is_file():
        return Path(model)
    file = FOLDER / f"{model}.safetensors"
    return file if "/" not in model and file.is_file() else None


def shipped_heads() -> list[dict[str, str]]:
    """Name, file and SHA-256 of every head in this installation."""
    return [read(path).identity for path in sorted(FOLDER.glob("*.safetensors"))]


def read(path: Path) -> Head:
    """The head in this file.

    Raises
    ------
    ModelError
        If the file is damaged, not of this format, or made for another encoder.
    """
    return _read(path, path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=16)
def _read(path: Path, modified: int) -> Head:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            about = json.loads((file.metadata() or {}).get("head", "{}"))
            arrays = {name: file.get_tensor(name).astype(np.float32) for name in sorted(file.keys())}
    except (SafetensorError, json.JSONDecodeError) as problem:
        what, do = "the file of a head is damaged", "reinstall ragassay, or train the head again"
        raise ModelError(what, where=path, found=problem, do=do) from problem
    _check(path, about)
    file_name = f"{SHIPPED}{path.name}" if path.parent == FOLDER else path.name
    scale = np.float32(about.get("scale", 1.0))
    changed = [name.removesuffix(".down") for name in arrays if name.endswith(".down")]
    return Head(
        {"name": path.stem, "file": file_name, "sha256": model_files.sha256(path)},
        about["kind"],
        tuple(about["labels"]),
        int(about["max_length"]),
        {name: (arrays[f"{name}.up"] * scale, arrays[f"{name}.down"]) for name in changed},
        {name.removeprefix("head."): value for name, value in arrays.items() if name.startswith("head.")},
        about,
    )


def _check(path: Path, about: Mapping[str, Any]) -> None:
    """Refuse a file whose entries are not those of a head for the kit's encoder."""
    what, found, expected = "the file is not a head of this version", about, f"version {VERSION}"
    missing = {"kind", "labels", "max_length", "encoder", "version"} - about.keys()
    sound = not missing and about["version"] == VERSION and about["kind"] in KINDS
    own = encoder.identity(encoder.DEFAULT)["sha256"]
    if sound and about["encoder"] == own:
        return
    if sound:
        what, found, expected = "the head was trained on another encoder", about["encoder"], own
    do = "write it with ragassay.models.head_file.write"
    raise ModelError(what, where=path, found=found, expected=expected, do=do)
