"""Vectors into clusters: reduction, k-means with a chosen k, density clustering (HCAT section 2, steps 2 and
3). Arrays in, arrays out."""

import warnings

import numpy as np
from numpy.typing import NDArray

from ragassay.stats.one_thread import one_thread

SMALLEST = 8  # fewer passages than this are one topic
SCORED_ON = 2_000  # passages on which a silhouette is computed
NEIGHBOURS = 15  # UMAP's own default


def reduce_dimensions(vectors: NDArray, how: str, components: int, seed: int) -> NDArray:
    """Rows (n, d) in at most `components` dimensions, by "pca" or "umap"; PCA where UMAP has too few rows."""
    n, d = vectors.shape
    if n < 2:
        return np.zeros((n, 1))
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if how == "umap" and n > 2 * NEIGHBOURS:
            from sklearn.neighbors import NearestNeighbors
            from umap import UMAP

            near = NearestNeighbors(n_neighbors=NEIGHBOURS, metric="cosine").fit(vectors).kneighbors(vectors)
            known = near[1].astype(np.int32), near[0].astype(np.float32), None  # exact; halves UMAP's compiling
            named = {"n_components": components, "n_neighbors": NEIGHBOURS, "metric": "cosine"}
            mapper = UMAP(**named, precomputed_knn=known, random_state=seed, n_jobs=1)
            return mapper.fit_transform(vectors).astype(np.float64)
        from sklearn.decomposition import PCA

        return PCA(min(components, n - 1, d), svd_solver="full", random_state=seed).fit_transform(vectors)


def k_range(n: int) -> range:
    """The numbers of clusters tried for n passages:
    2 to n // 4 below 60 passages, then 5 to 20 (30 above 5,000)."""
    if n < 60:
        return range(2, max(3, n // 4 + 1))
    return range(5, 31 if n > 5000 else 21)


def cluster(rows: NDArray, method: str, k: int, seed: int) -> tuple[NDArray, str]:
    """Cluster of each row (-1 is noise), and a note on how they were found.

    Parameters
    ----------
    method : "kmeans", "dbscan" or "hdbscan"
    k : clusters of k-means; 0 takes the best silhouette over `k_range`
    """
    one_topic = np.zeros(len(rows), dtype=int)
    if len(rows) < SMALLEST and k < 2:
        return one_topic, f"Fewer than {SMALLEST} passages: one topic, no silhouette."
    if method == "kmeans" and k:
        return _kmeans(rows, k, seed), f"{k} topics, as asked for."
    if method == "kmeans":
        tried = {number: _kmeans(rows, number, seed) for number in k_range(len(rows))}
        scores = {number: silhouette(rows, labels, seed) for number, labels in tried.items()}
        known = {number: score for number, score in scores.items() if not np.isnan(score)}
        if not known:
            return one_topic, "The passages do not differ: one topic, no silhouette."
        best = max(known, key=lambda number: (known[number], -number))
        note = f"{best} topics: best silhouette ({known[best]:.3f}), k {min(tried)} to {max(tried)}."
        return tried[best], note
    from sklearn.cluster import DBSCAN, HDBSCAN

    least = max(3, min(10, len(rows) // 40))
    if method == "dbscan":
        found = DBSCAN(eps=_radius(rows, least), min_samples=least).fit_predict(rows)
    else:
        found = HDBSCAN(min_cluster_size=min(least, len(rows)), copy=True).fit_predict(rows)
    return found, f"{method.upper()}, at least {least} passages per cluster; the rest is noise."


def silhouette(rows: NDArray, labels: NDArray, seed: int) -> float:
    """Mean silhouette in [-1, 1], higher is better, on at most 2,000 rows; NaN where it does not exist."""
    from sklearn.metrics import silhouette_score

    kept = np.arange(len(rows))
    if len(kept) > SCORED_ON:
        kept = np.sort(np.random.default_rng(seed).choice(kept, size=SCORED_ON, replace=False))
    if not 2 <= len(np.unique(labels[kept])) < len(kept):
        return float("nan")
    return round(float(silhouette_score(rows[kept], labels[kept])), 4)


def _radius(rows: NDArray, least: int) -> float:
    """The median distance to the `least`th nearest row, itself counted."""
    from sklearn.neighbors import NearestNeighbors

    distances = NearestNeighbors(n_neighbors=min(least, len(rows))).fit(rows).kneighbors(rows)[0][:, -1]
    return max(float(np.quantile(distances, 0.5)), 1e-9)


def _kmeans(rows: NDArray, k: int, seed: int) -> NDArray:
    """Cluster of each row, the best of ten starts."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return KMeans(k, n_init=10, random_state=seed).fit_predict(rows)
