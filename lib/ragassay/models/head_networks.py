"""The networks of our heads in torch: the encoder with a head's changes, and its layers on top. Imported on
first load.

The aligned head reads premise and hypothesis separately: each goes through the encoder by itself, so that it
keeps the meaning the encoder was trained to give it. Tokens are compared by attention (decomposable
attention: Parikh et al. 2016, EMNLP), the two sentence vectors beside them.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from ragassay.models.batching import CLS, Input
from ragassay.models.encoder import WIDTH, load_network
from ragassay.models.head_file import Head

SHARP = 8.0  # what unit vectors are multiplied by, so that their features weigh as much as the tokens'
Projected = tuple[Tensor, Tensor, Tensor]  # of tokens: what they are compared by, their queries, their keys
Judge = Callable[[Sequence[Tensor]], NDArray]


def encoder_of(head: Head) -> nn.Module:
    """The encoder with W + up @ down in every matrix the head changes."""
    encoder = load_network()
    with torch.no_grad():
        for name, (up, down) in head.changes.items():
            weight = encoder.get_parameter(f"{name}.weight")
            weight += torch.from_numpy(up) @ torch.from_numpy(down)
    return encoder


def judge_of(head: Head) -> Judge:
    """The layers of a head on top of the encoder: from the states (length, width) of each text that is read
    to the scores (labels,), of a token head (length, labels)."""
    if head.kind == "aligned":
        inner, hidden = len(head.layers["small.weight"]), len(head.layers["dense.weight"])
        layers = AlignedHead(inner, hidden, len(head.labels))
        layers.load_state_dict({name: torch.from_numpy(value) for name, value in head.layers.items()})
        return layers.eval().judge
    weights, bias, dense = head.layers["out.weight"], head.layers["out.bias"], head.layers.get("dense.weight")

    def judge(states: Sequence[Tensor]) -> NDArray:
        found = states[0].numpy()
        if head.kind == "text":
            found = np.concatenate([found[0], found.mean(axis=0)])
        if dense is not None:
            found = np.tanh(found @ dense.T + head.layers["dense.bias"])
        return found @ weights.T + bias

    return judge


def split_pair(pair: Input) -> tuple[Input, Input]:
    """Premise and hypothesis of a pair, each as the aligned head reads it."""
    first = pair.types.index(1)
    texts = pair.ids[:first], (CLS, *pair.ids[first:])
    return Input(texts[0], (0,) * len(texts[0])), Input(texts[1], (0,) * len(texts[1]))


class AlignedHead(nn.Module):
    """States of premise and hypothesis to scores of the labels: `compare` each token with what it finds in
    the other text, `sentences` the two mean vectors."""

    def __init__(self, inner: int = 192, hidden: int = 256, classes: int = 3, dropout: float = 0.1):
        super().__init__()
        self.norm, self.small = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, inner)
        self.query, self.key = nn.Linear(WIDTH, inner), nn.Linear(WIDTH, inner)
        self.compare, self.sentences = nn.Linear(4 * inner, inner), nn.Linear(4 * WIDTH, inner)
        self.dense, self.out = nn.Linear(5 * inner, hidden), nn.Linear(hidden, classes)
        self.dropout = nn.Dropout(dropout)

    @torch.inference_mode()
    def judge(self, states: Sequence[Tensor]) -> NDArray:
        """Scores (labels,) from the states of premise and hypothesis."""
        return self(*states).numpy()

    def forward(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        """Scores (labels,) of one pair from the states (length, width) of each text."""
        texts = self._project(premise), self._project(hypothesis)
        compared = [self._compare(own, other) for own, other in (texts[::-1], texts)]
        u, v = (functional.normalize(each.mean(0), dim=-1) for each in (premise, hypothesis))
        whole = torch.tanh(self.sentences(torch.cat([u, v, (u - v).abs(), u * v]) * SHARP))
        found = self.dropout(torch.cat([*compared, whole]))
        return self.out(self.dropout(torch.tanh(self.dense(found))))

    def _project(self, states: Tensor) -> Projected:
        normed = self.norm(states)
        return self.small(normed), self.query(normed), self.key(normed)

    def _compare(self, own: Projected, other: Projected) -> Tensor:
        """Mean and largest, over a text's tokens, of their comparison with what they find in the other."""
        (small, query, _), (others, _, key) = own, other
        nearness = query @ key.T / math.sqrt(query.shape[-1])
        found = nearness.softmax(1) @ others
        both = torch.cat([small, found, (small - found).abs(), small * found], dim=-1)
        compared = functional.gelu(self.compare(self.dropout(both)))
        return torch.cat([compared.mean(0), compared.max(0)[0]])
