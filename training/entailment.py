"""Pairs with a label that people gave, a rule made or we wrote, and what the networks that learn from them
share.

People judged the pairs of the folders nli/train and nli/breaking (half of it is learned from); rules
(edits.py) made others from the bundled bank's documents, which we wrote, and from the Wikipedia sentences
among the premises of nli/train (CC BY-SA). Nothing is learned from nli/dev. We wrote hypotheses to premises
of seven kinds (written_pairs/), and sentences told again in free words, rightly and wrongly
(distorted_pairs/), a batch on a subject and in a voice of its own.
"""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

import data
import edits
import loop

LABELS = ("entailment", "neutral", "contradiction")
WIKIPEDIA = ("semi-automatic-wiki", "conjnli-auto")
AUTOMATIC, AUTOMATIC_PAIRS = "conjnli-auto", 6_000  # labelled by machine and easy: a part is enough
SEED, SIZE, WIKIPEDIA_SENTENCES, KEPT_RULES = 0, 256, 6_000, 1_500
Pair = tuple[str, str, str]
SOURCES = data.sources(
    ("SNLI development and test pairs (copy of e-SNLI)", "CC BY-SA 4.0", 19_084),
    ("nyu-mll/semi-automatic-nli, Wikipedia", "CC BY-SA 3.0", 14_654),
    ("swarnaHub/ConjNLI, labelled by machine", "MIT", AUTOMATIC_PAIRS),
    ("BIU-NLP/Breaking_NLI, half of the premises", "CC BY-SA 4.0", 1_987),
)
BY_RULE = {
    "name": "pairs by rule (training/edits.py) from the bundled bank and from Wikipedia sentences of the "
    "sets above",
    "licence": "ours; CC BY-SA",
}
FOLDER = Path(__file__).parent
BY_HAND = {"name": "pairs by hand (training/written_pairs)", "licence": "ours"}
RETOLD = {"name": "sentences retold by hand, both directions (training/distorted_pairs)", "licence": "ours"}
RELATIONS = {  # of a premise and its retelling: label of the pair, and of the pair turned round
    "same": ("entailment", "entailment"),
    "weaker": ("entailment", "neutral"),
    "stronger": ("neutral", "entailment"),
    "distorted": ("contradiction", "contradiction"),
}


@dataclass(frozen=True)
class Reader:
    """Makes of pairs what a network reads: at most `length` tokens, the longer text cut first, on a device
    (cpu, cuda)."""

    tokenizer: Any
    length: int = 144
    device: str = "cpu"

    def __call__(self, pairs: Sequence[Pair]) -> dict[str, torch.Tensor]:
        both = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        how = {"truncation": "longest_first", "max_length": self.length, "padding": True}
        return dict(self.tokenizer(*both, **how, return_tensors="pt").to(self.device))


def human(folder: Path) -> tuple[list[Pair], list[Pair]]:
    """Pairs people judged: to learn from, and to keep (3 % of nli/train; half of nli/breaking, split by
    premise)."""
    draw = random.Random(SEED)
    rows, swaps = data.read(folder / "nli/train.jsonl.gz"), data.read(folder / "nli/breaking.jsonl.gz")
    premises = sorted({row["premise"] for row in swaps})
    draw.shuffle(premises)
    held = set(premises[: len(premises) // 2])
    draw.shuffle(rows)
    cut = len(rows) * 3 // 100
    automatic = [row for row in rows[cut:] if row["source"] == AUTOMATIC][:AUTOMATIC_PAIRS]
    learn = [row for row in rows[cut:] if row["source"] != AUTOMATIC] + automatic
    learn += [row for row in swaps if row["premise"] not in held]
    keep = rows[:cut] + [row for row in swaps if row["premise"] in held]
    return as_pairs(learn), as_pairs(keep)


def rules(folder: Path) -> list[Pair]:
    """Pairs made by rule, without those that are kept, in an order drawn at random: two passes over the
    bank's documents, one over some Wikipedia sentences put together at random."""
    from ragassay import documents, provenance

    draw, pairs = random.Random(SEED), list[Pair]()
    texts, _ = documents.load(provenance.source("bundled:documents"))
    for text in [documents.sentences(text) for text in texts["text"]] * 2:
        pairs += edits.pairs(text, draw)
    rows = data.read(folder / "nli/train.jsonl.gz")
    sentences = sorted({row["premise"] for row in rows if row["source"] in WIKIPEDIA})
    draw.shuffle(sentences)
    for start in range(0, WIKIPEDIA_SENTENCES, 20):
        pairs += edits.pairs(sentences[start : start + 20], draw)
    random.Random(SEED).shuffle(pairs)
    return pairs[KEPT_RULES:]


def _rows(folder: str) -> list[dict]:
    paths = sorted((FOLDER / folder).glob("*.jsonl"))
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def written() -> list[Pair]:
    """The pairs we wrote: every hypothesis of every premise."""
    rows = _rows("written_pairs")
    return [(row["premise"], text, label) for row in rows for label in LABELS for text in row[label]]


def retold() -> list[Pair]:
    """Every premise beside each of its retellings, in both directions."""
    pairs = list[Pair]()
    for row in _rows("distorted_pairs"):
        for relation, (there, back) in RELATIONS.items():
            for text in row[relation]:
                pairs += [(row["premise"], text, there), (text, row["premise"], back)]
    return pairs


def unlabelled(folder: Path) -> list[Pair]:
    """Pairs whose label is not used: those that people judged the other way round, then all that a machine
    labelled, both ways round; none with a premise that is kept to measure on."""
    learn, keep = human(folder)
    kept = {premise for premise, *_ in keep}
    rows = data.read(folder / "nli/train.jsonl.gz")
    machine = as_pairs([row for row in rows if row["source"] == AUTOMATIC])
    pairs = [*_turned(learn), *machine, *_turned(machine)]
    return [(premise, hypothesis, "") for premise, hypothesis, _ in pairs if not kept & {premise, hypothesis}]


def _turned(pairs: Sequence[Pair]) -> list[Pair]:
    return [(hypothesis, premise, label) for premise, hypothesis, label in pairs]


def as_pairs(rows: Sequence[dict]) -> list[Pair]:
    return [(row["premise"], row["hypothesis"], row["label"]) for row in rows]


def lengths(pairs: Sequence[Pair]) -> list[int]:
    """Characters of both texts."""
    return [len(premise) + len(hypothesis) for premise, hypothesis, _ in pairs]


def scores(model: nn.Module, read: Reader, pairs: Sequence[Pair]) -> torch.Tensor:
    """The network's scores of the three labels, shape (n, 3)."""
    model.to(read.device).eval()

    def forward(places: list[int]) -> torch.Tensor:
        return model(read([pairs[i] for i in places]))

    return torch.stack(loop.scores(lengths(pairs), forward, SIZE, read.device))


def measured(model: nn.Module, read: Reader, folder: Path) -> dict[str, list[float]]:
    """Three-way accuracy on what nothing was learned from: nli/dev, and the kept half of nli/breaking, with
    intervals by premise."""
    swaps = {pair[:2] for pair in as_pairs(data.read(folder / "nli/breaking.jsonl.gz"))}
    sets = {
        "nli/dev": as_pairs(data.read(folder / "nli/dev.jsonl.gz")),
        "nli/breaking, premises kept": [pair for pair in human(folder)[1] if pair[:2] in swaps],
    }
    found = {}
    for name, pairs in sets.items():
        truth = torch.tensor([LABELS.index(label) for *_, label in pairs])
        right = (scores(model, read, pairs).argmax(1) == truth).numpy()
        found[f"{name}, three-way accuracy"] = data.interval(
            [premise for premise, *_ in pairs], lambda i, right=right: float(right[i].mean())
        )
    return found
