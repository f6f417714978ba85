"""The rule of terms: terms found however they are written, innocent words left alone."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.models.toxic_terms import CATEGORIES, find, fold, terms

TOXIC = {
    "insult": ["You idiot.", "you are so stupid", "What a m0r0n!", "IDIOTS", "Shut up and pay."],
    "profanity": [
        "This is crap.",
        "sh1t happens",
        "shiiiit",
        "b.i.t.c.h",
        "f*ck",
        "ＢＡＳＴＡＲＤ",
        "Bástard",
    ],
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
    "shoe shop",
    "If you die, your heirs inherit.",
    "Dick Turpin",
    "the raccoon fund",
    "as set out",
    "he is a customer",
    "spice trade",
    "homogeneous groups",
    "",
]


@pytest.mark.parametrize(
    "category, text", [(category, text) for category, texts in TOXIC.items() for text in texts]
)
def test_finds(category, text):
    assert category in {hit.category for hit in find(text)}


@pytest.mark.parametrize("text", INNOCENT)
def test_leaves_innocent_words_alone(text):
    assert find(text) == []


def test_every_line_of_the_list_is_read():
    assert {term.category for term in terms()} == set(CATEGORIES)
    assert all(term.pattern.pattern for term in terms())


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


@given(
    st.sampled_from(TOXIC["profanity"] + TOXIC["insult"]), st.sampled_from([str.upper, str.lower, str.title])
)
def test_case_does_not_matter_and_more_text_never_cleans(text, change):
    assert find(change(text))
    assert find(f"The fee is five dollars. {text} Thank you.")
