"""Passages that contradict each other: figures, negations, and what the entailment head says; nothing where sentences merely differ."""

import sys

import numpy as np
import pandas as pd
import pytest

from ragassay.cases.contradicting_passages import contradictions, near_pairs
from ragassay.models import Entailment

SENTENCES = {
    "a": "The monthly fee of the Quay account is $6.00 for every customer.",
    "b": "The monthly fee of the Quay account is $9.00 for every customer.",
    "c": "The monthly fee of the Quay account is not $6.00 for every customer.",
    "d": "Our lobby has a piano that anybody may play on Sundays.",
    "e": "Every customer pays the charge in cash at the counter of a branch.",
}


def table(*names: str) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "chunk_id": [f"{name}#p{i}" for i, name in enumerate(names)],
            "text": [SENTENCES[name] for name in names],
        }
    )


def encode(texts, model=""):
    """Everything about fees lies together; the piano does not."""
    return np.array([[0.0, 1.0] if "piano" in text else [1.0, 0.0] for text in texts])


def says(chance: float):
    return lambda pairs: Entailment(
        np.array([[1 - chance, 0, chance]] * len(pairs)), np.zeros(len(pairs)), np.zeros(len(pairs))
    )


@pytest.mark.parametrize(("names", "chance", "kinds"), [
    (("a", "b"), 0.0, ["figures"]),
    (("a", "c"), 0.0, ["negation"]),
    (("a", "e"), 0.95, ["entailment"]),
    (("a", "e"), 0.5, []),
    (("a", "d"), 0.95, []),
    (("a", "a"), 0.95, []),
    (("a",), 0.95, []),
])  # fmt: skip
def test_kinds_by_hand(names, chance, kinds):
    assert contradictions(table(*names), encode=encode, entail=says(chance))["kind"].tolist() == kinds


def test_the_weaker_direction_decides():
    def entail(pairs):
        return Entailment(
            np.array([[0, 0, 0.99 if first.startswith("The") else 0.1] for first, _ in pairs]),
            np.zeros(len(pairs)),
            np.zeros(len(pairs)),
        )

    assert contradictions(table("a", "e"), encode=encode, entail=entail).empty


def test_the_nearest_of_all_pairs_are_found_block_by_block(monkeypatch):
    module = sys.modules[contradictions.__module__]
    monkeypatch.setattr(module, "BLOCK", 7)
    vectors = np.random.default_rng(0).normal(size=(50, 4))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    cosine = {(i, j): vectors[i] @ vectors[j] for i in range(50) for j in range(i + 1, 50)}
    expected = [pair for pair in sorted(cosine, key=cosine.get, reverse=True) if cosine[pair] >= 0.6]
    assert set(near_pairs(vectors)) == set(expected)
    monkeypatch.setattr(module, "MOST_PASSAGES", 5)
    assert set(near_pairs(vectors)) == set(expected[:5])
