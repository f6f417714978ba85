"""Clear groups are found by every method."""

import numpy as np
import pytest

from ragassay.cases import clustering


def groups(n: int = 40, apart: float = 20.0) -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.vstack([rng.normal(0, 1, (n, 4)) + apart * np.eye(4)[i] for i in range(4)])


@pytest.mark.parametrize("method", ["kmeans", "dbscan", "hdbscan"])
def test_every_method_finds_the_groups(method):
    labels, _ = clustering.cluster(groups(), method, 4 if method == "kmeans" else 0, seed=0)
    parts = [set(labels[i * 40 : (i + 1) * 40].tolist()) - {-1} for i in range(4)]
    assert all(len(part) == 1 for part in parts) and len(set.union(*parts)) == 4
