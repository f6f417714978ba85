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
    layers = {
        name.removeprefix("head."): value
        for name, value in arrays.items()
        if name in LAYERS | ALIGNED | NGRAMS
    }
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
ADDED = {
    "sentence": len(toxic_terms.CATEGORIES)
}  # kind -> numbers that the first layer reads beside the vectors
LAYERS = {"head.dense.weight", "head.dense.bias", "head.out.weight", "head.out.bias"}
NGRAMS = {"head.out.weight", "head.out.bias", "head.idf"}
ALIGNED = {
    f"head.{name}.{part}"
    for name in ("norm", "small", "query", "key", "compare", "sentences")
    for part in ("weight", "bias")
}


def misfit(about: dict, arrays: Mapping[str, NDArray]) -> str | None:
    """What is wrong with the tensors, or None."""
    if about["kind"] == "ngrams":
        return _misfit_ngrams(about, arrays)
    changed = set(arrays) - (LAYERS | ALIGNED if about["kind"] == "aligned" else LAYERS)
    changes = {name.rpartition(".")[0] for name in changed}
    halves = {f"{name}.{half}" for name in changes for half in ("up", "down")}
    if changed != halves:
        return f"tensors without their other half or out of place: {sorted(changed ^ halves)[:4]}"
    if about["kind"] == "sentence" and changed:
        return "a sentence head that changes the encoder"
    needed = {"head.out.weight", "head.out.bias"} | (ALIGNED if about["kind"] == "aligned" else set())
    if "head.dense.weight" in arrays or "head.dense.bias" in arrays:
        needed |= {"head.dense.weight", "head.dense.bias"}
    if missing := sorted(needed - set(arrays)):
        return f"layers without {missing[0]}"
    return _misshapen(about, arrays)


def _misfit_ngrams(about: dict, arrays: Mapping[str, NDArray]) -> str | None:
    """What is wrong with the tensors of a head over n-grams, or None."""
    if odd := set(arrays) ^ NGRAMS:
        return f"tensors missing or out of place: {sorted(odd)[:4]}"
    labels, buckets = len(about["labels"]), len(arrays["head.idf"])
    shapes = {"out.weight": (labels, buckets), "out.bias": (labels,), "idf": (buckets,)}
    wrong = [name for name, shape in shapes.items() if arrays[f"head.{name}"].shape != shape]
    return f"head.{wrong[0]} of shape {arrays[f'head.{wrong[0]}'].shape}" if wrong else None


def _misshapen(about: dict, arrays: Mapping[str, NDArray]) -> str | None:
    """The first layer of another shape than kind, labels and the layers before it ask for, or None."""
    wanted = _aligned_shapes(arrays) if about["kind"] == "aligned" else {}
    features = 5 * len(arrays["head.small.weight"]) if wanted else _width(about["kind"])
    if "head.dense.weight" in arrays:
        hidden = len(arrays["head.dense.weight"])
        wanted |= {"dense.weight": (hidden, features), "dense.bias": (hidden,)}
        features = hidden
    labels = len(about["labels"])
    wanted |= {"out.weight": (labels, features), "out.bias": (labels,)}
    for name, shape in wanted.items():
        if arrays[f"head.{name}"].shape != shape:
            return (
                f"head.{name} of shape {arrays[f'head.{name}'].shape}, expected {shape} for {labels} labels"
            )
    return None


def _width(kind: str) -> int:
    """Numbers that the first layer of a head of this kind reads."""
    return encoder.WIDTH * PARTS[kind] + ADDED.get(kind, 0)


def _aligned_shapes(arrays: Mapping[str, NDArray]) -> dict[str, tuple[int, ...]]:
    """Shapes of an aligned head's layers before the dense one."""
    inner, width = len(arrays["head.small.weight"]), encoder.WIDTH
    inputs = {"small": width, "query": width, "key": width, "compare": 4 * inner, "sentences": 4 * width}
    wanted: dict[str, tuple[int, ...]] = {f"{name}.weight": (inner, size) for name, size in inputs.items()}
    wanted |= {f"{name}.bias": (inner,) for name in inputs}
    return wanted | {"norm.weight": (width,), "norm.bias": (width,)}
