"""Trains the entailment head: python training/entailment.py [--data ../shared/data] [--out lib/ragassay/models/heads] [--checkpoint FILE]

A low-rank change of the kit's encoder reads premise and hypothesis together (network.PairHead). It learns from people's judgements (the
folders nli/train and half of nli/breaking) and from pairs made by rule (edits.py) from the bundled bank's documents, which we wrote,
and from the Wikipedia sentences among the premises of nli/train (CC BY-SA). Nothing is learned from nli/dev.
"""

import argparse
import gzip
import json
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from torch import nn

import edits
from network import PairHead, adapt, trained

LABELS = ("entailment", "neutral", "contradiction")
WIKIPEDIA = ("semi-automatic-wiki", "conjnli-auto")
AUTOMATIC, AUTOMATIC_PAIRS = "conjnli-auto", 6_000  # labelled by machine and easy: a part is enough
SEED, BATCH, LENGTH, WIKIPEDIA_SENTENCES = 0, 32, 144, 6_000
Pair = tuple[str, str, str]


class Entailment(nn.Module):
    """Encoder with a low-rank change, and the pair head."""

    def __init__(self, encoder: nn.Module, rank: int):
        super().__init__()
        self.encoder, self.head = adapt(encoder, rank), PairHead(classes=len(LABELS))

    def forward(self, features: dict[str, torch.Tensor]) -> torch.Tensor:
        states = self.encoder(**features).last_hidden_state
        return self.head(states.float(), features["token_type_ids"], features["attention_mask"])


def read(path: Path) -> list[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def human(data: Path) -> tuple[list[Pair], list[Pair]]:
    """Pairs people judged: to learn from, and to keep (3 % of nli/train; half of nli/breaking, split by premise)."""
    draw = random.Random(SEED)
    rows, swaps = read(data / "nli/train.jsonl.gz"), read(data / "nli/breaking.jsonl.gz")
    premises = sorted({row["premise"] for row in swaps})
    draw.shuffle(premises)
    held = set(premises[: len(premises) // 2])
    draw.shuffle(rows)
    cut = len(rows) * 3 // 100
    automatic = [row for row in rows[cut:] if row["source"] == AUTOMATIC][:AUTOMATIC_PAIRS]
    learn = [row for row in rows[cut:] if row["source"] != AUTOMATIC] + automatic + [row for row in swaps if row["premise"] not in held]
    keep = rows[:cut] + [row for row in swaps if row["premise"] in held]
    return _as_pairs(learn), _as_pairs(keep)


def made(data: Path) -> list[Pair]:
    """Pairs made by rule: two passes over the bank's documents, one over some Wikipedia sentences put together at random."""
    from ragassay import documents, evidence

    draw, pairs = random.Random(SEED), list[Pair]()
    texts, _ = documents.load(evidence.source("bundled:documents"))
    for text in [documents.sentences(text) for text in texts["text"]] * 2:
        pairs += edits.pairs(text, draw)
    sentences = sorted({row["premise"] for row in read(data / "nli/train.jsonl.gz") if row["source"] in WIKIPEDIA})
    draw.shuffle(sentences)
    for start in range(0, WIKIPEDIA_SENTENCES, 20):
        pairs += edits.pairs(sentences[start : start + 20], draw)
    return pairs


def _as_pairs(rows: Sequence[dict]) -> list[Pair]:
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
    return dict(tokenizer(*both, truncation="longest_first", max_length=LENGTH, padding=True, return_tensors="pt"))


def probabilities(model: nn.Module, tokenizer, pairs: Sequence[Pair]) -> torch.Tensor:
    """Probabilities of the three labels, shape (n, 3)."""
    model.eval()
    found = torch.zeros(len(pairs), len(LABELS))
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
        for places in batches(pairs, None):
            found[places] = model(features(tokenizer, [pairs[i] for i in places])).float().softmax(1)
    model.train()
    return found


def accuracy(model: nn.Module, tokenizer, pairs: Sequence[Pair]) -> float:
    truth = torch.tensor([LABELS.index(pair[2]) for pair in pairs])
    return (probabilities(model, tokenizer, pairs).argmax(1) == truth).float().mean().item()


def train(model: nn.Module, tokenizer, pairs: Sequence[Pair], epochs: int, rate: float, checkpoint: Path) -> None:
    """Adam with a short warm-up and linear decay; a checkpoint is written after every pass."""
    parameters = [parameter for _, parameter in trained(model)]
    optimizer = torch.optim.AdamW(parameters, lr=rate, weight_decay=0.01)
    steps = epochs * sum(1 for _ in batches(pairs, None))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, step / 300) * (1 - step / steps))
    draw, started, step, running = random.Random(SEED), time.monotonic(), 0, 0.0
    for epoch in range(epochs):
        for places in batches(pairs, draw):
            part = [pairs[i] for i in places]
            with torch.autocast("cpu", dtype=torch.bfloat16):
                scores = model(features(tokenizer, part))
            loss = nn.functional.cross_entropy(scores.float(), torch.tensor([LABELS.index(pair[2]) for pair in part]), label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            schedule.step()
            step, running = step + 1, 0.99 * running + 0.01 * loss.item()
            if step % 100 == 0:
                spent = time.monotonic() - started
                print(
                    f"pass {epoch + 1}/{epochs} step {step}/{steps} loss {running:.3f} {spent:.0f} s, {spent * (steps / step - 1):.0f} s left",
                    flush=True,
                )
                torch.save({name: parameter.detach() for name, parameter in trained(model)}, checkpoint)
    torch.save({name: parameter.detach() for name, parameter in trained(model)}, checkpoint)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--checkpoint", type=Path, default=Path("entailment.pt"))
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--rate", type=float, default=8e-4)
    given = parser.parse_args()
    torch.manual_seed(SEED)
    torch.set_num_threads(given.threads)
    from transformers import AutoModel, AutoTokenizer

    from ragassay.models.encoder import DEFAULT, _folder

    folder = str(_folder(DEFAULT))
    encoder = AutoModel.from_pretrained(
        folder, attn_implementation="eager", hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0
    )  # eager: twice as fast here
    tokenizer, model = AutoTokenizer.from_pretrained(folder), Entailment(encoder, given.rank)
    learn, keep = human(given.data)
    rules = made(given.data)
    random.Random(SEED).shuffle(rules)
    kept_rules, rules = rules[:1500], rules[1500:]
    print(f"{len(learn)} judged and {len(rules)} made pairs to learn from; {len(keep)} judged and {len(kept_rules)} made ones kept", flush=True)
    train(model, tokenizer, learn + rules, given.epochs, given.rate, given.checkpoint)
    print(f"made {accuracy(model, tokenizer, kept_rules):.3f}; judged, kept {accuracy(model, tokenizer, keep):.3f}")
    print(f"nli/dev {accuracy(model, tokenizer, _as_pairs(read(given.data / 'nli/dev.jsonl.gz'))):.3f}")


if __name__ == "__main__":
    main()
