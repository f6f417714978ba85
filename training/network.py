"""The shape all heads share: the kit's encoder, low-rank changes to its matrices, and a small layer on
top."""

import math
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import nn

TARGETS = ("query", "key", "value", "attention.output.dense", "intermediate.dense", "output.dense")


class LowRank(nn.Module):
    """A frozen linear layer plus a trained change of rank `rank`: y = Wx + b + scale * up(down(x))."""

    def __init__(self, frozen: nn.Linear, rank: int, scale: float = 1.0):
        super().__init__()
        self.frozen, self.scale = frozen, scale
        self.down = nn.Parameter(torch.randn(rank, frozen.in_features) / math.sqrt(frozen.in_features))
        self.up = nn.Parameter(torch.zeros(frozen.out_features, rank))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.frozen(x) + self.scale * (x @ self.down.T) @ self.up.T


def adapt(encoder: nn.Module, rank: int) -> nn.Module:
    """Freeze the encoder and give every matrix of its layers a low-rank change, or, with rank 0, leave its
    layers free; the encoder itself is changed and returned."""
    for name, parameter in encoder.named_parameters():
        parameter.requires_grad = rank == 0 and "encoder.layer" in name
    if rank == 0:
        return encoder
    for name, module in list(encoder.named_modules()):
        if isinstance(module, nn.Linear) and "encoder.layer" in name and name.endswith(TARGETS):
            parent, _, child = name.rpartition(".")
            setattr(encoder.get_submodule(parent), child, LowRank(module, rank))
    return encoder


def trained(model: nn.Module) -> Iterator[tuple[str, nn.Parameter]]:
    """Name and value of every parameter that is trained."""
    return ((name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad)


def start_from(model: nn.Module, head: Path) -> None:
    """Give the model the weights of a head's file."""
    from safetensors.torch import load_file

    stored = load_file(head)
    for name, parameter in trained(model):
        parameter.data.copy_(stored[name.removeprefix("encoder.")].float())


class PairHead(nn.Module):
    """Classes of a pair of texts read together: a layer over the first token and both means, their difference
    and their product."""

    def __init__(self, width: int = 384, hidden: int = 256, classes: int = 3):
        super().__init__()
        self.dense = nn.Linear(5 * width, hidden)
        self.out = nn.Linear(hidden, classes)
        self.dropout = nn.Dropout(0.1)

    def forward(self, states: torch.Tensor, types: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        u, v = mean(states, mask * (1 - types)), mean(states, mask * types)
        read = torch.cat([states[:, 0], u, v, (u - v).abs(), u * v], dim=1)
        return self.out(self.dropout(torch.tanh(self.dense(self.dropout(read)))))


def mean(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Mean of the states where the mask is 1, shape (batch, width)."""
    weights = mask.unsqueeze(-1).to(states.dtype)
    return (states * weights).sum(1) / weights.sum(1).clamp(min=1)
