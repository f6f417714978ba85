"""The parts of the hybrid assessment by similarity: by hand, against scikit-learn or the formula spelled out, their laws, their refusals."""

import numpy as np
import pytest
from fake_tools import with_vectors
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from ragassay.scores import METRICS
from ragassay.scores.families.hybrid_similarity import centre, coverage, nearness, on_topic, tfidf_weights
from ragassay.scores.vector_similarity import best_match

EAST, NORTH, WEST, NORTHEAST = [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.6, 0.8]
WORDS = st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6), min_size=1, max_size=6)


def cosine(one, other) -> float:
    return max(float(np.dot(one, other) / np.linalg.norm(one) / np.linalg.norm(other)), 0.0)


def measured(name, answer, context):
    """What the metric gives, and its evidence, for an answer and passages whose sentences have these vectors."""
    return METRICS[name].measure(*with_vectors(answer=answer, context=context, question=[EAST]))


def weighted_similarity(these, those):
    return measured("context_similarity", these, those)[0]


def context_utilisation(these, those):
    return measured("context_utilisation", these, those)[0]


def aspect_coverage(aspects, segments):
    return coverage(best_match(aspects, segments))


def test_by_hand():
    value, (first, second) = measured("context_similarity", [EAST, NORTH], [EAST])
    assert value == pytest.approx(first["weight"], abs=1e-6) and first["weight"] + second["weight"] == 1
    assert aspect_coverage([EAST, NORTH], [EAST, NORTHEAST]) == pytest.approx((1 + 0.8) / 2)
    assert nearness([EAST, NORTH, NORTHEAST]).mean() == pytest.approx((0 + 0.6 + 0.8) / 3)
    assert context_utilisation([EAST], [EAST, NORTH]) == pytest.approx(np.sqrt(0.5))
    assert on_topic([EAST], [EAST], [EAST]) == pytest.approx(1 / (1 + np.exp(-5)))
    assert on_topic([NORTH], [EAST], [EAST]) == pytest.approx(1 / (1 + np.exp(5)))


@given(WORDS)
@settings(deadline=None)
def test_weights_agree_with_scikit_learn(sentences):
    rival = TfidfVectorizer(analyzer=lambda words: words, norm=None)
    expected = np.asarray(rival.fit_transform(sentences).sum(axis=1)).ravel()
    assert tfidf_weights(sentences, sentences) == pytest.approx(expected)


def test_the_formulas_are_spelled_out(texts):
    these, those = texts
    best = [max(cosine(one, other) for other in those) for one in these]
    value, detail = measured("context_similarity", these, those)
    weights = [one["weight"] for one in detail]
    assert sum(weights) == pytest.approx(1, abs=1e-5) and value == pytest.approx(
        np.dot(best, weights), abs=1e-5
    )
    assert aspect_coverage(these, those) == pytest.approx(1 - np.mean([1 - one for one in best]))
    middle = np.mean([one / np.linalg.norm(one) for one in those], axis=0)
    units = [one / np.linalg.norm(one) for one in those]
    assert context_utilisation(these, units) == pytest.approx(np.mean([cosine(one, middle) for one in these]))
    if len(these) > 1:
        pairs = [cosine(one, other) for i, one in enumerate(these) for other in these[:i]]
        assert nearness(these).mean() == pytest.approx(np.mean(pairs))


def test_laws(texts):
    """Bounds; a text is like itself; stretching a vector or turning all of them changes nothing."""
    these, those = texts
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(8, 8)))[0]
    parts = [
        weighted_similarity,
        aspect_coverage,
        context_utilisation,
        lambda one, other: on_topic(one, other, other),
    ]
    for part in parts:
        assert 0 <= part(these, those) <= 1
        assert part(these @ turn, those @ turn) == pytest.approx(part(these, those))
    assert aspect_coverage(these, these) == pytest.approx(1) and parts[0](these, these) == pytest.approx(1)
    assert aspect_coverage(these, those) <= aspect_coverage(these, np.vstack([those, these])) + 1e-12


@pytest.mark.parametrize(
    "call, complaint",
    [
        (lambda: nearness([EAST]), "one sentence"),
        (lambda: centre([EAST, WEST]), "cancel out"),
        (lambda: context_utilisation([EAST], [EAST, WEST]), "cancel out"),
        (lambda: context_utilisation([EAST], np.empty((0, 2))), "empty"),
        (lambda: aspect_coverage(np.empty((0, 2)), [EAST]), "empty"),
        (lambda: weighted_similarity([EAST], [[0.0, 0.0]]), "undefined"),
    ],
)
def test_refusals(call, complaint):
    with pytest.raises(ValueError, match=complaint):
        call()
