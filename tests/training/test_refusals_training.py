"""The pure parts of training/refusals.py by hand: parts left out, rarity, rows, and that a head never judges what it has learned."""

from dataclasses import replace

import numpy as np
import pytest

import refusals
from ragassay.models import ngrams
from refusals import ALWAYS, APART, LABELS, Written

TEXTS = ["I cannot help.", "I cannot say.", "The fee is 5.", "The rate is 7.", "Hello there.", "Hello again."]


def one(batch, language="en"):
    return Written(batch, language, "Q?", ("A.",), ("asserts",))


def test_a_batch_is_left_out_whole_and_of_the_other_languages_a_fifth():
    assert refusals.part(7, one("chat")) == "chat"
    assert {refusals.part(i, one("others", "es")) for i in range(10)} == {f"others {i}" for i in range(5)}
    assert {refusals.part(3, one(batch)) for batch in APART} == {ALWAYS}


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
def test_what_is_left_out_is_judged_by_what_has_not_seen_it(monkeypatch):
    """Labels of a part do not move its own scores; what is always learned has none."""
    monkeypatch.setattr(refusals, "bank", list)
    monkeypatch.setattr(refusals, "STRENGTH", 1.0)
    labels = ["declines"] * 2 + ["asserts"] * 2 + ["neither"] * 2
    written = [
        Written(batch, "en", "", (text,), (label,))
        for batch in ("a", "b", APART[0])
        for text, label in zip(TEXTS, labels, strict=True)
    ]
    scores = refusals.left_out(written)
    assert np.isnan(scores[12:]).all()
    assert [LABELS[place] for place in scores[:12].argmax(axis=1)] == labels * 2
    turned = [replace(w, labels=("neither",)) if w.batch == "a" else w for w in written]
    again = refusals.left_out(turned)
    assert again[:6] == pytest.approx(scores[:6]) and not np.allclose(again[6:12], scores[6:12])
