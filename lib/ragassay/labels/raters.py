"""What the raters' labels say: how far the raters agree (HCAT section 5), and which answers they accept.

labels -> agreement (can they carry a calibration?)
       -> accepted  (one judgement an answer and dimension) -> in_every_respect

Krippendorff's alpha, Gwet's AC and rank correlation are read off one table of coincidences: how often two
raters of one answer gave levels c and k. An answer with m labels adds m(m - 1) ordered pairs of weight 1/(m -
1), so that it counts as often as it was labelled; an answer labelled once says nothing.

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

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from ragassay import parameter_ranges
from ragassay.defaults import CONFIDENCE, N_BOOT
from ragassay.errors import LabelError
from ragassay.stats import Interval, clopper_pearson, expand_tails, not_available


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


FEWEST_TWICE, LEAST_CORRELATION = 20, 0.1
COLUMNS = [
    *("dimension", "answers", "twice", "raters", "alpha", "low", "high"),
    *("rank_correlation", "rank_correlation_low", "rank_correlation_high"),
    *("gwet_ac", "gwet_ac_low", "gwet_ac_high", "enough", "state", "reason"),
]
ENOUGH = {"carried": "sufficient", "not_assessable": "not assessable", "refused": "not sufficient"}


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

    def alpha(tables: NDArray, agreed: NDArray, shares: NDArray, units: NDArray) -> NDArray:
        counts = tables.sum(axis=-1)
        n = counts.sum(axis=-1)
        middle = np.cumsum(counts, axis=-1) - counts / 2
        apart = (middle[..., :, None] - middle[..., None, :]) ** 2
        by_chance = (counts[..., :, None] * counts[..., None, :] * apart).sum(axis=(-2, -1)) / (n - 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return 1 - (tables * apart).sum(axis=(-2, -1)) / by_chance

    return _estimate(found, alpha, n_boot, rng)


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

    def spearman(tables: NDArray, agreed: NDArray, shares: NDArray, units: NDArray) -> NDArray:
        counts = tables.sum(axis=-1)
        n = counts.sum(axis=-1)
        rank = np.cumsum(counts, axis=-1) - counts / 2
        rank = rank - (rank * counts).sum(axis=-1, keepdims=True) / n[..., None]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.einsum("...ck,...c,...k->...", tables, rank, rank) / (counts * rank**2).sum(axis=-1)

    return _estimate(found, spearman, n_boot, rng)


def _quadratic(levels: NDArray) -> NDArray:
    """(k, k) weight of two levels: 1 less the squared share of the widest distance that lies between them."""
    width = max(float(np.ptp(levels)), 1e-12) if len(levels) else 1.0
    return 1 - ((levels[:, None] - levels[None, :]) / width) ** 2


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
        levels = found.tables.sum(axis=(0, 2)) / found.tables.sum()
        by_chance = 1 - float((levels**2).sum())
        least = 1 - (1 - clopper_pearson(found.twice, found.twice).low) / by_chance if by_chance > 0 else -1.0
        return Interval(1.0, max(-1.0, least), 1.0, found.twice, once, "", how)
    m = len(found.units)
    weights = rng.multinomial(m, np.full(m, 1 / m), n_boot).astype(float)
    drawn = statistic(*(np.tensordot(weights, part, axes=1) for part in parts))
    tails = expand_tails(np.array([(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]), m)
    # moved by twice the resamples' median bias (Efron, Tibshirani 1993, 14.3, no acceleration)
    drawn = drawn[~np.isnan(drawn)]
    below = ((drawn < value).sum() + 0.5 * (drawn == value).sum()) / len(drawn)
    bias = ndtri(np.clip(below, 0.5 / len(drawn), 1 - 0.5 / len(drawn)))
    low, high = np.quantile(drawn, ndtr(2 * bias + ndtri(tails)))
    how = f"bias-corrected bootstrap of {m} clusters, {n_boot} resamples"
    why = "labelled once" if once else ""
    return Interval(value, float(low), min(1.0, float(high)), found.twice, once, why, how)


def agreement(
    labels: pd.DataFrame, *, clusters: pd.Series | None = None, independent: str = "unstated", seed: int = 0
) -> pd.DataFrame:
    """How far several raters of one answer agree: one row a dimension, sorted; COLUMNS.

    twice : answers that two raters or more judged
    alpha, low, high : Krippendorff's, ordinal, in [-1, 1]: 1 is full agreement, 0 is chance
    rank_correlation, gwet_ac : two more measures with the same ends
    state : refused where 20 answers or more were judged twice, and the lower 95 % bound of the raters' rank
        correlation is below 0.1: no score can be calibrated to that; not_assessable where fewer were judged
        twice, or all alike: a calibration is allowed, the labels' reliability is not known; else carried
    enough : the state in words; agreement of raters who are not `independent` is never sufficient

    The two numbers are ours; Krippendorff (2019) would draw tentative conclusions from alpha >= 0.667 only.

    Parameters
    ----------
    labels : case_id, system, dimension, rater, label
    clusters : by case_id, what was drawn independently; None takes every case for itself
    independent : whether the raters judged independently; one of yes, no, unstated

    Raises LabelError if a column is missing, or a rater judged one answer twice.

    Example: `agreement(pd.read_csv("labels.csv"))[["dimension", "twice", "alpha", "low", "high"]]`
    """
    parameter_ranges.check("raters_independent", independent, "one of yes, no, unstated")
    require_columns(labels, ("case_id", "system", "dimension", "rater", "label"))
    words = ENOUGH | ({"carried": "not independent"} if independent == "no" else {})
    rng, rows = np.random.default_rng(seed), []
    for dimension, part in labels.groupby("dimension", sort=True):
        counted = coincidences(part, clusters)
        rank, alpha = rank_correlation(counted, rng=rng), krippendorff_alpha(counted, rng=rng)
        ac = gwet_ac(counted, rng=rng)
        state, reason = _state(str(dimension), counted, rank)
        measures = [bound for one in (alpha, rank, ac) for bound in (one.value, one.low, one.high)]
        counts = (counted.answers, counted.twice, part["rater"].nunique())
        rows.append((dimension, *counts, *measures, words[state], state, reason))
    return pd.DataFrame(rows, columns=COLUMNS).astype(dict.fromkeys(COLUMNS[4:13], float))


def accepted(labels: pd.DataFrame, accept_from: Mapping[str, float]) -> pd.DataFrame:
    """Whether raters accept each answer: case_id, system, dimension, level (their median; of an even number
    the lower of the two middle labels), accepted (1 from the lowest label that accepts on, else 0).

    accept_from : dimension -> the lowest label that accepts; a dimension that nobody judged has no row

    Raises LabelError if a column is missing, ParameterError if a lowest label is no number.

    Example: `accepted(labels, {"grounded": 1, "relevant": 4})`
    """
    for dimension, cut in accept_from.items():
        parameter_ranges.check(f"accept_from of {dimension}", cut, "in (-inf, inf)")
    require_columns(labels, ("case_id", "system", "dimension", "label"))
    judged, parts = labels.astype({"label": float}), []
    for dimension, cut in accept_from.items():
        own = judged[judged["dimension"] == dimension].groupby(["case_id", "system"], sort=True)["label"]
        level = own.quantile(0.5, interpolation="lower").rename("level").reset_index()
        parts.append(level.assign(dimension=dimension, accepted=(level["level"] >= cut).astype(int)))
    columns = ["case_id", "system", "dimension", "level", "accepted"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


def in_every_respect(judged: pd.DataFrame, dimensions: Iterable[str]) -> pd.DataFrame:
    """Whether raters accept each answer in all these dimensions: case_id, system, accepted (1 or 0); no row
    for an answer that lacks a judgement in one of them. judged : of `accepted`"""
    wide = judged.pivot(index=["case_id", "system"], columns="dimension", values="accepted")
    return wide.reindex(columns=list(dimensions)).dropna().min(axis=1).rename("accepted").reset_index()


def require_columns(labels: pd.DataFrame, names: Iterable[str], where: str = "the labels given") -> None:
    """LabelError if one of these columns is missing."""
    absent = [name for name in names if name not in labels]
    if absent:
        raise LabelError(
            f"column {absent[0]!r} is missing",
            where=where,
            found=", ".join(map(str, labels)),
            expected=", ".join(names),
            do="add it, or rename yours",
        )


def _state(dimension: str, counted: Coincidences, rank: Interval) -> tuple[str, str]:
    if counted.twice < FEWEST_TWICE:
        reason = f"{counted.twice} answers labelled twice on {dimension}, {FEWEST_TWICE} needed"
        return "not_assessable", reason
    if np.isnan(rank.value):
        return "not_assessable", f"agreement on {dimension} not known: {rank.reason}"
    correlation = f"two raters' rank correlation on {dimension} is {rank}"
    if not rank.low >= LEAST_CORRELATION:
        return "refused", f"{correlation}, lower bound below {LEAST_CORRELATION:g}"
    return "carried", correlation
