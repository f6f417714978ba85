"""The networks of our heads in torch: the encoder with a head's changes, and its layers on top. Imported on
first load.

The aligned head reads premise and hypothesis separately: each goes through the encoder by itself, so that it
keeps the meaning the encoder was trained to give it. Tokens are compared by attention (decomposable
attention: Parikh et al. 2016, EMNLP), the two sentence vectors beside them.
"""

import math
from collections.abc import Sequence

import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from ragassay.models.encoder import WIDTH, load_network
from ragassay.models.head_file import Head
from ragassay.models.tokenization import Input

CLS = 101
SHARP = 8.0  # what unit vectors are multiplied by, so that their features weigh as much as the tokens'
Projected = tuple[Tensor, Tensor, Tensor]  # of tokens: what they are compared by, their queries, their keys


def encoder_of(head: Head) -> nn.Module:
    """The encoder with W + up @ down in every matrix the head changes."""
    encoder = load_network()
    with torch.no_grad():
        for name, (up, down) in head.changes.items():
            weight = encoder.get_parameter(f"{name}.weight")
            weight += torch.from_numpy(up) @ torch.from_numpy(down)
    return encoder


def layers_of(head: Head) -> "TextHead | AlignedHead":
    """The layers of a head on top of the encoder, ready to judge."""
    tensors = {name: torch.from_numpy(value) for name, value in head.layers.items()}
    layers: TextHead | AlignedHead
    if head.kind == "aligned":
        inner, hidden = len(tensors["small.weight"]), len(tensors["dense.weight"])
        layers = AlignedHead(inner, hidden, len(head.labels))
    else:
        layers = TextHead(head.kind, len(tensors.get("dense.weight", ())), len(head.labels))
    layers.load_state_dict(tensors)
    return layers.eval()


class TextHead(nn.Module):
    """The dense layer, if there is one, and the linear layer `out` of a head of kind text or token."""

    def __init__(self, kind: str, hidden: int, classes: int):
        super().__init__()
        self.of_tokens = kind == "token"
        width = WIDTH if self.of_tokens else 2 * WIDTH
        self.dense = nn.Linear(width, hidden) if hidden else None
        self.out = nn.Linear(hidden or width, classes)

    def split(self, one: Input) -> tuple[Input, ...]:
        """The one text that is read."""
        return (one,)

    def judge(self, states: Sequence[Tensor]) -> NDArray:
        """Scores (labels,), or (length, labels) of tokens, from the states (length, width) of one text."""
        with torch.inference_mode():
            found = states[0] if self.of_tokens else torch.cat([states[0][0], states[0].mean(0)])
            return self.out(torch.tanh(self.dense(found)) if self.dense else found).numpy()


class AlignedHead(nn.Module):
    """States of premise and hypothesis to scores of the labels.

    compare : of each token with what it finds in the other text; sentences : of the two mean vectors
    dense, out : as in the other heads
    """

    def __init__(self, inner: int = 192, hidden: int = 256, classes: int = 3, dropout: float = 0.1):
        super().__init__()
        self.norm, self.small = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, inner)
        self.query, self.key = nn.Linear(WIDTH, inner), nn.Linear(WIDTH, inner)
        self.compare, self.sentences = nn.Linear(4 * inner, inner), nn.Linear(4 * WIDTH, inner)
        self.dense, self.out = nn.Linear(5 * inner, hidden), nn.Linear(hidden, classes)
        self.dropout = nn.Dropout(dropout)

    def split(self, pair: Input) -> tuple[Input, ...]:
        """Premise and hypothesis, each as it is read."""
        premise = [token for token, part in zip(pair.ids, pair.types, strict=True) if part == 0]
        hypothesis = [CLS, *(token for token, part in zip(pair.ids, pair.types, strict=True) if part == 1)]
        return tuple(Input(ids, [0] * len(ids)) for ids in (premise, hypothesis))

    def judge(self, states: Sequence[Tensor]) -> NDArray:
        """Scores (labels,) from the states of premise and hypothesis."""
        with torch.inference_mode():
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
        """Mean and largest, over one text's tokens, of their comparison with what they find in the other
        text."""
        (small, query, _), (others, _, key) = own, other
        nearness = query @ key.T / math.sqrt(query.shape[-1])
        found = nearness.softmax(1) @ others
        both = torch.cat([small, found, (small - found).abs(), small * found], dim=-1)
        compared = functional.gelu(self.compare(self.dropout(both)))
        return torch.cat([compared.mean(0), compared.max(0)[0]])
