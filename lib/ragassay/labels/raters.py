"""What the raters' labels say: how far the raters agree, and which answers they accept.

labels -> agreement (can they carry a calibration?)
       -> accepted  (one judgement an answer and dimension)
"""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import connected_components

from ragassay import parameter_ranges
from ragassay.labels.agreement_coefficients import (
    Coincidences,
    coincidences,
    gwet_ac,
    krippendorff_alpha,
    rank_correlation,
)
from ragassay.labels.human_labels import acceptance, exchangeable_labels, reference_labels
from ragassay.stats import Interval

FEWEST_TWICE, LEAST_CORRELATION = 20, 0.1
COLUMNS = [
    *("dimension", "answers", "twice", "raters", "alpha", "low", "high"),
    *("rank_correlation", "rank_correlation_low", "rank_correlation_high"),
    *("gwet_ac", "gwet_ac_low", "gwet_ac_high"),
    *("overlap", "enough", "state", "reason"),
]
ENOUGH = {"carried": "sufficient", "not_assessable": "not assessable", "refused": "not sufficient"}


def agreement(
    labels: pd.DataFrame, *, clusters: pd.Series | None = None, independent: str = "unstated", seed: int = 0
) -> pd.DataFrame:
    """How far several raters of one answer agree: one row a dimension, sorted; COLUMNS.

    twice : answers that two raters or more judged
    alpha, low, high : Krippendorff's, ordinal, in [-1, 1]: 1 is full agreement, 0 is chance
    rank_correlation, gwet_ac : two more measures with the same ends
    overlap : which raters share answers (`rater_overlap`)
    state
        refused : 20 answers or more were judged twice, and the lower 95 % bound of the raters' rank
            correlation is below 0.1: they may as well have judged different things, and no score can be
            calibrated to that
        not_assessable : fewer than 20 answers were judged twice, or all alike; a calibration is allowed, the
            labels' reliability is not known
        carried : otherwise
    enough : the state in words; agreement of raters who are not `independent` is never sufficient

    The two numbers are ours; Krippendorff (2019) would draw tentative conclusions from alpha >= 0.667 only,
    which is why alpha is shown.

    Parameters
    ----------
    labels : case_id, system, dimension, rater, label; those that active learning chose (`drawn`) are left out
    clusters : by case_id, what was drawn independently; None takes every case for itself
    independent : whether the raters judged independently; one of yes, no, unstated

    Example: `agreement(pd.read_csv("labels.csv"))[["dimension", "twice", "alpha", "low", "high"]]`
    """
    parameter_ranges.check("raters_independent", independent, "one of yes, no, unstated")
    words = ENOUGH | ({"carried": "not independent"} if independent == "no" else {})
    rng, rows = np.random.default_rng(seed), []
    for dimension, part in exchangeable_labels(labels).groupby("dimension", sort=True):
        found = coincidences(part, clusters)
        rank, ordinal = rank_correlation(found, rng=rng), krippendorff_alpha(found, rng=rng)
        ac = gwet_ac(found, weighted=len(found.levels) > 2, rng=rng)
        state, reason = _state(str(dimension), found, rank)
        measures = [bound for one in (ordinal, rank, ac) for bound in (one.value, one.low, one.high)]
        counts = (found.answers, found.twice, part.rater.nunique())
        rows.append((dimension, *counts, *measures, rater_overlap(part), words[state], state, reason))
    return pd.DataFrame(rows, columns=COLUMNS).astype(dict.fromkeys(COLUMNS[4:13], float))


def accepted(labels: pd.DataFrame, accept_from: Mapping[str, float]) -> pd.DataFrame:
    """Whether raters accept each answer: case_id, system, dimension, level (their median; of an even number
    the lower of the two middle labels), accepted (1 from the lowest label that accepts on, else 0).

    accept_from : dimension -> the lowest label that accepts; a dimension that nobody judged has no row

    Example: `accepted(labels, {"grounded": 1, "relevant": 4})`
    """
    parts = [
        reference_labels(labels, dimension).assign(
            dimension=dimension, accepted=lambda rows, cut=cut: acceptance(rows.label, cut)
        )
        for dimension, cut in accept_from.items()
    ]
    columns = ["case_id", "system", "dimension", "level", "accepted"]
    if not parts:
        return pd.DataFrame(columns=columns)
    return pd.concat(parts, ignore_index=True).rename(columns={"label": "level"})[columns]


def in_every_respect(judged: pd.DataFrame, dimensions: Iterable[str]) -> pd.DataFrame:
    """Whether raters accept each answer in all these dimensions: case_id, system, accepted (1 or 0); no row
    for an answer that lacks a judgement in one of them. judged : of `accepted`"""
    wide = judged.pivot(index=["case_id", "system"], columns="dimension", values="accepted")
    return wide.reindex(columns=list(dimensions)).dropna().min(axis=1).rename("accepted").reset_index()


def rater_overlap(labels: pd.DataFrame) -> str:
    """Which raters of one dimension share answers: `none`, `every pair`, `star` (every shared answer is one
    rater's, whose strictness cannot be told from that of the others' questions), `connected` (some pairs,
    which link all raters) or `apart` (not all are linked)."""
    read = pd.crosstab([labels["case_id"], labels["system"]], labels["rater"]).to_numpy() > 0
    linked = (read.T.astype(int) @ read.astype(int)) > 0
    pairs, partners = int(linked.sum() - len(linked)) // 2, linked.sum(axis=0) - 1
    if not pairs:
        return "none"
    if (partners == len(linked) - 1).all():
        return "every pair"
    if partners.max() == pairs == len(linked) - 1:
        return "star"
    return "connected" if connected_components(linked, directed=False)[0] == 1 else "apart"


def _state(dimension: str, found: Coincidences, rank: Interval) -> tuple[str, str]:
    if found.twice < FEWEST_TWICE:
        return "not_assessable", f"{found.twice} answers labelled twice on {dimension}, {FEWEST_TWICE} needed"
    if np.isnan(rank.value):
        return "not_assessable", f"agreement on {dimension} not known: {rank.reason}"
    correlation = f"two raters' rank correlation on {dimension} is {rank}"
    if not rank.low >= LEAST_CORRELATION:
        return "refused", f"{correlation}, lower bound below {LEAST_CORRELATION:g}"
    return "carried", correlation
