"""The sweep: clear groups are found and steady, a shapeless cloud is not, and the table is ranked."""

import numpy as np
import pytest

from ragassay.cases import clustering


def groups(n: int = 40, apart: float = 20.0) -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.vstack([rng.normal(0, 1, (n, 4)) + apart * np.eye(4)[i] for i in range(4)])


def test_four_clear_groups_come_first():
    table = clustering.rank_settings(groups(), ks=[4])
    first = table.iloc[0]
    assert first["clusters"] == 4 and first["silhouette"] > 0.8 and first["stability"] > 0.99
    assert set(table["method"]) == {"kmeans", "dbscan", "hdbscan"}
    assert table.loc[table["eligible"], "score"].is_monotonic_decreasing
    assert table.set_index("setting").loc["k = 8", "stability"] < 0.9


def test_a_cloud_without_groups_is_not_steady():
    cloud = np.random.default_rng(1).normal(size=(160, 4))
    table = clustering.rank_settings(cloud).query("method == 'kmeans'")
    assert table["stability"].max() < 0.8 and table["silhouette"].max() < 0.4


def test_much_noise_makes_a_setting_ineligible():
    scattered = np.vstack([groups(5), np.random.default_rng(2).uniform(-200, 200, (100, 4))])
    table = clustering.rank_settings(scattered)
    noisy = table[table["noise_share"] > 0.5]
    assert len(noisy) and not noisy["eligible"].any() and noisy["reason"].ne("").all()


@pytest.mark.parametrize("method", ["kmeans", "dbscan", "hdbscan"])
def test_every_method_finds_the_groups(method):
    labels, _ = clustering.cluster(groups(), method, 4 if method == "kmeans" else 0, seed=0)
    parts = [set(labels[i * 40 : (i + 1) * 40].tolist()) - {-1} for i in range(4)]
    assert all(len(part) == 1 for part in parts) and len(set.union(*parts)) == 4
