"""The networks of our heads in torch: the encoder with a head's changes, and its layers on top. Imported on
first load.

The aligned head reads premise and hypothesis separately: they go through the encoder in one row, each blind
to the other and with positions of its own, so that each keeps the meaning the encoder was trained to give it.
Tokens are compared by attention (decomposable attention: Parikh et al. 2016, EMNLP), the two sentence vectors
beside them.
"""

import math
from collections.abc import Sequence

import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from ragassay.models import encoder_network
from ragassay.models.encoder import WIDTH, folder
from ragassay.models.head_file import Head
from ragassay.models.tokenization import Input

CLS = 101
SHARP = 8.0  # what unit vectors are multiplied by, so that their features weigh as much as the tokens'
Projected = tuple[Tensor, Tensor, Tensor]  # of tokens: what they are compared by, their queries, their keys


def network(head: Head) -> nn.Module:
    """The network of a head, ready to judge."""
    return (AlignedNetwork(head) if head.kind == "aligned" else Network(head)).eval()


class AlignedNetwork(nn.Module):
    """Token ids, mask and types of a pair, each (batch, length), to scores of the labels: (batch, labels)."""

    def __init__(self, head: Head):
        super().__init__()
        self.encoder, layers = encoder_of(head), head.layers
        self.head = AlignedHead(len(layers["small.weight"]), len(layers["dense.weight"]), len(head.labels))
        self.head.load_state_dict({name: torch.from_numpy(value) for name, value in layers.items()})

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        inputs, premise, hypothesis = separate_texts(ids, mask, types)
        return self.head(self.encoder(**inputs), premise, hypothesis)

    def split(self, pair: Input) -> tuple[Input, ...]:
        """Premise and hypothesis, each as it is read."""
        premise = [token for token, part in zip(pair.ids, pair.types, strict=True) if part == 0]
        hypothesis = [CLS, *(token for token, part in zip(pair.ids, pair.types, strict=True) if part == 1)]
        return tuple(Input(ids, [0] * len(ids)) for ids in (premise, hypothesis))

    def judge(self, states: Sequence[Tensor], pair: Input) -> NDArray:
        """Scores (labels,) from the states of premise and hypothesis."""
        with torch.inference_mode():
            return self.head.score_pair(*states).numpy()


class Network(nn.Module):
    """Ids, mask and types (batch, length) to scores (batch, labels), or (batch, length, labels) of tokens."""

    def __init__(self, head: Head):
        super().__init__()
        self.kind, self.encoder = head.kind, encoder_of(head)
        self.dense = linear(head, "dense") if "dense.weight" in head.layers else None
        self.out = linear(head, "out")

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        states = self.encoder(input_ids=ids, attention_mask=mask, token_type_ids=types)
        return self.score(states, mask, types)

    def score(self, states: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        """Scores of the labels from the encoder's states (batch, length, 384)."""
        features = FEATURES[self.kind](states, mask, types)
        return self.out(torch.tanh(self.dense(features)) if self.dense else features)

    def split(self, one: Input) -> tuple[Input, ...]:
        """The one text that is read: both texts of a pair together."""
        return (one,)

    def judge(self, states: Sequence[Tensor], one: Input) -> NDArray:
        """Scores (labels,), or (length, labels) of tokens, from the states of one input."""
        with torch.inference_mode():
            types = torch.tensor([one.types])
            return self.score(states[0].unsqueeze(0), torch.ones_like(types), types)[0].numpy()


def encoder_of(head: Head) -> nn.Module:
    """The encoder with W + up @ down in every matrix the head changes."""
    encoder = encoder_network.load(folder())
    with torch.no_grad():
        for name, (up, down) in head.changes.items():
            weight = encoder.get_parameter(f"{name}.weight")
            weight += torch.from_numpy(up) @ torch.from_numpy(down)
    return encoder


def linear(head: Head, name: str) -> nn.Linear:
    """The linear layer of this name among the head's."""
    weight, bias = (torch.from_numpy(head.layers[f"{name}.{part}"]) for part in ("weight", "bias"))
    layer = nn.Linear(weight.shape[1], weight.shape[0])
    layer.weight, layer.bias = nn.Parameter(weight), nn.Parameter(bias)
    return layer


def pair(states: Tensor, mask: Tensor, types: Tensor) -> Tensor:
    """First token, means u of the premise and v of the hypothesis, |u - v|, u * v; (batch, 5 width)."""
    u, v = mean(states, mask * (1 - types)), mean(states, mask * types)
    return torch.cat([states[:, 0], u, v, (u - v).abs(), u * v], dim=1)


def text(states: Tensor, mask: Tensor, types: Tensor) -> Tensor:
    """First token and mean of all tokens; (batch, 2 * width)."""
    return torch.cat([states[:, 0], mean(states, mask)], dim=1)


def token(states: Tensor, mask: Tensor, types: Tensor) -> Tensor:
    return states


def mean(states: Tensor, mask: Tensor) -> Tensor:
    """Mean of the states where the mask is 1; (batch, width)."""
    weights = mask.unsqueeze(-1).to(states.dtype)
    return (states * weights).sum(1) / weights.sum(1).clamp(min=1)


FEATURES = {"pair": pair, "text": text, "token": token}


class AlignedHead(nn.Module):
    """States of both texts, in one row, to scores of the labels.

    compare : of each token with what it finds in the other text; sentences : of the two mean vectors
    dense, out : as in the other heads
    """

    def __init__(self, inner: int = 192, hidden: int = 256, classes: int = 3, dropout: float = 0.1):
        super().__init__()
        self.norm, self.small = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, inner)
        self.query, self.key = nn.Linear(WIDTH, inner), nn.Linear(WIDTH, inner)
        self.compare, self.sentences = nn.Linear(4 * inner, inner), nn.Linear(4 * WIDTH, inner)
        self.dense, self.out, self.dropout = (
            nn.Linear(5 * inner, hidden),
            nn.Linear(hidden, classes),
            nn.Dropout(dropout),
        )

    def forward(self, states: Tensor, premise: Tensor, hypothesis: Tensor) -> Tensor:
        """`states` (batch, length, 384); the masks (batch, length) say whose token each is."""
        projected = self._project(states)
        compared = [
            self._compare_masked(projected, own, other)
            for own, other in ((hypothesis, premise), (premise, hypothesis))
        ]
        return self._score(compared, mean(states, premise), mean(states, hypothesis))

    def score_pair(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        """As `forward` but for rounding, of one pair: the states (length, 384) of each text to
        scores (labels,). No token is masked, so that half as much is computed."""
        texts = self._project(premise), self._project(hypothesis)
        compared = [self._compare(own, other) for own, other in (texts[::-1], texts)]
        return self._score(compared, premise.mean(0), hypothesis.mean(0))

    def _project(self, states: Tensor) -> Projected:
        """What tokens are compared by, their queries and their keys."""
        normed = self.norm(states)
        return self.small(normed), self.query(normed), self.key(normed)

    def _compare_masked(self, projected: Projected, own: Tensor, other: Tensor) -> Tensor:
        """Mean and largest, over one text's tokens, of their comparison with what they find in the other
        text.
        """
        small, query, key = projected
        nearness = _nearness(query, key).masked_fill(other.unsqueeze(1) == 0, -1e4)
        compared = self._compare_tokens(small, nearness.softmax(2) @ small)
        least = compared.masked_fill(own.unsqueeze(-1) == 0, -1e4)
        return torch.cat([mean(compared, own), least.max(1)[0]], dim=1)

    def _compare(self, own: Projected, other: Projected) -> Tensor:
        """As `_compare_masked`, of the tokens of two texts."""
        compared = self._compare_tokens(own[0], _nearness(own[1], other[2]).softmax(1) @ other[0])
        return torch.cat([compared.mean(0), compared.max(0)[0]])

    def _compare_tokens(self, small: Tensor, found: Tensor) -> Tensor:
        both = torch.cat([small, found, (small - found).abs(), small * found], dim=-1)
        return functional.gelu(self.compare(self.dropout(both)))

    def _score(self, compared: Sequence[Tensor], premise: Tensor, hypothesis: Tensor) -> Tensor:
        """Scores of the labels from the comparisons and the mean states of the two texts."""
        u, v = (functional.normalize(each, dim=-1) for each in (premise, hypothesis))
        whole = torch.tanh(self.sentences(torch.cat([u, v, (u - v).abs(), u * v], dim=-1) * SHARP))
        features = self.dropout(torch.cat([*compared, whole], dim=-1))
        return self.out(self.dropout(torch.tanh(self.dense(features))))


def _nearness(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])


def separate_texts(ids: Tensor, mask: Tensor, types: Tensor) -> tuple[dict[str, Tensor], Tensor, Tensor]:
    """What the encoder reads so that neither text sees the other, and the masks of premise and hypothesis.

    The pair stands as [CLS] premise [SEP] hypothesis [SEP]; a [CLS] of the hypothesis's own is put before the
    row.
    """
    first = torch.ones_like(ids[:, :1])
    premise = torch.cat([0 * first, mask * (1 - types)], dim=1)
    hypothesis = torch.cat([first, mask * types], dim=1)
    positions = (premise.cumsum(1) - 1) * premise + (hypothesis.cumsum(1) - 1) * hypothesis
    sees = premise.unsqueeze(2) * premise.unsqueeze(1) + hypothesis.unsqueeze(2) * hypothesis.unsqueeze(1)
    blind = torch.where(sees > 0, 0.0, torch.finfo(torch.float32).min)  # added to the attention's scores
    row = torch.cat([CLS * first, ids], dim=1)
    inputs = {
        "input_ids": row,
        "attention_mask": blind.unsqueeze(1),
        "position_ids": positions,
        "token_type_ids": torch.zeros_like(row),
    }
    return inputs, premise, hypothesis
