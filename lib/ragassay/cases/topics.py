"""The topics of the collection: passages embedded, reduced, clustered, named (HCAT section 2, steps 1 to 3).

By default passages are clustered by k-means on their first principal components. UMAP is meant for the
picture: it is slow to start, and the distances it keeps are local ones. It can be asked for either.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from ragassay import models, parameter_ranges
from ragassay.cases import clustering
from ragassay.errors import ParameterError
from ragassay.sanitized_text import clean

COMPONENTS = 10  # dimensions kept for clustering
RANGES = {
    "method": "one of kmeans, hdbscan, dbscan, given",
    "reduce": "one of pca, umap",
    "picture": "one of pca, umap",
    "k": "in [0, inf)",
    "seed": "in [0, 4294967295]",  # of scikit-learn
}
NOISE = "noise"
COMMON = 0.4  # share of documents above which a word describes no topic
WORDS, LABEL_WORDS = 8, 3
TOKEN = r"(?u)\b[^\W\d_][^\W\d_]{2,}\b"
LONGEST, MOST = 44, 400  # letters of a name; headings of a topic that are compared


@dataclass(frozen=True)
class Topics:
    """Passages with their topic and place on the map, the topics, and how they were found.

    chunks  : the passages, with topic, topic_label (its name), x, y (4 decimals)
    table   : topic, label (a heading of its documents, else its words), words, n_chunks, n_documents, share
    note    : how k was chosen, or what was left out
    """

    chunks: pd.DataFrame
    table: pd.DataFrame
    note: str


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
    method : "kmeans", or "hdbscan" or "dbscan", whose unassigned passages are the topic "noise", or "given":
        the passages' own column `topic` (a passage without one is "noise")
    reduce : "pca" or "umap", before clustering
    k : topics for k-means; 0 chooses the best silhouette among the values in `clustering.k_range`
    picture : "pca" or "umap" for x and y; "" is the same as `reduce`
    encode : texts to unit vectors (n, d)

    Raises
    ------
    ParameterError
        If a parameter is outside the values above, or there are no passages.
    """
    picture = picture or reduce
    given = {"method": method, "reduce": reduce, "picture": picture, "k": k, "seed": seed}
    for name, value in given.items():
        parameter_ranges.check(name, value, RANGES[name])
    if not len(chunks) or k > len(chunks):
        raise ParameterError(
            "there cannot be more topics than passages, nor topics of none",
            where="k",
            found=f"{k} topics of {len(chunks)} passages",
            do="load documents that hold text, or set k to 0",
        )
    vectors = encode(chunks["text"].tolist()).astype(np.float64)
    rows, called = clustering.reduce_dimensions(vectors, reduce, COMPONENTS, seed), None
    if method == "given":
        labels, called = _given_topics(chunks)
        note = "Topics that the passages came with, not clusters; without one: noise."
    else:
        labels, note = clustering.cluster(rows, method, k, seed)
    names, described = describe_topics(chunks.reset_index(drop=True), labels, called)
    if called is None:
        described = name_by_headings(described, chunks.assign(topic=names), encode)
    plane = clustering.reduce_dimensions(vectors, picture, 2, seed)
    place = np.round(np.pad(plane, ((0, 0), (0, 2 - plane.shape[1]))), 4) + 0.0
    label = described.set_index("topic")["label"]
    placed = chunks.assign(topic=names, topic_label=label.loc[names].tolist(), x=place[:, 0], y=place[:, 1])
    return Topics(placed, described, note)


def _given_topics(chunks: pd.DataFrame) -> tuple[np.ndarray, list[str]]:
    """The number of each passage's own topic (-1 for none),
    and the topics' names in the order of their numbers."""
    if "topic" not in chunks or not chunks["topic"].notna().any():
        raise ParameterError(
            "the passages came with no topics",
            where="method",
            found="given",
            expected="a column topic",
            do="choose kmeans, or give passages a column topic",
        )
    names = sorted(chunks["topic"].dropna().unique())
    numbers = chunks["topic"].map({name: i for i, name in enumerate(names)})
    return numbers.fillna(-1).to_numpy(dtype=int), names


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
    texts = [chunks["text"][labels == c].tolist() for c in clusters]
    words = dict(zip(clusters, class_words(texts, leave_out=common_words(chunks)), strict=True))
    order = sorted((c for c in clusters if c >= 0), key=lambda c: (-int((labels == c).sum()), words[c], c))
    names = {c: called[c] if called else f"T{i:02d}" for i, c in enumerate(order, start=1)} | {-1: NOISE}
    rows = []
    for c in order + [c for c in clusters if c < 0]:
        inside, label = chunks[labels == c], ", ".join(words[c][:LABEL_WORDS]) or "(no words)"
        rows.append(
            {
                "topic": names[c],
                "label": f"noise: {label}" if c < 0 else label,
                "words": ", ".join(words[c]),
                "n_chunks": len(inside),
                "n_documents": inside["doc_id"].nunique(),
                "share": round(len(inside) / len(chunks), 4),
            }
        )
    return [names[c] for c in labels.tolist()], pd.DataFrame(rows)


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
    except ValueError:  # not one word
        return [[] for _ in classes]
    weights = np.round(counts * np.log1p(counts.sum() / len(classes) / counts.sum(axis=0)), 9)
    vocabulary = vectorizer.get_feature_names_out()
    found = []
    for row in weights:
        chosen: list[str] = []
        for i in np.lexsort((vocabulary, -row)):
            if len(chosen) == top or row[i] <= 0:
                break
            if not {vocabulary[i] + "s", vocabulary[i].removesuffix("s")} & set(chosen):
                chosen.append(str(vocabulary[i]))
        found.append(chosen)
    return found


def common_words(chunks: pd.DataFrame) -> frozenset[str]:
    """Words found in more than 40 % of the documents, where there are 10 or more:
    they tell no topic from another."""
    documents = chunks.groupby("doc_id")["text"].agg(" ".join)
    if len(documents) < 10:
        return frozenset()
    counts = Counter(word for text in documents for word in set(re.findall(TOKEN, text.lower())))
    return frozenset(word for word, count in counts.items() if count > COMMON * len(documents))


@cache
def stop_words() -> frozenset[str]:
    """English (scikit-learn's), Spanish and Portuguese words that say nothing about a topic."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    ours = json.loads((Path(__file__).parent / "data" / "stop_words.json").read_text(encoding="utf-8"))
    return frozenset(ENGLISH_STOP_WORDS) | {word for text in ours.values() for word in text.split()}


def name_by_headings(topics: pd.DataFrame, chunks: pd.DataFrame, encode: Callable) -> pd.DataFrame:
    """The topics with a heading as their label, none used twice, the largest topic choosing first: of the
    uppermost headings of its passages the nearest to its words. A topic keeps its words where no heading is
    left, and so does noise.

    Parameters
    ----------
    topics : of `describe_topics`: topic, label, words
    chunks : topic; heading, which may be missing
    encode : texts to unit vectors (n, d)
    """
    if "heading" not in chunks:
        return topics
    taken: set[str] = set()
    labels = []
    for topic, label, words in zip(topics["topic"], topics["label"], topics["words"], strict=True):
        column = chunks.loc[chunks["topic"] == topic, "heading"].dropna().astype(str)
        tops = column.str.split(" > ", n=1, regex=False).str[0].str.strip()
        usable = [clean(text, 0) for text in tops.value_counts(sort=True).index]
        headings = [
            text
            for text in usable
            if any(map(str.isalpha, text)) and len(text) <= LONGEST and text.casefold() not in taken
        ][:MOST]
        name = label
        if headings and words and topic != NOISE:
            vectors = np.asarray(encode([words, *headings]), dtype=np.float64)
            name = headings[int(np.argmax(np.round(vectors[1:] @ vectors[0], 6)))]
        taken.add(name.casefold())
        labels.append(name)
    return topics.assign(label=labels)
