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
from ragassay.tables import filled


@dataclass(frozen=True)
class Coincidences:
    """The pairs of labels of the answers that were labelled twice or more.

    tables : (answers, k, k) weighted ordered pairs of levels; shares : (answers, k) of labels at each level
    weights : (k, k) of two levels: 1 less the squared share of the widest distance that lies between them
    agreed : (answers,) agreement by these weights; clusters : (answers,) the number of each one's cluster
    once : answers labelled once
    """

    tables: NDArray
    shares: NDArray
    weights: NDArray
    agreed: NDArray
    clusters: NDArray
    once: int


FEWEST_TWICE, LEAST_CORRELATION = 20, 0.1
LEAST_AGREED = 0.67  # of Gwet's AC; below it Krippendorff advises against any conclusion
COLUMNS = [
    *("dimension", "answers", "twice", "raters", "alpha", "low", "high"),
    *("rank_correlation", "rank_correlation_low", "rank_correlation_high"),
    *("gwet_ac", "gwet_ac_low", "gwet_ac_high", "enough", "state", "reason"),
]
ENOUGH = {"carried": "sufficient", "not_assessable": "not known", "refused": "not sufficient"}


def coincidences(labels: pd.DataFrame, clusters: pd.Series | None = None) -> Coincidences:
    """The coincidences of one dimension: columns case_id, rater, label, and system if there are several; a
    missing label is no label.

    Raises LabelError if a rater labelled one answer twice.
    """
    known = filled(labels.dropna(subset=["label"]), "system")
    repeated = known.duplicated(["case_id", "system", "rater"])
    if repeated.any():
        raise LabelError(
            "a rater judged one answer twice",
            found=known.loc[repeated, ["case_id", "system", "rater"]].iloc[0].to_dict(),
        )
    by_answer = known.groupby(["case_id", "system", "label"]).size().unstack(fill_value=0).sort_index()
    twice = by_answer[by_answer.sum(axis=1) > 1]
    twice = twice.loc[:, twice.sum() > 0]
    levels, cases = np.asarray(twice.columns, dtype=float), twice.index.get_level_values("case_id")
    width = max(float(np.ptp(levels)), 1e-12) if len(levels) else 1.0
    weights = 1 - ((levels[:, None] - levels) / width) ** 2
    drawn = np.asarray(cases if clusters is None else cases.map(clusters), dtype=str)
    counts = twice.to_numpy(dtype=float)
    m = counts.sum(axis=1)[:, None]
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(len(levels))
    return Coincidences(
        tables=pairs / (m - 1)[:, :, None],
        shares=counts / m,
        weights=weights,
        agreed=np.einsum("uck,ck->u", pairs, weights) / (m * (m - 1))[:, 0],
        clusters=np.unique(drawn, return_inverse=True)[1],
        once=len(by_answer) - len(twice),
    )


def krippendorff_alpha(found: Coincidences, times: NDArray) -> NDArray:
    """Krippendorff's alpha with ordinal distances, at most 1; higher is better; NaN of one level throughout.

    times : (..., answers) how often each answer counts

    Source: Krippendorff (2019), Content Analysis, 4th edition, section 12.3; Hayes, Krippendorff (2007),
    Communication Methods and Measures 1.
    """
    tables = np.tensordot(times, found.tables, axes=1)
    counts = tables.sum(axis=-1)
    n, middle = counts.sum(axis=-1), np.cumsum(counts, axis=-1) - counts / 2
    apart = (middle[..., :, None] - middle[..., None, :]) ** 2
    by_chance = (counts[..., :, None] * counts[..., None, :] * apart).sum(axis=(-2, -1)) / (n - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return 1 - (tables * apart).sum(axis=(-2, -1)) / by_chance


def gwet_ac(found: Coincidences, times: NDArray) -> NDArray:
    """Gwet's AC2 (quadratic weights), which is AC1 for two levels, at most 1; higher is better; steady where
    one level is common; NaN of one level throughout. times : (..., answers) how often each answer counts

    Source: Gwet (2014), Handbook of Inter-Rater Reliability, 4th edition, chapters 4, 5; Gwet (2008) for AC1.
    """
    n, k = times.sum(axis=-1), len(found.weights)
    common = times @ found.shares / n[..., None]
    with np.errstate(invalid="ignore", divide="ignore"):
        by_chance = found.weights.sum() / (k * (k - 1)) * (common * (1 - common)).sum(axis=-1)
        return (times @ found.agreed / n - by_chance) / (1 - by_chance)


def rank_correlation(found: Coincidences, times: NDArray) -> NDArray:
    """Spearman correlation of two raters of one answer, all pairs, in [-1, 1]; higher is better; NaN of one
    level throughout. times : (..., answers) how often each answer counts"""
    tables = np.tensordot(times, found.tables, axes=1)
    counts = tables.sum(axis=-1)
    rank = np.cumsum(counts, axis=-1) - counts / 2
    rank = rank - (rank * counts).sum(axis=-1, keepdims=True) / counts.sum(axis=-1)[..., None]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.einsum("...ck,...c,...k->...", tables, rank, rank) / (counts * rank**2).sum(axis=-1)


def estimate_agreement(
    found: Coincidences,
    measure: Callable[[Coincidences, NDArray], NDArray],
    *,
    n_boot: int = N_BOOT,
    rng: np.random.Generator,
) -> Interval:
    """One of the three measures with its bootstrap interval over clusters of answers."""
    twice = len(found.agreed)
    if twice < 2:
        return not_available("fewer than two answers were labelled twice", n=twice, left_out=found.once)
    value = float(measure(found, np.ones(twice)))
    if np.isnan(value):
        return not_available("one and the same level throughout", n=twice, left_out=found.once)
    if (found.shares.max(axis=1) == 1).all():
        how = "perfect agreement: Clopper-Pearson bound"
        by_chance = 1 - float(((found.tables.sum(axis=(0, 2)) / found.tables.sum()) ** 2).sum())
        least = 1 - (1 - clopper_pearson(twice, twice).low) / by_chance if by_chance > 0 else -1.0
        return Interval(1.0, max(-1.0, least), 1.0, twice, found.once, "", how)
    m = found.clusters.max() + 1
    drawn = measure(found, rng.multinomial(m, np.full(m, 1 / m), n_boot)[:, found.clusters])
    tails = expand_tails(np.array([(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]), m)
    # moved by twice the resamples' median bias (Efron, Tibshirani 1993, 14.3, no acceleration)
    drawn = drawn[~np.isnan(drawn)]
    below = ((drawn < value).sum() + 0.5 * (drawn == value).sum()) / len(drawn)
    bias = ndtri(np.clip(below, 0.5 / len(drawn), 1 - 0.5 / len(drawn)))
    low, high = np.quantile(drawn, ndtr(2 * bias + ndtri(tails)))
    how = f"bias-corrected bootstrap of {m} clusters, {n_boot} resamples"
    why = "labelled once" if found.once else ""
    return Interval(value, float(low), min(1.0, float(high)), twice, found.once, why, how)


def agreement(
    labels: pd.DataFrame, *, clusters: pd.Series | None = None, independent: str = "unstated", seed: int = 0
) -> pd.DataFrame:
    """How far several raters of one answer agree: one row a dimension, sorted; COLUMNS.

    twice : answers that two raters or more judged
    alpha, low, high : Krippendorff's, ordinal, in [-1, 1]: 1 is full agreement, 0 is chance
    rank_correlation, gwet_ac : two more measures with the same ends
    state : of 20 answers or more judged twice refused, where the raters' rank correlation is below 0.1: no
        score can be calibrated to that; carried, where its lower 95 % bound is not; else, and of fewer or all
        alike, not_assessable: a calibration is allowed, the labels' reliability is not known
    enough : the state in words; agreement of raters who are not `independent` is never sufficient

    The two numbers are ours; Krippendorff (2019) would draw tentative conclusions from alpha >= 0.667 only.

    Parameters
    ----------
    labels : case_id, system if there are several, dimension, rater, label
    clusters : by case_id, what was drawn independently; None takes every case for itself
    independent : whether the raters judged independently; one of yes, no, unstated

    Raises LabelError if a column is missing, or a rater judged one answer twice.

    >>> labels = pd.DataFrame({"case_id": [1, 1, 2, 2], "dimension": "grounded", "rater": ["ann", "bob"] * 2})
    >>> agreement(labels.assign(label=[1, 1, 0, 0]))[["dimension", "twice", "alpha"]].to_numpy().tolist()
    [['grounded', 2, 1.0]]
    """
    parameter_ranges.check("raters_independent", independent, "one of yes, no, unstated")
    require_columns(labels, ("case_id", "dimension", "rater", "label"))
    words = ENOUGH | ({"carried": "not independent"} if independent == "no" else {})
    rng, rows = np.random.default_rng(seed), []
    for dimension, part in labels.groupby("dimension", sort=True):
        counted = coincidences(part, clusters)
        rank, alpha, ac = (
            estimate_agreement(counted, one, rng=rng)
            for one in (rank_correlation, krippendorff_alpha, gwet_ac)
        )
        twice, state = len(counted.agreed), "not_assessable"
        if twice < FEWEST_TWICE:
            reason = f"{twice} answers labelled twice on {dimension}, {FEWEST_TWICE} needed"
        elif np.isnan(rank.value):
            reason = f"agreement on {dimension} not known: {rank.reason}"
        else:
            reason = f"two raters' rank correlation on {dimension} is {rank}, required {LEAST_CORRELATION:g}"
            # where nearly all labels are alike, ranks tell nothing: then the raters may well agree
            is_low = rank.value < LEAST_CORRELATION and ac.value < LEAST_AGREED
            state = "refused" if is_low else "carried" if rank.low >= LEAST_CORRELATION else state
        measures = [bound for one in (alpha, rank, ac) for bound in (one.value, one.low, one.high)]
        counts = (twice + counted.once, twice, part["rater"].nunique())
        rows.append((dimension, *counts, *measures, words[state], state, reason))
    return pd.DataFrame(rows, columns=COLUMNS).astype(dict.fromkeys(COLUMNS[4:13], float))


def accepted(labels: pd.DataFrame, accept_from: Mapping[str, float]) -> pd.DataFrame:
    """Whether raters accept each answer: case_id, system, dimension, level (their median; of an even number
    the lower of the two middle labels), accepted (1 from the lowest label that accepts on, else 0).

    accept_from : dimension -> the lowest label that accepts; a dimension that nobody judged has no row

    Raises LabelError if a column is missing, ParameterError if a lowest label is no number.

    >>> labels = pd.DataFrame({"case_id": ["a", "a", "b"], "dimension": "grounded", "label": [1, 1, 0]})
    >>> accepted(labels, {"grounded": 1})[["case_id", "level", "accepted"]].to_numpy().tolist()
    [['a', 1.0, 1], ['b', 0.0, 0]]
    """
    for dimension, cut in accept_from.items():
        parameter_ranges.check(f"accept_from of {dimension}", cut, "in (-inf, inf)")
    require_columns(labels, ("case_id", "dimension", "label"))
    judged = filled(labels, "system")
    judged = judged[judged["dimension"].isin(list(accept_from))].astype({"label": float})
    by_answer = judged.groupby(["dimension", "case_id", "system"])["label"]
    levels = by_answer.quantile(0.5, interpolation="lower").rename("level").reset_index()
    place = {name: number for number, name in enumerate(accept_from)}
    levels = levels.sort_values(
        "dimension", key=lambda names: names.map(place), kind="stable", ignore_index=True
    )
    return levels.assign(
        accepted=(levels["level"] >= levels["dimension"].map(accept_from).astype(float)).astype(int)
    )[["case_id", "system", "dimension", "level", "accepted"]]


def in_every_respect(judged: pd.DataFrame, dimensions: Iterable[str]) -> pd.DataFrame:
    """Whether raters accept each answer in all these dimensions: case_id, system, accepted (1 or 0); no row
    for an answer that lacks a judgement in one of them. judged : of `accepted`

    >>> judged = pd.DataFrame({"case_id": "a", "system": "", "dimension": ["grounded", "relevant"]})
    >>> in_every_respect(judged.assign(accepted=[1, 0]), ["grounded", "relevant"])["accepted"].tolist()
    [0]
    """
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
