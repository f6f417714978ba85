"""Trains the head `entailment_aligned`: python training/aligned.py [--data ../shared/data] [--out
training/teachers]

It reads the two texts apart (AlignedHead in lib/ragassay/models/head_networks.py), and is what the head
`entailment` starts from and one of its teachers (training/taught.py). It learns from pairs that people judged
or a rule made, and from pairs on premises of seven kinds that we wrote by hand (entailment.py). Nothing is
learned from nli/dev, nor from any answer that `support` is measured on.
"""

from collections.abc import Sequence

import torch
from torch import nn

import data
import entailment
import loop
from entailment import LABELS, Pair, Reader
from loop import adapt, trained
from ragassay.models.batching import Input, pad
from ragassay.models.head_networks import AlignedHead, split_pair

RANK, RULES = 16, 6_000


class Aligned(nn.Module):
    """Encoder with its change, which reads each text by itself, and the alignment head."""

    def __init__(self, encoder: nn.Module, rank: int):
        super().__init__()
        self.encoder, self.head = adapt(encoder, rank), AlignedHead(classes=len(LABELS))

    def forward(self, given: dict[str, torch.Tensor]) -> torch.Tensor:
        """Scores of a batch of pairs: each text is read by itself, and each pair compared by itself."""
        device = given["input_ids"].device
        names = ("input_ids", "attention_mask", "token_type_ids")
        rows = zip(*(given[name].tolist() for name in names), strict=True)
        pairs = [
            split_pair(Input(tuple(ids[: sum(mask)]), tuple(types[: sum(mask)]))) for ids, mask, types in rows
        ]
        premises, hypotheses = (self._states(list(texts), device) for texts in zip(*pairs, strict=True))
        return torch.stack([self.head(*pair) for pair in zip(premises, hypotheses, strict=True)])

    def _states(self, texts: list[Input], device: torch.device) -> list[torch.Tensor]:
        """The states (tokens, width) of each text."""
        read = pad(texts, max(len(text.ids) for text in texts), device)
        states = self.encoder(**read).last_hidden_state.float()
        return [row[: len(text.ids)] for row, text in zip(states, texts, strict=True)]


def fit(model: nn.Module, read: Reader, learn: Sequence[Pair], plan: loop.Plan) -> None:
    """Train a network on pairs and their labels."""
    truth = torch.tensor([LABELS.index(label) for _, _, label in learn], device=read.device)

    def loss(places: list[int]) -> torch.Tensor:
        scores = model(read([learn[i] for i in places]))
        return nn.functional.cross_entropy(scores.float(), truth[places], label_smoothing=0.05)

    loop.fit(model, entailment.lengths(learn), loss, plan, read.device)


def main() -> None:
    options = {"epochs": 2, "rate": 4e-4, "head_rate": 1e-3, "threads": 1, "device": "cpu"}
    given = data.arguments(__doc__, data.TEACHERS, **options)
    torch.set_num_threads(given.threads)
    tokenizer, encoder = loop.encoder()
    model, read = Aligned(encoder, RANK), Reader(tokenizer, device=given.device)
    people, _ = entailment.human(given.data)
    written = entailment.written()
    learn = people + entailment.rules(given.data)[:RULES] + written
    fit(model, read, learn, loop.Plan(given.epochs, given.rate, head_rate=given.head_rate))
    learned = [*entailment.SOURCES, entailment.BY_RULE | {"rows": RULES}]
    learned.append(entailment.BY_HAND | {"rows": len(written)})
    measured = entailment.measured(model, read, given.data)
    about = data.about("aligned", LABELS, 256, learned, measured) | {"script": "training/aligned.py"}
    data.write("entailment_aligned", given, dict(trained(model)), about)


if __name__ == "__main__":
    main()
