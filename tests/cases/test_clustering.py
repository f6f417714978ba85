"""The sweep: clear groups are found and steady, a shapeless cloud is not, and the table is ranked."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from ragassay.cases import clustering


def groups(n: int = 40, apart: float = 20.0) -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.vstack([rng.normal(0, 1, (n, 4)) + apart * np.eye(4)[i] for i in range(4)])


def test_four_clear_groups_come_first():
    table = clustering.rank_settings(groups(), ks=(2, 4, 9))
    first = table.iloc[0]
    assert first["clusters"] == 4 and first["silhouette"] > 0.8 and first["stability"] > 0.99
    assert (
        set(table["method"]) == {"kmeans", "dbscan", "hdbscan"}
        and table.loc[table["eligible"], "score"].is_monotonic_decreasing
    )
    assert table.set_index("setting").loc["k = 9", "stability"] < 0.9


def test_a_cloud_without_groups_is_not_steady():
    cloud = np.random.default_rng(1).normal(size=(160, 4))
    table = clustering.rank_settings(cloud, ks=(6, 12)).query("method == 'kmeans'")
    assert table["stability"].max() < 0.8 and table["silhouette"].max() < 0.4


def test_stability_is_the_mean_adjusted_rand_index():
    rows, rng = groups(10), np.random.default_rng(0)
    labels, samples = rng.integers(0, 3, 40), [np.arange(0, 30), np.arange(10, 40)]
    again = {0: rng.integers(0, 3, 30), 10: rng.integers(0, 3, 30)}
    expected = np.mean([adjusted_rand_score(labels[sample], again[sample[0]]) for sample in samples])
    assert clustering.stability(labels, lambda sample: again[sample[0]], samples) == pytest.approx(expected)
    assert clustering.stability(labels, lambda sample: labels[sample], samples) == 1.0 and len(rows) == 40


def test_much_noise_makes_a_setting_ineligible():
    scattered = np.vstack([groups(5), np.random.default_rng(2).uniform(-200, 200, (100, 4))])
    table = clustering.rank_settings(scattered)
    noisy = table[table["noise_share"] > 0.5]
    assert len(noisy) and not noisy["eligible"].any() and noisy["reason"].ne("").all()


def test_the_best_is_the_first_eligible_setting():
    rows = groups()
    table = clustering.rank_settings(rows)
    one = clustering.best_setting(table, rows)
    assert (one.method, one.words) == (table["method"].iloc[0], table["setting"].iloc[0])
    assert len(set(clustering.fit_setting(rows, one, 0).tolist()) - {-1}) == table["clusters"].iloc[0]


@pytest.fixture(scope="module")
def swept():
    """Rows, and the settings ranked on 80 of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clustering, "SWEPT_ON", 80)
        return groups(), clustering.rank_settings(groups(), 3)


@pytest.mark.parametrize("method", ["kmeans", "dbscan", "hdbscan"])
def test_the_best_of_a_sample_is_taken_over_to_all_rows(monkeypatch, swept, method):
    monkeypatch.setattr(clustering, "SWEPT_ON", 80)
    rows, table = swept
    table = table[table["method"] == method].assign(eligible=True)
    one = clustering.best_setting(table, rows, 3)
    assert one.method == method and len(clustering.fit_setting(rows, one, 0)) == len(rows)
