"""The file of a trained head: low-rank changes of the encoder's matrices and a small layer on top, in one
safetensors file.

pair      reads premise and hypothesis together: concat[first token, u, v, |u - v|, u * v], u and v their
          means
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
from ragassay.models import encoder, model_files, toxic_terms

FOLDER = Path(__file__).parent / "heads"
SHIPPED = "heads/"  # prefix of a shipped head's file, as recorded
NAMES = ("entailment", "toxicity", "acceptability", "entities", "refusals")
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
    """Write a head, checked by reading it back.

    Parameters
    ----------
    tensors : name -> torch tensor or array; names as in the file, or with one `encoder.` more, as in training
    about : kind, labels, max_length, and scale (1.0), script, seed, training_data, measured

    Raises
    ------
    ModelError
        If a tensor, its shape or an entry of `about` is not what the kind asks for.
    """
    from safetensors.numpy import save_file

    arrays = {
        name.replace("encoder.encoder.", "encoder.", 1): _half(name, value) for name, value in tensors.items()
    }
    rank = max((value.shape[0] for name, value in arrays.items() if name.endswith(".down")), default=0)
    entry = {
        **about,
        "rank": rank,
        "version": VERSION,
        "encoder": encoder.identity(encoder.DEFAULT)["sha256"],
    }
    draft = Path(path).with_suffix(".draft")
    draft.parent.mkdir(parents=True, exist_ok=True)
    save_file(arrays, draft, metadata={"head": json.dumps(entry, ensure_ascii=False, sort_keys=True)})
    _read(draft)
    draft.chmod(0o644)
    draft.replace(path)


def _half(name: str, value: Any) -> NDArray:
    array = np.ascontiguousarray(
        value.detach().float().cpu().numpy() if hasattr(value, "detach") else value, dtype=np.float32
    )
    if not np.isfinite(array).all() or np.abs(array).max(initial=0) > np.finfo(np.float16).max:
        raise ModelError(
            "a tensor of the head does not fit float16", where=name, found=f"largest {np.abs(array).max()}"
        )
    return array.astype(np.float16)


def find_head(model: str) -> Path | None:
    """The file of a head given by name (entailment, ...) or by path; None if `model` names neither."""
    if model.endswith(".safetensors") and Path(model).is_file():
        return Path(model)
    file = FOLDER / f"{model}.safetensors"
    return file if "/" not in model and file.is_file() else None


def is_shipped(file: str) -> bool:
    """Whether a record of a model names the file of a head that ships."""
    return file.startswith(SHIPPED)


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
    return _read_at(path, path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=16)
def _read_at(path: Path, modified: int) -> Head:
    return _read(path)


def _read(path: Path) -> Head:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            about = json.loads((file.metadata() or {}).get("head", "{}"))
            arrays = {name: file.get_tensor(name).astype(np.float32) for name in sorted(file.keys())}
    except (SafetensorError, json.JSONDecodeError) as problem:
        raise ModelError(
            "the file of a head is damaged",
            where=path,
            found=problem,
            do="reinstall ragassay, or train the head again",
        ) from problem
    _check(path, about, arrays)
    identity = {
        "name": path.stem,
        "file": f"{SHIPPED}{path.name}" if path.parent == FOLDER else path.name,
        "sha256": model_files.sha256(path),
    }
    layers = {name.removeprefix("head."): value for name, value in arrays.items() if name.startswith("head.")}
    return Head(
        identity,
        about["kind"],
        tuple(about["labels"]),
        int(about["max_length"]),
        _changes(arrays, about.get("scale", 1.0)),
        layers,
        about,
    )


def _changes(arrays: Mapping[str, NDArray], scale: float) -> dict[str, tuple[NDArray, NDArray]]:
    names = [name.removesuffix(".down") for name in arrays if name.endswith(".down")]
    return {name: (arrays[f"{name}.up"] * np.float32(scale), arrays[f"{name}.down"]) for name in names}


def _check(path: Path, about: dict, arrays: Mapping[str, NDArray]) -> None:
    """Refuse a file whose entries or tensors do not fit its kind."""

    def refuse(what: str, found: object, expected: object) -> None:
        raise ModelError(
            what,
            where=path,
            found=found,
            expected=expected,
            do="write it with ragassay.models.head_file.write",
        )

    missing = {"kind", "labels", "max_length", "encoder", "version"} - about.keys()
    if missing or about["version"] != VERSION or about["kind"] not in KINDS:
        refuse(
            "the file is not a head of this version",
            about,
            f"kind, labels, max_length, encoder, version {VERSION}",
        )
    if about["encoder"] != encoder.identity(encoder.DEFAULT)["sha256"]:
        refuse(
            "the head was trained on another encoder",
            about["encoder"],
            encoder.identity(encoder.DEFAULT)["sha256"],
        )
    if problem := misfit(about, arrays):
        refuse("the tensors of the head do not fit its kind", problem, "see head_file.py")


PARTS = {"pair": 5, "text": 2, "token": 1, "sentence": 1}  # kind -> vectors that the first layer reads
KINDS = (*PARTS, "aligned", "ngrams")
ADDED = {"sentence": len(toxic_terms.CATEGORIES)}  # kind -> numbers that it reads beside the vectors
OF_TOKENS = {
    "small": 1,
    "query": 1,
    "key": 1,
    "sentences": 4,
}  # layer of an aligned head -> vectors that it reads


def misfit(about: dict, arrays: Mapping[str, NDArray]) -> str | None:
    """What is wrong with the tensors, or None."""
    wanted = _shapes(about["kind"], len(about["labels"]), arrays)
    if missing := sorted(wanted.keys() - arrays.keys()):
        return f"layers without {missing[0]}"
    changed = arrays.keys() - wanted.keys()
    names = {name.rpartition(".")[0] for name in changed}
    if odd := changed ^ {f"{name}.{half}" for name in names for half in ("up", "down")}:
        return f"tensors without their other half or out of place: {sorted(odd)[:4]}"
    if about["kind"] in ("sentence", "ngrams") and changed:
        return f"a head of kind {about['kind']} that changes the encoder"
    for name, shape in wanted.items():
        if arrays[name].shape != shape:
            return f"{name} of shape {arrays[name].shape}, expected {shape} for {len(about['labels'])} labels"
    return None


def _shapes(kind: str, labels: int, arrays: Mapping[str, NDArray]) -> dict[str, tuple[int, ...]]:
    """The tensors of the layers of a head of this kind with their shapes; inner widths are the file's own."""

    def rows(name: str) -> int:
        return len(arrays.get(f"head.{name}", ()))

    def linear(name: str, outputs: int, inputs: int) -> dict[str, tuple[int, ...]]:
        return {f"head.{name}.weight": (outputs, inputs), f"head.{name}.bias": (outputs,)}

    width, inner, found = encoder.WIDTH, rows("small.weight"), dict[str, tuple[int, ...]]()
    if kind == "ngrams":
        features = rows("idf")
        found |= {"head.idf": (features,)}
    elif kind == "aligned":
        features = 5 * inner
        found |= {"head.norm.weight": (width,), "head.norm.bias": (width,)}
        found |= linear("compare", inner, 4 * inner)
        for name, vectors in OF_TOKENS.items():
            found |= linear(name, inner, vectors * width)
    else:
        features = PARTS[kind] * width + ADDED.get(kind, 0)
    dense = {"head.dense.weight", "head.dense.bias"} & arrays.keys()
    if kind == "aligned" or (dense and kind != "ngrams"):
        found |= linear("dense", rows("dense.weight"), features)
        features = rows("dense.weight")
    return found | linear("out", labels, features)
