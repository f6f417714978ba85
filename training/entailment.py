"""Trains the head `entailment_base`: python training/entailment.py [--data ../shared/data] [--out
lib/ragassay/models/heads]

A low-rank change of the kit's encoder reads premise and hypothesis together (network.PairHead). It learns
from people's judgements (the folders nli/train and half of nli/breaking) and from pairs made by rule
(edits.py) from the bundled bank's documents, which we wrote, and from the Wikipedia sentences among the
premises of nli/train (CC BY-SA). Nothing is learned from nli/dev. training/whole_answers.py goes on from
here, and teaches the head `entailment` (training/taught.py).
"""

import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from torch import nn

import data
import edits
import loop
from network import PairHead, adapt, trained

LABELS = ("entailment", "neutral", "contradiction")
WIKIPEDIA = ("semi-automatic-wiki", "conjnli-auto")
AUTOMATIC, AUTOMATIC_PAIRS = "conjnli-auto", 6_000  # labelled by machine and easy: a part is enough
SEED, BATCH, LENGTH, WIKIPEDIA_SENTENCES, KEPT_RULES = 0, 32, 144, 6_000, 1_500
Pair = tuple[str, str, str]
SOURCES = [
    {"name": "SNLI development and test pairs (copy of e-SNLI)", "licence": "CC BY-SA 4.0", "rows": 19_084},
    {"name": "nyu-mll/semi-automatic-nli, Wikipedia", "licence": "CC BY-SA 3.0", "rows": 14_654},
    {"name": "swarnaHub/ConjNLI, labelled by machine", "licence": "MIT", "rows": AUTOMATIC_PAIRS},
    {"name": "BIU-NLP/Breaking_NLI, half of the premises", "licence": "CC BY-SA 4.0", "rows": 1_987},
    {
        "name": "pairs by rule (training/edits.py) from the bundled bank and from Wikipedia sentences of "
        "the sets above",
        "licence": "ours; CC BY-SA",
        "rows": 27_834,
    },
]


class Entailment(nn.Module):
    """Encoder with a low-rank change, and the pair head."""

    def __init__(self, encoder: nn.Module, rank: int):
        super().__init__()
        self.encoder, self.head = adapt(encoder, rank), PairHead(classes=len(LABELS))

    def forward(self, features: dict[str, torch.Tensor]) -> torch.Tensor:
        states = self.encoder(**features).last_hidden_state
        return self.head(states.float(), features["token_type_ids"], features["attention_mask"])


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
    learn = (
        [row for row in rows[cut:] if row["source"] != AUTOMATIC]
        + automatic
        + [row for row in swaps if row["premise"] not in held]
    )
    keep = rows[:cut] + [row for row in swaps if row["premise"] in held]
    return as_pairs(learn), as_pairs(keep)


def made(folder: Path) -> list[Pair]:
    """Pairs made by rule: two passes over the bank's documents, one over some Wikipedia sentences put
    together at random."""
    from ragassay import documents, provenance

    draw, pairs = random.Random(SEED), list[Pair]()
    texts, _ = documents.load(provenance.source("bundled:documents"))
    for text in [documents.sentences(text) for text in texts["text"]] * 2:
        pairs += edits.pairs(text, draw)
    sentences = sorted(
        {row["premise"] for row in data.read(folder / "nli/train.jsonl.gz") if row["source"] in WIKIPEDIA}
    )
    draw.shuffle(sentences)
    for start in range(0, WIKIPEDIA_SENTENCES, 20):
        pairs += edits.pairs(sentences[start : start + 20], draw)
    return pairs


def as_pairs(rows: Sequence[dict]) -> list[Pair]:
    return [(row["premise"], row["hypothesis"], row["label"]) for row in rows]


def batches(pairs: Sequence[Pair], draw: random.Random | None) -> Iterator[list[int]]:
    """Places of the pairs, those of like length together; shuffled where `draw` is given."""
    order = list(range(len(pairs)))
    if draw:
        draw.shuffle(order)
    found = []
    for start in range(0, len(order), BATCH * 50):
        part = sorted(order[start : start + BATCH * 50], key=lambda i: len(pairs[i][0]) + len(pairs[i][1]))
        found += [part[i : i + BATCH] for i in range(0, len(part), BATCH)]
    if draw:
        draw.shuffle(found)
    yield from found


def features(tokenizer, pairs: Sequence[Pair]) -> dict[str, torch.Tensor]:
    both = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    return dict(
        tokenizer(*both, truncation="longest_first", max_length=LENGTH, padding=True, return_tensors="pt")
    )


def probabilities(model: nn.Module, tokenizer, pairs: Sequence[Pair]) -> torch.Tensor:
    """Probabilities of the three labels, shape (n, 3)."""
    model.eval()
    found = torch.zeros(len(pairs), len(LABELS))
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
        for places in batches(pairs, None):
            found[places] = model(features(tokenizer, [pairs[i] for i in places])).float().softmax(1)
    model.train()
    return found


def train(model: nn.Module, tokenizer, pairs: Sequence[Pair], epochs: int, rate: float) -> None:
    """Adam with a short warm-up and linear decay; says how far it is and how long it will take."""
    parameters = [parameter for _, parameter in trained(model)]
    optimizer = torch.optim.AdamW(parameters, lr=rate, weight_decay=0.01)
    steps = epochs * sum(1 for _ in batches(pairs, None))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, step / 300) * (1 - step / steps)
    )
    draw, started, step = random.Random(SEED), time.monotonic(), 0
    for _ in range(epochs):
        for places in batches(pairs, draw):
            loss = _step(model, tokenizer, [pairs[i] for i in places], parameters, optimizer)
            schedule.step()
            step += 1
            if step % 100 == 0:
                spent = time.monotonic() - started
                print(
                    f"step {step}/{steps} loss {loss:.3f} {spent:.0f} s, {spent * (steps / step - 1):.0f} s "
                    "left",
                    flush=True,
                )


def _step(
    model: nn.Module, tokenizer, part: Sequence[Pair], parameters: list, optimizer: torch.optim.Optimizer
) -> float:
    truth = torch.tensor([LABELS.index(pair[2]) for pair in part])
    with torch.autocast("cpu", dtype=torch.bfloat16):
        scores = model(features(tokenizer, part))
    loss = nn.functional.cross_entropy(scores.float(), truth, label_smoothing=0.05)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(parameters, 1.0)
    optimizer.step()
    return loss.item()


def measured(model: nn.Module, tokenizer, folder: Path) -> dict[str, list[float]]:
    """Three-way accuracy on what nothing was learned from: nli/dev, and the kept half of nli/breaking, with
    intervals by premise."""
    swaps = {pair[:2] for pair in as_pairs(data.read(folder / "nli/breaking.jsonl.gz"))}
    kept = [pair for pair in human(folder)[1] if pair[:2] in swaps]
    found = {}
    for name, pairs in (
        ("nli/dev", as_pairs(data.read(folder / "nli/dev.jsonl.gz"))),
        ("nli/breaking, premises kept", kept),
    ):
        right = _right(model, tokenizer, pairs)
        found[f"{name}, three-way accuracy"] = data.interval(
            [pair[0] for pair in pairs], lambda i, right=right: float(right[i].mean())
        )
    return found


def _right(model: nn.Module, tokenizer, pairs: Sequence[Pair]):
    truth = torch.tensor([LABELS.index(pair[2]) for pair in pairs])
    return (probabilities(model, tokenizer, pairs).argmax(1) == truth).numpy()


def main() -> None:
    given = data.arguments(__doc__, epochs=2, rank=16, rate=8e-4, threads=1)
    torch.set_num_threads(given.threads)
    tokenizer, encoder = loop.encoder()
    model = Entailment(encoder, given.rank)
    learn, _ = human(given.data)
    rules = made(given.data)
    random.Random(SEED).shuffle(rules)
    train(model, tokenizer, learn + rules[KEPT_RULES:], given.epochs, given.rate)
    about = {"kind": "pair", "labels": list(LABELS), "max_length": 256, "training_data": SOURCES}
    about |= {"measured": measured(model, tokenizer, given.data), "script": "training/entailment.py"}
    data.write("entailment_base", given, dict(trained(model)), about)


if __name__ == "__main__":
    main()
