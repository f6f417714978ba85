"""Trains the head `entailment_answers`: python training/whole_answers.py [--data ../shared/data] [--out
training/teachers]

It goes on from the head `entailment_base` (training/entailment.py) and learns from whole answers that people
judged (training/support.py's cases): an answer is supported if its least entailed sentence is. Half of every
step stays with the pairs the base learned from, so that nothing is forgotten. `support` keeps to the base
head, which has seen none of the answers that `support` is measured on. It is one of the two teachers of the
head `entailment` (training/taught.py).
"""

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import nn

import data
import entailment
import loop
import support
from entailment import LABELS, Entailment, Pair, features
from network import start_from, trained

SEED, PAIRS, SENTENCES, FAITHFUL, UNFAITHFUL = 0, 16, 4, 0.95, 0.6
Item = tuple[
    list[tuple[str, str]], int
]  # (premise, sentence) of every sentence of an answer, and whether it is supported


def items(folder: Path) -> list[Item]:
    """The judged answers with a clear label: MTRAG's rank apart, and WiCE's partly supported claims as not
    supported."""
    from ragassay.scores.families import inference
    from ragassay.scores.shared_instruments import Tools

    tools, found = Tools(), list[Item]()
    for case in support.cases(folder):
        label, material = _label(case), case.material
        if label is not None and material.answer_sentences and material.context_sentences:
            found.append(
                (
                    inference.premise_pairs(
                        material.answer_sentences[:12], material.context_sentences, tools
                    ),
                    label,
                )
            )
    return found


def _label(case: support.Case) -> int | None:
    if case.data != "mtrag_human":
        return int(case.label == 1)
    return 1 if case.label >= FAITHFUL else 0 if case.label <= UNFAITHFUL else None


def chosen(pairs: Sequence[tuple[str, str]], supported: bool, draw: random.Random) -> list[Pair]:
    """The sentences of an answer that one step reads: a few of a supported one, which all must be entailed;
    the first of another."""
    few = (
        list(pairs)
        if len(pairs) <= SENTENCES
        else draw.sample(list(pairs), SENTENCES)
        if supported
        else list(pairs[: SENTENCES + 2])
    )
    return [(premise, sentence, "") for premise, sentence in few]


def loss(
    model: nn.Module, tokenizer, part: Sequence[Item], others: Sequence[Pair], draw: random.Random
) -> torch.Tensor:
    """Cross-entropy of the least entailed sentence of each answer, and half that of the base's pairs."""
    read = [chosen(pairs, bool(label), draw) for pairs, label in part]
    chances = model(features(tokenizer, [pair for pairs in read for pair in pairs])).float().softmax(1)[:, 0]
    least = torch.stack([each.min() for each in chances.split([len(pairs) for pairs in read])]).clamp(
        1e-4, 1 - 1e-4
    )
    wanted = torch.tensor([float(label) for _, label in part]) * 0.92 + 0.04
    known = model(features(tokenizer, others)).float()
    truth = torch.tensor([LABELS.index(pair[2]) for pair in others])
    with torch.autocast("cpu", enabled=False):
        answers = nn.functional.binary_cross_entropy(least, wanted)
        return answers + 0.5 * nn.functional.cross_entropy(known, truth, label_smoothing=0.05)


def based(rank: int) -> tuple:
    """Tokenizer, and the network with the weights of `entailment_base`."""
    tokenizer, encoder = loop.encoder()
    model = Entailment(encoder, rank)
    start_from(model, data.HEADS / "entailment_base.safetensors")
    return tokenizer, model


def main() -> None:
    given = data.arguments(__doc__, data.TEACHERS, epochs=1, rank=16, rate=4e-4, threads=1)
    torch.set_num_threads(given.threads)
    tokenizer, model = based(given.rank)
    answers = items(given.data)
    learn, _ = entailment.human(given.data)
    pairs, draw = learn + entailment.made(given.data), random.Random(SEED)
    print(
        f"{len(answers)} answers, {sum(label for _, label in answers)} of them supported; {len(pairs)} pairs",
        flush=True,
    )
    lengths = [max(len(premise) + len(sentence) for premise, sentence in one) for one, _ in answers]
    loop.fit(
        model,
        lengths,
        lambda places: loss(model, tokenizer, [answers[i] for i in places], draw.sample(pairs, PAIRS), draw),
        loop.Plan(given.epochs, given.rate, batch=16),
    )
    figures = entailment.measured(model, tokenizer, given.data)
    about = {
        "kind": "pair",
        "labels": list(LABELS),
        "max_length": 256,
        "training_data": [*entailment.SOURCES, *judged(given.data)],
        "measured": figures,
    }
    data.write(
        "entailment_answers", given, dict(trained(model)), about | {"script": "training/whole_answers.py"}
    )


def judged(folder: Path) -> list[dict]:
    """The sets of judged answers, each with its licence and the number of its answers."""
    counts = Counter(case.data for case in support.cases(folder))
    return [
        {"name": name, "licence": licence, "rows": counts[name]}
        for name, licence in support.LICENCES.items()
        if counts[name]
    ]


if __name__ == "__main__":
    main()
