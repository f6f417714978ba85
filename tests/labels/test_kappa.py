"""Kappa of two raters: by hand, against scikit-learn, laws, coverage, refusals."""

from math import sqrt

import numpy as np
import pytest

from ragassay.errors import LabelError
from ragassay.labels.kappa import cohen_kappa, raw_agreement, weighted_kappa
from ragassay.stats import clopper_pearson

BOTH = pytest.mark.parametrize("kappa", [cohen_kappa, weighted_kappa])


def rng(seed=0):
    return np.random.default_rng(seed)


def two_raters(n, draw):
    z = draw.normal(size=n)
    return [np.clip(np.round(3.6 + z + 0.6 * draw.normal(size=n)), 1, 5) for _ in range(2)]


def test_raw_agreement_by_hand():
    found = raw_agreement([1, 0, 1, 1, np.nan], [1, 1, 1, 1, 0])
    assert (
        str(found)
        == f"0.75 [{clopper_pearson(3, 4).low:.2f}, {clopper_pearson(3, 4).high:.2f}] n=4, 1 not labelled by both"
    )


def test_cohen_by_hand():
    """Cohen's textbook table 20, 5 / 10, 15: observed 0.7, by chance 0.5, kappa 0.4."""
    first, second = np.repeat([1, 1, 0, 0], [20, 5, 10, 15]), np.repeat([1, 0, 1, 0], [20, 5, 10, 15])
    found = cohen_kappa(first, second, rng=rng())
    assert found.value == pytest.approx(0.4) and found.low < 0.4 < found.high and found.n == 50


def test_weighted_by_hand():
    """1-1, 2-3, 3-3, 3-1: squared misses 0 1 0 4, mean 1.25; by chance the mean of (a - b)^2 over all pairs, 32/16."""
    a, b = np.array([1, 2, 3, 3]), np.array([1, 3, 3, 1])
    by_chance = np.mean((a[:, None] - b[None, :]) ** 2)
    assert weighted_kappa(a, b, rng=rng()).value == pytest.approx(1 - 1.25 / by_chance)


@pytest.mark.parametrize("seed", range(10))
def test_agrees_with_scikit_learn(seed):
    from sklearn.metrics import cohen_kappa_score

    a, b = two_raters(40, rng(seed))
    assert cohen_kappa(a, b, rng=rng()).value == pytest.approx(cohen_kappa_score(a, b))
    assert weighted_kappa(a, b, rng=rng()).value == pytest.approx(
        cohen_kappa_score(a, b, weights="quadratic", labels=[1, 2, 3, 4, 5])
    )


@BOTH
def test_laws(kappa):
    a, b = two_raters(60, rng())
    one = kappa(a, b, rng=rng(1))
    assert kappa(b, a, rng=rng(1)).value == pytest.approx(one.value)
    assert kappa(10 * a, 10 * b, rng=rng(1)) == one
    assert kappa(a, rng(3).permutation(a), rng=rng(1)).value == pytest.approx(0, abs=0.3)


def by_definition(a, b) -> float:
    """Cohen's kappa of two raters, from how often they agree and would by chance."""
    chance = sum((a == label).mean() * (b == label).mean() for label in range(1, 6))
    return ((a == b).mean() - chance) / (1 - chance)


def test_bootstrap_of_counts_is_the_bootstrap_of_cases():
    """Redrawing the counts of the table is redrawing cases: compare with the slow way (both 2,000 resamples)."""
    from sklearn.metrics import cohen_kappa_score

    a, b = two_raters(60, rng())
    assert by_definition(a, b) == pytest.approx(cohen_kappa_score(a, b))
    fast, draws = cohen_kappa(a, b, rng=rng(1)), rng(2).integers(0, 60, (1000, 60))
    slow = np.quantile([by_definition(a[rows], b[rows]) for rows in draws], [0.025, 0.975])
    assert [fast.low, fast.high] == pytest.approx(slow, abs=0.03)


@BOTH
def test_perfect_agreement_is_not_certainty(kappa):
    labels = np.repeat([0, 1], 15)
    found = kappa(labels, labels, rng=rng())
    assert found.value == found.high == 1 and found.low == pytest.approx(
        1 - (1 - clopper_pearson(30, 30).low) / 0.5
    )


@BOTH
def test_undefined_is_said(kappa):
    assert "one and the same label" in str(kappa([1, 1], [1, 1], rng=rng()))
    assert str(kappa([np.nan], [1], rng=rng())) == "not available (no case labelled by both)"
    assert kappa([1, 0, 1, np.nan], [1, 0, 0, 1], rng=rng()).left_out == 1


@BOTH
def test_raters_need_the_same_cases(kappa):
    with pytest.raises(LabelError, match="same cases"):
        kappa([1, 0], [1], rng=rng())


def test_weighted_refuses_a_label_outside_its_scale():
    with pytest.raises(LabelError, match="1 to 5"):
        weighted_kappa([1, 6], [1, 5], scale=(1, 5), rng=rng())


@pytest.mark.slow
@BOTH
def test_kappa_covers(kappa):
    """240 cases, 500 simulations: 0.95 within 3 standard errors (0.029); the truth is a long-run kappa."""
    draw = rng(51)
    truth = kappa(*two_raters(1_000_000, draw), n_boot=2, rng=draw).value
    found = [kappa(*two_raters(240, draw), n_boot=1000, rng=draw) for _ in range(500)]
    assert np.mean([each.low <= truth <= each.high for each in found]) == pytest.approx(
        0.95, abs=3 * sqrt(0.95 * 0.05 / 500)
    )
