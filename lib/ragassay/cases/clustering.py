"""Vectors into clusters: reduction, k-means with a chosen k, density clustering. Arrays in, arrays out."""

import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay.stats.one_thread import one_thread

SMALLEST = 8  # fewer passages than this are one topic
SCORED_ON = 2_000  # passages on which a silhouette is computed
NEIGHBOURS = 15  # UMAP's own default
COMPARED_IN_PAIRS = 4096  # rows from which UMAP looks for neighbours by approximation


class Clusters(NamedTuple):
    """Cluster of each row (-1 is noise), and sentences for the report."""

    labels: np.ndarray
    notes: tuple[str, ...] = ()


def reduce(
    vectors: np.ndarray, fitted: np.ndarray, how: str, components: int, seed: int
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Rows (n, d) in at most `components` dimensions, fitted on the rows `fitted`;
    PCA where UMAP has too few rows."""
    n, d = vectors.shape
    if n < 2:
        return np.zeros((n, 1)), ()
    if how == "umap" and len(fitted) > 2 * NEIGHBOURS:
        return _umap(vectors, fitted, components, seed), ()
    note = (
        (f"UMAP needs more than {2 * NEIGHBOURS} passages; principal components were used.",)
        if how == "umap"
        else ()
    )
    return _pca(vectors, fitted, min(components, len(fitted) - 1, d), seed), note


def k_range(n: int) -> range:
    """The numbers of clusters tried for n passages:
    2 to n // 4 below 60 passages, then 5 to 20 (30 above 5,000)."""
    if n < 60:
        return range(2, max(3, n // 4 + 1))
    return range(5, 31 if n > 5000 else 21)


def cluster(reduced: np.ndarray, fitted: np.ndarray, method: str, k: int, seed: int) -> Clusters:
    """Clusters fitted on the rows `fitted`; the other rows go to the nearest centre of a cluster."""
    if len(reduced) < SMALLEST and k < 2:
        note = f"Fewer than {SMALLEST} passages: one topic, no silhouette."
        return Clusters(np.zeros(len(reduced), dtype=int), (note,))
    found = _kmeans(reduced[fitted], k, seed) if method == "kmeans" else _density(reduced[fitted], method)
    return found._replace(labels=assign(reduced, fitted, found.labels))


def silhouette(reduced: np.ndarray, labels: np.ndarray, seed: int) -> tuple[float, str]:
    """Mean silhouette in [-1, 1], higher is better, noise left out, on at most 2,000 rows;
    NaN and a reason where it does not exist."""
    from sklearn.metrics import silhouette_score

    kept = np.flatnonzero(labels >= 0)
    if len(kept) > SCORED_ON:
        kept = np.sort(np.random.default_rng(seed).choice(kept, size=SCORED_ON, replace=False))
    groups = len(np.unique(labels[kept]))
    if not 2 <= groups < len(kept):
        return float("nan"), f"no silhouette of {groups} clusters of {len(kept)} passages"
    return round(float(silhouette_score(reduced[kept], labels[kept])), 4), ""


def _pca(vectors: np.ndarray, fitted: np.ndarray, components: int, seed: int) -> np.ndarray:
    from sklearn.decomposition import PCA

    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return PCA(components, svd_solver="full", random_state=seed).fit(vectors[fitted]).transform(vectors)


def _umap(vectors: np.ndarray, fitted: np.ndarray, components: int, seed: int) -> np.ndarray:
    from umap import UMAP

    whole = len(fitted) == len(vectors)
    known = _neighbours(vectors) if whole and len(vectors) < COMPARED_IN_PAIRS else (None, None, None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mapper = UMAP(
            n_components=components,
            n_neighbors=NEIGHBOURS,
            metric="cosine",
            random_state=seed,
            n_jobs=1,
            precomputed_knn=known,
        )
        if whole:
            return mapper.fit_transform(vectors).astype(np.float64)
        return mapper.fit(vectors[fitted]).transform(vectors).astype(np.float64)


def _neighbours(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nearest rows of each and their distances, as UMAP finds them, to the same bits: its own sort is
    compiled anew in every process, which takes five seconds."""
    from sklearn.metrics import pairwise_distances
    from umap.distances import cosine

    apart = pairwise_distances(vectors.astype(np.float32), metric=cosine)
    nearest = np.argsort(apart, axis=1, kind="stable")[:, :NEIGHBOURS].astype(np.int32)
    return nearest, np.take_along_axis(apart, nearest, axis=1)


def kmeans(rows: np.ndarray, k: int, seed: int) -> np.ndarray:
    """Cluster of each row, the best of ten starts."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return KMeans(k, n_init=10, random_state=seed).fit_predict(rows)


def dbscan(rows: np.ndarray, eps: float, least: int) -> np.ndarray:
    """Cluster of each row; -1 is noise."""
    from sklearn.cluster import DBSCAN

    return DBSCAN(eps=eps, min_samples=least).fit_predict(rows)


def hdbscan(rows: np.ndarray, least: int) -> np.ndarray:
    """Cluster of each row, none smaller than `least`; -1 is noise."""
    from sklearn.cluster import HDBSCAN

    return HDBSCAN(min_cluster_size=min(least, len(rows)), copy=True).fit_predict(rows)


def least_size(n: int) -> int:
    """Passages that make a cluster in the density methods, for n passages."""
    return max(3, min(10, n // 40))


def radius(rows: np.ndarray, least: int, share: float = 0.5) -> float:
    """The `share` quantile of the distance to the `least`th nearest row, itself counted."""
    from sklearn.neighbors import NearestNeighbors

    distances = NearestNeighbors(n_neighbors=min(least, len(rows))).fit(rows).kneighbors(rows)[0][:, -1]
    return max(float(np.quantile(distances, share)), 1e-9)


def _kmeans(rows: np.ndarray, k: int, seed: int) -> Clusters:
    if k:
        return Clusters(kmeans(rows, k, seed), (f"{k} topics, as asked for.",))
    return _best_k({number: kmeans(rows, number, seed) for number in k_range(len(rows))}, rows, seed)


def _best_k(tried: dict[int, np.ndarray], rows: np.ndarray, seed: int) -> Clusters:
    scores = {number: silhouette(rows, labels, seed)[0] for number, labels in tried.items()}
    known = {number: score for number, score in scores.items() if score == score}
    low, high = min(tried), max(tried)
    if not known:
        note = "The passages do not differ: one topic, no silhouette."
        return Clusters(np.zeros(len(rows), dtype=int), (note,))
    best = max(known, key=lambda number: (known[number], -number))
    note = f"{best} topics: best silhouette ({known[best]:.3f}), k {low} to {high}."
    edge = " That is the edge of the range tried." if best == high and high > low else ""
    return Clusters(tried[best], (note + edge,))


def _density(rows: np.ndarray, method: str) -> Clusters:
    least = least_size(len(rows))
    if method == "hdbscan":
        note = f"HDBSCAN, at least {least} passages per cluster; the rest is noise."
        return Clusters(hdbscan(rows, least), (note,))
    reach = radius(rows, least)
    note = f"DBSCAN, radius {reach:.4f}, at least {least} passages; the rest is noise."
    return Clusters(dbscan(rows, reach, least), (note,))


def assign(reduced: np.ndarray, fitted: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Labels of all rows: those of the fitted rows, and for the others the cluster whose mean is nearest."""
    if len(fitted) == len(reduced):
        return labels
    names = sorted(set(labels.tolist()) - {-1}) or [-1]
    centres = np.stack([reduced[fitted][labels == name].mean(axis=0) for name in names])
    distances = (centres**2).sum(axis=1) - 2 * reduced @ centres.T
    everywhere = np.array(names)[distances.argmin(axis=1)]
    everywhere[fitted] = labels
    return everywhere


RESAMPLES, SHARE = 8, 0.8  # of the passages in each
SWEPT_ON = 4_000  # passages at most
MOST_NOISE = 0.5  # share of passages; a clustering that leaves out more is not eligible
COLUMNS = [
    "method",
    "setting",
    "clusters",
    "noise_share",
    "silhouette",
    "stability",
    "score",
    "eligible",
    "reason",
]


class Setting(NamedTuple):
    """A way to cluster: method, its one number (k, radius or least size), and the same in words."""

    method: str
    value: float
    words: str


def rank_settings(reduced: NDArray, seed: int = 0, ks: tuple[int, ...] = ()) -> pd.DataFrame:
    """Settings of k-means, DBSCAN and HDBSCAN, best first.

    Parameters
    ----------
    reduced : the passages after reduction, (n, d); above SWEPT_ON a seeded sample of them
    ks : numbers of clusters for k-means; a few over `k_range` where none is given

    Returns
    -------
    method, setting (in words), clusters, noise_share [0, 1], silhouette [-1, 1] of what is not noise,
    stability: mean adjusted Rand index between the clustering of all and that of RESAMPLES samples of 80 %,
    on their common passages (1 is the same, about 0 is chance); score: mean of silhouette and stability;
    eligible: at most half is noise and both exist; reason where not
    """
    rng, rows = np.random.default_rng(seed), _sampled(reduced, seed)
    if len(rows) < SMALLEST:
        return pd.DataFrame(columns=COLUMNS)
    samples = [
        np.sort(rng.choice(len(rows), max(3, round(SHARE * len(rows))), replace=False))
        for _ in range(RESAMPLES)
    ]
    table = pd.DataFrame([_row(rows, one, samples, seed) for one in settings(rows, ks)], columns=COLUMNS)
    return table.sort_values(
        ["eligible", "score", "method", "setting"], ascending=[False, False, True, True], ignore_index=True
    )


def settings(rows: NDArray, ks: tuple[int, ...] = ()) -> Iterator[Setting]:
    """The settings tried: about six numbers of clusters, three radii, three least sizes."""
    known = [k for k in ks or _spread(k_range(len(rows))) if k < len(rows)]
    yield from (Setting("kmeans", k, f"k = {k}") for k in known)
    least = least_size(len(rows))
    for share in (0.25, 0.5, 0.75):
        reach = radius(rows, least, share)
        yield Setting("dbscan", reach, f"radius {reach:.4f} ({share:.0%} quantile), at least {least}")
    for size in sorted({max(3, least // 2), least, 2 * least}):
        yield Setting("hdbscan", size, f"at least {size} passages")


def best_setting(ranked: pd.DataFrame, reduced: NDArray, seed: int = 0) -> Setting | None:
    """The first eligible setting of a sweep of these rows by this seed; None if there is none.

    Of a sweep of a sample, a density setting is taken over by its rank among its kind: the same quantile or
    size, counted on all rows.
    """
    eligible = ranked[ranked["eligible"].astype(bool)]
    if eligible.empty:
        return None
    swept, first = list(settings(_sampled(reduced, seed))), eligible.iloc[0]
    one = next(one for one in swept if (one.method, one.words) == (first["method"], first["setting"]))
    if one.method == "kmeans" or len(reduced) <= SWEPT_ON:
        return one
    place = [other for other in swept if other.method == one.method].index(one)
    own = [other for other in settings(reduced) if other.method == one.method]
    return own[min(place, len(own) - 1)]


def ks_around(n: int, k: int) -> tuple[int, ...]:
    """Numbers of clusters to try, k among them."""
    return tuple(sorted({*_spread(k_range(n)), *([k] if k > 1 else [])}))


def fit_setting(rows: NDArray, setting: Setting, seed: int) -> NDArray[np.int64]:
    """Cluster of each row by a setting; -1 is noise."""
    if setting.method == "kmeans":
        return kmeans(rows, int(setting.value), seed)
    if setting.method == "dbscan":
        return dbscan(rows, setting.value, least_size(len(rows)))
    return hdbscan(rows, int(setting.value))


def stability(labels: NDArray, again: Callable[[NDArray], NDArray], samples: list[NDArray]) -> float:
    """Mean adjusted Rand index between a clustering and those of samples of its rows, in [-1, 1];
    noise is a cluster of its own."""
    from sklearn.metrics import adjusted_rand_score

    return float(np.mean([adjusted_rand_score(labels[sample], again(sample)) for sample in samples]))


def _sampled(reduced: NDArray, seed: int) -> NDArray:
    """All rows, or SWEPT_ON of them drawn by the seed."""
    if len(reduced) <= SWEPT_ON:
        return reduced
    return reduced[np.sort(np.random.default_rng(seed).choice(len(reduced), SWEPT_ON, replace=False))]


def _row(rows: NDArray, one: Setting, samples: list[NDArray], seed: int) -> tuple:
    labels = fit_setting(rows, one, seed)
    distinct, reason = silhouette(rows, labels, seed)
    steady = stability(labels, lambda sample: fit_setting(rows[sample], one, seed), samples)
    noise = float((labels < 0).mean())
    reason = reason or ("more than half of the passages are noise" if noise > MOST_NOISE else "")
    clusters = len(set(labels.tolist()) - {-1})
    score = (distinct + steady) / 2
    return (
        one.method,
        one.words,
        clusters,
        round(noise, 4),
        distinct,
        round(steady, 4),
        round(score, 4),
        not reason,
        reason,
    )


def _spread(numbers: range, most: int = 6) -> list[int]:
    return sorted({numbers[round(i * (len(numbers) - 1) / (most - 1))] for i in range(most)})
