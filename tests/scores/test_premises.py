"""Premises: the nearest sentences, in the order they stand, each once."""

import numpy as np
import pytest
from fake_tools import FakeTools
from hypothesis import given
from hypothesis import strategies as st

from ragassay.scores import premises
from ragassay.scores.sample import Sentence

COSINES = st.lists(st.floats(-1, 1), min_size=1, max_size=12)


def test_the_three_nearest_in_the_order_they_stand():
    assert premises.premise(np.array([0.1, 0.9, 0.3, 0.8]), list("abcd")) == ("b c d", [1, 2, 3])


def test_a_repeated_sentence_counts_once():
    text, places = premises.premise(np.array([0.9, 0.9, 0.2, 0.1]), ["a", "a", "b", "c"])
    assert text == "a b c" and places == [0, 2, 3]


@given(COSINES, st.integers(1, 5))
def test_what_is_chosen_is_at_least_as_near_as_what_is_not(cosine, k):
    _, places = premises.premise(np.array(cosine), [str(i) for i in range(len(cosine))], k)
    left = [value for place, value in enumerate(cosine) if place not in places]
    assert len(places) == min(k, len(cosine)) and places == sorted(places)
    assert not left or min(cosine[place] for place in places) >= max(left) - 1e-9


def test_one_pair_per_sentence():
    these = [Sentence("the fee is due"), Sentence("a card is free")]
    those = [
        Sentence("cards are free"),
        Sentence("the fee is due in May"),
        Sentence("a card is free here"),
        Sentence("dogs bark"),
    ]
    found = premises.pairs(these, those, FakeTools(), k=1)
    assert found == [("the fee is due in May", "the fee is due"), ("a card is free here", "a card is free")]
    assert premises.pairs([], those, FakeTools()) == []


def test_no_candidates_is_refused():
    with pytest.raises(ValueError, match="empty"):
        premises.pairs([Sentence("a")], [], FakeTools())
