"""Entities from labelled words, with a stand-in for the network that knows a few words by their token number."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_heads import LABELS
from test_tokenization import TOKENIZER

from ragassay import models
from ragassay.models import Entity, load_instrument, named_entities
from ragassay.models.instrument import Instrument, Loaded

KNOWN = {
    "anna": "B-person",
    "smith": "I-person",
    "paris": "B-place",
    "bank": "I-organisation",
    "street": "I-address",
}
NUMBER = {
    TOKENIZER.convert_tokens_to_ids(word): LABELS["token"].index(label) for word, label in KNOWN.items()
}


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
    monkeypatch.setattr(load_instrument, "find_instrument", lambda model, kind: tool)
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
    assert models.entities(["the Bank street"])[0] == [
        Entity("organisation", "Bank", 4, 8),
        Entity("address", "street", 9, 15),
    ]


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


def test_every_label_allowed_by_the_rules_and_no_other():
    allowed = named_entities.transition_scores(
        ["O", "B-person", "I-person", "B-address", "I-address", "I-place"]
    )
    o, bp, ip, ba, ia, place = range(6)
    assert [label for label in range(6) if allowed[0, label] == 0] == [o, bp, ba, place]
    assert [label for label in range(6) if allowed[1 + bp, label] == 0] == [o, ip, ba, place]
    assert [label for label in range(6) if allowed[1 + ia, label] == 0] == [o, bp, ba, ia, place]
    assert set(np.unique(allowed)) == {-np.inf, 0.0}


@given(st.lists(st.lists(st.integers(-9, 9), min_size=5, max_size=5), max_size=4))
@settings(max_examples=100, deadline=None)
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


def words_of(text, **labels):
    """The words of a text, each scored for the label given, or O."""
    encoding = TOKENIZER(text, return_offsets_mapping=True, add_special_tokens=False).encodings[0]
    told = [labels.get(text[first:end].lower(), "O") for first, end in encoding.offsets]
    rows = np.eye(len(LABELS["token"]))[[LABELS["token"].index(label) for label in told]]
    return [(first, end, row) for (first, end), row in zip(encoding.offsets, rows, strict=True)]


@pytest.mark.parametrize(
    "text, whole",
    [
        ("Anna-Anna Smith", "Anna-Anna"),
        ("Anna-bank", "Anna"),
        ("Anna - Anna", "Anna"),
        ("-Anna", "-"),
        ("A", "A"),
    ],
)
def test_a_hyphen_joins_what_a_capital_follows(text, whole):
    first, end, _ = named_entities.label_words(
        text, words_of(text), named_entities.transition_scores(LABELS["token"])
    )[0]
    assert text[first:end] == whole


def test_a_joined_word_is_judged_by_its_first():
    text = "Anna-Paris, Bank"
    judged = named_entities.label_words(
        text,
        words_of(text, anna="B-person", paris="B-place", bank="B-organisation"),
        named_entities.transition_scores(LABELS["token"]),
    )
    assert [(text[first:end], LABELS["token"][label]) for first, end, label in judged] == [
        ("Anna-Paris", "B-person"),
        (",", "O"),
        ("Bank", "B-organisation"),
    ]


def test_words_of_a_model_not_ours_are_judged_each_on_its_own():
    text = "Anna-Anna"
    assert [
        label for _, _, label in named_entities.label_words(text, words_of(text, anna="I-person"), None)
    ] == [2, 0, 2]


@pytest.mark.parametrize(
    "text, told",
    [("Anna met bank", "100"), ("anna Met Bank", "011"), ("ANNA É x", "110"), ("7 Bank ß", "010")],
)
def test_capitals_by_hand(text, told):
    one = TOKENIZER(text, return_offsets_mapping=True, add_special_tokens=False).encodings[0]
    words = {
        word: str(case)
        for word, case in zip(
            one.word_ids, named_entities.capital_flags(text, one.word_ids, one.offsets), strict=True
        )
    }
    assert "".join(words.values()) == told


def test_capitals_reach_only_a_head_that_learned_from_them(network, monkeypatch):
    seen = []

    def scores(inputs):
        seen.append(int(inputs["types"].sum()))
        return np.zeros((*inputs["ids"].shape, len(LABELS["token"])), dtype=np.float32)

    tool = Instrument(
        {"name": "m", "file": "x", "sha256": "m"},
        tuple(LABELS["token"]),
        32,
        "m",
        lambda: Loaded(TOKENIZER, scores, np.nan),
    )
    monkeypatch.setattr(load_instrument, "find_instrument", lambda model, kind: tool)
    for cased in (False, True):
        monkeypatch.setattr(named_entities, "_sees_capitals", lambda model, cased=cased: cased)
        models.entities([f"Anna and Smith, {cased}"])
    assert seen[0] == 0 and seen[1] > 0


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=80))
@settings(max_examples=50, deadline=None)
def test_every_span_is_in_its_text(text):
    for one in models.entities([text])[0]:
        assert text[one.start : one.end] == one.text


@given(st.lists(st.tuples(*[st.integers(0, 2**31 - 1)] * 3), max_size=5))
def test_words_come_out_of_the_cache_as_they_went_in(words):
    assert (
        named_entities._unpack(np.frombuffer(named_entities._pack(words).tobytes(), dtype=np.float32))
        == words
    )
