"""Competence: by hand, against scikit-learn and the formulas spelled out, its laws, its refusals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import entropy
from sklearn.decomposition import PCA

from ragassay.scores.families.competence import competence, harmonic_mean, weights

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
