"""Trains the head `entailment_aligned`: python training/aligned.py [--data ../shared/data] [--out
training/teachers]

It reads the two texts apart (AlignedHead in lib/ragassay/models/head_networks.py), and is what the head
`entailment` starts from and one of its teachers (training/taught.py). It learns from pairs that people judged
or a rule made (entailment.py), and from pairs on premises of seven kinds that we wrote by hand
(written_pairs/). Nothing is learned from nli/dev, nor from any answer that `support` is measured on.

With `--start HEAD` it goes on from that head, as from `entailment`, in a short second stage: sentences told
again rightly and wrongly (distortions.py), with pairs of the first stage beside them.
"""

import json
import random
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import nn

import data
import distortions
import entailment
import loop
from entailment import LABELS, Pair, Reader
from network import adapt, start_from, trained
from ragassay.models.head_networks import AlignedHead
from ragassay.models.tokenization import Input, pad

SEED, RANK, RULES, WRITTEN = 0, 16, 6_000, Path(__file__).parent / "written_pairs"
PASSES, BESIDE = 4, 4_000  # second stage: passes over the retellings, pairs of the first beside them
BY_HAND = "pairs by hand (training/written_pairs)"
SECOND = loop.Plan(epochs=1, rate=2e-4, head_rate=5e-4)


class Aligned(nn.Module):
    """Encoder with a low-rank change, and the alignment head."""

    def __init__(self, encoder: nn.Module, rank: int):
        super().__init__()
        self.encoder, self.head = adapt(encoder, rank), AlignedHead(classes=len(LABELS))

    def forward(self, given: dict[str, torch.Tensor]) -> torch.Tensor:
        """Scores of a batch of pairs: each text is read by itself, and each pair compared by itself."""
        device = given["input_ids"].device
        names = ("input_ids", "attention_mask", "token_type_ids")
        rows = zip(*(given[name].tolist() for name in names), strict=True)
        pairs = [self.head.split(Input(ids[: sum(mask)], types[: sum(mask)])) for ids, mask, types in rows]
        premises, hypotheses = (self._states(list(texts), device) for texts in zip(*pairs, strict=True))
        return torch.stack([self.head(*pair) for pair in zip(premises, hypotheses, strict=True)])

    def _states(self, texts: list[Input], device: torch.device) -> list[torch.Tensor]:
        """The states (tokens, width) of each text."""
        padded = pad(texts, max(len(text.ids) for text in texts))
        read = {name: torch.from_numpy(array).to(device) for name, array in padded.items()}
        states = self.encoder(**read).last_hidden_state.float()
        return [row[: len(text.ids)] for row, text in zip(states, texts, strict=True)]


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
    return learn + entailment.rules(folder)[:RULES] + written()


def fit(model: nn.Module, read: Reader, learn: Sequence[Pair], plan: loop.Plan) -> None:
    """Train a network on pairs and their labels."""
    truth = torch.tensor([LABELS.index(label) for _, _, label in learn], device=read.device)

    def loss(places: list[int]) -> torch.Tensor:
        scores = model(read([learn[i] for i in places]))
        return nn.functional.cross_entropy(scores.float(), truth[places], label_smoothing=0.05)

    loop.fit(model, entailment.lengths(learn), loss, plan, read.device)


def second_stage(model: Aligned, read: Reader, first: Sequence[Pair], told: Sequence[Pair]) -> None:
    """Go on with retellings, and some pairs of the first stage so that nothing is forgotten."""
    fit(model, read, [*random.Random(SEED).sample(list(first), BESIDE), *list(told) * PASSES], SECOND)


def sources(told: Sequence[Pair], rules: int = RULES) -> list[dict]:
    """What is learned from, with the number of pairs; `rules`: of those made by rule."""
    ours = {BY_HAND: written(), distortions.SOURCE: told}
    return [*entailment.SOURCES, entailment.BY_RULE | {"rows": rules}] + [
        {"name": name, "licence": "ours", "rows": len(rows)} for name, rows in ours.items() if rows
    ]


def main() -> None:
    given = data.arguments(
        __doc__, data.TEACHERS, epochs=2, rate=4e-4, head_rate=1e-3, threads=1, start="", device="cpu"
    )
    torch.set_num_threads(given.threads)
    tokenizer, encoder = loop.encoder()
    model, read = Aligned(encoder, RANK), Reader(tokenizer, device=given.device)
    first = pairs(given.data)
    told = distortions.pairs(distortions.retellings()) if given.start else []
    if given.start:
        start_from(model, Path(given.start))
        second_stage(model, read, first, told)
    else:
        fit(model, read, first, loop.Plan(given.epochs, given.rate, head_rate=given.head_rate))
    measured = entailment.measured(model, read, given.data)
    data.write("entailment_aligned", given, dict(trained(model)), about(sources(told), measured))


def about(learned: list[dict], measured: dict) -> dict:
    """What the head's file says of it."""
    return {
        "kind": "aligned",
        "labels": list(LABELS),
        "max_length": 256,
        "training_data": learned,
        "script": "training/aligned.py",
        "measured": measured,
    }


if __name__ == "__main__":
    main()
