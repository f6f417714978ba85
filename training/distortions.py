"""Sentences told again in free words, rightly and wrongly: the pairs.

A row of a batch has a premise and its retellings: `same` says the same, `weaker` follows from it, it follows
from `stronger`, and `distorted` cannot be true beside it. Each gives a pair in both directions. The batches
were written apart, each on a subject and in a voice of its own; `kind` says what is told wrongly.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "distorted_pairs"
SOURCE = "sentences retold by hand, both directions (training/distorted_pairs)"
RELATIONS = {  # label of the pair (premise, retelling), and of (retelling, premise)
    "same": ("entailment", "entailment"),
    "weaker": ("entailment", "neutral"),
    "stronger": ("neutral", "entailment"),
    "distorted": ("contradiction", "contradiction"),
}
Pair = tuple[str, str, str]


class Retelling(NamedTuple):
    """A premise told again: batch, what is told wrongly in its row, how the two stand to each other."""

    batch: str
    kind: str
    relation: str
    premise: str
    text: str

    def pairs(self) -> list[Pair]:
        """Both directions with their labels."""
        there, back = RELATIONS[self.relation]
        return [(self.premise, self.text, there), (self.text, self.premise, back)]


def retellings() -> list[Retelling]:
    """All that we wrote, batch by batch."""
    return [
        Retelling(path.stem, row["kind"], relation, row["premise"], text)
        for path in sorted(FOLDER.glob("*.jsonl"))
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())
        for relation in RELATIONS
        for text in row[relation]
    ]


def pairs(told: Sequence[Retelling]) -> list[Pair]:
    """Every retelling in both directions."""
    return [pair for one in told for pair in one.pairs()]
