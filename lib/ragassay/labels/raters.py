"""What the raters' labels say: how far the raters agree, and which answers they accept.

labels -> agreement (can they carry a calibration?)
       -> accepted  (one judgement an answer and dimension) -> in_every_respect
"""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.errors import LabelError
from ragassay.labels.agreement_coefficients import (
    Coincidences,
    coincidences,
    gwet_ac,
    krippendorff_alpha,
    rank_correlation,
)
from ragassay.stats import Interval

RANDOM, ACTIVE = DRAWN = ("random", "active")  # how an answer came to be labelled
FEWEST_TWICE, LEAST_CORRELATION = 20, 0.1
COLUMNS = [
    *("dimension", "answers", "twice", "raters", "alpha", "low", "high"),
    *("rank_correlation", "rank_correlation_low", "rank_correlation_high"),
    *("gwet_ac", "gwet_ac_low", "gwet_ac_high", "enough", "state", "reason"),
]
ENOUGH = {"carried": "sufficient", "not_assessable": "not assessable", "refused": "not sufficient"}


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
    labels : case_id, system, dimension, rater, label; those that active learning chose (`drawn`) are left out
    clusters : by case_id, what was drawn independently; None takes every case for itself
    independent : whether the raters judged independently; one of yes, no, unstated

    Raises LabelError if a column is missing, or a rater judged one answer twice.

    Example: `agreement(pd.read_csv("labels.csv"))[["dimension", "twice", "alpha", "low", "high"]]`
    """
    parameter_ranges.check("raters_independent", independent, "one of yes, no, unstated")
    require_columns(labels, ("case_id", "system", "dimension", "rater", "label"))
    words = ENOUGH | ({"carried": "not independent"} if independent == "no" else {})
    rng, rows = np.random.default_rng(seed), []
    for dimension, part in drawn_at_random(labels).groupby("dimension", sort=True):
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
    random, parts = drawn_at_random(labels), []
    for dimension, cut in accept_from.items():
        own = random[random["dimension"] == dimension].groupby(["case_id", "system"], sort=True)["label"]
        level = own.agg(_lower_median).rename("level").reset_index()
        parts.append(level.assign(dimension=dimension, accepted=(level["level"] >= cut).astype(int)))
    columns = ["case_id", "system", "dimension", "level", "accepted"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


def in_every_respect(judged: pd.DataFrame, dimensions: Iterable[str]) -> pd.DataFrame:
    """Whether raters accept each answer in all these dimensions: case_id, system, accepted (1 or 0); no row
    for an answer that lacks a judgement in one of them. judged : of `accepted`"""
    wide = judged.pivot(index=["case_id", "system"], columns="dimension", values="accepted")
    return wide.reindex(columns=list(dimensions)).dropna().min(axis=1).rename("accepted").reset_index()


def drawn_at_random(labels: pd.DataFrame) -> pd.DataFrame:
    """All labels but those whose `drawn` is `active`: what a machine chose to have labelled is not like the
    answers to come, so no calibration, coverage or share may rest on it."""
    return labels[labels["drawn"].fillna(RANDOM) != ACTIVE] if "drawn" in labels else labels


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


def _lower_median(values: pd.Series) -> float:
    return float(np.sort(values.to_numpy(dtype=float))[(len(values) - 1) // 2])


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
