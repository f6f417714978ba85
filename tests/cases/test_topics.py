"""Topics: found where they are, stable, honest about small collections."""

import numpy as np
import pandas as pd
import pytest

from ragassay.cases import topics as building
from ragassay.cases.topics import GIVEN, build_topics, compare_clusterings
from ragassay.errors import ParameterError


def test_finds_three_subjects(passages, encode):
    found = build_topics(passages, encode=encode)
    assert len(found.table) == 3 and found.table["n_chunks"].tolist() == [10, 10, 10]
    assert found.chunks.groupby("doc_id")["topic"].nunique().eq(1).all()
    assert found.table["share"].sum() == pytest.approx(1, abs=1e-3)
    assert found.ranking["chosen"].sum() == 1 and found.ranking.loc[found.ranking["chosen"], "k"].item() == 3
    assert "3 topics" in found.notes[0]


def test_same_seed_same_bytes(passages, encode):
    one, other = (build_topics(passages, seed=4, encode=encode) for _ in range(2))
    pd.testing.assert_frame_equal(one.chunks, other.chunks)
    pd.testing.assert_frame_equal(one.table, other.table)


@pytest.mark.parametrize("n", [1, 2, 5, 7])
def test_a_small_collection_is_one_stratum_and_says_why(passages, encode, n):
    found = build_topics(passages.head(n), encode=encode)
    assert found.table["topic"].tolist() == ["T01"] and found.table["n_chunks"].item() == n
    assert not len(found.ranking) and "no silhouette" in " ".join(found.notes)
    assert found.chunks[["x", "y"]].notna().all().all()


def test_passages_that_are_all_the_same_are_one_topic(encode):
    same = pd.DataFrame(
        {"chunk_id": [f"d#p{i}" for i in range(12)], "doc_id": "d", "text": "The fee is waived."}
    )
    found = build_topics(same, encode=encode)
    assert len(found.table) == 1 and "do not differ" in found.notes[0]


@pytest.mark.parametrize("method", ["hdbscan", "dbscan"])
def test_density_clustering_keeps_noise_as_its_own_stratum_last(passages, encode, method):
    found = build_topics(passages, method=method, encode=encode)
    assert found.table["n_chunks"].sum() == len(passages)
    assert "noise" not in found.table["topic"].tolist()[:-1]


def test_compares_every_method_with_the_choice(passages, encode):
    table = compare_clusterings(build_topics(passages, encode=encode), encode=encode)
    assert set(table["method"]) == {"kmeans", "hdbscan", "dbscan"}
    assert (
        table.loc[table["chosen"], "setting"].item() == "k = 3" and table["noise_share"].between(0, 1).all()
    )
    assert (table["silhouette"].notna() | table["reason"].ne("")).all()


def test_the_best_setting_of_the_sweep_can_be_asked_for(passages, encode):
    found = build_topics(passages, method="best", encode=encode)
    assert "the best of" in " ".join(found.notes) and found.table["n_chunks"].sum() == 30
    table = compare_clusterings(found, encode=encode)
    assert table["chosen"].sum() == 1 or found.recipe["setting"] not in table["setting"].tolist()


def test_a_large_collection_is_fitted_on_a_sample(passages, encode, monkeypatch):
    whole = build_topics(passages, k=3, encode=encode)
    monkeypatch.setattr(building, "FIT_AT_MOST", 20)
    sampled = build_topics(passages, k=3, encode=encode)
    assert "20 of 30" in sampled.notes[0]
    together = pd.crosstab(whole.chunks["topic"], sampled.chunks["topic"])
    assert (together.gt(0).sum(axis=1) == 1).all()


@pytest.mark.parametrize(
    "wrong",
    [
        {"method": "spectral"},
        {"reduce": "tsne"},
        {"picture": "tsne"},
        {"components": 1},
        {"k": -1},
        {"k": 31},
    ],
)
def test_refuses(passages, encode, wrong):
    with pytest.raises(ParameterError):
        build_topics(passages, encode=encode, **wrong)


def test_refuses_an_empty_collection(passages, encode):
    with pytest.raises(ParameterError, match="no passages"):
        build_topics(passages.head(0), encode=encode)


@pytest.mark.slow
def test_umap_and_the_real_encoder_give_the_same_twice(passages):
    words = passages.assign(text=passages["text"] + [f" number {i}" for i in range(len(passages))])
    double = pd.concat(
        [words, words.assign(chunk_id=words["chunk_id"] + "b", text=words["text"] + " again")],
        ignore_index=True,
    )
    one, other = (build_topics(double, picture="umap") for _ in range(2))
    pd.testing.assert_frame_equal(one.chunks, other.chunks)
    assert one.recipe["picture"] == "umap" and one.chunks[["x", "y"]].notna().all().all()
    apart = np.linalg.norm(
        one.chunks[["x", "y"]].to_numpy()[:, None] - one.chunks[["x", "y"]].to_numpy(), axis=2
    )
    nearest = (apart + 99 * np.eye(len(double))).argmin(axis=1)
    subject = double["doc_id"].to_numpy()
    assert (subject[nearest] == subject).mean() > 0.9


def test_strata_that_the_passages_came_with(passages, encode):
    topics = ["lake"] * 12 + ["harbour"] * 15 + [None] * 3
    found = build_topics(passages.assign(topic=topics), method="given", encode=encode)
    assert found.table[["topic", "n_chunks"]].to_numpy().tolist() == [
        ["harbour", 15],
        ["lake", 12],
        ["noise", 3],
    ]
    assert found.chunks["topic"].tolist() == ["lake"] * 12 + ["harbour"] * 15 + ["noise"] * 3 and not len(
        found.ranking
    )
    assert GIVEN in found.notes and not compare_clusterings(found, encode=encode)["chosen"].any()


@pytest.mark.parametrize("topics", [{}, {"topic": None}])
def test_strata_that_nobody_gave_are_refused(passages, encode, topics):
    with pytest.raises(ParameterError, match="came with no topics"):
        build_topics(passages.assign(**topics), method="given", encode=encode)
