"""An instrument: a network that scores labels, as its callers know it whether it is ours or a Hugging Face
model.

Which of a model's labels mean what is asked is found by their names, or named by the user after a `#`.
load_instrument.py finds the instrument of a name.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragassay import provenance
from ragassay.errors import ModelError
from ragassay.models import deterministic_batching, devices, encoder, onnx, tokenization
from ragassay.models.deterministic_batching import Item
from ragassay.models.tokenization import Input

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
    scores : padded inputs of one shape to scores
    hyperplane_norm : length of the weights behind z; NaN where it is unknown
    pad_id : the token that fills a row
    packed : items and their inputs to scores, in place of `scores` where the network reads packed texts
    """

    tokenizer: Any
    scores: Callable[[dict[str, NDArray]], NDArray] | None
    hyperplane_norm: float
    packed: Callable[[Sequence[Any], Sequence[Input]], Iterator[dict[Any, NDArray]]] | None = None
    pad_id: int = 0


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
        provenance.model(**(onnx.with_runtime(self.identity) if self.ours else self.identity))
        if self.ours:
            provenance.model(**encoder.identity(encoder.DEFAULT))

    def compute(
        self, loaded: Loaded, items: Sequence[Item], inputs: Sequence[Input]
    ) -> Iterator[dict[Item, NDArray]]:
        """Scores of the labels of unique items, a part at a time."""
        if loaded.packed:
            return loaded.packed(items, inputs)
        scores = loaded.scores
        assert scores is not None

        def forward(batch: list[Input], length: int) -> list[NDArray]:
            return list(scores(tokenization.pad(batch, length, loaded.pad_id)))

        return deterministic_batching.compute_in_batches(
            items,
            inputs,
            [len(one.ids) for one in inputs],
            self.limit,
            forward,
            one_per_batch=self.ours and onnx.one_per_batch(),
            **devices.batching(),
        )


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
