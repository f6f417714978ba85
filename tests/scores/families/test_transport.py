"""Optimal transport: by hand, against brute force and a linear program, its laws, its refusals."""

import numpy as np
import pytest
from fake_tools import with_vectors
from scipy.optimize import linprog

from ragassay.scores.families import similarity
from ragassay.scores.families.similarity import distances

EAST, NORTH, WEST = [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]


def wasserstein_completeness(context, answer, measure=similarity.wasserstein_completeness):
    """What the metric gives for passages and an answer whose sentences have these vectors."""
    return measure(*with_vectors(context=context, answer=answer))[0]


def mean_pairwise_distance(context, answer):
    return wasserstein_completeness(context, answer, similarity.mean_pairwise_distance)


def test_by_hand():
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


@pytest.mark.parametrize("metric", [wasserstein_completeness, mean_pairwise_distance])
@pytest.mark.parametrize(
    "context, answer, complaint", [(np.empty((0, 2)), [EAST], "empty"), ([EAST], [[0.0, 0.0]], "sentence 0")]
)
def test_refuses_what_has_no_distance(metric, context, answer, complaint):
    with pytest.raises(ValueError, match=complaint):
        metric(context, answer)
