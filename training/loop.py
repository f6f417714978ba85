"""One way to train a head: batches of like length, bfloat16 forward passes, AdamW with warm-up and linear
decay."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import nn

from network import trained

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
