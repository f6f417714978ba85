"""The pure parts of training/refusals.py by hand: states, parts left out, and that a head reads what it learned."""

import numpy as np
import pytest

import refusals
from ragassay.models import ngrams
from refusals import APART, LABELS, Sentences, Written

TEXTS = ["I cannot help.", "I cannot say.", "The fee is 5.", "The rate is 7.", "Hello there.", "Hello again."]


def one(batch, *labels, language="en"):
    return Written(batch, language, ("A.",) * len(labels), labels)


def test_a_batch_is_left_out_whole_and_of_the_others_a_half():
    assert refusals.part(7, one("chat")) == "chat"
    assert {refusals.part(i, one("others", language="es")) for i in range(4)} == {"others 0", "others 1"}
    assert {refusals.part(i, one("long money")) for i in range(4)} == {"long 0", "long 1"}
    assert {refusals.part(3, one(batch, language="es")) for batch in APART} == set(APART)


@pytest.mark.parametrize(
    ("batch", "labels", "state"),
    [
        ("explained_money", ("declines", "asserts"), "hedged"),
        ("explained_money", ("asserts", "declines"), "answered"),
        ("chat", ("declines", "asserts"), ""),
        ("chat", ("neither", "declines"), "declined"),
        ("chat", ("neither", "asserts"), "answered"),
        ("chat", ("neither",), "evaded"),
    ],
)
def test_the_state_by_the_labels(batch, labels, state):
    assert one(batch, *labels).state == state


def test_a_head_scores_as_the_library_reads_it(monkeypatch):
    """What one learned is told apart by the layers as `ngrams.score` reads them; of a part left out nothing is."""

    def vectors(texts):
        return np.array([[len(text), text.count("e") + 1.0] for text in texts])

    monkeypatch.setattr(refusals.models, "inner_vectors", vectors)
    monkeypatch.setattr(ngrams.encoder, "inner_vectors", vectors)
    labels = ["declines"] * 2 + ["asserts"] * 2 + ["neither"] * 2
    written = [Written("a", "en", (text,), (label,)) for text, label in zip(TEXTS, labels, strict=True)]
    other = Written("b", "en", ("Bananas!",), ("declines",))
    every = Sentences([*written, other])
    layers = refusals.learn(every, np.array([True] * 6 + [False]))
    assert [LABELS[place] for place in ngrams.score(TEXTS, "en", layers).argmax(axis=1)] == labels
    assert not layers["idf"][ngrams.places("Bananas!")[0]][:3].any()
