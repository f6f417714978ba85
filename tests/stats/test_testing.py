"""Paired permutation and Benjamini-Hochberg: by hand, against scipy, their laws, refusals, and their promised error rates."""

from math import isnan, sqrt

import numpy as np
import pytest
from scipy import stats as scipy_stats

from ragassay.stats import adjusted_confidence, benjamini_hochberg, bootstrap, exceeds, paired_permutation


def rng(seed=0):
    return np.random.default_rng(seed)


def test_by_hand():
    """1, 2, 3: of 8 sign patterns only +++ and --- reach a sum of 6."""
    assert paired_permutation([1.0, 2.0, 3.0], rng=rng()) == 2 / 8


def test_clusters_by_hand():
    """Cluster sums 3 and 3: of 4 patterns, 2 reach 6; the values alone would give 2/8."""
    assert paired_permutation([1.0, 2.0, 3.0], clusters=["a", "a", "b"], rng=rng()) == 2 / 4


@pytest.mark.parametrize("seed", range(3))
def test_exact_agrees_with_scipy(seed):
    differences = rng(seed).normal(0.4, size=10)
    rival = scipy_stats.permutation_test(
        (differences, np.zeros(10)),
        lambda x, y: (x - y).mean(),
        permutation_type="samples",
        n_resamples=np.inf,
    )
    assert paired_permutation(differences, rng=rng()) == pytest.approx(rival.pvalue)


def test_refuses():
    with pytest.raises(ValueError, match="infinite"):
        paired_permutation([1.0, np.inf], rng=rng())
    with pytest.raises(ValueError, match="one id per value"):
        paired_permutation([1.0, 2.0], clusters=["a"], rng=rng())


@pytest.mark.parametrize("n_clusters, simulations", [(8, 4000), (40, 400)])
def test_level(n_clusters, simulations):
    """Under no effect, p <= 0.05 in at most 5% of samples (3 standard errors allowed), whatever the clusters' sizes or spread."""
    draw, rejected = rng(21), 0
    for _ in range(simulations):
        ids = np.repeat(np.arange(n_clusters), draw.integers(1, 5, n_clusters))
        values = (draw.laplace(size=n_clusters) * np.arange(1, n_clusters + 1))[ids] + 0.1 * draw.normal(
            size=n_clusters
        )[ids]
        rejected += paired_permutation(values, clusters=ids, n_permutations=999, rng=draw) <= 0.05
    assert rejected / simulations <= 0.05 + 3 * sqrt(0.05 * 0.95 / simulations)
    assert rejected / simulations >= 0.03


def test_adjusted_by_hand():
    """Sorted 0.01, 0.03, 0.04 of 3: 0.03, min(0.045, 0.04), 0.04."""
    assert benjamini_hochberg([0.04, 0.01, 0.03]) == pytest.approx([0.04, 0.03, 0.04])


@pytest.mark.parametrize("seed", range(4))
def test_adjusted_agrees_with_scipy(seed):
    p_values = rng(seed).random(seed * 7 + 1) ** 2
    assert benjamini_hochberg(p_values) == pytest.approx(scipy_stats.false_discovery_control(p_values))


@pytest.mark.parametrize("p_values", [[0.5, 1.5], [-0.1], [[0.1]]])
def test_adjusted_refuses(p_values):
    with pytest.raises(ValueError, match=r"within \[0, 1\]"):
        benjamini_hochberg(p_values)


def test_selected_intervals_miss_no_more_often_than_promised(simulations):
    """Of 13 times 10 comparisons of 60 skewed pairs that differ by nothing, the lowest of each ten is selected."""
    rng, level, missed = np.random.default_rng(5), adjusted_confidence(13, 130), []
    for _ in range(simulations(100, part=10)):
        pairs = 1 - rng.exponential(size=(13, 10, 60))
        lowest = (pairs.mean(axis=2) / pairs.std(axis=2)).argmin(axis=1)
        for values in pairs[np.arange(13), lowest]:
            found = bootstrap(values, level=level, rng=rng)
            missed.append(not found.low <= 0 <= found.high)
    assert np.mean(missed) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / len(missed))


def test_false_discovery_rate():
    """20 tests, 12 without effect: the mean share of false discoveries is q * 12/20 = 0.06 at q = 0.1 (3 standard errors)."""
    draw, shares = rng(22), []
    for _ in range(4000):
        z = draw.normal(size=20) + np.repeat([0.0, 3.0], [12, 8])
        found = benjamini_hochberg(2 * scipy_stats.norm.sf(np.abs(z))) <= 0.1
        shares.append(found[:12].sum() / max(1, found.sum()))
    assert np.mean(shares) == pytest.approx(0.06, abs=3 * np.std(shares) / sqrt(4000))


def test_a_mean_against_a_bound_by_hand():
    """Three values, all above the bound: no weights bring the mean down, and a fair coin says three heads."""
    assert exceeds([0.2, 0.3, 0.4], 0.1, rng=rng()) == 1 / 8
    assert exceeds([0.2, 0.3, 0.4], 0.3, rng=rng()) == exceeds([0.0] * 5, 0.1, rng=rng()) == 1
    assert isnan(exceeds([np.nan], 0.1, rng=rng()))


@pytest.mark.parametrize("lost, n, bound", [(6, 60, 0.05), (3, 10, 0.1), (13, 56, 0.05), (1, 20, 0.02)])
def test_of_zeros_and_ones_it_is_the_binomial_test(lost, n, bound):
    values = np.r_[np.ones(lost), np.zeros(n - lost)]
    rival = scipy_stats.binomtest(lost, n, bound, alternative="greater").pvalue
    assert exceeds(values, bound, rng=rng()) == pytest.approx(rival, abs=0.01)


@pytest.mark.parametrize("draw", ["normal", "of three"])
def test_its_error_rate_is_the_one_promised(draw):
    """Means exactly at the bound, 40 values, 500 times: about 5 % below 0.05 (standard error 1 %)."""
    makes = {
        "normal": lambda g: g.normal(0.05, 0.2, 40),
        "of three": lambda g: g.choice([-1, 0, 1], p=[0.03, 0.89, 0.08], size=40),
    }
    below = [exceeds(makes[draw](rng(seed)), 0.05, n_boot=499, rng=rng(seed)) <= 0.05 for seed in range(500)]
    assert 0.02 <= np.mean(below) <= 0.08
