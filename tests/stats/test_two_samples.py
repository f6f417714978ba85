"""Two samples of one kind or not: by hand, laws, refusals, and how often the tests err and find."""

import numpy as np
import pytest

from ragassay.stats import same_shares, same_vectors, share_distance


def rng(seed=0):
    return np.random.default_rng(seed)


def one_hot(levels, k):
    return np.eye(k)[levels]


def test_share_distance_by_hand():
    assert share_distance([3, 1], [1, 3]) == pytest.approx(0.5)
    assert share_distance([1, 1, 0], [0, 0, 5]) == 1.0
    assert share_distance([2, 4], [10, 20]) == pytest.approx(0.0)
    assert np.isnan(share_distance([0, 0], [1, 2]))


def test_every_arrangement_of_two_against_two_by_hand():
    """Of the six ways to part a, a, b, b in two pairs, two part the letters: p is near a third."""
    p = same_shares(one_hot([0, 0], 2), one_hot([1, 1], 2), n_permutations=20_000, rng=rng())
    assert p == pytest.approx(2 / 6, abs=0.01)


def test_same_shares_sees_what_differs_and_not_what_does_not():
    same = one_hot(np.tile([0, 1, 2], 20), 3)
    assert same_shares(same, same, rng=rng()) == 1.0
    assert same_shares(same, one_hot(np.tile([0, 0, 2], 20), 3), rng=rng()) < 0.001


def test_clusters_change_sides_whole():
    """One cluster of 30 alike is one draw: with few clusters it proves nothing."""
    first = np.array([[30, 0], [1, 0], [0, 1]])
    assert same_shares(first, np.array([[0, 1], [1, 0], [0, 1]]), rng=rng()) > 0.2


@pytest.mark.parametrize(
    "first, second", [(np.empty((0, 2)), np.ones((3, 2))), (np.ones((3, 2)), np.empty((0, 2)))]
)
def test_nothing_to_compare_is_not_a_number(first, second):
    assert np.isnan(same_shares(first, second, rng=rng()))
    assert np.isnan(same_vectors(first, second, rng=rng())).all()


def test_energy_distance_by_hand():
    """Points 0 and 2 against 1 and 3: between 1.5 on average, within each 1."""
    distance, p = same_vectors([[0.0], [2.0]], [[1.0], [3.0]], rng=rng())
    assert distance == pytest.approx(2 * 1.5 - 1 - 1) and p > 0.3


def test_energy_sees_a_shift_and_a_spread_and_not_a_copy():
    points = rng(3).normal(size=(60, 4))
    assert same_vectors(points, points, rng=rng())[1] == 1.0
    assert same_vectors(points, rng(4).normal(size=(60, 4)) + 0.8, rng=rng())[1] == 0.001
    assert same_vectors(points, 3 * rng(4).normal(size=(60, 4)), rng=rng())[1] == 0.001


def test_the_errors_that_the_docstring_quotes(simulations):
    runs, random = simulations(400), rng(5)
    told = {"same": 0, "other": 0}
    for _ in range(runs):
        for name, shares in (("same", [0.25] * 4), ("other", [0.5, *[0.5 / 3] * 3])):
            samples = [
                one_hot(random.choice(4, 60, p=p), 4) * random.integers(1, 4, 60)[:, None]
                for p in ([0.25] * 4, shares)
            ]
            told[name] += same_shares(*samples, n_permutations=999, rng=random) < 0.05
    error = 3 * np.sqrt(0.25 / runs)
    assert told["same"] / runs == pytest.approx(0.05, abs=3 * np.sqrt(0.05 * 0.95 / runs))
    assert told["other"] / runs == pytest.approx(0.57, abs=error)
