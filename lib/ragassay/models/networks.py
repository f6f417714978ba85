"""The networks of our heads in torch: the encoder with a head's changes merged in, and its layers on top. Imported only when one is loaded."""

import torch
from torch import Tensor, nn

from ragassay.models.aligned import AlignedHead, apart
from ragassay.models.encoder import DEFAULT, _folder
from ragassay.models.headfile import Head


def network(head: Head) -> nn.Module:
    """The network of a head, ready to judge."""
    return (Aligned(head) if head.kind == "aligned" else Network(head)).eval()


class Aligned(nn.Module):
    """Token ids, mask and types of a pair, each (batch, length), to scores of the labels: (batch, labels)."""

    def __init__(self, head: Head):
        super().__init__()
        self.encoder, layers = merged(head), head.layers
        self.head = AlignedHead(len(layers["small.weight"]), len(layers["dense.weight"]), len(head.labels))
        self.head.load_state_dict({name: torch.from_numpy(value) for name, value in layers.items()})

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        inputs, premise, hypothesis = apart(ids, mask, types)
        return self.head(self.encoder(**inputs).last_hidden_state, premise, hypothesis)


class Network(nn.Module):
    """Token ids, mask and types, each (batch, length), to scores of the labels: (batch, labels), or (batch, length, labels) of a token head."""

    def __init__(self, head: Head):
        super().__init__()
        self.kind, self.encoder = head.kind, merged(head)
        self.dense = linear(head, "dense") if "dense.weight" in head.layers else None
        self.out = linear(head, "out")

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        states = self.encoder(input_ids=ids, attention_mask=mask, token_type_ids=types).last_hidden_state
        features = FEATURES[self.kind](states, mask, types)
        return self.out(torch.tanh(self.dense(features)) if self.dense else features)


def merged(head: Head) -> nn.Module:
    """The encoder with W + up @ down in every matrix the head changes."""
    from transformers import AutoModel

    encoder = AutoModel.from_pretrained(
        str(_folder(DEFAULT)), local_files_only=True, dtype=torch.float32, add_pooling_layer=False
    )
    with torch.no_grad():
        for name, (up, down) in head.changes.items():
            weight = encoder.get_parameter(f"{name}.weight")
            weight += torch.from_numpy(up) @ torch.from_numpy(down)
    return encoder


def linear(head: Head, name: str) -> nn.Linear:
    weight, bias = (torch.from_numpy(head.layers[f"{name}.{part}"]) for part in ("weight", "bias"))
    layer = nn.Linear(weight.shape[1], weight.shape[0])
    layer.weight, layer.bias = nn.Parameter(weight), nn.Parameter(bias)
    return layer


def pair(states: Tensor, mask: Tensor, types: Tensor) -> Tensor:
    """First token, means of the premise's and the hypothesis's tokens, their difference and product; (batch, 5 * width)."""
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
