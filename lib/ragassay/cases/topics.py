"""What the documents speak of: the topics of the collection, by passages embedded, reduced, clustered, named
(HCAT section 2, steps 1 to 3); and passages that may contradict each other: nearly the same sentence with
another figure, a negation more, or a contradiction by entailment.

Passages are clustered on their first principal components. UMAP is meant for the picture: the distances it
keeps are local ones. What contradictions are listed is for a person to read: two versions of a
policy may differ on purpose, and that an assistant may cite either is the point.
"""

import hashlib
import json
import re
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay import documents, models, parameter_ranges
from ragassay.cases import case_table
from ragassay.errors import ParameterError
from ragassay.models import cache, entailment_thresholds
from ragassay.sanitized_text import clean
from ragassay.stats import one_thread

COMPONENTS = 10  # dimensions kept for clustering
RANGES = {
    "method": "one of kmeans, dbscan, given",
    "picture": "one of pca, umap",
    "k": "in [0, inf)",
    "seed": "in [0, 4294967295]",  # of scikit-learn
}
NOISE = "noise"
SMALLEST = 8  # fewer passages than this are one topic
SCORED_ON = 2_000  # passages on which a silhouette is computed
NEIGHBOURS = 15  # UMAP's own default
COMMON = 0.4  # share of documents above which a word describes no topic
WORDS, LABEL_WORDS = 8, 3
TOKEN = r"(?u)\b[^\W\d_][^\W\d_]{2,}\b"
LONGEST, MOST = 44, 400  # letters of a name; headings of a topic that are compared
NEAR_PASSAGES, NEAR_SENTENCES, SHARED_WORDS = 0.6, 0.7, 0.6
MOST_PASSAGES = 2_000  # pairs of near passages that are read
COMPARED = 5_000  # passages compared; more are drawn by seed 0
KINDS = ("figures", "negation", "entailment")
FIGURE, ITEM = re.compile(r"\d+(?:[.,]\d+)*"), re.compile(r"^(?:step )?\d+[.)] ", re.IGNORECASE)
NAME = re.compile(r"(?<!^)(?<![\d.:!?] )\b[A-Z][a-z]+\b(?! \d)")  # but for those of dates
NEGATION = re.compile(r"\b(?:not|no|never|cannot|without|neither|nor)\b|n't\b", re.IGNORECASE)


@dataclass(frozen=True)
class Topics:
    """Passages with their topic and place on the map, and the topics.

    chunks  : the passages, with topic, topic_label (its name), x, y (4 decimals)
    table   : topic, label (a heading of its documents, else its words), words, n_chunks, n_documents, share
    """

    chunks: pd.DataFrame
    table: pd.DataFrame


def build_topics(
    chunks: pd.DataFrame,
    *,
    method: str = "kmeans",
    k: int = 0,
    picture: str = "pca",
    seed: int = 0,
    encode: Callable = models.encode,
) -> Topics:
    """Topics of a table of passages (chunk_id, doc_id, text).

    Parameters
    ----------
    method : "kmeans"; "dbscan", whose unassigned passages are the topic "noise"; or "given": the column
        `topic` of the passages (one without is "noise")
    k : topics for k-means; 0 chooses the best silhouette: of 2 to n // 4 below 60 passages, of 5 to 20 (30
        above 5,000)
    picture : "pca" or "umap" for x and y
    encode : texts to unit vectors (n, d)

    Raises
    ------
    ParameterError
        If a parameter is outside the values above, or there are no passages.

    Example: `build_topics(run.chunks(), k=6).table[["label", "n_chunks", "share"]]`
    """
    for name, value in {"method": method, "picture": picture, "k": k, "seed": seed}.items():
        parameter_ranges.check(name, value, RANGES[name])
    if not len(chunks) or k > len(chunks):
        raise ParameterError(
            "there cannot be more topics than passages, nor topics of none",
            where="k",
            found=f"{k} topics of {len(chunks)} passages",
            do="load documents that hold text, or set k to 0",
        )
    vectors = encode(chunks["text"].tolist()).astype(np.float64)
    if method == "given":
        if "topic" not in chunks or not chunks["topic"].notna().any():
            raise ParameterError(
                "the passages came with no topics",
                where="method",
                found="given",
                expected="a column topic",
                do="choose kmeans, or give passages a column topic",
            )
        labels, called = pd.factorize(chunks["topic"], sort=True)  # -1 where there is none
        names, described = describe_topics(chunks, labels, list(called))
    else:
        labels = cluster(reduce_dimensions(vectors, "pca", COMPONENTS, seed), method, k, seed)
        names, described = describe_topics(chunks, labels)
        described = name_by_headings(described, chunks.assign(topic=names), encode)
    plane = reduce_dimensions(vectors, picture, 2, seed)
    place = np.round(np.pad(plane, ((0, 0), (0, 2 - plane.shape[1]))), 4) + 0.0
    label = described.set_index("topic")["label"]
    placed = chunks.assign(topic=names, topic_label=label.loc[names].tolist(), x=place[:, 0], y=place[:, 1])
    return Topics(placed, described)


def reduce_dimensions(vectors: NDArray, how: str, components: int, seed: int) -> NDArray:
    """Rows (n, d) in at most `components` dimensions, by "pca" or "umap"; PCA where UMAP has too few rows."""
    n, d = vectors.shape
    if n < 2:
        return np.zeros((n, 1))
    if how == "umap" and n > 2 * NEIGHBOURS:  # kept: it compiles for longer than it computes
        rows = hashlib.sha256(vectors.tobytes()).hexdigest()
        recipe = f"umap {version('umap-learn')};{components};{NEIGHBOURS};{seed}"
        found = cache.cached_compute("map", recipe, [rows], lambda _: [_umap(vectors, components, seed)])
        return found[rows].reshape(n, components).astype(np.float64)
    from sklearn.decomposition import PCA

    with one_thread(), warnings.catch_warnings(action="ignore"):
        return PCA(min(components, n - 1, d), svd_solver="full", random_state=seed).fit_transform(vectors)


def _umap(vectors: NDArray, components: int, seed: int) -> NDArray:
    from sklearn.neighbors import NearestNeighbors

    with one_thread(), warnings.catch_warnings(action="ignore"):
        from umap import UMAP

        near = NearestNeighbors(n_neighbors=NEIGHBOURS, metric="cosine").fit(vectors).kneighbors(vectors)
        known = near[1].astype(np.int32), near[0].astype(np.float32), None  # halves UMAP's compiling
        named = {"n_components": components, "n_neighbors": NEIGHBOURS, "metric": "cosine"}
        return UMAP(**named, precomputed_knn=known, random_state=seed, n_jobs=1).fit_transform(vectors)


def cluster(rows: NDArray, method: str, k: int, seed: int) -> NDArray:
    """Cluster of each row; -1 is noise. Fewer than SMALLEST rows, and rows that do not differ, are one.

    Parameters
    ----------
    method, k : see `build_topics`
    """
    n, one_topic = len(rows), np.zeros(len(rows), dtype=int)
    if n < SMALLEST and k < 2:
        return one_topic
    if method == "kmeans" and k:
        return _kmeans(rows, k, seed)
    if method == "kmeans":  # by the best silhouette, which exists for more clusters than one, fewer than rows
        from sklearn.metrics import silhouette_score

        numbers = range(2, max(3, n // 4 + 1)) if n < 60 else range(5, 31 if n > 5000 else 21)
        tried = [_kmeans(rows, number, seed) for number in numbers]
        tried = [labels for labels in tried if 1 < len(np.unique(labels)) < n]
        drawn = {"sample_size": min(n, SCORED_ON), "random_state": seed}
        scores = [round(float(silhouette_score(rows, labels, **drawn)), 4) for labels in tried]
        return tried[int(np.argmax(scores))] if scores else one_topic
    from sklearn.cluster import DBSCAN
    from sklearn.neighbors import NearestNeighbors

    least = max(3, min(10, n // 40))  # radius: the median distance to so many nearest, itself counted
    distances = NearestNeighbors(n_neighbors=min(least, n)).fit(rows).kneighbors(rows)[0][:, -1]
    return DBSCAN(eps=max(float(np.median(distances)), 1e-9), min_samples=least).fit_predict(rows)


def _kmeans(rows: NDArray, k: int, seed: int) -> NDArray:
    """Cluster of each row, the best of ten starts."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    with one_thread(), warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        return KMeans(k, n_init=10, random_state=seed).fit_predict(rows)


def describe_topics(
    chunks: pd.DataFrame, labels: NDArray, called: Sequence[str] = ()
) -> tuple[list[str], pd.DataFrame]:
    """The topic of each passage (T01 is the largest; ties by label), and the topics as in `Topics.table`,
    each with its words as its label.

    labels : (n,) cluster numbers; -1 is noise, which becomes the topic "noise", last
    called : the names of clusters 0, 1, ..., where they have some already
    """
    inside = {c: chunks[labels == c] for c in sorted(set(labels.tolist()))}
    whole = chunks.groupby("doc_id")["text"].agg(" ".join)
    found = class_words([own["text"].tolist() for own in inside.values()], whole)
    words = dict(zip(inside, found, strict=True))
    order = sorted(inside, key=lambda c: (c < 0, -len(inside[c]), words[c], c))
    names = {
        c: NOISE if c < 0 else called[c] if called else f"T{i:02d}" for i, c in enumerate(order, start=1)
    }
    rows = [
        {
            "topic": names[c],
            "label": ("noise: " if c < 0 else "") + (", ".join(words[c][:LABEL_WORDS]) or "(no words)"),
            "words": ", ".join(words[c]),
            "n_chunks": len(inside[c]),
            "n_documents": inside[c]["doc_id"].nunique(),
            "share": round(len(inside[c]) / len(chunks), 4),
        }
        for c in order
    ]
    return [names[c] for c in labels.tolist()], pd.DataFrame(rows)


def class_words(
    classes: Sequence[Sequence[str]], documents: Sequence[str], top: int = WORDS
) -> list[list[str]]:
    """The `top` words of each class of texts, most telling first; ties in alphabetical order.

    W = tf * log(1 + A / f): tf the word's count in the class, f its count in all classes, A the mean number
    of words per class. A word that only adds an "s" to one already chosen is passed over. English, Spanish
    and Portuguese stop words are left out, and words of more than COMMON of ten documents or more.

    Source
    ------
    Grootendorst (2022), BERTopic, section 3.3 (c-TF-IDF), the count not normalised, as printed.
    """
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

    ours = json.loads((case_table.DATA / "stop_words.json").read_text(encoding="utf-8"))
    small = {word for text in ours.values() for word in text.split()} | ENGLISH_STOP_WORDS
    vectorizer = CountVectorizer(
        stop_words=sorted(small), token_pattern=TOKEN, max_df=COMMON if len(documents) >= 10 else 1.0
    )
    try:
        vectorizer.fit(documents)
        counts = vectorizer.transform([" ".join(texts) for texts in classes]).toarray().astype(float)
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


def name_by_headings(topics: pd.DataFrame, chunks: pd.DataFrame, encode: Callable) -> pd.DataFrame:
    """The topics with a heading as their label, none used twice, the largest topic choosing first: of the
    uppermost headings of its passages the nearest to its words. A topic keeps its words where no heading is
    left, and so does noise."""
    if "heading" not in chunks:
        return topics
    tops = chunks["heading"].astype("string").str.partition(" > ")[0].str.strip()
    labels: list[str] = []
    for topic, label, words in zip(topics["topic"], topics["label"], topics["words"], strict=True):
        taken = {name.casefold() for name in labels}
        usable = [clean(text, 0) for text in tops[chunks["topic"] == topic].value_counts().index]
        headings = [
            text
            for text in usable
            if any(map(str.isalpha, text)) and len(text) <= LONGEST and text.casefold() not in taken
        ][:MOST]
        if headings and words and topic != NOISE:
            vectors = np.asarray(encode([words, *headings]), dtype=np.float64)
            label = headings[int(np.argmax(np.round(vectors[1:] @ vectors[0], 6)))]
        labels.append(label)
    return topics.assign(label=labels)


def contradictions(
    chunks: pd.DataFrame,
    *,
    limit: int = 200,
    encode: Callable = models.encode,
    entail: Callable = models.entail,
) -> pd.DataFrame:
    """Pairs of sentences of different passages that may contradict each other, the surest kind first.

    Parameters
    ----------
    chunks : chunk_id, text; of more than COMPARED a sample is compared
    limit : rows given at most

    Returns
    -------
    chunk_id, other; kind: "figures" (the same words, and in each a figure that the other lacks), "negation"
    (the same words, one of them negated) or "entailment" (both ways at or above the threshold calibrated for
    `contradiction`); both sentences; similarity (cosine, [-1, 1]); contradiction (smaller of both
    probabilities, [0, 1])

    Example: `contradictions(run.chunks()).query("kind == 'figures'")[["sentence", "other_sentence"]]`
    """
    compared = chunks if len(chunks) <= COMPARED else chunks.sample(COMPARED, random_state=0).sort_index()
    pairs = _near_sentences(compared, encode)
    both = zip(pairs["sentence"], pairs["other_sentence"], strict=True)
    pairs.insert(2, "kind", [_kind_by_words(one, other) for one, other in both])
    least = entailment_thresholds.threshold("contradiction")
    pairs["contradiction"] = _chances(pairs["sentence"], pairs["other_sentence"], entail)
    pairs = pairs[(pairs["kind"] != "") | (pairs["contradiction"] >= least)]  # the rest needs no second way
    back = _chances(pairs["other_sentence"], pairs["sentence"], entail)
    pairs = pairs.assign(contradiction=np.minimum(pairs["contradiction"], back))
    pairs.loc[(pairs["kind"] == "") & (pairs["contradiction"] >= least), "kind"] = "entailment"
    pairs = pairs[pairs["kind"] != ""].assign(order=lambda table: table["kind"].map(KINDS.index))
    keys, ascending = ["order", "similarity", "chunk_id", "other"], [True, False, True, True]
    pairs = pairs.sort_values(keys, ascending=ascending, kind="stable").drop(columns="order")
    return pairs.head(limit).reset_index(drop=True)


def _near_sentences(chunks: pd.DataFrame, encode: Callable) -> pd.DataFrame:
    """Near but unequal sentences of near passages, each pair once; not those where each names what the other
    does not, as two holidays do."""
    names, texts = chunks["chunk_id"].tolist(), chunks["text"].tolist()
    near = near_pairs(encode(texts)) if len(texts) > 1 else []
    said = {i: list(dict.fromkeys(documents.sentences(texts[i]))) for pair in near for i in pair}
    every = sorted({one for own in said.values() for one in own})
    place, vectors = {one: i for i, one in enumerate(every)}, encode(every) if every else np.zeros((0, 1))
    rows = []
    for first, second in near:
        these, those = said[first], said[second]
        cosines = vectors[[place[one] for one in these]] @ vectors[[place[one] for one in those]].T
        for i, j in np.argwhere(cosines >= NEAR_SENTENCES).tolist():
            one, other = these[i], those[j]
            same = re.findall(r"\w+", one.lower()) == re.findall(r"\w+", other.lower())
            named, others_named = set(NAME.findall(one)), set(NAME.findall(other))
            if (named <= others_named or others_named <= named) and not same:
                rows.append((names[first], names[second], one, other, round(float(cosines[i, j]), 4)))
    found = pd.DataFrame(rows, columns=["chunk_id", "other", "sentence", "other_sentence", "similarity"])
    return found.drop_duplicates(ignore_index=True)


def near_pairs(vectors: NDArray) -> list[tuple[int, int]]:
    """The MOST_PASSAGES nearest pairs of rows of cosine NEAR_PASSAGES or more, nearest first."""
    cosine = np.triu(vectors @ vectors.T, k=1)
    pairs = np.argwhere(cosine >= NEAR_PASSAGES)  # in their order
    nearest = np.argsort(-np.round(cosine[tuple(pairs.T)].astype(float), 4), kind="stable")
    return [(i, j) for i, j in pairs[nearest[:MOST_PASSAGES]].tolist()]


def _chances(these: pd.Series, those: pd.Series, entail: Callable) -> np.ndarray:
    """Probability that each of the first contradicts its second, (n,)."""
    pairs = list(zip(these, those, strict=True))
    return np.round(entail(pairs).probabilities[:, 2].astype(float), 4) if pairs else np.empty(0)


def _kind_by_words(one: str, other: str) -> str:
    """Why the words of two sentences say that they may contradict each other, "" if they do not."""
    words, others = (set(re.findall(r"[^\W\d_]{3,}", text.lower())) for text in (one, other))
    figures, others_figures = (Counter(FIGURE.findall(ITEM.sub("", text))) for text in (one, other))
    if len(words & others) < max(SHARED_WORDS * max(len(words), len(others), 1), 3):
        return ""
    if figures - others_figures and others_figures - figures:
        return "figures"
    odd = len(NEGATION.findall(one)) % 2 != len(NEGATION.findall(other)) % 2
    return "negation" if odd and figures == others_figures else ""
