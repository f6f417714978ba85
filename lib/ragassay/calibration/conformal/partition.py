"""The thresholds of the prediction sets by partition of the answers: one for all, one for each topic, one for
each verdict; and the sets of labelled answers from the thresholds of all others.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ragassay import parameter_ranges
from ragassay.calibration.conformal.coverage import coverage
from ragassay.calibration.conformal.mondrian import (
    group_sizes,
    threshold_per_case,
    thresholds_by_class,
    thresholds_by_group,
)
from ragassay.calibration.conformal.threshold import nonconformity, sets, threshold
from ragassay.stats import interval_text

MONDRIAN = ("none", "topic", "verdict")
NO_GROUP = "(none)"
VERDICTS = {"0": "rejected", "1": "accepted"}


@dataclass(frozen=True)
class Thresholds:
    """q_hat of every part of the answers.

    by : none (one part, `all`), topic (by its name) or verdict (`0` and `1`, whatever the topic)
    """

    by: str
    q_hat: Mapping[str, float]

    def per_case(self, groups: ArrayLike) -> NDArray:
        """(n, 2) threshold of label 0 and label 1, for cases of these topics; infinite for one never seen."""
        names = np.asarray(groups).astype(str)
        if self.by == "topic":
            return np.repeat(threshold_per_case(names, self.q_hat)[:, None], 2, axis=1)
        pair = [self.q_hat[label if self.by == "verdict" else "all"] for label in VERDICTS]
        return np.tile(np.array(pair, dtype=float), (len(names), 1))


def fit_thresholds(
    scores: ArrayLike, labels: ArrayLike, groups: ArrayLike, alpha: float, *, by: str = "none"
) -> Thresholds:
    """The thresholds from (n,) nonconformity scores of labelled cases: pooled, or by topic or verdict.

    Raises
    ------
    ParameterError
        If `by` is not none, topic or verdict.
    """
    parameter_ranges.check("mondrian", by, f"one of {', '.join(MONDRIAN)}")
    if by == "topic":
        return Thresholds(by, thresholds_by_group(scores, groups, alpha))
    if by == "verdict":
        zero, one = thresholds_by_class(scores, labels, alpha)[0]
        return Thresholds(by, {"0": float(zero), "1": float(one)})
    return Thresholds(by, {"all": threshold(scores, alpha)})


def held_out_sets(
    held: pd.DataFrame, alpha: float, *, score: str = "residual", by: str = "none"
) -> list[list[int]]:
    """The set of every labelled case from the thresholds of all cases outside its cluster: its coverage is
    measured on cases that took no part in the threshold.

    held : probability, label and case_id; cluster and group (its topic) where there are any
    """
    scores = nonconformity(held["probability"], held["label"], score)
    labels, groups = held["label"].to_numpy(), groups_of(held)
    clusters = held.get("cluster", held["case_id"]).to_numpy()
    limits = np.empty((len(held), 2))
    for cluster in pd.unique(clusters):
        inside = clusters == cluster
        others = fit_thresholds(scores[~inside], labels[~inside], groups[~inside], alpha, by=by)
        limits[inside] = others.per_case(groups[inside])
    return sets(held["probability"], limits, score)


def part_sizes(
    held: pd.DataFrame, alpha: float, *, score: str = "residual", by: str = "none"
) -> pd.DataFrame:
    """Which parts can carry a threshold: part, n, needed, q_hat, reason (why all its sets are full)."""
    parts = {"none": np.full(len(held), "all"), "topic": groups_of(held)}
    parts["verdict"] = held["label"].astype(int).astype(str).map(VERDICTS).to_numpy()
    scores = nonconformity(held["probability"], held["label"], score)
    return group_sizes(scores, parts[by], alpha).rename(columns={"group": "part"})


def compare_partitions(held: pd.DataFrame, alpha: float, *, score: str = "residual") -> pd.DataFrame:
    """Measured coverage under one threshold, one for each topic, one for each verdict, side by side.

    One row overall, per class and per topic: by, stratum, n, and under each partition the coverage with its
    Clopper-Pearson interval; and the share of the stratum decided without a person.
    """
    found = [
        coverage(held_out_sets(held, alpha, score=score, by=by), held["label"], groups_of(held))
        for by in MONDRIAN
    ]
    names = ("one threshold", "by topic", "by verdict")
    texts = {
        name: [interval_text(row.value, row.low, row.high) for row in table.itertuples()]
        for name, table in zip(names, found, strict=True)
    }
    decided = {f"decided, {name}": t["decided"] / t["n"] for name, t in zip(names, found, strict=True)}
    known = found[0][["by", "stratum", "n"]].replace({"by": {"group": "topic"}})
    return known.assign(**texts, **decided)


def groups_of(held: pd.DataFrame) -> NDArray:
    """(n,) the topic of each case as text; `(none)` where it has none."""
    topics = held["group"] if "group" in held else pd.Series(NO_GROUP, index=held.index)
    return topics.fillna(NO_GROUP).astype(str).to_numpy()
