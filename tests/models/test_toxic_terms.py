"""The rule of terms: terms found however they are written, innocent words left alone."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.models.toxic_terms import find, fold

TOXIC = {
    "insult": ["You idiot.", "you are so stupid", "What a m0r0n!", "IDIOTS", "Shut up and pay."],
    "profanity": ["sh1t happens", "shiiiit", "b.i.t.c.h", "f*ck", "ＢＡＳＴＡＲＤ", "Bástard"],
    "slur": ["that retarded redneck", "hillbillies"],
    "threat": ["I will hurt you.", "we'll kill them", "You deserve to die", "go kill yourself"],
}
INNOCENT = [
    "The fee is $5.",
    "Scunthorpe and Essex branches",
    "assets, class, pass, assess",
    "scrap value",
    "We will beat their rate.",
    "Kill switch for cards",
    "If your statement gets lost, call us.",
    "A55 and 455 are form numbers; $455",
    "We will destroy your old card.",
    "who re-applies",
    "If you die, your heirs inherit.",
    "Dick Turpin",
    "the raccoon fund",
    "as set out",
    "spice trade",
]


@pytest.mark.parametrize("category", TOXIC)
def test_finds(category):
    assert [text for text in TOXIC[category] if category not in {hit.category for hit in find(text)}] == []


@pytest.mark.parametrize("text", INNOCENT)
def test_leaves_innocent_words_alone(text):
    assert find(text) == []


def test_the_place_is_that_of_the_original_text():
    text = "Well, ＩＤＩＯＴ!"
    assert [text[hit.start : hit.end] for hit in find(text)] == ["ＩＤＩＯＴ"]


def test_folding_by_hand():
    assert fold("Á$$3T 455 $45") == "asset 455 $45"


@given(st.text())
def test_folding_keeps_the_length_and_hits_do_not_overlap(text):
    assert len(fold(text)) == len(text)
    hits = find(text)
    assert all(one.end <= two.start for one, two in pairwise(hits))
