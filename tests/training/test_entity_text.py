import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bank_text
import entity_text

KINDS = {"person", "organisation", "place", "address"}


def holds(texts):
    for text, spans in texts:
        ordered = sorted(spans)
        assert all(0 <= start < end <= len(text) and kind in KINDS for start, end, kind in ordered)
        assert all(text[start:end] == text[start:end].strip() for start, end, _ in ordered)
        assert all(ordered[i][1] <= ordered[i + 1][0] for i in range(len(ordered) - 1))


def test_a_sentence_by_hand():
    text, spans = entity_text.fill("{title} {person} of {org} lives in {country}.", random.Random(3))
    assert [kind for _, _, kind in spans] == ["person", "organisation", "place"]
    assert text.endswith(text[spans[2][0] : spans[2][1]] + ".")


@given(seed=st.integers(0, 10**6))
def test_spans_stand_where_they_say_and_never_overlap(seed):
    draw = random.Random(seed)
    holds(entity_text.made(20, draw))


def test_every_sentence_can_be_filled_and_leaves_no_slot():
    for sentence in entity_text.sentences():
        text, _ = entity_text.fill(sentence, random.Random(0))
        assert "{" not in text and "}" not in text


def test_an_unknown_slot_is_refused():
    with pytest.raises(KeyError):
        entity_text.fill("{nobody}", random.Random(0))


def test_the_names_of_the_bank_are_found_as_they_stand():
    sentence = "Ingrid Solberg works for Alder Quay Bank at 14 Harbour Street, Port Alder."
    text, spans = bank_text.labelled(sentence, random.Random(0), exchanged=0)
    assert text == sentence
    assert [(text[start:end], kind) for start, end, kind in spans] == [
        ("Ingrid Solberg", "person"),
        ("Alder Quay Bank", "organisation"),
        ("14 Harbour Street", "address"),
        ("Port Alder", "place"),
    ]


def test_the_banks_sentences_keep_their_spans_when_names_are_exchanged():
    holds(bank_text.made(300, random.Random(0)))
