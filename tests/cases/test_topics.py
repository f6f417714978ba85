"""Topics: found where they are, stable, honest about small collections."""

import sys
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from ragassay.cases.topics import (
    build_topics,
    class_words,
    cluster,
    contradictions,
    name_by_headings,
    near_pairs,
)
from ragassay.errors import ParameterError
from ragassay.models import Entailment


def test_finds_three_subjects(passages, encode):
    found = build_topics(passages, encode=encode)
    assert len(found.table) == 3 and found.table["n_chunks"].tolist() == [10, 10, 10]
    assert found.chunks.groupby("doc_id")["topic"].nunique().eq(1).all()
    again = build_topics(passages, encode=encode)
    pd.testing.assert_frame_equal(found.chunks, again.chunks)


@pytest.mark.parametrize("n", [1, 2, 5, 7])
def test_a_small_collection_is_one_stratum(passages, encode, n):
    found = build_topics(passages.head(n), encode=encode)
    assert found.table["topic"].tolist() == ["T01"] and found.table["n_chunks"].item() == n
    assert found.chunks[["x", "y"]].notna().all().all()


def test_density_clustering_keeps_noise_as_its_own_stratum_last(passages, encode):
    found = build_topics(passages, method="dbscan", encode=encode)
    assert found.table["n_chunks"].sum() == len(passages)
    assert "noise" not in found.table["topic"].tolist()[:-1]


@pytest.mark.parametrize("method", ["kmeans", "dbscan"])
def test_every_method_finds_clear_groups(method):
    rng = np.random.default_rng(0)
    groups = np.vstack([rng.normal(0, 1, (40, 4)) + 20.0 * np.eye(4)[i] for i in range(4)])
    labels = cluster(groups, method, 4 if method == "kmeans" else 0, seed=0)
    parts = [set(labels[i * 40 : (i + 1) * 40].tolist()) - {-1} for i in range(4)]
    assert all(len(part) == 1 for part in parts) and len(set.union(*parts)) == 4


@pytest.mark.parametrize("wrong", [{"method": "spectral"}, {"picture": "tsne"}, {"k": -1}, {"k": 31}])
def test_refuses(passages, encode, wrong):
    with pytest.raises(ParameterError):
        build_topics(passages, encode=encode, **wrong)


@pytest.mark.slow
def test_umap_and_the_real_encoder_put_the_same_subjects_near_each_other(passages, monkeypatch, tmp_path):
    numbered = passages["text"] + [f" number {i}" for i in range(len(passages))]
    again = passages.assign(chunk_id=passages["chunk_id"] + "b", text=numbered + " again")
    double = pd.concat([passages.assign(text=numbered), again], ignore_index=True)
    one, kept = (build_topics(double, picture="umap") for _ in range(2))
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path))
    for other in (kept, build_topics(double, picture="umap")):
        pd.testing.assert_frame_equal(one.chunks, other.chunks)
    place = one.chunks[["x", "y"]].to_numpy()
    apart = np.linalg.norm(place[:, None] - place, axis=2) + 99 * np.eye(len(double))
    subject = double["doc_id"].to_numpy()
    assert (subject[apart.argmin(axis=1)] == subject).mean() > 0.9


def test_strata_that_the_passages_came_with(passages, encode):
    topics = ["lake"] * 12 + ["harbour"] * 15 + [None] * 3
    found = build_topics(passages.assign(topic=topics), method="given", encode=encode)
    assert found.table["n_chunks"].to_dict() == {0: 15, 1: 12, 2: 3}
    assert found.table["topic"].tolist() == ["harbour", "lake", "noise"]
    assert found.chunks["topic"].tolist() == ["lake"] * 12 + ["harbour"] * 15 + ["noise"] * 3
    with pytest.raises(ParameterError, match="came with no topics"):
        build_topics(passages, method="given", encode=encode)


CLASSES = [["card card limit fee", "card stolen"], ["loan loan fee", "loan rate rate fee"]]


def test_agrees_with_the_paper():
    """W = tf log(1 + A / f) for every word of every class (Grootendorst 2022)."""
    counts = [Counter(" ".join(texts).split()) for texts in CLASSES]
    mean = sum(sum(c.values()) for c in counts) / len(counts)
    for count, words in zip(counts, class_words(CLASSES, [*CLASSES[0], *CLASSES[1]], top=20), strict=True):
        weight = {word: tf * np.log(1 + mean / sum(c[word] for c in counts)) for word, tf in count.items()}
        assert words == sorted(weight, key=lambda word: (-round(weight[word], 9), word))


def test_plurals_and_stop_words_of_three_languages_are_left_out():
    assert class_words([["zebra apple card cards"]], ["zebra apple card cards"])[0] == [
        "apple",
        "card",
        "zebra",
    ]
    assert class_words([["the que não para with", "12 34"]], ["the que", "12 34"]) == [[]]


WORDS = ("fraud", "loan", "branch")


def encode(texts):
    """How often each word stands in a text, as unit vectors."""
    counts = np.array([[text.lower().count(word) + 0.01 for word in WORDS] for text in texts])
    return counts / np.linalg.norm(counts, axis=1, keepdims=True)


def label_topics(topics: dict[str, str], **headings: list[str]) -> list[str]:
    """The labels of topics that have these words, by the headings of their passages."""
    table = pd.DataFrame({"topic": topics.keys(), "label": topics.values(), "words": topics.values()})
    rows = [(topic, text) for topic, texts in headings.items() for text in texts]
    chunks = (
        pd.DataFrame(rows, columns=["topic", "heading"]) if rows else pd.DataFrame({"topic": list(topics)})
    )
    return name_by_headings(table, chunks, encode)["label"].tolist()


TWO = {"T01": "fraud, wire", "T02": "loan, home"}


@pytest.mark.parametrize(("topics", "headings", "labels"), [
    (TWO, {"T01": ["Fees", "After a fraud > Steps"], "T02": ["Fees", "Personal loans"]}, ["After a fraud", "Personal loans"]),
    (TWO, {"T01": ["Fraud"], "T02": ["FRAUD", "Loans"]}, ["Fraud", "Loans"]),  # no name twice
    (TWO, {"T01": ["Fraud"], "T02": ["FRAUD"]}, ["Fraud", "loan, home"]),
    (TWO, {}, list(TWO.values())),
    ({"noise": "fraud"}, {"noise": ["Fraud"]}, ["fraud"]),
])  # fmt: skip
def test_the_nearest_heading_names_the_topic(topics, headings, labels):
    assert label_topics(topics, **headings) == labels


SENTENCES = {
    "a": "The monthly fee of the Quay account is $6.00 for every customer.",
    "b": "The monthly fee of the Quay account is $9.00 for every customer.",
    "c": "The monthly fee of the Quay account is not $6.00 for every customer.",
    "f": "The monthly fee of the Quay account is $6.00 for every customer in 2026.",
    "g": "The monthly fee of the Harbour account is $9.00 for every customer.",
    "d": "Our lobby has a piano that anybody may play on Sundays.",
    "e": "Every customer pays the charge in cash at the counter of a branch.",
}


def table(*names: str) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "chunk_id": [f"{name}#p{i}" for i, name in enumerate(names)],
            "text": [SENTENCES[name] for name in names],
        }
    )


def of_fees(texts, model=""):
    """Everything about fees lies together; the piano does not."""
    return np.array([[0.0, 1.0] if "piano" in text else [1.0, 0.0] for text in texts])


def says(chance: float):
    return lambda pairs: Entailment(
        np.array([[1 - chance, 0, chance]] * len(pairs)), np.zeros(len(pairs)), np.zeros(len(pairs))
    )


@pytest.mark.parametrize(("names", "chance", "kinds"), [
    (("a", "b"), 0.0, ["figures"]),
    (("a", "c"), 0.0, ["negation"]),
    (("a", "f"), 0.0, []),
    (("a", "g"), 0.95, []),
    (("a", "e"), 0.95, ["entailment"]),
    (("a", "e"), 0.5, []),
    (("a", "d"), 0.95, []),
    (("a", "a"), 0.95, []),
    (("a",), 0.95, []),
])  # fmt: skip
def test_kinds_by_hand(names, chance, kinds):
    assert contradictions(table(*names), encode=of_fees, entail=says(chance))["kind"].tolist() == kinds


def test_the_weaker_direction_decides():
    def entail(pairs):
        return Entailment(
            np.array([[0, 0, 0.99 if first.startswith("The") else 0.1] for first, _ in pairs]),
            np.zeros(len(pairs)),
            np.zeros(len(pairs)),
        )

    assert contradictions(table("a", "e"), encode=of_fees, entail=entail).empty


def test_the_nearest_of_all_pairs_are_found_block_by_block(monkeypatch):
    module = sys.modules[contradictions.__module__]
    vectors = np.random.default_rng(0).normal(size=(50, 4))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    cosine = {(i, j): vectors[i] @ vectors[j] for i in range(50) for j in range(i + 1, 50)}
    expected = [pair for pair in sorted(cosine, key=cosine.get, reverse=True) if cosine[pair] >= 0.6]
    assert set(near_pairs(vectors)) == set(expected)
    monkeypatch.setattr(module, "MOST_PASSAGES", 5)
    assert set(near_pairs(vectors)) == set(expected[:5])
