"""Vectors into clusters: reduction, k-means with a chosen k, density clustering, each setting rated
(HCAT section 2, steps 2 and 3). Arrays in, arrays out."""

import warnings
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay.stats.one_thread import one_thread

SMALLEST = 8  # fewer passages than this are one topic
SCORED_ON = 2_000  # passages on which a silhouette is computed
SWEPT_ON = 4_000  # passages on which settings are compared
NEIGHBOURS = 15  # UMAP's own default
RESAMPLES, SHARE = 8, 0.8  # samples by which stability is measured, and the share of the passages in each
MOST_NOISE = 0.5  # share of passages; a clustering that leaves out more is not eligible
COLUMNS = "method setting clusters noise_share silhouette stability score eligible reason".split()


def reduce_dimensions(vectors: NDArray, how: str, components: int, seed: int) -> NDArray:
    """Rows (n, d) in at most `components` dimensions, by "pca" or "umap"; PCA where UMAP has too few rows."""
    n, d = vectors.shape
    if n < 2:
        return np.zeros((n, 1))
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if how == "umap" and n > 2 * NEIGHBOURS:
            from umap import UMAP

            mapper = UMAP(
                n_components=components, n_neighbors=NEIGHBOURS, metric="cosine", random_state=seed, n_jobs=1
            )
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
        scores = {number: silhouette(rows, labels, seed)[0] for number, labels in tried.items()}
        known = {number: score for number, score in scores.items() if not np.isnan(score)}
        if not known:
            return one_topic, "The passages do not differ: one topic, no silhouette."
        best = max(known, key=lambda number: (known[number], -number))
        note = f"{best} topics: best silhouette ({known[best]:.3f}), k {min(tried)} to {max(tried)}."
        return tried[best], note
    least = least_size(len(rows))
    value = least if method == "hdbscan" else radius(rows, least)
    labels = fit_setting(rows, Setting(method, value, ""), seed)
    return labels, f"{method.upper()}, at least {least} passages per cluster; the rest is noise."


def silhouette(rows: NDArray, labels: NDArray, seed: int) -> tuple[float, str]:
    """Mean silhouette in [-1, 1], higher is better, noise left out, on at most 2,000 rows;
    NaN and a reason where it does not exist."""
    from sklearn.metrics import silhouette_score

    kept = np.flatnonzero(labels >= 0)
    if len(kept) > SCORED_ON:
        kept = np.sort(np.random.default_rng(seed).choice(kept, size=SCORED_ON, replace=False))
    groups = len(np.unique(labels[kept]))
    if not 2 <= groups < len(kept):
        return float("nan"), f"no silhouette of {groups} clusters of {len(kept)} passages"
    return round(float(silhouette_score(rows[kept], labels[kept])), 4), ""


def least_size(n: int) -> int:
    """Passages that make a cluster in the density methods, for n passages."""
    return max(3, min(10, n // 40))


def radius(rows: NDArray, least: int, share: float = 0.5) -> float:
    """The `share` quantile of the distance to the `least`th nearest row, itself counted."""
    from sklearn.neighbors import NearestNeighbors

    distances = NearestNeighbors(n_neighbors=min(least, len(rows))).fit(rows).kneighbors(rows)[0][:, -1]
    return max(float(np.quantile(distances, share)), 1e-9)


class Setting(NamedTuple):
    """A way to cluster: method, its one number (k, radius or least size), and the same in words."""

    method: str
    value: float
    words: str


def fit_setting(rows: NDArray, setting: Setting, seed: int) -> NDArray:
    """Cluster of each row by a setting; -1 is noise."""
    from sklearn.cluster import DBSCAN, HDBSCAN

    if setting.method == "kmeans":
        return _kmeans(rows, int(setting.value), seed)
    if setting.method == "dbscan":
        return DBSCAN(eps=setting.value, min_samples=least_size(len(rows))).fit_predict(rows)
    return HDBSCAN(min_cluster_size=min(int(setting.value), len(rows)), copy=True).fit_predict(rows)


def _kmeans(rows: NDArray, k: int, seed: int) -> NDArray:
    """Cluster of each row, the best of ten starts."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return KMeans(k, n_init=10, random_state=seed).fit_predict(rows)


def rank_settings(rows: NDArray, seed: int = 0, ks: Sequence[int] = ()) -> pd.DataFrame:
    """Settings of k-means, DBSCAN and HDBSCAN, best first.

    Parameters
    ----------
    rows : the passages after reduction, (n, d); above SWEPT_ON a seeded sample of them
    ks : numbers of clusters for k-means beside six over `k_range`

    Returns
    -------
    method, setting (in words), clusters, noise_share [0, 1], silhouette [-1, 1] of what is not noise,
    stability: mean adjusted Rand index between the clustering of all and that of RESAMPLES samples of 80 %,
    on their common passages (1 is the same, about 0 is chance); score: mean of silhouette and stability;
    eligible: at most half is noise and both exist; reason where not
    """
    if len(rows) > SWEPT_ON:
        rows = rows[np.sort(np.random.default_rng(seed).choice(len(rows), SWEPT_ON, replace=False))]
    if len(rows) < SMALLEST:
        return pd.DataFrame(columns=COLUMNS)
    rng, size = np.random.default_rng(seed), max(3, round(SHARE * len(rows)))
    samples = [np.sort(rng.choice(len(rows), size, replace=False)) for _ in range(RESAMPLES)]
    table = pd.DataFrame([_rate_setting(rows, setting, samples, seed) for setting in _settings(rows, ks)])
    return table.sort_values(
        ["eligible", "score", "method", "setting"], ascending=[False, False, True, True], ignore_index=True
    )


def _settings(rows: NDArray, ks: Sequence[int]) -> Iterator[Setting]:
    """About six numbers of clusters, three radii, three least sizes."""
    tried, least = k_range(len(rows)), least_size(len(rows))
    spread = {tried[round(i * (len(tried) - 1) / 5)] for i in range(6)}
    for k in sorted({*spread, *ks}):
        if 1 < k < len(rows):
            yield Setting("kmeans", k, f"k = {k}")
    for share in (0.25, 0.5, 0.75):
        reach = radius(rows, least, share)
        yield Setting("dbscan", reach, f"radius {reach:.4f} ({share:.0%} quantile), at least {least}")
    for size in sorted({max(3, least // 2), least, 2 * least}):
        yield Setting("hdbscan", size, f"at least {size} passages")


def _rate_setting(rows: NDArray, setting: Setting, samples: list[NDArray], seed: int) -> dict:
    from sklearn.metrics import adjusted_rand_score

    labels = fit_setting(rows, setting, seed)
    distinct, reason = silhouette(rows, labels, seed)
    again = [adjusted_rand_score(labels[part], fit_setting(rows[part], setting, seed)) for part in samples]
    steady, noise = float(np.mean(again)), float((labels < 0).mean())
    reason = reason or ("more than half of the passages are noise" if noise > MOST_NOISE else "")
    return {
        "method": setting.method,
        "setting": setting.words,
        "clusters": len(set(labels.tolist()) - {-1}),
        "noise_share": round(noise, 4),
        "silhouette": distinct,
        "stability": round(steady, 4),
        "score": round((distinct + steady) / 2, 4),
        "eligible": not reason,
        "reason": reason,
    }
