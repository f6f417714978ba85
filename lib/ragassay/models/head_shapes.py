"""Which tensors, of which shapes, a head of each kind has (head_file.py)."""

from collections.abc import Mapping

from numpy.typing import NDArray

from ragassay.models import encoder, toxic_terms

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
            return f"head.{name} of shape {arrays[f'head.{name}'].shape}, expected {shape}"
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
