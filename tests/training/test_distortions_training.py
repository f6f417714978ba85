"""Retellings: both directions with their labels, and batches that share nothing."""

import random
from collections import Counter

import pytest

import aligned
import distortions as training
from distortions import Retelling

TOLD = training.retellings()


def retelling(relation: str, premise: str = "The bank must answer.", text: str = "It owes an answer."):
    return Retelling("a", "duty", relation, premise, text)


def test_a_distortion_contradicts_in_both_directions():
    assert training.pairs([retelling("distorted", "P.", "D.")]) == [
        ("P.", "D.", "contradiction"),
        ("D.", "P.", "contradiction"),
    ]


@pytest.mark.parametrize(
    ("relation", "forth", "back"),
    [("weaker", "entailment", "neutral"), ("stronger", "neutral", "entailment")],
)
def test_what_follows_one_way_does_not_the_other(relation, forth, back):
    assert [label for *_, label in retelling(relation).pairs()] == [forth, back]


def test_batches_share_no_premise_and_no_retelling():
    told = {(one.batch, text) for one in TOLD for text in (one.premise, one.text)}
    texts = [text for _, text in told]
    assert len(texts) == len(set(texts))


def test_the_second_stage_keeps_pairs_of_the_first_beside_the_retellings(monkeypatch):
    read = []
    monkeypatch.setattr(aligned, "fit", lambda model, tokenizer, learn, plan: read.extend(learn))
    first = [(f"p{i}", "h", "neutral") for i in range(aligned.BESIDE + 50)]
    told = training.pairs([retelling("same"), retelling("distorted")])
    aligned.second_stage(None, None, first, told)
    counts = Counter(read)
    assert all(counts[pair] == aligned.PASSES for pair in told)
    assert sum(counts[pair] for pair in first) == aligned.BESIDE


def test_what_is_kept_of_the_first_stage_is_drawn_with_a_seed(monkeypatch):
    read = []
    monkeypatch.setattr(aligned, "fit", lambda model, tokenizer, learn, plan: read.append(learn))
    first = [(f"p{i}", "h", "neutral") for i in range(aligned.BESIDE + 50)]
    for _ in range(2):
        random.seed(len(read))
        aligned.second_stage(None, None, first, [])
    assert read[0] == read[1]
