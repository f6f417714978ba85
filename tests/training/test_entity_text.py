"""Texts with labelled names: every slot makes a value, spans stand where they say, and labels can be read back."""

import random
import re

import numpy as np
import pytest

import bank_text
import entities
import entity_text
from entity_text import SLOT, value_of
from ragassay.models import tokenizer

SLOTS = sorted({slot for sentence in entity_text.sentences() for slot in SLOT.findall(sentence)})
TRUE = [(0, 4, "person"), (10, 14, "place")]


@pytest.mark.parametrize("slot", SLOTS)
def test_every_slot_makes_a_value_that_stands_on_its_own(slot):
    for seed in range(40):
        value = value_of(slot, random.Random(seed))
        assert value and value == value.strip() and not re.search(r"[{}|]", value)
        assert value == value_of(slot, random.Random(seed))


def test_every_sentence_can_be_filled_and_an_unknown_slot_is_refused():
    for sentence in entity_text.sentences():
        text, _ = entity_text.fill(sentence, random.Random(0))
        assert "{" not in text and "}" not in text
    with pytest.raises(KeyError):
        entity_text.fill("{nobody}", random.Random(0))


@pytest.mark.parametrize("made", [entity_text.made, bank_text.made], ids=["ours", "bank"])
def test_spans_stand_where_they_say_and_never_overlap(made):
    for text, spans in made(300, random.Random(0)):
        ordered = sorted(spans)
        assert all(text[start:end] == text[start:end].strip() != "" for start, end, _ in ordered)
        assert all(kind in entities.KINDS for *_, kind in ordered)
        assert all(ordered[i][1] <= ordered[i + 1][0] for i in range(len(ordered) - 1))


def test_f1_by_hand():
    found = [(0, 4, "person"), (10, 13, "place"), (20, 25, "place")]
    assert entities.f1([(found, TRUE)]) == pytest.approx(2 * 1 / (3 + 2))
    assert entities.f1([(found, TRUE)], "person") == 1
    assert entities.f1([(found, TRUE)], "place") == 0
    assert entities.f1([([], [])]) != entities.f1([([], [])])


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        (
            "Wilhelmina Achterberg wrote to Unterföhring, 4 Kestrel Close.",
            [(0, 21, "person"), (31, 43, "place"), (45, 60, "address")],
        ),
        ("217 Mint Row", [(0, 3, "address"), (4, 12, "address")]),
        ("Ann, Ben", [(0, 3, "person"), (5, 8, "person")]),
    ],
)
def test_labels_and_reading_them_undo_each_other(text, spans):
    encoding = tokenizer().encode(text)
    numbers = [max(number, 0) for number in entities.labels(encoding, spans)]
    scores = np.eye(len(entities.LABELS))[numbers]
    found = entities.named_entities.read_spans(text, encoding, scores, entities.LABELS)
    assert found == spans
