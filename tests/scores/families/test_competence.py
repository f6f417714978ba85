"""Competence: by hand, against scikit-learn and the formulas spelled out, its laws, its refusals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import entropy, hmean
from sklearn.decomposition import PCA

from ragassay.scores.families.competence import competence, harmonic_mean, orient, weights

TABLES = arrays(
    float,
    st.tuples(st.integers(2, 8), st.integers(1, 5)),
    elements=st.floats(0.01, 1).map(lambda value: round(value, 3)),
)


@pytest.fixture(params=range(10), ids="seed={}".format)
def table(request) -> np.ndarray:
    rng = np.random.default_rng(request.param)
    return rng.uniform(0.05, 1, size=(rng.integers(5, 20), rng.integers(2, 7)))


def test_by_hand():
    """Two answers, two metrics that move together: PCA weighs them alike; the second varies three times as much beside its mean."""
    found = weights([[0.4, 0.2], [0.6, 0.8]])
    assert found["pca"] == pytest.approx([0.5, 0.5])
    assert found["variation"] == pytest.approx([0.25, 0.75])
    bits = [1 - entropy([0.4, 0.6], base=2), 1 - entropy([0.2, 0.8], base=2)]
    assert found["entropy"] == pytest.approx(np.array(bits) / sum(bits))
    assert harmonic_mean(np.array([[0.5, 1.0]]), np.array([0.5, 0.5])) == pytest.approx([2 / 3])


def test_agrees_with_scikit_learn_and_scipy(table):
    found = weights(table)
    loadings = np.abs(PCA(1).fit((table - table.mean(0)) / table.std(0)).components_[0])
    assert found["pca"] == pytest.approx(loadings / loadings.sum())
    divergence = 1 - entropy(table, base=len(table))
    assert found["entropy"] == pytest.approx(divergence / divergence.sum())
    variation = table.std(0) / table.mean(0)
    assert found["variation"] == pytest.approx(variation / variation.sum())


def test_the_mean_of_the_weightings_is_the_harmonic_mean_of_the_three_means(table):
    """Both readings of "combines with a harmonic mean" are one (decision 13)."""
    three = [hmean(table, axis=1, weights=np.tile(one, (len(table), 1))) for one in weights(table).values()]
    assert competence(table) == pytest.approx(hmean(three, axis=0))


@given(TABLES)
@settings(deadline=None)
def test_laws(values):
    """Between the least and the greatest metric of the answer; the order of the answers plays no part."""
    if not (np.ptp(values, axis=0) >= 1e-9).any():
        return
    scores = competence(values)
    assert (scores >= values.min(axis=1) - 1e-9).all() and (scores <= values.max(axis=1) + 1e-9).all()
    parted = [weights(values)[name] for name in ("entropy", "variation")]
    turned = [weights(values[::-1])[name] for name in ("entropy", "variation")]
    assert all(
        one == pytest.approx(other, abs=1e-6) and one.sum() == pytest.approx(1)
        for one, other in zip(parted, turned, strict=True)
    )


def test_raising_one_metric_of_one_answer_under_the_same_weights_raises_it(table):
    weighting = np.full(table.shape[1], 1 / table.shape[1])
    better = table.copy()
    better[0, 0] = min(1, better[0, 0] + 0.2)
    assert harmonic_mean(better, weighting)[0] >= harmonic_mean(table, weighting)[0]


def test_a_zero_gives_zero_and_a_constant_metric_has_no_weight():
    table = np.array([[0.0, 0.7, 0.5], [0.5, 0.7, 0.6], [0.9, 0.7, 0.7]])
    assert competence(table)[0] == 0 and (competence(table)[1:] > 0).all()
    assert all(found[1] == 0 and found.sum() == pytest.approx(1) for found in weights(table).values())
    nothing = np.array([[0.0, 0.4], [0.0, 0.6]])
    assert competence(nothing).tolist() == [0, 0]


def test_every_metric_is_turned_upwards_and_bounded():
    assert orient([[0.2, 0.3], [-1, 2]], [True, False]).tolist() == [[0.2, 0.7], [0.0, 0.0]]


@pytest.mark.parametrize(
    "table, complaint",
    [
        ([[0.5, 0.5]], "two answers"),
        ([[0.5, 0.5], [0.5, 0.5]], "no metric varies"),
        ([[0.5], [1.5]], "between 0 and 1"),
        ([[0.5], [np.nan]], "between 0 and 1"),
        ([0.5, 0.5], "table"),
        (np.empty((0, 3)), "two answers"),
    ],
)
def test_refusals(table, complaint):
    with pytest.raises(ValueError, match=complaint):
        competence(table)
