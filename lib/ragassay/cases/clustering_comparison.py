"""Which clustering? Every setting fitted to the same vectors,
ranked by how distinct its clusters are and how steady under resampling."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay.cases import clustering

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
    ks : numbers of clusters for k-means; a few over `clustering.k_range` where none is given

    Returns
    -------
    method, setting (in words), clusters, noise_share [0, 1], silhouette [-1, 1] of what is not noise,
    stability: mean adjusted Rand index between the clustering of all and that of RESAMPLES samples of 80 %,
    on their common passages (1 is the same, about 0 is chance); score: mean of silhouette and stability;
    eligible: at most half is noise and both exist; reason where not
    """
    rng, rows = np.random.default_rng(seed), _sampled(reduced, seed)
    if len(rows) < clustering.SMALLEST:
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
    known = [k for k in ks or _spread(clustering.k_range(len(rows))) if k < len(rows)]
    yield from (Setting("kmeans", k, f"k = {k}") for k in known)
    least = clustering.least_size(len(rows))
    for share in (0.25, 0.5, 0.75):
        radius = clustering.radius(rows, least, share)
        yield Setting("dbscan", radius, f"radius {radius:.4f} ({share:.0%} quantile), at least {least}")
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
    return tuple(sorted({*_spread(clustering.k_range(n)), *([k] if k > 1 else [])}))


def fit_setting(rows: NDArray, setting: Setting, seed: int) -> NDArray[np.int64]:
    """Cluster of each row by a setting; -1 is noise."""
    if setting.method == "kmeans":
        return clustering.kmeans(rows, int(setting.value), seed)
    if setting.method == "dbscan":
        return clustering.dbscan(rows, setting.value, clustering.least_size(len(rows)))
    return clustering.hdbscan(rows, int(setting.value))


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
    distinct, reason = clustering.silhouette(rows, labels, seed)
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
