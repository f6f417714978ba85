"""How far raters agree (HCAT section 5): Krippendorff's alpha, Gwet's AC and rank correlation.

They are read off one table of coincidences: how often two raters of one answer gave levels c and k. An answer
with m labels adds m(m - 1) ordered pairs of weight 1/(m - 1), so that it counts as often as it was labelled;
an answer labelled once says nothing.

alpha    1 is perfect, 0 what chance gives; falls when one level is rare (Krippendorff 2019, chapter 12)
AC1/AC2  as alpha, with a chance term that does not rise as a level becomes common (Gwet 2014, chapters 4, 5)
rank     Spearman correlation of two raters of one answer, in [-1, 1]; blind to a rater who is always stricter

The values are those of the packages krippendorff and irrCAC (the tests hold them). Neither can be depended
on: the one is under the GPL, the other pins an older pandas.

Intervals: bias-corrected percentile bootstrap over answers (or clusters of answers), tails moved out for few
clusters. Measured coverage for a promised 0.95 (three raters, four levels, a fifth of the labels missing, 600
simulations, standard error 0.009):

    answers   alpha, ordinal   AC2     rank
    20        0.957            0.885   0.950
    40        0.952            0.937   0.952
    120       0.955            0.943   0.960

AC2 of few answers comes out too high (by 0.02 at 20), as its chance term rests on their shares. Perfect
agreement does not vary under resampling: its lower bound takes Clopper-Pearson's on the share disagreed on.
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


@dataclass(frozen=True)
class Coincidences:
    """The pairs of labels of answers that were labelled twice or more.

    tables : (clusters, k, k) weighted ordered pairs of levels, summed over the answers of a cluster
    agreed : (clusters,) sum over answers of their agreement, by quadratic weights
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
        row = known.loc[repeated, ["case_id", "system", "rater"]].iloc[0].to_dict()
        raise LabelError("a rater judged one answer twice", found=row)
    by_answer = known.groupby(["case_id", "system", "label"]).size().unstack(fill_value=0).sort_index()
    twice = by_answer[by_answer.sum(axis=1) > 1]
    twice = twice.loc[:, twice.sum() > 0]
    cases, levels = twice.index.get_level_values("case_id"), np.asarray(twice.columns, dtype=float)
    drawn = np.asarray(cases if clusters is None else cases.map(clusters), dtype=str)
    names, place = np.unique(drawn, return_inverse=True)

    counts = twice.to_numpy(dtype=float)
    m = counts.sum(axis=1)[:, None]
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(len(levels))
    agreed = np.einsum("uck,ck->u", pairs, _quadratic(levels)) / (m * (m - 1))[:, 0]

    def by_cluster(of_answers: NDArray) -> NDArray:
        total = np.zeros((len(names), *of_answers.shape[1:]))
        np.add.at(total, place, of_answers)
        return total

    return Coincidences(
        tables=by_cluster(pairs / (m - 1)[:, :, None]),
        agreed=by_cluster(agreed),
        shares=by_cluster(counts / m),
        units=by_cluster(np.ones(len(counts))),
        levels=levels,
        answers=len(by_answer),
        twice=len(counts),
        split=int(((counts > 0).sum(axis=1) > 1).sum()),
    )


def krippendorff_alpha(found: Coincidences, *, n_boot: int = N_BOOT, rng: np.random.Generator) -> Interval:
    """Krippendorff's alpha with ordinal distances, at most 1; higher is better.

    Source: Krippendorff (2019), Content Analysis, 4th edition, section 12.3; Hayes, Krippendorff (2007),
    Communication Methods and Measures 1.
    """
    return _estimate(found, lambda tables, agreed, shares, units: _alpha(tables), n_boot, rng)


def gwet_ac(found: Coincidences, *, n_boot: int = N_BOOT, rng: np.random.Generator) -> Interval:
    """Gwet's AC2 (quadratic weights), which is AC1 for two levels, at most 1; higher is better; steady where
    one level is common.

    Source: Gwet (2014), Handbook of Inter-Rater Reliability, 4th edition, chapters 4, 5; Gwet (2008) for AC1.
    """
    weights, k = _quadratic(found.levels), len(found.levels)

    def ac(tables: NDArray, agreed: NDArray, shares: NDArray, units: NDArray) -> NDArray:
        common = shares / units[..., None]
        with np.errstate(invalid="ignore", divide="ignore"):
            by_chance = weights.sum() / (k * (k - 1)) * (common * (1 - common)).sum(axis=-1)
            return (agreed / units - by_chance) / (1 - by_chance)

    return _estimate(found, ac, n_boot, rng)


def rank_correlation(found: Coincidences, *, n_boot: int = N_BOOT, rng: np.random.Generator) -> Interval:
    """Spearman correlation of two raters of one answer, all pairs, in [-1, 1]; higher is better."""
    return _estimate(found, lambda tables, agreed, shares, units: _spearman(tables), n_boot, rng)


def _quadratic(levels: NDArray) -> NDArray:
    """(k, k) weight of two levels: 1 less the squared share of the widest distance that lies between them."""
    width = max(float(np.ptp(levels)), 1e-12) if len(levels) else 1.0
    return 1 - ((levels[:, None] - levels[None, :]) / width) ** 2


def _alpha(tables: NDArray) -> NDArray:
    counts = tables.sum(axis=-1)
    n = counts.sum(axis=-1)
    middle = np.cumsum(counts, axis=-1) - counts / 2
    apart = (middle[..., :, None] - middle[..., None, :]) ** 2
    by_chance = (counts[..., :, None] * counts[..., None, :] * apart).sum(axis=(-2, -1)) / (n - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return 1 - (tables * apart).sum(axis=(-2, -1)) / by_chance


def _spearman(tables: NDArray) -> NDArray:
    counts = tables.sum(axis=-1)
    n = counts.sum(axis=-1)
    rank = np.cumsum(counts, axis=-1) - counts / 2
    rank = rank - (rank * counts).sum(axis=-1, keepdims=True) / n[..., None]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.einsum("...ck,...c,...k->...", tables, rank, rank) / (counts * rank**2).sum(axis=-1)


def _estimate(
    found: Coincidences, statistic: Callable[..., NDArray], n_boot: int, rng: np.random.Generator
) -> Interval:
    once = found.answers - found.twice
    if found.twice < 2:
        return not_available("fewer than two answers were labelled twice", n=found.twice, left_out=once)
    parts = (found.tables, found.agreed, found.shares, found.units)
    value = float(statistic(*(part.sum(axis=0) for part in parts)))
    if np.isnan(value):
        return not_available("one and the same level throughout", n=found.twice, left_out=once)
    if found.split == 0:
        how = "perfect agreement: Clopper-Pearson bound"
        return Interval(1.0, _perfect_bound(found), 1.0, found.twice, once, "", how)
    m = len(found.units)
    weights = rng.multinomial(m, np.full(m, 1 / m), n_boot).astype(float)
    drawn = statistic(*(np.tensordot(weights, part, axes=1) for part in parts))
    tails = expand_tails(np.array([(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]), m)
    low, high = np.nanquantile(drawn, _bias_corrected(tails, value, drawn[~np.isnan(drawn)]))
    how = f"bias-corrected bootstrap of {m} clusters, {n_boot} resamples"
    why = "labelled once" if once else ""
    return Interval(value, float(low), min(1.0, float(high)), found.twice, once, why, how)


def _bias_corrected(tails: NDArray, value: float, drawn: NDArray) -> NDArray:
    """Tails moved by twice the resamples' median bias (Efron, Tibshirani 1993, 14.3, no acceleration)."""
    below = ((drawn < value).sum() + 0.5 * (drawn == value).sum()) / len(drawn)
    bias = ndtri(np.clip(below, 0.5 / len(drawn), 1 - 0.5 / len(drawn)))
    return ndtr(2 * bias + ndtri(tails))


def _perfect_bound(found: Coincidences) -> float:
    agreed = clopper_pearson(found.twice, found.twice).low
    shares = found.tables.sum(axis=(0, 2)) / found.tables.sum()
    disagreed_by_chance = 1 - float((shares**2).sum())
    return max(-1.0, 1 - (1 - agreed) / disagreed_by_chance) if disagreed_by_chance > 0 else -1.0
