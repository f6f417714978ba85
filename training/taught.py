"""Trains the head `entailment`: python training/taught.py [--device cuda] [--said FOLDER] [--data
../shared/data] [--out lib/ragassay/models/heads]

One head learns to say what nine say together. The teachers (entailment_teachers.py) err on different pairs;
their mean log probabilities are better than any of them, and cost nine passes of the encoder. Here a head
that starts as one of them follows the mean (Hinton et al. 2015, Distilling the knowledge in a neural
network), on all that they have learned from and on pairs without a label; labels count beside that a little.
Nothing is learned from nli/dev, from the answers in judged_pairs.HELD, nor from any answer that `support` is
measured on.

With --said, what each teacher says of the pairs is kept in FOLDER, and a run that was cut off goes on there.
"""

import hashlib
import tempfile
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import nn

import aligned
import data
import distortions
import entailment
import entailment_teachers as teachers
import judged_pairs
import loop
from entailment import LABELS, Pair, Reader
from entailment_teachers import Teacher
from judged_pairs import FEW, ONE, SEVERAL, WHOLE, Sentence
from network import trained
from ragassay.scores.shared_instruments import Tools

RULES, UNLABELLED, OF_LABELS, SMOOTHING = 14_000, -100, 0.15, 0.05
PLAN = loop.Plan(epochs=4, rate=8e-4, batch=teachers.BATCH, head_rate=1e-3, seed=7)


def pairs(folder: Path, answers: Sequence[Sentence], tools: Tools) -> list[Pair]:
    """All that the head learns on; "" where a pair has no label."""
    return [
        *teachers.known(folder, RULES),
        *judged_pairs.labelled(answers, FEW, SEVERAL, ONE, WHOLE),
        *judged_pairs.beside(tools),
        *entailment.unlabelled(folder),
        *judged_pairs.crossed(answers),
    ]


def said(
    teacher: Teacher | None, learn: Sequence[Pair], asked: Sequence[Pair], device: str, kept: Path
) -> torch.Tensor:
    """Log probabilities of a teacher that has learned from the pairs `learn`, None: of the first as it is;
    (n, 3). They are read from the folder if they are there."""
    what = (teacher, learn) if teacher else teachers.first_bytes()
    known = hashlib.sha256(repr((what, asked)).encode()).hexdigest()[:16]
    file = kept / f"{known}.pt"
    if not file.is_file():
        model, read = teachers.train(teacher, learn, device) if teacher else teachers.first(device)
        found = entailment.scores(model, read, asked).log_softmax(1)
        kept.mkdir(parents=True, exist_ok=True)
        torch.save(found, file.with_suffix(".draft"))
        file.with_suffix(".draft").replace(file)
        print(f"{teacher or teachers.FIRST} has judged {len(asked)} pairs", flush=True)
    return torch.load(file)


def together(each: Sequence[torch.Tensor]) -> torch.Tensor:
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


def sources(asked: Sequence[Pair], answers: Sequence[Sentence]) -> list[dict]:
    """What the head has learned from, with the number of rows."""
    told = distortions.pairs(distortions.retellings())
    without = {"name": "pairs without a label, of texts of the sets named here", "licence": "as theirs"}
    return [
        *aligned.sources(told, RULES),
        judged_pairs.SOURCE | {"rows": len(answers)},
        without | {"rows": sum(not label for *_, label in asked)},
    ]


def main() -> None:
    given = data.arguments(__doc__, device="cpu", said="", threads=2)
    torch.set_num_threads(given.threads)
    tools = Tools()
    answers = judged_pairs.answers(tools)
    learn, asked = teachers.pairs(given.data, answers), pairs(given.data, answers, tools)
    with tempfile.TemporaryDirectory() as temporary:
        kept = Path(given.said or temporary)
        each = [said(one, learn, asked, given.device, kept) for one in (*teachers.TEACHERS, None)]
    model, read = teachers.first(given.device, PLAN.seed)
    teach(model, read, asked, together(each), PLAN)
    measured = entailment.measured(model, read, given.data)
    about = aligned.about(sources(asked, answers), measured) | {
        "script": "training/taught.py",
        "seed": PLAN.seed,
    }
    data.write("entailment", given, dict(trained(model)), about)


if __name__ == "__main__":
    main()
