"""Trains the head `entailment`: python training/taught.py [--data ../shared/data]
[--teachers training/teachers] [--out lib/ragassay/models/heads]

One head learns to say what two say together. The teachers err on different pairs: that of
training/whole_answers.py reads both texts together and has learned from whole answers, that of
training/aligned.py reads them apart. Their mean log probabilities are better than either, and cost two passes
of the encoder. Here a head of the second kind, which starts as that teacher, follows the mean (Hinton et al.
2015, Distilling the knowledge in a neural network): in a first pass on every pair that either has learned
from and on evidence of the judged answers, whose labels it does not see; in a second, slower one on pairs
that nobody has labelled (unlabelled.py), with as many of the first. Labels of pairs count beside that a
little. Nothing is learned from nli/dev.
"""

import random
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import nn

import aligned
import data
import entailment
import loop
import unlabelled
import whole_answers
from entailment import LABELS, Pair, features
from network import start_from, trained

SEED, UNLABELLED, OF_LABELS, SMOOTHING = 0, -100, 0.15, 0.05
TEACHERS = {"entailment_answers": entailment.Entailment, "entailment_aligned": aligned.Aligned}


def labelled(folder: Path) -> list[Pair]:
    """The pairs that either teacher has learned from: judged by people, made by rule, written by us."""
    learn, _ = entailment.human(folder)
    rules = entailment.made(folder)
    random.Random(entailment.SEED).shuffle(rules)
    return learn + rules[entailment.KEPT_RULES :] + aligned.written()


def as_teacher(name: str, folder: Path, rank: int) -> tuple:
    """The tokenizer, and the network with a teacher's weights."""
    tokenizer, encoder = loop.encoder()
    model = TEACHERS[name](encoder, rank)
    start_from(model, folder / f"{name}.safetensors")
    return tokenizer, model


def said(pairs: Sequence[Pair], folder: Path, rank: int) -> torch.Tensor:
    """What the teachers say together of every pair: the softmax of their mean log probabilities, (n, 3)."""
    each = []
    for name in TEACHERS:
        tokenizer, model = as_teacher(name, folder, rank)
        each.append(entailment.probabilities(model, tokenizer, pairs).clamp_min(1e-6).log())
        print(f"{name} has judged {len(pairs)} pairs", flush=True)
    return torch.stack(each).mean(0).softmax(1)


def loss(scores: torch.Tensor, wanted: torch.Tensor, truth: torch.Tensor) -> torch.Tensor:
    """Distance (KL) of the head from its teachers, mean of the pairs; and a little of the labels'
    cross-entropy, where a pair has one (`truth`: its place in LABELS, else UNLABELLED)."""
    followed = nn.functional.kl_div(scores.log_softmax(1), wanted, reduction="batchmean")
    missed = nn.functional.cross_entropy(
        scores, truth, ignore_index=UNLABELLED, label_smoothing=SMOOTHING, reduction="sum"
    )
    return followed + OF_LABELS * missed / len(truth)


def teach(model: nn.Module, tokenizer, pairs: Sequence[Pair], wanted: torch.Tensor, plan: loop.Plan) -> None:
    """Train the head on what the teachers say of pairs."""
    truth = torch.tensor([LABELS.index(label) if label else UNLABELLED for *_, label in pairs])

    def of_batch(places: list[int]) -> torch.Tensor:
        scores = model(features(tokenizer, [pairs[i] for i in places])).float()
        return loss(scores, wanted[places], truth[places])

    loop.fit(model, [len(premise) + len(hypothesis) for premise, hypothesis, _ in pairs], of_batch, plan)


def second(first: int, n: int) -> list[int]:
    """Places that the second pass reads: all that the first, of `first` pairs, has not read, and as many that
    it has."""
    return [*range(first, n), *random.Random(SEED).sample(range(first), min(first, n - first))]


def sources(folder: Path, without: int) -> list[dict]:
    """What the head has learned from, its teachers' labels included, with the number of rows; `without`:
    pairs that nobody labelled."""
    ours = {"name": aligned.BY_HAND, "licence": "ours", "rows": len(aligned.written())}
    more = {"name": "pairs without a label (training/unlabelled.py), of texts of the sets named here"}
    more |= {"licence": "as theirs", "rows": without}
    return [*entailment.SOURCES, ours, *whole_answers.judged(folder), more]


def main() -> None:
    teachers = str(data.TEACHERS)
    given = data.arguments(__doc__, rank=16, rate=4e-4, head_rate=8e-4, threads=2, teachers=teachers)
    torch.set_num_threads(given.threads)
    folder, first = Path(given.teachers), labelled(given.data) + unlabelled.of_answers(given.data)
    pairs = first + unlabelled.pairs(given.data)
    wanted = said(pairs, folder, given.rank)
    tokenizer, model = as_teacher("entailment_aligned", folder, given.rank)
    plan = loop.Plan(1, given.rate, head_rate=given.head_rate)
    teach(model, tokenizer, first, wanted[: len(first)], plan)
    places = second(len(first), len(pairs))
    again = loop.Plan(1, given.rate / 2, head_rate=given.head_rate / 2)
    torch.manual_seed(SEED)  # so that the pass can be repeated from the weights of the first
    teach(model, tokenizer, [pairs[place] for place in places], wanted[places], again)
    measured = entailment.measured(model, tokenizer, given.data)
    without = sum(not label for *_, label in pairs)
    about = aligned.about(sources(given.data, without), measured) | {"script": "training/taught.py"}
    data.write("entailment", given, dict(trained(model)), about)


if __name__ == "__main__":
    main()
