"""The parts of the hybrid assessment: by hand, against scikit-learn or the formula spelled out, their laws, their refusals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from ragassay.scores import hybrid

EAST, NORTH, WEST, NORTHEAST = [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.6, 0.8]
THREE = st.lists(st.tuples(*[st.floats(0.01, 1)] * 3), min_size=1).map(
    lambda rows: np.array(rows) / np.array(rows).sum(axis=1, keepdims=True)
)
WORDS = st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6), min_size=1, max_size=6)


def cosine(one, other) -> float:
    return max(float(np.dot(one, other) / np.linalg.norm(one) / np.linalg.norm(other)), 0.0)


def test_by_hand():
    assert hybrid.weighted_similarity([EAST, NORTH], [EAST], [3, 1]) == pytest.approx(0.75)
    assert hybrid.aspect_coverage([EAST, NORTH], [EAST, NORTHEAST]) == pytest.approx((1 + 0.8) / 2)
    assert hybrid.segment_coherence([EAST, NORTH, NORTHEAST]) == pytest.approx((0 + 0.6 + 0.8) / 3)
    assert hybrid.context_utilisation([EAST], [EAST, NORTH]) == pytest.approx(np.sqrt(0.5))
    assert hybrid.topic_relevance([EAST], [EAST], [EAST]) == pytest.approx(1 / (1 + np.exp(-5)))
    assert hybrid.topic_relevance([NORTH], [EAST], [EAST]) == pytest.approx(1 / (1 + np.exp(5)))
    assert hybrid.nli_coherence([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0.5, 0]]) == pytest.approx(
        (1 + 0.5 + 0 + 0.75) / 4
    )
    assert hybrid.contradiction([[1, 0, 0], [0, 0.6, 0.4]]) == pytest.approx(0.2)
    assert hybrid.pair_acceptability([1.0], [0.5], [0.0]) == pytest.approx((1 + 2 * 0.5) / 5)
    assert hybrid.equal_parts([0.2, 0.4]) == pytest.approx(0.3)


@given(WORDS)
@settings(deadline=None)
def test_weights_agree_with_scikit_learn(sentences):
    rival = TfidfVectorizer(analyzer=lambda words: words, norm=None)
    expected = np.asarray(rival.fit_transform(sentences).sum(axis=1)).ravel()
    assert hybrid.tfidf_weights(sentences, sentences) == pytest.approx(expected)


def test_the_formulas_are_spelled_out(texts):
    these, those = texts
    best = [max(cosine(one, other) for other in those) for one in these]
    weights = np.arange(1.0, len(these) + 1)
    assert hybrid.weighted_similarity(these, those, weights) == pytest.approx(
        np.average(best, weights=weights)
    )
    assert hybrid.aspect_coverage(these, those) == pytest.approx(1 - np.mean([1 - one for one in best]))
    middle = np.mean(those, axis=0)
    assert hybrid.context_utilisation(these, those) == pytest.approx(
        np.mean([cosine(one, middle) for one in these])
    )
    if len(these) > 1:
        pairs = [cosine(one, other) for i, one in enumerate(these) for other in these[:i]]
        assert hybrid.segment_coherence(these) == pytest.approx(np.mean(pairs))


def test_laws(texts):
    """Bounds; a text is like itself; stretching a vector or turning all of them changes nothing."""
    these, those = texts
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(8, 8)))[0]
    ones = np.ones(len(these))
    parts = [
        lambda one, other: hybrid.weighted_similarity(one, other, ones),
        hybrid.aspect_coverage,
        hybrid.context_utilisation,
        lambda one, other: hybrid.topic_relevance(one, other, other),
    ]
    for part in parts:
        assert 0 <= part(these, those) <= 1
        assert part(these @ turn, those @ turn) == pytest.approx(part(these, those))
    assert hybrid.aspect_coverage(these, these) == pytest.approx(1) and parts[0](
        these, these
    ) == pytest.approx(1)
    assert (
        hybrid.aspect_coverage(these, those)
        <= hybrid.aspect_coverage(these, np.vstack([those, these])) + 1e-12
    )


def test_a_rare_word_weighs_more_than_a_common_one():
    corpus = [["fee", "escrow"], ["fee"], ["fee"]]
    escrow, fee = hybrid.tfidf_weights([["escrow"], ["fee"]], corpus)
    assert escrow > fee > 0
    assert hybrid.tfidf_weights([[], []], corpus).tolist() == [1, 1]


@given(THREE)
@settings(deadline=None)
def test_entailment_parts_are_bounded_and_opposed(rows):
    coherence, contradiction = hybrid.nli_coherence(rows), hybrid.contradiction(rows)
    assert 0 <= coherence <= 1 + 1e-9 and 0 <= contradiction <= 1 + 1e-9
    assert coherence + contradiction <= 1 + 1e-9
    assert hybrid.nli_coherence(rows[:, ::-1]) == pytest.approx(1 - coherence)


def test_the_topic_is_that_of_question_and_contexts():
    near, far = (
        hybrid.topic_relevance([EAST], [EAST], [NORTH]),
        hybrid.topic_relevance([EAST], [NORTH], [NORTH]),
    )
    assert near > hybrid.topic_relevance([EAST], [NORTHEAST], [NORTH]) > far


@pytest.mark.parametrize(
    "call, complaint",
    [
        (lambda: hybrid.equal_parts([]), "no part"),
        (lambda: hybrid.segment_coherence([EAST]), "one sentence"),
        (lambda: hybrid.context_utilisation([EAST], [EAST, WEST]), "cancel out"),
        (lambda: hybrid.context_utilisation([EAST], np.empty((0, 2))), "empty"),
        (lambda: hybrid.aspect_coverage(np.empty((0, 2)), [EAST]), "empty"),
        (lambda: hybrid.weighted_similarity([EAST], [[0.0, 0.0]], [1]), "undefined"),
        (lambda: hybrid.nli_coherence(np.empty((0, 3))), "no sentence"),
        (lambda: hybrid.contradiction(np.empty((0, 3))), "no sentence"),
    ],
)
def test_refusals(call, complaint):
    with pytest.raises(ValueError, match=complaint):
        call()
