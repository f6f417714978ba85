"""How all heads are trained: low-rank changes to the kit's encoder and a small layer on top; batches of like
length, bfloat16 forward passes, AdamW with warm-up and linear decay.
"""

import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
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


SEED = 0


@dataclass(frozen=True)
class Plan:
    """How long and how fast: passes over the data, highest learning rate (and the head's, 0: the same),
    inputs per step, share that warms up, seed of the order."""

    epochs: int
    rate: float
    batch: int = 32
    warm_up: float = 0.06
    head_rate: float = 0.0
    seed: int = SEED


def encoder(seed: int = SEED) -> tuple:
    """The tokenizer and the network of the kit's encoder; torch's seed is set."""
    from transformers import AutoModel, AutoTokenizer

    from ragassay.models.encoder import folder as encoder_folder

    torch.manual_seed(seed)
    folder = str(encoder_folder())
    fast = dict.fromkeys(("hidden_dropout_prob", "attention_probs_dropout_prob"), 0.0)  # twice as fast
    network = AutoModel.from_pretrained(folder, add_pooling_layer=False, attn_implementation="eager", **fast)
    return AutoTokenizer.from_pretrained(folder), network


def batches(lengths: Sequence[int], size: int, draw: random.Random | None) -> Iterator[list[int]]:
    """Places of the inputs, `size` at a time and those of like length together; shuffled where `draw` is
    given."""
    order = list(range(len(lengths)))
    if draw:
        draw.shuffle(order)
    starts = range(0, len(order), size * 50)
    pools = [sorted(order[start : start + size * 50], key=lambda i: lengths[i]) for start in starts]
    found = [pool[start : start + size] for pool in pools for start in range(0, len(pool), size)]
    if draw:
        draw.shuffle(found)
    yield from found


def fit(
    model: nn.Module,
    lengths: Sequence[int],
    loss: Callable[[list[int]], torch.Tensor],
    plan: Plan,
    device: str = "cpu",
) -> None:
    """Train what of the model is to be trained; the model is moved to the device.

    Parameters
    ----------
    lengths : of every input, in any unit
    loss : places of a batch's inputs -> its loss
    """
    model.to(device).train()
    parameters = dict(trained(model))
    of_head = [name for name in parameters if name.startswith("head.")]
    rest = [value for name, value in parameters.items() if name not in of_head]
    groups = [{"params": [parameters[name] for name in of_head], "lr": plan.head_rate or plan.rate}]
    groups += [{"params": rest, "lr": plan.rate}] if rest else []
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    steps = plan.epochs * sum(1 for _ in batches(lengths, plan.batch, None))
    warm = max(1, round(steps * plan.warm_up))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / warm) * (1 - step / steps)
    )
    draw, started, step = random.Random(plan.seed), time.monotonic(), 0
    for _ in range(plan.epochs):
        for places in batches(lengths, plan.batch, draw):
            with torch.autocast(device, dtype=torch.bfloat16):
                value = loss(places)
            optimizer.zero_grad()
            value.backward()
            nn.utils.clip_grad_norm_(parameters.values(), 1.0)
            optimizer.step()
            schedule.step()
            step += 1
            if step % 100 == 0:
                print(f"step {step}/{steps} loss {value:.3f} {time.monotonic() - started:.0f} s", flush=True)
    model.eval()


def scores(
    lengths: Sequence[int], forward: Callable[[list[int]], torch.Tensor], size: int = 64, device: str = "cpu"
) -> list[torch.Tensor]:
    """What `forward` gives for every input, in their order."""
    found: list[torch.Tensor] = [torch.empty(0)] * len(lengths)
    with torch.inference_mode(), torch.autocast(device, dtype=torch.bfloat16):
        for places in batches(lengths, size, None):
            for place, row in zip(places, forward(places).float().cpu(), strict=True):
                found[place] = row
    return found
