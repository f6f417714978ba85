"""N-grams by hand: what a text is folded to, what its runs weigh, what a head reads in them."""

import math
import zlib

import numpy as np
import pytest

from ragassay.models import ngrams


def test_fold():
    assert ngrams.fold("Sorry, I can’t.") == "sorry, i can't." and ngrams.fold("") == ""
    assert ngrams.fold("**Fees**: `$1,250.50` | 7") == "fees : $0 0"
    assert ngrams.fold("Información  no\tdisponible") == "informacion no disponible"


def test_places_and_weights_by_hand():
    """`no no`: ^, no twice, three pairs and runs; a place that stands twice weighs 1 + log 2."""
    where, row = ngrams.places("no no")
    assert (np.diff(where) > 0).all() and where.max() < ngrams.BUCKETS
    known = dict(zip(where, row, strict=True))
    assert known[zlib.crc32(b"no") % ngrams.HALF] == pytest.approx(1 + math.log(2))
    assert known[zlib.crc32(b"^ no") % ngrams.HALF] == 1
    assert known[ngrams.HALF + zlib.crc32(b" no ") % ngrams.HALF] == pytest.approx(1 + math.log(4))
    idf = np.ones(ngrams.BUCKETS)
    _, weighed = ngrams.weights("no no", idf)
    for half in (where < ngrams.HALF, where >= ngrams.HALF):
        assert weighed[half] == pytest.approx(row[half] / np.linalg.norm(row[half]))


def test_laws():
    """Each half has length 1; the idf scales a place against the others; case and numbers do not matter."""
    idf = np.random.default_rng(0).random(ngrams.BUCKETS) + 0.5
    for text in ("I cannot help.", "Fee 7.50", "", "?"):
        where, row = ngrams.weights(text, idf)
        assert np.linalg.norm(row[where < ngrams.HALF]) == pytest.approx(1)
        assert np.linalg.norm(row[where >= ngrams.HALF]) == pytest.approx(1 if text else 0)
        assert ngrams.weights(text, 3 * idf)[1] == pytest.approx(row)
    assert ngrams.places("FEE 12")[0].tolist() == ngrams.places("fee 3,4")[0].tolist()
    assert not ngrams.weights("unknown", np.zeros(ngrams.BUCKETS))[1].any()


def test_a_head_is_linear_in_the_weights_and_the_inner_vector(monkeypatch):
    """By hand: each layer times what it reads, and the constant."""
    rng = np.random.default_rng(1)
    weight, inner, bias = rng.normal(size=(3, ngrams.BUCKETS)), rng.normal(size=(3, 2)), np.arange(1.0, 4.0)
    center = np.array([0.1, 0.2])
    layers = {"idf": np.ones(ngrams.BUCKETS), "out.weight": weight, "out.bias": bias}
    layers |= {"inner.weight": inner, "inner.center": center}
    vectors = np.array([[0.6, 0.8]])
    monkeypatch.setattr(ngrams.encoder, "inner_vectors", lambda texts: vectors[: len(texts)])
    where, row = ngrams.weights("No fee.", layers["idf"])
    expected = weight[:, where] @ row + inner @ (vectors[0] - center) + bias
    assert ngrams.score(["No fee."], "en", layers)[0] == pytest.approx(expected)
    assert ngrams.score(["No fee."], "es", layers)[0] == pytest.approx(weight[:, where] @ row + bias)
    assert ngrams.score([], "en", layers).shape == (0, 3)
