"""Heads and models small enough to make in a test: random numbers in the agreed format."""

from pathlib import Path

import numpy as np

import data
from data import write_head
from ragassay.models.named_entities import KINDS

LABELS = {
    "pair": ["entailment", "neutral", "contradiction"],  # what is asked of an aligned head
    "aligned": ["entailment", "neutral", "contradiction"],
    "text": ["unacceptable", "acceptable"],
    "sentence": ["clean", "toxic"],
    "token": ["O", *(f"{sign}-{kind}" for kind in KINDS for sign in "BI")],
}
MATRIX = "encoder.layer.{}.attention.self.query"


def tensors(kind: str, *, rank: int = 2, hidden: int | None = None, seed: int = 0) -> dict[str, np.ndarray]:
    """Tensors of a head of this kind; `hidden` is the width of its dense layer, None for none."""
    rng = np.random.default_rng(seed)
    inner, hidden = 4, 8 if kind == "aligned" else hidden
    read = 5 * inner if kind == "aligned" else {"text": 768, "token": 384, "sentence": 388}[kind]
    made = {
        "head.out.weight": rng.normal(size=(len(LABELS[kind]), hidden or read)) / 20,
        "head.out.bias": rng.normal(size=len(LABELS[kind])) / 20,
    }
    if hidden:
        made["head.dense.weight"] = rng.normal(size=(hidden, read)) / 20
        made["head.dense.bias"] = rng.normal(size=hidden) / 20
    if kind == "aligned":
        widths = dict.fromkeys(("small", "query", "key"), 384) | {"compare": 4 * inner, "sentences": 4 * 384}
        for name, width in widths.items():
            made[f"head.{name}.weight"] = rng.normal(size=(inner, width)) / 20
            made[f"head.{name}.bias"] = np.zeros(inner)
        made |= {"head.norm.weight": np.ones(384), "head.norm.bias": np.zeros(384)}
    for layer in range(6) if kind != "sentence" else ():
        made[f"{MATRIX.format(layer)}.down"] = rng.normal(size=(rank, 384)) / 20
        made[f"{MATRIX.format(layer)}.up"] = rng.normal(size=(384, rank)) / 2
    return made


def about(kind: str, **changes) -> dict:
    return data.about(kind, LABELS[kind], 64, [], {}) | changes


def write(folder: Path, kind: str, **options) -> str:
    """A random head in a file; its path as `model=` takes it."""
    path = folder / f"{kind}.safetensors"
    write_head(path, tensors(kind, **options), about(kind))
    return str(path)
