"""Trains the head `entailment`: python training/taught.py [--device cuda] [--data ../shared/data] [--out
lib/ragassay/models/heads]

One head learns to say what nine say together. Its teachers err on different pairs: five networks read premise
and hypothesis together, three read them apart (aligned.py), and of each kind some change all weights of the
encoder's layers, others a low-rank change of them; the ninth is `entailment_aligned`, which the head starts
as. The eight train in minutes on a GPU and are not kept. The teachers' mean log probabilities are better than
any of them, and cost nine passes of the encoder. The head follows the mean (Hinton et al. 2015, Distilling
the knowledge in a neural network), on all that they have learned from and on pairs without a label; labels
count beside that a little. Nothing is learned from nli/dev, from the answers in judged_pairs.HELD, nor from
any answer that `support` is measured on.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

import aligned
import data
import entailment
import judged_pairs
import loop
from aligned import Aligned
from entailment import LABELS, Pair, Reader
from judged_pairs import FEW, ONE, SEVERAL, WHOLE
from loop import PairHead, adapt, start_from, trained
from ragassay.scores.metric import Tools

SEED, BATCH = 0, 128
LENGTH = 193  # tokens of a pair: 190 of both texts, and three that part them
TEACHERS_RULES, RULES = 8_000, 14_000  # pairs by rule that the teachers learn, and that the head is shown
UNLABELLED, OF_LABELS, SMOOTHING = -100, 0.15, 0.05
PLAN = loop.Plan(epochs=4, rate=8e-4, batch=BATCH, head_rate=1e-3, seed=7)
FIRST = data.TEACHERS / "entailment_aligned.safetensors"


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


def train(teacher: Teacher, learn: Sequence[Pair], device: str) -> tuple[nn.Module, Reader]:
    """A teacher that has learned from the pairs, and what reads for it."""
    tokenizer, encoder = loop.encoder(teacher.seed)
    model, read = teacher.network(encoder, teacher.rank), Reader(tokenizer, LENGTH, device)
    plan = loop.Plan(teacher.epochs, teacher.rate, BATCH, head_rate=teacher.head_rate, seed=teacher.seed)
    aligned.fit(model, read, learn, plan)
    return model, read


def first(device: str, seed: int = SEED) -> tuple[nn.Module, Reader]:
    """The ninth teacher, which the head starts as: `entailment_aligned` as it is."""
    tokenizer, encoder = loop.encoder(seed)
    model = Aligned(encoder, aligned.RANK)
    start_from(model, FIRST)
    return model, Reader(tokenizer, LENGTH, device)


def known(folder: Path, rules: int) -> list[Pair]:
    """Pairs with a label that are of no judged answer: people's, `rules` of those made by rule, ours."""
    learn, _ = entailment.human(folder)
    made = entailment.rules(folder)
    drawn = np.random.default_rng(SEED).permutation(len(made))[:rules]
    return [*learn, *(made[place] for place in drawn), *entailment.written(), *entailment.retold()]


def mean_of_teachers(each: Sequence[torch.Tensor]) -> torch.Tensor:
    """Probabilities (n, 3) of the teachers' mean log probabilities, (n, 3) each."""
    return torch.stack(list(each)).mean(0).softmax(1)


def loss(scores: torch.Tensor, wanted: torch.Tensor, truth: torch.Tensor) -> torch.Tensor:
    """Distance (KL) of the head from its teachers, mean of the pairs; and a little of the labels'
    cross-entropy, where a pair has one (`truth`: its place in LABELS, else UNLABELLED)."""
    followed = nn.functional.kl_div(scores.log_softmax(1), wanted, reduction="batchmean")
    missed = nn.functional.cross_entropy(
        scores, truth, ignore_index=UNLABELLED, label_smoothing=SMOOTHING, reduction="sum"
    )
    return followed + OF_LABELS * missed / len(truth)


def teach(
    model: nn.Module, read: Reader, asked: Sequence[Pair], wanted: torch.Tensor, plan: loop.Plan
) -> None:
    """Train the head on what the teachers say of pairs, (n, 3)."""
    places = [LABELS.index(label) if label else UNLABELLED for *_, label in asked]
    truth, wanted = torch.tensor(places, device=read.device), wanted.to(read.device)

    def of_batch(places: list[int]) -> torch.Tensor:
        return loss(model(read([asked[i] for i in places])).float(), wanted[places], truth[places])

    loop.fit(model, entailment.lengths(asked), of_batch, plan, read.device)


def main() -> None:
    given = data.arguments(__doc__, device="cpu", threads=2)
    torch.set_num_threads(given.threads)
    tools = Tools()
    answers = judged_pairs.answers(tools)
    learn = known(given.data, TEACHERS_RULES) + judged_pairs.labelled(answers, FEW, SEVERAL)
    without_label = judged_pairs.beside(tools) + entailment.unlabelled(given.data)
    without_label += judged_pairs.crossed(answers)
    labelled = known(given.data, RULES) + judged_pairs.labelled(answers, FEW, SEVERAL, ONE, WHOLE)
    asked = labelled + without_label
    each = []
    for teacher in TEACHERS:
        each.append(entailment.scores(*train(teacher, learn, given.device), asked).log_softmax(1))
        print(f"{teacher} has judged {len(asked)} pairs", flush=True)
    each.append(entailment.scores(*first(given.device), asked).log_softmax(1))
    model, read = first(given.device, PLAN.seed)
    teach(model, read, asked, mean_of_teachers(each), PLAN)
    unnamed = "pairs without a label, of texts of the sets named here"
    learned = [
        *entailment.SOURCES,
        entailment.BY_RULE | {"rows": RULES},
        entailment.BY_HAND | {"rows": len(entailment.written())},
        entailment.RETOLD | {"rows": len(entailment.retold())},
        judged_pairs.SOURCE | {"rows": len(answers)},
        *data.sources((unnamed, "as theirs", len(without_label))),
    ]
    about = data.about("aligned", LABELS, 256, learned, entailment.measured(model, read, given.data))
    about |= {"script": "training/taught.py", "seed": PLAN.seed}
    data.write("entailment", given, dict(trained(model)), about)


if __name__ == "__main__":
    main()
