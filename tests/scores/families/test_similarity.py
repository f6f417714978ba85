"""Similarity and transport: by hand, against the paper and a linear program, laws, refusals."""

import numpy as np
import pytest
from fake_tools import with_vectors
from scipy.optimize import linprog

from ragassay.scores import METRICS
from ragassay.scores.families import similarity
from ragassay.scores.families.similarity import aggregate, distances

EAST, NORTH = [1.0, 0.0], [0.0, 1.0]
SIDES = {  # each scores its first text by its second
    "context_relevancy": ("question", "context"),
    "groundedness": ("answer", "context"),
    "completeness": ("context", "answer"),
    "answer_relevancy": ("answer", "question"),
}


def value(name, scored, by, suffix="", words=None):
    """What the metric gives for a text with these sentence vectors, each of so many words, by another."""
    one, other = SIDES[name]
    sample, tools = with_vectors({one: words} if words else None, **{one: scored, other: by})
    return METRICS[name + suffix].measure(sample, tools)[0]


def cosine(a, c):
    return a @ c / (np.linalg.norm(a) * np.linalg.norm(c))


@pytest.mark.parametrize("metric", SIDES)
def test_by_hand(metric):
    """One sentence found word for word, one not found at all: half the text is met; the worst not at all; a weight of 3 to 1 gives 3/4."""
    scored, by = np.array([EAST, NORTH]), np.array([EAST])
    assert value(metric, scored, by) == pytest.approx(0.5)
    assert value(metric, scored, by, "_min") == pytest.approx(0.0)
    assert value(metric, scored, by, "_weighted", [3, 1]) == pytest.approx(0.75)


@pytest.mark.parametrize("metric", SIDES)
def test_agrees_with_the_paper(metric, texts):
    scored, by = texts
    found = [max(cosine(a, c) for c in by) for a in scored]
    words = range(1, len(found) + 1)
    weights = np.array(words) / sum(words)
    assert value(metric, scored, by) == pytest.approx(sum(found) / len(found))
    assert value(metric, scored, by, "_min") == pytest.approx(min(found))
    assert value(metric, scored, by, "_weighted", words) == pytest.approx(
        sum(w * s for w, s in zip(weights, found, strict=True))
    )


@pytest.mark.parametrize("metric", SIDES)
def test_more_to_be_met_by_never_hurts(metric, texts):
    scored, by = texts
    assert value(metric, scored, np.vstack([by, scored[:1]])) >= value(metric, scored, by) - 1e-12


@pytest.mark.parametrize("metric", SIDES)
def test_a_text_meets_itself_fully_and_scale_and_order_do_not_matter(metric, texts):
    scored, by = texts
    assert value(metric, scored, scored) == pytest.approx(1.0)
    assert value(metric, 7 * scored[::-1], by[::-1]) == pytest.approx(value(metric, scored, by))


@pytest.mark.parametrize(
    "scored, by, complaint",
    [
        (np.empty((0, 2)), [EAST], "empty"),
        ([EAST], np.empty((0, 2)), "empty"),
        ([EAST, [0.0, 0.0]], [EAST], "sentence 1"),
        ([[np.nan, 1.0]], [EAST], "sentence 0"),
    ],
)
@pytest.mark.parametrize("metric", SIDES)
def test_refuses_what_has_no_score(metric, scored, by, complaint):
    with pytest.raises(ValueError, match=complaint):
        value(metric, scored, by)


@pytest.mark.parametrize(
    "how, weights, complaint",
    [
        ("median", None, "mean, weighted, minimum; found 'median'"),
        ("weighted", None, "weights must be 2 numbers"),
        ("weighted", [1.0], "weights must be 2 numbers"),
        ("weighted", [1.0, -2.0], "weights must be 2 numbers"),
        ("weighted", [1.0, np.inf], "weights must be 2 numbers"),
        ("weighted", [0.0, 0.0], "weights must be 2 numbers"),
    ],
)
def test_refuses_what_cannot_be_aggregated(how, weights, complaint):
    with pytest.raises(ValueError, match=complaint):
        aggregate([0.5, 0.7], how, weights)
    with pytest.raises(ValueError, match="empty"):
        aggregate([])


WEST = [-1.0, 0.0]


def wasserstein_completeness(context, answer, measure=similarity.wasserstein_completeness):
    """What the metric gives for passages and an answer whose sentences have these vectors."""
    return measure(*with_vectors(context=context, answer=answer))[0]


def mean_pairwise_distance(context, answer):
    return wasserstein_completeness(context, answer, similarity.mean_pairwise_distance)


def test_transport_by_hand():
    """Half of the context stays where it is, half moves by a right angle: cost 1/2; over all pairs the mean is also 1/2."""
    assert wasserstein_completeness([EAST, NORTH], [EAST]) == pytest.approx(0.5)
    assert mean_pairwise_distance([EAST, NORTH], [EAST]) == pytest.approx(0.5)
    assert wasserstein_completeness([EAST, NORTH], [NORTH, EAST]) == 0.0
    assert mean_pairwise_distance([EAST, NORTH], [NORTH, EAST]) == pytest.approx(0.5)
    assert wasserstein_completeness([EAST], [WEST]) == pytest.approx(2.0)


def test_agrees_with_a_linear_program(texts):
    """The paper's minimum over all plans with row sums 1/n and column sums 1/k, solved by another solver."""
    context, answer = texts
    cost = distances(context, answer)
    n, k = cost.shape
    rows, columns = np.kron(np.eye(n), np.ones(k)), np.kron(np.ones(n), np.eye(k))
    sums = np.r_[np.full(n, 1 / n), np.full(k, 1 / k)]
    best = linprog(cost.ravel(), A_eq=np.vstack([rows, columns]), b_eq=sums, bounds=(0, None))
    assert wasserstein_completeness(context, answer) == pytest.approx(best.fun, abs=1e-8)


def test_laws(texts):
    """Range, zero for equal texts, symmetry, never above the average of all pairs; the average of a text with itself is not zero."""
    context, answer = texts
    exact, average = wasserstein_completeness(context, answer), mean_pairwise_distance(context, answer)
    assert 0 <= exact <= average + 1e-9 <= 2 + 1e-9
    assert wasserstein_completeness(context, context) == pytest.approx(0.0, abs=1e-9)
    assert exact == pytest.approx(wasserstein_completeness(answer, context))
    assert len(context) == 1 or mean_pairwise_distance(context, context) > 0


THESE, THOSE = ["The fee is 5.", "Cards are free."], ["Wires cost 7.", "The fee is due.", "Cards cost 7."]
