"""The pure parts of training/refusals.py by hand: parts left out, counts, rarity, rows, and that a head never judges what it has learned."""

import math

import numpy as np
import pytest

import refusals
from ragassay.models import ngrams
from refusals import ALWAYS, APART, LABELS, LEAST, Written

TEXTS = ["I cannot help.", "I cannot say.", "The fee is 5.", "The rate is 7.", "Hello there.", "Hello again."]


def one(batch, language="en"):
    return Written(batch, language, "Q?", ("A.",), ("asserts",))


def test_a_batch_is_left_out_whole_and_of_the_other_languages_a_fifth():
    assert refusals.part(7, one("chat")) == "chat"
    assert {refusals.part(i, one("others", "es")) for i in range(10)} == {f"others {i}" for i in range(5)}
    assert {refusals.part(3, one(batch)) for batch in APART} == {ALWAYS}


def test_written_answers_have_a_label_for_each_sentence():
    found = refusals.answers()
    assert {label for each in found for label in each.labels} == set(LABELS)
    assert all(len(each.sentences) == len(each.labels) > 0 for each in found)
    assert len({each.batch for each in found} - set(APART)) >= 4


def test_counts_are_those_of_the_library():
    counted = refusals.counts(TEXTS)
    assert counted.shape == (len(TEXTS), ngrams.BUCKETS)
    for row, text in zip(counted, TEXTS, strict=True):
        where, values = ngrams.places(text)
        assert row.indices.tolist() == where.tolist() and row.data == pytest.approx(values)


def test_rarity_by_hand():
    """A place met in 2 of 6 texts weighs 1 + log(7 / 3), in all 6 of them 1, in fewer than LEAST nothing."""
    counted = refusals.counts(TEXTS)
    idf = refusals.idf_of(counted)
    met = np.asarray((counted > 0).sum(axis=0)).ravel()
    assert idf[met == 2] == pytest.approx(1 + math.log(7 / 3)) and idf[met == 6] == pytest.approx(1)
    assert not idf[met < LEAST].any() and (met == 1).any() and (met == 6).any()


def test_rows_are_weighed_as_the_library_weighs_a_text():
    counted = refusals.counts(TEXTS)
    idf = refusals.idf_of(counted)
    rows = refusals.rows_of(counted, idf).toarray()
    for row, text in zip(rows, TEXTS, strict=True):
        where, weights = ngrams.weights(text, idf)
        expected = np.zeros(ngrams.BUCKETS)
        expected[where] = weights
        np.testing.assert_allclose(row, expected, atol=1e-12)


@pytest.mark.slow
def test_what_is_left_out_is_judged_by_what_has_not_seen_it():
    """Labels of a part do not move its own scores; what is always learned has none."""
    texts = TEXTS * 3
    labels = np.array([0, 0, 1, 1, 2, 2] * 3)
    parts = np.array(["a"] * 6 + ["b"] * 6 + [ALWAYS] * 6)
    counted, even = refusals.counts(texts), np.ones(18)
    scores = refusals.left_out(counted, labels, even, parts, 1.0)
    assert np.isnan(scores[12:]).all() and (scores[:12].argmax(axis=1) == labels[:12]).all()
    turned = np.where(parts == "a", (labels + 1) % 3, labels)
    again = refusals.left_out(counted, turned, even, parts, 1.0)
    assert again[:6] == pytest.approx(scores[:6]) and not np.allclose(again[6:12], scores[6:12])
