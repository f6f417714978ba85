"""Each group against the rest: by hand, against scipy, laws."""

import itertools

import numpy as np
import pytest
from scipy import stats

from ragassay.analysis import group_differences
from ragassay.stats import Interval, not_available, wilson


def test_differences_by_hand(rng):
    names, away, _ = group_differences.permutation_test(
        np.array([1.0, 2, 3, 6]), np.array(["a", "a", "b", "b"]), rng=rng, n_permutations=10
    )
    assert names.tolist() == ["a", "b"] and away == pytest.approx([-3.0, 3.0])


def test_p_agrees_with_scipy_and_with_every_arrangement(rng):
    values, groups = np.array([0.1, 0.3, 0.2, 0.9, 0.8, 0.7, 0.95, 0.4]), np.array(list("aaabbbbb"))
    _, away, p = group_differences.permutation_test(values, groups, rng=rng, n_permutations=20_000)
    rival = stats.permutation_test(
        (values[:3], values[3:]),
        lambda x, y: abs(x.mean() - y.mean()),
        n_resamples=np.inf,
        alternative="greater",
    ).pvalue
    each = [
        abs(values[list(one)].mean() - np.delete(values, one).mean()) >= abs(away[0]) - 1e-12
        for one in itertools.combinations(range(8), 3)
    ]
    assert rival == pytest.approx(np.mean(each))
    assert p[0] == pytest.approx(rival, abs=0.005)


def test_clusters_move_as_one(rng):
    """Six values of two conversations are two units a side: no evidence, however alike they are."""
    values, clusters = np.repeat([0.1, 0.12, 0.8, 0.82], 6), np.repeat(list("wxyz"), 6)
    groups = np.repeat(["a", "b"], 12)
    assert group_differences.permutation_test(values, groups, rng=rng)[2][0] < 0.01
    assert group_differences.permutation_test(values, groups, clusters, rng=rng)[2][0] == pytest.approx(
        1 / 3, abs=0.03
    )


def test_a_single_group_has_no_rest(rng):
    _, away, p = group_differences.permutation_test(np.array([1.0, 2.0]), np.array(["a", "a"]), rng=rng)
    assert np.isnan(away[0]) and np.isnan(p[0])


def test_p_is_uniform_when_there_is_nothing_to_find():
    rng = np.random.default_rng(5)
    groups = np.repeat(list("abcd"), 10)
    p = np.concatenate(
        [
            group_differences.permutation_test(rng.normal(size=40), groups, rng=rng, n_permutations=199)[2]
            for _ in range(300)
        ]
    )
    assert abs((p <= 0.05).mean() - 0.05) < 0.015


def test_difference_is_newcombes_method_ten():
    """Newcombe (1998), table II (a): 56/70 against 48/80 gives 0.2 [0.0524, 0.3339]."""
    found = group_differences.difference_of_means(wilson(56, 70), wilson(48, 80))
    assert (found.value, found.low, found.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)


def test_difference_without_an_interval_says_which_side():
    found = group_differences.difference_of_means(
        Interval(0.5, 0.4, 0.6, 10), not_available("2 values, at least 6 needed", value=0.3, n=2)
    )
    assert found.value == pytest.approx(0.2) and np.isnan(found.low) and "outside: 2 values" in found.reason
