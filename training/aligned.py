"""Trains the head `entailment_aligned`: python training/aligned.py [--data ../shared/data] [--out
lib/ragassay/models/heads]

It stands beside the head `entailment` and reads the two texts apart (AlignedHead in
lib/ragassay/models/networks.py). It learns from the pairs that `entailment_base` learned from, fewer of those
made by rule, and from pairs on premises of seven kinds that we wrote by hand (written_pairs/). Nothing is
learned from nli/dev, nor from any answer that `support` is measured on.
"""

import json
import random
from pathlib import Path

import torch
from torch import nn

import data
import entailment
import loop
from entailment import LABELS, Pair, features
from network import adapt, trained
from ragassay.models.networks import AlignedHead, separate_texts

SEED, RULES, WRITTEN = 0, 6_000, Path(__file__).parent / "written_pairs"


class Aligned(nn.Module):
    """Encoder with a low-rank change, and the alignment head."""

    def __init__(self, encoder: nn.Module, rank: int):
        super().__init__()
        self.encoder, self.head = adapt(encoder, rank), AlignedHead(classes=len(LABELS))

    def forward(self, given: dict[str, torch.Tensor]) -> torch.Tensor:
        inputs, premise, hypothesis = separate_texts(
            given["input_ids"], given["attention_mask"], given["token_type_ids"]
        )
        return self.head(self.encoder(**inputs).last_hidden_state.float(), premise, hypothesis)


def written() -> list[Pair]:
    """The pairs we wrote: every hypothesis of every premise."""
    rows = [
        json.loads(line)
        for path in sorted(WRITTEN.glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    return [
        (row["premise"], hypothesis, label) for row in rows for label in LABELS for hypothesis in row[label]
    ]


def pairs(folder: Path) -> list[Pair]:
    """All that is learned from."""
    learn, _ = entailment.human(folder)
    rules = entailment.made(folder)
    random.Random(SEED).shuffle(rules)
    return learn + rules[entailment.KEPT_RULES : entailment.KEPT_RULES + RULES] + written()


def main() -> None:
    given = data.arguments(__doc__, epochs=2, rank=16, rate=4e-4, head_rate=1e-3, threads=1)
    torch.set_num_threads(given.threads)
    tokenizer, encoder = loop.encoder()
    model, learn = Aligned(encoder, given.rank), pairs(given.data)
    truth = torch.tensor([LABELS.index(label) for _, _, label in learn])

    def loss(places: list[int]) -> torch.Tensor:
        scores = model(features(tokenizer, [learn[i] for i in places]))
        return nn.functional.cross_entropy(scores.float(), truth[places], label_smoothing=0.05)

    plan = loop.Plan(given.epochs, given.rate, head_rate=given.head_rate)
    loop.fit(model, [len(premise) + len(hypothesis) for premise, hypothesis, _ in learn], loss, plan)
    ours = {"name": "pairs by hand (training/written_pairs)", "licence": "ours", "rows": len(written())}
    sources = [
        source | ({"rows": RULES} if "by rule" in source["name"] else {}) for source in entailment.SOURCES
    ]
    about = {
        "kind": "aligned",
        "labels": list(LABELS),
        "max_length": 256,
        "training_data": [*sources, ours],
        "script": "training/aligned.py",
    }
    data.write(
        "entailment_aligned",
        given,
        dict(trained(model)),
        about | {"measured": entailment.measured(model, tokenizer, given.data)},
    )


if __name__ == "__main__":
    main()
