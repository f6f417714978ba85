"""The teachers of the head `entailment` (taught.py): eight networks that err on different pairs.

Five read premise and hypothesis together, three read them apart (aligned.py); of each kind some change all
weights of the encoder's layers, others a low-rank change of them. They train in minutes on a GPU and are not
kept. All learn from the same pairs, none of which is an answer that `support` is measured on.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

import aligned
import data
import distortions
import entailment
import judged_pairs
import loop
from aligned import Aligned
from entailment import LABELS, Pair, Reader
from judged_pairs import FEW, SEVERAL, Sentence
from network import PairHead, adapt, start_from

SEED, RULES, BATCH = 0, 8_000, 128
LENGTH = 193  # tokens of a pair: 190 of both texts, and three that part them
FIRST = "entailment_aligned"


class Together(nn.Module):
    """Encoder with its change, which reads both texts together, and the pair head."""

    def __init__(self, encoder: nn.Module, rank: int):
        super().__init__()
        self.encoder, self.head = adapt(encoder, rank), PairHead(classes=len(LABELS))

    def forward(self, features: dict[str, torch.Tensor]) -> torch.Tensor:
        states = self.encoder(**features).last_hidden_state
        return self.head(states.float(), features["token_type_ids"], features["attention_mask"])


class Teacher(NamedTuple):
    """A network, the rank of its encoder's change (0: all weights of the layers), how it is trained."""

    network: type[nn.Module]
    rank: int
    seed: int
    epochs: int
    rate: float
    head_rate: float

    @property
    def plan(self) -> loop.Plan:
        return loop.Plan(self.epochs, self.rate, BATCH, head_rate=self.head_rate, seed=self.seed)


TEACHERS = (
    Teacher(Together, 0, 0, 3, 1e-4, 5e-4),
    Teacher(Together, 0, 1, 3, 2e-4, 5e-4),
    Teacher(Together, 0, 2, 2, 1e-4, 5e-4),
    Teacher(Together, 32, 3, 3, 8e-4, 1e-3),
    Teacher(Together, 64, 4, 2, 6e-4, 1e-3),
    Teacher(Aligned, 16, 5, 2, 8e-4, 1e-3),
    Teacher(Aligned, 0, 6, 2, 1.5e-4, 1e-3),
    Teacher(Aligned, 64, 7, 3, 6e-4, 1e-3),
)


def known(folder: Path, rules: int) -> list[Pair]:
    """Pairs with a label that are of no judged answer: people's, `rules` of those made by rule, ours."""
    learn, _ = entailment.human(folder)
    made = entailment.rules(folder)
    drawn = np.random.default_rng(SEED).permutation(len(made))[:rules]
    told = distortions.pairs(distortions.retellings())
    return [*learn, *(made[place] for place in drawn), *aligned.written(), *told]


def pairs(folder: Path, answers: Sequence[Sentence]) -> list[Pair]:
    """All that the teachers learn from."""
    return known(folder, RULES) + judged_pairs.labelled(answers, FEW, SEVERAL)


def train(teacher: Teacher, learn: Sequence[Pair], device: str) -> tuple[nn.Module, Reader]:
    """A teacher that has learned from the pairs, and what reads for it."""
    tokenizer, encoder = loop.encoder(teacher.seed)
    model, read = teacher.network(encoder, teacher.rank), Reader(tokenizer, LENGTH, device)
    aligned.fit(model, read, learn, teacher.plan)
    return model, read


def first(device: str, seed: int = SEED) -> tuple[nn.Module, Reader]:
    """The ninth teacher, which the head starts as: `entailment_aligned` as it is."""
    tokenizer, encoder = loop.encoder(seed)
    model = Aligned(encoder, aligned.RANK)
    start_from(model, _first_file())
    return model, Reader(tokenizer, LENGTH, device)


def first_bytes() -> bytes:
    """What the ninth teacher is, as kept in its file."""
    return _first_file().read_bytes()


def _first_file() -> Path:
    return data.TEACHERS / f"{FIRST}.safetensors"
