"""Twins of a stratum: the distance by hand and by a rival, its laws, and that a twin is one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from scipy.stats import energy_distance as rival

from ragassay.cases import representatives


def energy_distance(these: np.ndarray, those: np.ndarray) -> float:
    """The definition, spelled out."""
    return 2 * cdist(these, those).mean() - cdist(these, these).mean() - cdist(those, those).mean()


def cloud(n: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.vstack([rng.normal(0, 1, (n - n // 3, 5)), rng.normal(4, 0.5, (n // 3, 5))])


def test_the_distance_by_hand():
    assert energy_distance(np.array([[0.0], [2.0]]), np.array([[1.0]])) == pytest.approx(2 * 1 - 1 - 0)


@given(st.lists(st.floats(-9, 9), min_size=1, max_size=9), st.lists(st.floats(-9, 9), min_size=1, max_size=9))
def test_in_one_dimension_it_is_the_square_of_scipys(one, other):
    these, those = np.array(one)[:, None], np.array(other)[:, None]
    assert energy_distance(these, those) == pytest.approx(rival(one, other) ** 2, abs=1e-9)
    assert energy_distance(these, those) == pytest.approx(energy_distance(those, these), abs=1e-12)
    assert energy_distance(these, these) == pytest.approx(0, abs=1e-12)


def test_a_twin_is_nearer_than_nearly_all_random_sets():
    vectors = cloud(300)
    found = representatives.twin(vectors, 30)
    assert len(set(found.rows.tolist())) == 30 and found.chance < 0.02
    assert found.distance == pytest.approx(energy_distance(vectors[found.rows], vectors), abs=1e-6)
    assert 7 <= (vectors[found.rows].mean(axis=1) > 2).sum() <= 13


def test_a_set_of_one_corner_is_no_twin():
    vectors = cloud(120)
    corner = np.argsort(vectors.sum(axis=1))[:20]
    assert energy_distance(vectors[corner], vectors) > 5 * representatives.twin(vectors, 20).distance


def test_the_whole_is_its_own_twin():
    found = representatives.twin(cloud(20), 20)
    assert found.rows.tolist() == list(range(20)) and found.distance == 0


def test_the_same_seed_gives_the_same_twin(monkeypatch):
    monkeypatch.setattr(representatives, "LARGEST", 50)
    one, again, other = (representatives.twin(cloud(90), 12, seed) for seed in (1, 1, 2))
    assert one.rows.tolist() == again.rows.tolist() != other.rows.tolist()


@pytest.mark.parametrize("size", [0, 21])
def test_sizes_that_cannot_be(size):
    with pytest.raises(ValueError, match="1 to 20"):
        representatives.twin(cloud(20), size)
