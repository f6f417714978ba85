"""Mondrian conformal prediction: a threshold of its own for each topic or each label (verdict), so that
the promise holds within each; and the sets of labelled answers from the thresholds of all others.

A pooled threshold keeps its promise on average only: a topic the machine judges badly may be covered far
less. The price is labels: every group needs `minimum_n(alpha)` of its own, or its sets are full. Source: Vovk
et al. (2005), Algorithmic Learning in a Random World, section 4.5; Vovk (2012), ACML, section 4
(label-conditional).

Measured within each for alpha = 0.1, n = 9, 19, 50, 100, 500 labels in each (2000 simulations of 20 new
cases, standard error 0.0015 to 0.0025): labels 0.898 to 0.902, topics 0.900 to 0.906 (the highest, at n =
500, is 0.901 over 16,000 simulations).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isinf
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ragassay import parameter_ranges
from ragassay.calibration.conformal.coverage import coverage, group_names
from ragassay.calibration.conformal.threshold import minimum_n, nonconformity, sets, threshold
from ragassay.stats import interval_text

MONDRIAN = ("none", "topic", "verdict")
NO_GROUP = "(none)"
VERDICTS = {"0": "rejected", "1": "accepted"}


def thresholds_by_group(scores: ArrayLike, groups: ArrayLike, alpha: float) -> dict[str, float]:
    """q_hat of each group by itself (Mondrian): coverage at least 1 - alpha within every group;
    infinite where it has too few cases.

    Group names as text, sorted. Source: Vovk et al. (2005), Algorithmic Learning in a Random World, section
    4.5.
    """
    s, names = np.asarray(scores, dtype=float), group_names(groups, len(np.asarray(scores)))
    return {str(name): threshold(s[names == name], alpha) for name in np.unique(names)}


def threshold_per_case(groups: ArrayLike, thresholds: Mapping[str, float]) -> NDArray:
    """(n,) threshold of each case's group; infinite (nothing ruled out) for a group never calibrated."""
    return np.array([thresholds.get(str(name), inf) for name in np.asarray(groups).tolist()], dtype=float)


def thresholds_by_class(
    scores: ArrayLike, labels: ArrayLike, alpha: float, classes: Sequence[float] = (0, 1)
) -> NDArray:
    """(1, k) threshold of each label by itself:
    of the answers people reject, at least 1 - alpha keep "reject" in their set.

    This is the promise a bank asks for: one threshold for all may miss most of a rare class. A label with
    fewer than `minimum_n(alpha)` cases is never ruled out (infinite). `sets` and `ordinal.sets` take the
    result as their q_hat.

    Raises ValueError if a label is not among `classes`, a score is NaN, or alpha is not strictly between 0
    and 1.
    """
    s, y = np.asarray(scores, dtype=float), np.asarray(labels, dtype=float)
    if s.shape != y.shape or not np.isin(y, list(classes)).all():
        raise ValueError(
            f"every score needs a label among {list(classes)}; "
            f"found {s.shape} scores, labels {np.unique(y).tolist()[:9]}"
        )
    return np.array([[threshold(s[y == each], alpha) for each in classes]])


def group_sizes(scores: ArrayLike, groups: ArrayLike, alpha: float) -> pd.DataFrame:
    """Which groups can carry a threshold:
    group, n, needed, q_hat, reason (empty, or why every set of the group is full).

    One row per group, sorted by name. Raises as `thresholds_by_group`.
    """
    found, needed = thresholds_by_group(scores, groups, alpha), minimum_n(alpha)
    names = group_names(groups, len(np.asarray(scores)))
    rows = [(name, int((names == name).sum()), needed, q_hat) for name, q_hat in found.items()]
    reasons = [
        f"{n} labels, {needed} needed: every set is full" if isinf(q_hat) and n < needed else ""
        for _, n, _, q_hat in rows
    ]
    return pd.DataFrame(rows, columns=["group", "n", "needed", "q_hat"]).assign(reason=reasons)


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

    Raises ParameterError if `by` is not none, topic or verdict.
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
    columns: dict[str, Any] = {}
    for name, table in zip(("one threshold", "by topic", "by verdict"), found, strict=True):
        rows = table[["value", "low", "high"]].itertuples(index=False)
        columns |= {
            name: [interval_text(*row) for row in rows],
            f"{name}, decided": table["decided"] / table["n"],
        }
    return found[0][["by", "stratum", "n"]].replace({"by": {"group": "topic"}}).assign(**columns)


def groups_of(held: pd.DataFrame) -> NDArray:
    """(n,) the topic of each case as text; `(none)` where it has none."""
    topics = held["group"] if "group" in held else pd.Series(NO_GROUP, index=held.index)
    return topics.fillna(NO_GROUP).astype(str).to_numpy()
