"""How far raters agree (HCAT section 5): Krippendorff's alpha, Gwet's AC and rank correlation.

They are read off one table of coincidences: how often two raters of one answer gave levels c and
k. An answer with m labels adds m(m - 1) ordered pairs of weight 1/(m - 1), so that it counts as often as it
was labelled; an answer labelled once says nothing (Gwet counts it into the chance term too, which moves the
third digit).

alpha    1 is perfect, 0 what chance gives; falls when one level is rare (Krippendorff 2019, chapter 12)
AC1/AC2  as alpha, with a chance term that does not rise as a level becomes common (Gwet 2014, chapters 4, 5)
rank     Spearman correlation of two raters of one answer, in [-1, 1]; blind to a rater who is always stricter

The values are those of the packages krippendorff and irrCAC (a test holds them together). They are computed
here because the bootstrap needs each of them for thousands of resamples of the table at once.

Intervals: bias-corrected percentile bootstrap over answers (or clusters of answers), tails moved out for few
clusters. Measured coverage for a promised 0.95 (three raters, four levels, a fifth of the labels missing, 600
simulations, standard error 0.009):

    answers   alpha, ordinal   AC1     AC2     rank
    20        0.957            0.970   0.885   0.950
    40        0.952            0.952   0.937   0.952
    120       0.955            0.958   0.943   0.960

AC2 of few answers comes out too high (by 0.02 at 20), because its chance term rests on their shares. Perfect
agreement does not vary under resampling: its lower bound takes Clopper-Pearson's bound on the share of
answers disagreed on, each at the worst distance.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from ragassay.defaults import CONFIDENCE, N_BOOT
from ragassay.errors import LabelError
from ragassay.stats import Interval, clopper_pearson, not_available
from ragassay.stats.resampling import expand_tails

KINDS = ("nominal", "ordinal", "interval")


@dataclass(frozen=True)
class Coincidences:
    """The pairs of labels of answers that were labelled twice or more.

    tables : (clusters, k, k) weighted ordered pairs of levels, summed over the answers of a cluster
    agreed : (clusters, 2) sum over answers of their agreement, by nominal and by quadratic weights
    shares : (clusters, k) sum over answers of the share of labels at each level; units : (clusters,) answers
    levels : (k,) levels given, ascending
    answers, twice, split : answers labelled at all, labelled twice or more, labelled unlike
    """

    tables: NDArray
    agreed: NDArray
    shares: NDArray
    units: NDArray
    levels: NDArray
    answers: int
    twice: int
    split: int


def coincidences(labels: pd.DataFrame, clusters: pd.Series | None = None) -> Coincidences:
    """The coincidences of one dimension: columns case_id, system, rater, label; a missing label is no label.

    Raises LabelError if a rater labelled one answer twice.
    """
    known = labels.dropna(subset=["label"])
    repeated = known.duplicated(["case_id", "system", "rater"])
    if repeated.any():
        raise LabelError(
            "a rater judged one answer twice",
            found=known.loc[repeated, ["case_id", "system", "rater"]].iloc[0].to_dict(),
        )
    counts = known.groupby(["case_id", "system", "label"]).size().unstack(fill_value=0).sort_index()
    answers = len(counts)
    counts = counts[counts.sum(axis=1) > 1]
    counts = counts.loc[:, counts.sum() > 0]
    cases = counts.index.get_level_values("case_id")
    names = cases if clusters is None else cases.map(clusters)
    levels = np.asarray(counts.columns, dtype=float)
    return _sum_by_cluster(counts.to_numpy(dtype=float), levels, np.asarray(names, dtype=str), answers)


def _sum_by_cluster(counts: NDArray, levels: NDArray, clusters: NDArray, answers: int) -> Coincidences:
    """Pairs, agreement and shares of every answer, added up by cluster; counts (answers, k)."""
    k, (names, place) = len(levels), np.unique(clusters, return_inverse=True)

    def add(rows: NDArray) -> NDArray:
        total = np.zeros((len(names), *rows.shape[1:]))
        np.add.at(total, place, rows)
        return total

    m = counts.sum(axis=1)[:, None]
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(k)
    weights = np.stack([np.eye(k), 1 - _apart(levels)])
    agreed = np.einsum("uck,wck->uw", pairs, weights) / (m * (m - 1))
    split = int(((counts > 0).sum(axis=1) > 1).sum())
    tables, units = add(pairs / (m - 1)[:, :, None]), add(np.ones(len(counts)))
    return Coincidences(tables, add(agreed), add(counts / m), units, levels, answers, len(counts), split)


def krippendorff_alpha(
    found: Coincidences,
    kind: str = "ordinal",
    *,
    level: float = CONFIDENCE,
    n_boot: int = N_BOOT,
    rng: np.random.Generator,
) -> Interval:
    """Krippendorff's alpha, at most 1; higher is better. `kind`, one of KINDS: how far apart two levels are.

    Source: Krippendorff (2019), Content Analysis, 4th edition, section 12.3; Hayes, Krippendorff (2007),
    Communication Methods and Measures 1.
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}; found {kind!r}")
    return _estimate(found, lambda t, a, s, u: _alpha(t, kind, found.levels), level, n_boot, rng)


def gwet_ac(
    found: Coincidences,
    *,
    weighted: bool,
    level: float = CONFIDENCE,
    n_boot: int = N_BOOT,
    rng: np.random.Generator,
) -> Interval:
    """Gwet's AC1, or AC2 (quadratic weights), at most 1; higher is better; steady where one level is common.

    Source: Gwet (2014), Handbook of Inter-Rater Reliability, 4th edition, chapters 4, 5; Gwet (2008) for AC1.
    """
    weights = 1 - _apart(found.levels) if weighted else np.eye(len(found.levels))
    return _estimate(
        found, lambda t, a, s, u: _gwet(a[..., int(weighted)], s, u, weights), level, n_boot, rng
    )


def rank_correlation(
    found: Coincidences, *, level: float = CONFIDENCE, n_boot: int = N_BOOT, rng: np.random.Generator
) -> Interval:
    """Spearman correlation of two raters of one answer, all pairs, in [-1, 1]; higher is better."""
    return _estimate(found, lambda t, a, s, u: _spearman(t), level, n_boot, rng)


def _apart(levels: NDArray) -> NDArray:
    """Squared distance of two levels as a share of the widest."""
    width = max(float(np.ptp(levels)), 1e-12) if len(levels) else 1.0
    return ((levels[:, None] - levels[None, :]) / width) ** 2


def _distance(tables: NDArray, kind: str, levels: NDArray) -> NDArray:
    """(..., k, k) squared distances of Krippendorff's kinds;
    the ordinal one depends on how often each level was given.
    """
    if kind == "nominal":
        return 1.0 - np.eye(len(levels))
    if kind == "interval":
        return (levels[:, None] - levels[None, :]) ** 2
    given = tables.sum(axis=-1)
    middle = np.cumsum(given, axis=-1) - given / 2
    return (middle[..., :, None] - middle[..., None, :]) ** 2


def _alpha(tables: NDArray, kind: str, levels: NDArray) -> NDArray:
    given, apart = tables.sum(axis=-1), _distance(tables, kind, levels)
    n = given.sum(axis=-1)
    by_chance = (given[..., :, None] * given[..., None, :] * apart).sum(axis=(-2, -1)) / (n - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return 1 - (tables * apart).sum(axis=(-2, -1)) / by_chance


def _gwet(agreed: NDArray, shares: NDArray, units: NDArray, weights: NDArray) -> NDArray:
    common, k = shares / units[..., None], len(weights)
    with np.errstate(invalid="ignore", divide="ignore"):
        by_chance = weights.sum() / (k * (k - 1)) * (common * (1 - common)).sum(axis=-1)
        return (agreed / units - by_chance) / (1 - by_chance)


def _spearman(tables: NDArray) -> NDArray:
    given = tables.sum(axis=-1)
    n = given.sum(axis=-1)
    rank = np.cumsum(given, axis=-1) - given / 2
    rank = rank - (rank * given).sum(axis=-1, keepdims=True) / n[..., None]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.einsum("...ck,...c,...k->...", tables, rank, rank) / (given * rank**2).sum(axis=-1)


def _estimate(
    found: Coincidences,
    statistic: Callable[..., NDArray],
    level: float,
    n_boot: int,
    rng: np.random.Generator,
) -> Interval:
    once = found.answers - found.twice
    if found.twice < 2:
        return not_available("fewer than two answers were labelled twice", n=found.twice, left_out=once)
    parts = (found.tables, found.agreed, found.shares, found.units)
    value = float(statistic(*(part.sum(axis=0) for part in parts)))
    if np.isnan(value):
        return not_available("one and the same level throughout", n=found.twice, left_out=once)
    if found.split == 0:
        return _perfect(found, level)
    m = len(found.units)
    weights = rng.multinomial(m, np.full(m, 1 / m), n_boot).astype(float)
    drawn = statistic(*(np.tensordot(weights, part, axes=1) for part in parts))
    tails = expand_tails(np.array([(1 - level) / 2, (1 + level) / 2]), m)
    low, high = np.nanquantile(drawn, _bias_corrected(tails, value, drawn[~np.isnan(drawn)]))
    why, how = (
        "labelled once" if once else "",
        f"bias-corrected bootstrap of {m} clusters, {n_boot} resamples",
    )
    return Interval(value, float(low), min(1.0, float(high)), found.twice, once, why, how)


def _bias_corrected(tails: NDArray, value: float, drawn: NDArray) -> NDArray:
    """Tails moved by twice the resamples' median bias (Efron, Tibshirani 1993, 14.3, no acceleration)."""
    below = ((drawn < value).sum() + 0.5 * (drawn == value).sum()) / len(drawn)
    bias = ndtri(np.clip(below, 0.5 / len(drawn), 1 - 0.5 / len(drawn)))
    return ndtr(2 * bias + ndtri(tails))


def _perfect(found: Coincidences, level: float) -> Interval:
    agreed = clopper_pearson(found.twice, found.twice, level).low
    total = found.tables.sum(axis=0)
    apart = _distance(total, "nominal", found.levels)
    given = total.sum(axis=1) / total.sum()
    chance = float((given[:, None] * given[None, :] * apart).sum())
    low = max(-1.0, 1 - (1 - agreed) / chance) if chance > 0 else -1.0
    once, how = found.answers - found.twice, "perfect agreement: Clopper-Pearson bound"
    return Interval(1.0, low, 1.0, found.twice, once, "", how)
