"""Near-duplicates: against all pairs by brute force; counted, capped, ordered."""

import numpy as np
import pandas as pd
import pytest

from ragassay.cases import near


@pytest.fixture
def random_passages():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(50, 4))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return pd.DataFrame(
        {"chunk_id": [f"d#p{i}" for i in range(50)], "text": [str(i) for i in range(50)]}
    ), vectors


@pytest.mark.parametrize("threshold", [0.95, 0.5, -1.0])
def test_agrees_with_all_pairs(random_passages, threshold, monkeypatch):
    monkeypatch.setattr(near, "BLOCK", 7)
    chunks, vectors = random_passages
    expected = {
        (f"d#p{i}", f"d#p{j}")
        for i in range(50)
        for j in range(i + 1, 50)
        if vectors[i] @ vectors[j] >= threshold
    }
    found = near.near_duplicates(chunks, threshold, limit=10_000, encode=lambda texts, model: vectors)
    assert set(zip(found["chunk_id"], found["other"], strict=True)) == expected and found.attrs[
        "count"
    ] == len(expected)
    assert found["similarity"].is_monotonic_decreasing


def test_capped_rows_are_the_nearest_and_all_are_counted(random_passages):
    chunks, vectors = random_passages
    whole, capped = (
        near.near_duplicates(chunks, 0.0, limit=limit, encode=lambda texts, model: vectors)
        for limit in (10_000, 5)
    )
    assert len(capped) == 5 and capped.attrs["count"] == len(whole)
    assert capped["similarity"].tolist() == whole["similarity"].tolist()[:5]


@pytest.mark.parametrize("n", [0, 1])
def test_one_passage_has_no_duplicate(random_passages, encode, n):
    found = near.near_duplicates(random_passages[0].head(n), encode=encode)
    assert not len(found) and found.attrs["count"] == 0
