"""Concepts and their graph: by hand, PageRank as a linear system."""

import pytest
from hypothesis import strategies as st

from ragassay.models import Entity
from ragassay.scores.text_reading.concept_graph import WINDOW, build, concepts, phrases

SENTENCES = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6), max_size=5)


def test_concepts_by_hand():
    text = "The bank charges Ann Lee the monthly fees, usually 5 policies’ costs in March."
    assert concepts(text, [Entity("person", "Ann Lee", 17, 24)]) == [
        "bank",
        "charge",
        "ann lee",
        "monthly",
        "fee",
        "policy",
        "cost",
    ]


def test_phrases_stand_side_by_side():
    text = "the monthly maintenance fee of Ann Lee, fee"
    assert [text[start:end] for start, end in phrases(text)] == ["monthly maintenance fee", "Ann Lee", "fee"]


@pytest.mark.parametrize(
    "one, other",
    [("Fees", "fee's"), ("policies", "Policy"), ("boxes", "box"), ("addresses", "address"), ("GAS", "gas")],
)
def test_forms_of_one_noun_are_one_concept(one, other):
    assert concepts(one) == concepts(other) != []


@pytest.mark.parametrize(
    "text",
    ["", "5 %", "not the very of", "quickly", "must pay", "closing closed closes", "que los las", "\0 🙂"],
)
def test_texts_without_concepts(text):
    assert concepts(text) == []


def test_concepts_far_apart_are_not_joined():
    line = [f"c{i}" for i in range(WINDOW + 2)]
    found = build([line])
    assert found.has_edge(line[0], line[WINDOW]) and not found.has_edge(line[0], line[WINDOW + 1])
    assert build([[f"c{i}" for i in range(5000)]]).number_of_edges() <= 5000 * WINDOW


def test_entities_that_overlap_or_hold_nothing():
    text = "Ann Lee --"
    names = [Entity("person", "Ann Lee", 0, 7), Entity("person", "Ann", 0, 3), Entity("place", "--", 8, 10)]
    assert concepts(text, names) == ["ann lee"]
