"""Entities from labelled words, with a stand-in for the network that knows a few words by their token number."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_heads import LABELS
from test_batching import TOKENIZER

from ragassay import models
from ragassay.models import Entity, load_instrument, named_entities
from ragassay.models.load_instrument import Instrument, Loaded

KNOWN = {"anna": "B-person", "smith": "I-person", "paris": "B-place"}
NUMBER = {
    TOKENIZER.convert_tokens_to_ids(word): LABELS["token"].index(label) for word, label in KNOWN.items()
}


@pytest.fixture(autouse=True)
def network(monkeypatch):
    calls: list[int] = []

    def compute(inputs):
        calls.append(1)
        assert all(len(one.ids) <= 32 for one in inputs)
        return [np.eye(len(LABELS["token"]))[[NUMBER.get(number, 0) for number in one.ids]] for one in inputs]

    identity = {"name": "m", "file": "x", "sha256": "m"}
    tool = Instrument(identity, tuple(LABELS["token"]), 32, "m", lambda: Loaded(TOKENIZER, compute))
    monkeypatch.setattr(load_instrument, "find_instrument", lambda model, kind: tool)
    return calls


def test_by_hand():
    assert models.entities(["Anna Smith lives in Paris.", "", "Nothing here."]) == [
        [Entity("person", "Anna Smith", 0, 10), Entity("place", "Paris", 20, 25)],
        [],
        [],
    ]


def test_what_has_neither_case_nor_digit_is_no_name(monkeypatch):
    """Eighteen dollars in Chinese is no address, 18 may be one."""
    monkeypatch.setattr(named_entities, "_find_spans", lambda tool, texts: [np.array([[0, 4, 0]])] * 2)
    assert [len(found) for found in models.entities(["十八美元，有效。", "18号街。"])] == [0, 1]


def test_a_long_text_is_read_whole():
    """A name every ten words, in and out of where windows overlap."""
    text = " ".join(f"{'so ' * 9}Anna Smith" for _ in range(30))
    assert [one.text for one in models.entities([text])[0]] == ["Anna Smith"] * 30


def test_every_label_allowed_by_the_rules_and_no_other():
    allowed = named_entities.transition_scores(["O", "B-person", "I-person", "B-address", "I-address"])
    o, bp, ip, ba, ia = range(5)
    assert [label for label in range(5) if allowed[0, label] == 0] == [o, bp, ba]
    assert [label for label in range(5) if allowed[1 + bp, label] == 0] == [o, ip, ba]
    assert [label for label in range(5) if allowed[1 + ia, label] == 0] == [o, bp, ba, ia]
    assert set(np.unique(allowed)) == {-np.inf, 0.0}


@given(st.lists(st.lists(st.integers(-9, 9), min_size=5, max_size=5), max_size=4))
def test_the_likeliest_row_is_the_best_of_all_rows(scores):
    """Every row of labels tried."""
    allowed = named_entities.transition_scores(["O", "B-person", "I-person", "B-place", "I-place"])

    def total(row):
        steps = zip([0, *(1 + label for label in row)], row, strict=False)
        return sum(scores[place][label] for place, label in enumerate(row)) + sum(
            allowed[before, label] for before, label in steps
        )

    found = named_entities.viterbi([np.array(one, dtype=np.float32) for one in scores], allowed)
    assert (
        total(found) == max(total(row) for row in itertools.product(range(5), repeat=len(scores))) > -np.inf
    )


@pytest.mark.parametrize(
    "text, whole",
    [("Anna-Anna Smith", "Anna-Anna"), ("Anna-bank", "Anna"), ("Anna - Anna", "Anna"), ("-Anna", "-")],
)
def test_a_hyphen_joins_what_a_capital_follows(text, whole):
    encoding = TOKENIZER(text, return_offsets_mapping=True, add_special_tokens=False).encodings[0]
    words = [(first, end, np.zeros(9)) for first, end in encoding.offsets]
    first, end, _ = named_entities.join_hyphens(text, words)[0]
    assert text[first:end] == whole


@pytest.mark.parametrize(
    "text, told",
    [("Anna met bank", "100"), ("anna Met Bank", "011"), ("ANNA É x", "110"), ("7 Bank ß", "010")],
)
def test_capitals_by_hand(text, told):
    one = TOKENIZER(text, return_offsets_mapping=True, add_special_tokens=False).encodings[0]
    words = dict(zip(one.word_ids, map(str, named_entities.capital_flags(text, one)), strict=True))
    assert "".join(words.values()) == told
