"""Cosines and matches that several measures of an answer share: the values of `similarity`, computed once."""

import numpy as np
import pytest
from fake_tools import FakeTools, encode

from ragassay.scores import similarity
from ragassay.scores.tools import Pending

THESE, THOSE = ["The fee is 5.", "Cards are free."], ["Wires cost 7.", "The fee is due.", "Cards cost 7."]


def test_cosines_are_those_of_the_vectors_to_the_last_bit():
    assert np.array_equal(FakeTools().cosines(THESE, THOSE), similarity.cosines(encode(THESE), encode(THOSE)))


def test_a_match_is_the_best_the_nearest_and_the_least():
    cosine = similarity.cosines(encode(THESE), encode(THOSE))
    found = FakeTools().match(THESE, THOSE)
    assert np.array_equal(found.best, cosine.max(axis=1)) and found.nearest.tolist() == [1, 2] and found.least == int(cosine.max(axis=1).argmin())


def test_the_same_texts_give_the_same_array_and_nobody_can_change_it():
    tools = FakeTools()
    assert tools.cosines(THESE, THOSE) is tools.cosines(list(THESE), tuple(THOSE)) and tools.embed(THESE) is tools.embed(THESE)
    with pytest.raises(ValueError, match="read-only"):
        tools.embed(THESE)[0] = 0.0


def test_what_is_pending_is_not_remembered_as_such():
    tools = FakeTools()
    tools.collect(True)
    for _ in range(2):
        with pytest.raises(Pending):
            tools.match(THESE, THOSE)
    tools.settle()  # of `these`; `those` are noted the next time
    with pytest.raises(Pending):
        tools.match(THESE, THOSE)
    tools.settle()
    assert tools.match(THESE, THOSE).nearest.tolist() == [1, 2]


def test_a_text_without_sentences_has_no_cosine():
    with pytest.raises(ValueError, match="empty"):
        FakeTools().cosines([], THOSE)
