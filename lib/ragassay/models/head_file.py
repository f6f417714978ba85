"""The file of a trained head, in safetensors, float16, written by training/data.py: low-rank changes of the
encoder's matrices and a small layer on top.

text      reads one text: concat[first token, mean of all tokens]
token     reads each token's state
sentence  reads the unit vector of `models.inner_vectors` and, for each category of toxic_terms.py, whether a
          term of it stands in the text (1 or 0); the encoder stays as it is
ngrams    reads hashed n-grams, weighed by `idf`, and `models.inner_vectors` by `inner` (ngrams.py)
aligned   reads premise and hypothesis separately and compares their tokens (`head_networks.AlignedHead`)

Then an optional layer `dense` with tanh, and the linear layer `out` with one row per label: softmax.
"""

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragassay import provenance
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


def find_head(model: str) -> Path | None:
    """The file of a head given by name (entailment, ...) or by path; None if `model` names neither."""
    if model.endswith(".safetensors") and Path(model).is_file():
        return Path(model)
    file = FOLDER / f"{model}.safetensors"
    return file if "/" not in model and file.is_file() else None


def shipped_heads() -> list[dict[str, str]]:
    """Name, file and SHA-256 of every head in this installation."""
    return [read(path).identity for path in sorted(FOLDER.glob("*.safetensors"))]


def files_sha256(model: str) -> str:
    """SHA-256 of a head's file, or of all files of a model's folder; ModelError if there is none."""
    name = model.partition("#")[0]
    head = find_head(name)
    return provenance.sha256_of(head) if head else model_files.folder_sha256(model_files.find_folder(name))


@functools.lru_cache(maxsize=16)
def read(path: Path) -> Head:
    """The head in this file; a ModelError if it is damaged, or no head of this version for our encoder."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            about = json.loads((file.metadata() or {}).get("head", "{}"))
            arrays = {name: file.get_tensor(name).astype(np.float32) for name in sorted(file.keys())}
    except (SafetensorError, json.JSONDecodeError) as problem:
        raise ModelError(
            "the file of a head is damaged", where=path, found=problem, do="reinstall ragassay"
        ) from problem
    wanted = {"version": VERSION, "encoder": encoder.MINILM_SHA256}
    if about.get("kind") not in KINDS or not wanted.items() <= about.items():
        what = "the file is not a head of this version for our encoder"
        raise ModelError(what, where=path, found=about, expected=wanted)
    scale = np.float32(about.get("scale", 1.0))
    changed = [name.removesuffix(".down") for name in arrays if name.endswith(".down")]
    changes = {name: (arrays[f"{name}.up"] * scale, arrays[f"{name}.down"]) for name in changed}
    layers = {name.removeprefix("head."): value for name, value in arrays.items() if name.startswith("head.")}
    identity = {
        "name": path.stem,
        "file": f"{SHIPPED}{path.name}" if path.parent == FOLDER else path.name,
        "sha256": provenance.sha256_of(path),
    }
    labels, longest = tuple(about["labels"]), int(about["max_length"])
    return Head(identity, about["kind"], labels, longest, changes, layers, about)
