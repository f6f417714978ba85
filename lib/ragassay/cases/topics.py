"""The topics of the collection: passages embedded, reduced, clustered, named (HCAT section 2, steps 1 to 3).

By default passages are clustered by k-means on their first principal components, and drawn on a map by the
same projection. UMAP is meant for the picture: it is slow to start, and the distances it keeps are local
ones. It can be asked for either.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from ragassay import models, parameter_ranges
from ragassay.cases import clustering
from ragassay.errors import ParameterError
from ragassay.sanitized_text import clean

FIT_AT_MOST = 20_000
COMPONENTS = 10  # dimensions kept for clustering
RANGES = {
    "method": "one of kmeans, hdbscan, dbscan, best, given",
    "reduce": "one of pca, umap",
    "picture": "one of pca, umap",
    "k": "in [0, inf)",
    "seed": "in [0, 4294967295]",  # of scikit-learn
}
GIVEN = "Topics that the passages came with, not clusters; without one: noise."


@dataclass(frozen=True)
class Topics:
    """Passages with their topic and place on the map, the topics, and what a reader should know.

    chunks  : the passages, with topic, topic_label (its name), x, y (4 decimals)
    table   : topic, label (a heading of its documents, else its words), words, n_chunks, n_documents, share
    notes   : sentences for the report: how k was chosen, what was left out, why
    recipe  : the parameters that define the result
    """

    chunks: pd.DataFrame
    table: pd.DataFrame
    notes: tuple[str, ...]
    recipe: dict = field(default_factory=dict)


def build_topics(
    chunks: pd.DataFrame,
    *,
    method: str = "kmeans",
    reduce: str = "pca",
    k: int = 0,
    picture: str = "",
    seed: int = 0,
    encode: Callable = models.encode,
) -> Topics:
    """Topics of a table of passages (chunk_id, doc_id, text).

    Parameters
    ----------
    method : "kmeans", or "hdbscan" or "dbscan", whose unassigned passages are the topic "noise", or "best":
        the first of `rank_settings`, or "given": the passages' own column `topic` (a passage without one is
        "noise")
    reduce : "pca" or "umap", before clustering
    k : topics for k-means; 0 chooses the best silhouette among the values in `clustering.k_range`
    picture : "pca" or "umap" for x and y; "" is the same as `reduce`
    encode : texts to unit vectors (n, d)

    Raises
    ------
    ParameterError
        If a parameter is outside the values above.
    """
    recipe = {"method": method, "reduce": reduce, "k": k, "picture": picture or reduce, "seed": seed}
    _check(chunks, recipe)
    vectors = encode(chunks["text"].tolist()).astype(np.float64)
    fitted, notes = _sample(len(vectors), seed)
    reduced, reduction = clustering.reduce(vectors, fitted, reduce, COMPONENTS, seed)
    labels, called = _given(chunks) if method == "given" else (None, None)
    found = _clusters(reduced, fitted, recipe) if labels is None else clustering.Clusters(labels, (GIVEN,))
    names, described = describe_topics(chunks.reset_index(drop=True), found.labels, called)
    place = project_to_plane(vectors, picture or reduce, seed)
    if called is None:
        told = chunks.assign(topic=names)
        described = named_by_headings(described, told, encode)
    label = described.set_index("topic")["label"].to_dict()
    placed = chunks.assign(
        topic=names, topic_label=[label[name] for name in names], x=place[:, 0], y=place[:, 1]
    )
    return Topics(placed, described, (*notes, *reduction, *found.notes), recipe)


def project_to_plane(vectors: np.ndarray, reduce: str = "pca", seed: int = 0) -> np.ndarray:
    """Places on a plane, (n, 2), rounded to 4 decimals; distances are only as good as the projection.

    Where there are fewer than 2 dimensions of variation the missing coordinate is 0. Above 20,000 passages
    the plane is fitted on a seeded sample of them.
    """
    fitted, _ = _sample(len(vectors), seed)
    plane, _ = clustering.reduce(np.asarray(vectors, dtype=np.float64), fitted, reduce, 2, seed)
    return np.round(np.pad(plane, ((0, 0), (0, 2 - plane.shape[1]))), 4) + 0.0


def compare_clusterings(topics: Topics, *, encode: Callable = models.encode) -> pd.DataFrame:
    """Settings of k-means, DBSCAN and HDBSCAN on the vectors the topics were made from, best first:
    `rank_settings`' table, and `chosen`."""
    recipe = topics.recipe
    vectors = encode(topics.chunks["text"].tolist()).astype(np.float64)
    fitted, _ = _sample(len(vectors), recipe["seed"])
    reduced, _ = clustering.reduce(vectors, fitted, recipe["reduce"], COMPONENTS, recipe["seed"])
    table = clustering.rank_settings(reduced, recipe["seed"], clustering.ks_around(len(reduced), _k(topics)))
    chosen = (
        (table["setting"] == f"k = {_k(topics)}")
        if recipe["method"] == "kmeans"
        else table["setting"] == recipe.get("setting")
    )
    return table.assign(chosen=chosen)


def _k(topics: Topics) -> int:
    return len(set(topics.chunks["topic"]) - {"noise"})


def _clusters(reduced: np.ndarray, fitted: np.ndarray, recipe: dict) -> clustering.Clusters:
    """Clusters as the recipe says; "best" takes the first eligible setting of the sweep,
    and the recipe then says which."""
    if recipe["method"] != "best":
        return clustering.cluster(reduced, fitted, recipe["method"], recipe["k"], recipe["seed"])
    ranked = clustering.rank_settings(reduced[fitted], recipe["seed"])
    one = clustering.best_setting(ranked, reduced[fitted], recipe["seed"])
    if one is None:
        return clustering.cluster(reduced, fitted, "kmeans", recipe["k"], recipe["seed"])
    recipe["setting"] = one.words
    note = f"{one.method}, {one.words}: the best of {len(ranked)} settings."
    labels = clustering.assign(reduced, fitted, clustering.fit_setting(reduced[fitted], one, recipe["seed"]))
    return clustering.Clusters(labels, (note,))


def _given(chunks: pd.DataFrame) -> tuple[np.ndarray, list[str]]:
    """The number of each passage's own topic (-1 for none),
    and the topics' names in the order of their numbers."""
    if "topic" not in chunks or not chunks["topic"].notna().any():
        do = "choose kmeans, or give passages a column topic"
        raise ParameterError(
            "the passages came with no topics",
            where="method",
            found="given",
            expected="a column topic",
            do=do,
        )
    names = sorted(chunks["topic"].dropna().unique())
    return chunks["topic"].map({name: i for i, name in enumerate(names)}).fillna(-1).to_numpy(
        dtype=int
    ), names


def _sample(n: int, seed: int) -> tuple[np.ndarray, tuple[str, ...]]:
    if n <= FIT_AT_MOST:
        return np.arange(n), ()
    rows = np.sort(np.random.default_rng(seed).choice(n, size=FIT_AT_MOST, replace=False))
    return rows, (f"Topics fitted on {FIT_AT_MOST} of {n} passages, drawn by seed {seed}.",)


def _check(chunks: pd.DataFrame, recipe: dict) -> None:
    for name, written in RANGES.items():
        parameter_ranges.check(name, recipe[name], written)
    if not len(chunks):
        raise ParameterError(
            "there are no passages to cluster",
            where="chunks",
            found="an empty table",
            do="load documents that hold text",
        )
    if recipe["k"] > len(chunks):
        raise ParameterError(
            "there cannot be more topics than passages",
            where="k",
            found=recipe["k"],
            expected=f"at most {len(chunks)}",
            do="lower k, or set it to 0",
        )


NOISE = "noise"
COMMON = 0.4  # share of documents above which a word describes no topic
WORDS, LABEL_WORDS = 8, 3
TOKEN = r"(?u)\b[^\W\d_][^\W\d_]{2,}\b"


def describe_topics(
    chunks: pd.DataFrame, labels: np.ndarray, called: Sequence[str] | None = None
) -> tuple[list[str], pd.DataFrame]:
    """A name for each passage's topic, and one row per topic, largest first.

    Parameters
    ----------
    chunks : text, doc_id
    labels : (n,) cluster numbers; -1 is noise, which becomes the topic "noise", last
    called : the names of clusters 0, 1, ..., where they have some already

    Returns
    -------
    topic of each passage; topics: topic (T01 is the largest; ties by label), label (3 words), words (8),
    n_chunks, n_documents, share
    """
    clusters = sorted(set(labels.tolist()))
    common = common_words(chunks)
    words = dict(
        zip(
            clusters,
            class_words([chunks["text"][labels == c].tolist() for c in clusters], leave_out=common),
            strict=True,
        )
    )
    order = sorted((c for c in clusters if c >= 0), key=lambda c: (-int((labels == c).sum()), words[c], c))
    names = {c: called[c] if called else f"T{i:02d}" for i, c in enumerate(order, start=1)} | {-1: NOISE}
    rows = [
        _row(names[c], words[c], chunks[labels == c], len(chunks))
        for c in order + [c for c in clusters if c < 0]
    ]
    return [names[c] for c in labels.tolist()], pd.DataFrame(
        rows, columns=["topic", "label", "words", "n_chunks", "n_documents", "share"]
    )


def class_words(
    classes: Sequence[Sequence[str]], top: int = WORDS, leave_out: frozenset[str] = frozenset()
) -> list[list[str]]:
    """The `top` words of each class of texts, most telling first; ties in alphabetical order.

    W = tf * log(1 + A / f): tf the word's count in the class, f its count in all classes, A the mean number
    of words per class. A word that only adds an "s" to one already chosen is passed over. English, Spanish
    and Portuguese stop words are left out.

    Source
    ------
    Grootendorst (2022), BERTopic, section 3.3 (c-TF-IDF), the count not normalised, as printed.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(stop_words=sorted(stop_words() | leave_out), token_pattern=TOKEN)
    try:
        counts = vectorizer.fit_transform([" ".join(texts) for texts in classes]).toarray().astype(float)
    except ValueError:
        return [[] for _ in classes]
    weights = np.round(counts * np.log1p(counts.sum() / len(classes) / counts.sum(axis=0)), 9)
    vocabulary = vectorizer.get_feature_names_out()
    return [_best(vocabulary, row, top) for row in weights]


def common_words(chunks: pd.DataFrame) -> frozenset[str]:
    """Words found in more than 40 % of the documents, where there are 10 or more:
    they tell no topic from another."""
    pattern = re.compile(TOKEN)
    found = [
        set(pattern.findall(" ".join(texts).lower()))
        for _, texts in chunks.groupby("doc_id", sort=True)["text"]
    ]
    counts = Counter(word for words in found for word in words)
    return frozenset(
        word for word, count in counts.items() if len(found) >= 10 and count > COMMON * len(found)
    )


@cache
def stop_words() -> frozenset[str]:
    """English (scikit-learn's), Spanish and Portuguese words that say nothing about a topic."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    ours = json.loads((Path(__file__).parent / "data" / "stop_words.json").read_text(encoding="utf-8"))
    return frozenset(ENGLISH_STOP_WORDS) | {word for text in ours.values() for word in text.split()}


def _best(vocabulary: np.ndarray, weights: np.ndarray, top: int) -> list[str]:
    chosen: list[str] = []
    for i in np.lexsort((vocabulary, -weights)):
        if len(chosen) == top or weights[i] <= 0:
            break
        if not {vocabulary[i] + "s", vocabulary[i].removesuffix("s")} & set(chosen):
            chosen.append(str(vocabulary[i]))
    return chosen


def _row(name: str, words: list[str], inside: pd.DataFrame, total: int) -> dict[str, object]:
    label = ", ".join(words[:LABEL_WORDS]) or "(no words)"
    return {
        "topic": name,
        "label": "noise: " + label if name == NOISE else label,
        "words": ", ".join(words),
        "n_chunks": len(inside),
        "n_documents": inside["doc_id"].nunique(),
        "share": round(len(inside) / total, 4),
    }


LONGEST, MOST = 44, 400  # letters of a name; headings of a topic that are compared
_LEVELS = " > "  # between a heading and those below it


def named_by_headings(topics: pd.DataFrame, chunks: pd.DataFrame, encode: Callable) -> pd.DataFrame:
    """The topics with a heading as their label, none used twice, the largest topic choosing first; a topic
    keeps its words where no heading is left, and so does noise.

    Parameters
    ----------
    topics : of `describe_topics`: topic, label, words
    chunks : topic; heading, which may be missing
    encode : texts to unit vectors (n, d)
    """
    if "heading" not in chunks or not topics["words"].any():
        return topics
    taken: set[str] = set()
    labels = []
    for topic, label, words in zip(topics["topic"], topics["label"], topics["words"], strict=True):
        found = _headings(chunks.loc[chunks["topic"] == topic, "heading"], taken) if topic != NOISE else []
        name = _nearest(found, words, encode) if found and words else label
        taken.add(name.casefold())
        labels.append(name)
    return topics.assign(label=labels)


def _headings(column: pd.Series, taken: set[str]) -> list[str]:
    """The uppermost headings of these passages, the most frequent first, short enough for a name."""
    tops = column.dropna().astype(str).str.split(_LEVELS, n=1, regex=False).str[0].str.strip()
    usable = (clean(text, 0) for text in tops.value_counts(sort=True).index)
    kept = [text for text in usable if any(map(str.isalpha, text)) and len(text) <= LONGEST]
    return [text for text in kept if text.casefold() not in taken][:MOST]


def _nearest(headings: list[str], words: str, encode: Callable) -> str:
    vectors = np.asarray(encode([words, *headings]), dtype=np.float64)
    return headings[int(np.argmax(np.round(vectors[1:] @ vectors[0], 6)))]
