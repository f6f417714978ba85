"""Cosines and matches that several measures of an answer share: the values of `similarity`, computed once."""

import numpy as np
import pytest
from fake_tools import FakeTools, encode

from ragassay.scores import vector_similarity
from ragassay.scores.shared_instruments import Pending

THESE, THOSE = ["The fee is 5.", "Cards are free."], ["Wires cost 7.", "The fee is due.", "Cards cost 7."]


def test_a_match_is_the_best_the_nearest_and_the_least():
    cosine = vector_similarity.cosines(encode(THESE), encode(THOSE))
    found = FakeTools().match(THESE, THOSE)
    assert (
        np.array_equal(found.best, cosine.max(axis=1))
        and found.nearest.tolist() == [1, 2]
        and found.least == int(cosine.max(axis=1).argmin())
    )


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


def test_the_least_met_sentence_is_the_first_of_equals():
    assert vector_similarity.least_met([0.4, 0.1, 0.1 + 1e-9, 0.9]) == 1
    assert vector_similarity.nearest([[0.2, 0.5, 0.5 + 1e-12]]).tolist() == [1]
    assert vector_similarity.best_match([[1.0, 0.0], [-1.0, 0.0]], [[1.0, 0.0]]).tolist() == [1.0, -1.0]
