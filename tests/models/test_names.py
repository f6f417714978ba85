"""Entities from labelled words, with a stand-in for the network that knows a few words by their token number."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_heads import LABELS
from test_token_reading import TOKENIZER

from ragassay import models
from ragassay.models import Entity, instrument, names
from ragassay.models.instrument import Instrument, Loaded

KNOWN = {"anna": "B-person", "smith": "I-person", "paris": "B-place", "bank": "I-organisation", "street": "I-address"}
NUMBER = {TOKENIZER.convert_tokens_to_ids(word): LABELS["token"].index(label) for word, label in KNOWN.items()}


@pytest.fixture(autouse=True)
def network(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "cache"))
    calls: list[int] = []

    def scores(inputs):
        calls.append(1)
        labels = np.vectorize(lambda number: NUMBER.get(number, 0))(inputs["ids"])
        return np.eye(len(LABELS["token"]), dtype=np.float32)[labels]

    identity = {"name": "m", "file": "x", "sha256": "m"}
    tool = Instrument(identity, tuple(LABELS["token"]), 32, "m", lambda: Loaded(TOKENIZER, scores, np.nan))
    monkeypatch.setattr(instrument, "named", lambda model, kind: tool)
    return calls


def test_by_hand():
    assert models.entities(["Anna Smith lives in Paris.", "", "Nothing here."]) == [
        [Entity("person", "Anna Smith", 0, 10), Entity("place", "Paris", 20, 25)],
        [],
        [],
    ]


def test_two_names_side_by_side_stay_two():
    assert [one.text for one in models.entities(["Anna Anna Smith"])[0]] == ["Anna", "Anna Smith"]


def test_an_inside_label_without_a_beginning_begins_a_span():
    assert models.entities(["the Bank street"])[0] == [Entity("organisation", "Bank", 4, 8), Entity("address", "street", 9, 15)]


def test_a_word_of_several_pieces_is_whole():
    """A word's label is its first piece's: "parisxq" is read as paris, ##x, ##q."""
    assert TOKENIZER.tokenize("parisxq")[0] == "paris" and len(TOKENIZER.tokenize("parisxq")) > 1
    assert models.entities(["in parisxq."])[0] == [Entity("place", "parisxq", 3, 10)]


def test_places_count_characters_not_bytes():
    text = "😀 é \u202eשלום\ud800 Anna Smith"
    assert models.entities([text])[0] == [Entity("person", "Anna Smith", len(text) - 10, len(text))]


def test_a_long_text_gives_what_its_parts_give(network):
    text = "x " * 37 + "Anna Smith " + "parisxq y " * 300 + "Bank"
    found = models.entities([text])[0]
    assert [one.text for one in found] == ["Anna Smith"] + ["parisxq"] * 300 + ["Bank"]
    assert all(text[one.start : one.end] == one.text for one in found)


def test_each_text_is_read_once(network):
    texts = ["Anna", "Paris", "Anna"]
    first = models.entities(texts)
    calls = len(network)
    assert models.entities(texts) == first
    assert len(network) == calls


def test_a_text_with_no_name_is_remembered_too(network):
    models.entities(["Nothing here."])
    models.entities(["Nothing here."])
    assert len(network) == 1


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=80))
@settings(max_examples=50, deadline=None)
def test_every_span_is_in_its_text(text):
    for one in models.entities([text])[0]:
        assert text[one.start : one.end] == one.text


@given(st.lists(st.tuples(*[st.integers(0, 2**31 - 1)] * 3), max_size=5))
def test_words_come_out_of_the_cache_as_they_went_in(words):
    assert names._unpacked(np.frombuffer(names._packed(words).tobytes(), dtype=np.float32)) == words
