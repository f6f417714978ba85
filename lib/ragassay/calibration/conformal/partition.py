"""Mondrian conformal prediction: a threshold of its own for each topic or each label (verdict), so that the
promise holds within each.

A pooled threshold keeps its promise on average only: a topic the machine judges badly may be covered far
less. The price is labels: every group needs `minimum_n(alpha)` of its own, or its sets are full. Source: Vovk
et al. (2005), Algorithmic Learning in a Random World, section 4.5; Vovk (2012), ACML, section 4
(label-conditional).

Whatever the partition, a verdict with fewer than `minimum_n(alpha)` labels is never ruled out: where hardly
any label rejects, nothing is accepted without a person.

Measured within each for alpha = 0.1, n = 9, 19, 50, 100, 500 labels in each (2000 simulations of 20 new
cases, standard error 0.0015 to 0.0025): labels 0.898 to 0.902, topics 0.900 to 0.906 (the highest, at n =
500, is 0.901 over 16,000 simulations).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isinf

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ragassay import parameter_ranges
from ragassay.calibration.conformal.threshold import minimum_n, nonconformity, threshold

MONDRIAN = ("none", "topic", "verdict")
NO_GROUP = "(none)"
ALL = "all"
VERDICTS = ("rejected", "accepted")


@dataclass(frozen=True)
class Thresholds:
    """q_hat of every part of the answers.

    by : none, topic or verdict
    q_hat : part (`all`, or a topic's name) -> thresholds of label 0 and label 1; infinite: never ruled out
    """

    by: str
    q_hat: Mapping[str, tuple[float, float]]

    def per_case(self, groups: ArrayLike) -> NDArray:
        """(n, 2) threshold of label 0 and label 1, for cases of these topics; infinite for one never seen."""
        names = np.asarray(groups).astype(str).tolist()
        parts = names if self.by == "topic" else [ALL] * len(names)
        return np.array([self.q_hat.get(part, (inf, inf)) for part in parts], dtype=float).reshape(-1, 2)


NO_THRESHOLDS = Thresholds("none", {ALL: (inf, inf)})


def fit_thresholds(
    held: pd.DataFrame, alpha: float, *, score: str = "residual", by: str = "none"
) -> Thresholds:
    """The thresholds from labelled cases that the calibrator has not seen: pooled, by topic or by verdict.

    A label with fewer than `minimum_n(alpha)` cases (clusters) is never ruled out, under any partition.

    held : probability, label; cluster and group (the topic) where there are any

    Raises ParameterError if `by` is not none, topic or verdict; ValueError as `threshold`.
    """
    parameter_ranges.check("mondrian", by, f"one of {', '.join(MONDRIAN)}")
    scores, clusters = nonconformity(held["probability"], held["label"], score), clusters_of(held)
    of_label = [threshold(scores[own], alpha, clusters[own]) for own in _of_label(held)]
    if by == "verdict":
        return Thresholds(by, {ALL: (of_label[0], of_label[1])})
    found = {part: threshold(scores[own], alpha, clusters[own]) for part, own in _parts(held, by).items()}
    zero, one = (inf if isinf(limit) else 0.0 for limit in of_label)
    return Thresholds(by, {part: (max(q_hat, zero), max(q_hat, one)) for part, q_hat in found.items()})


def part_sizes(
    held: pd.DataFrame, alpha: float, *, score: str = "residual", by: str = "none"
) -> pd.DataFrame:
    """Which parts, and which verdicts, can carry a threshold: part, n (labels, or clusters of them), minimum,
    q_hat (of this part by itself), reason (why nothing is ruled out); one row each.
    """
    scores, clusters = nonconformity(held["probability"], held["label"], score), clusters_of(held)
    parts = _parts(held, by) | dict(zip(VERDICTS, _of_label(held), strict=True))
    minimum = minimum_n(alpha)
    rows = [
        (part, len(np.unique(clusters[own])), minimum, threshold(scores[own], alpha, clusters[own]))
        for part, own in parts.items()
    ]
    table = pd.DataFrame(rows, columns=["part", "n", "minimum", "q_hat"])
    return table.assign(reason=np.where(table["n"] < minimum, "too few labels: nothing is ruled out", ""))


def _parts(held: pd.DataFrame, by: str) -> dict[str, NDArray]:
    """Part -> which cases are of it; of the verdicts none, which have rows of their own."""
    names = groups_of(held) if by == "topic" else np.full(len(held), ALL)
    return {} if by == "verdict" else {part: names == part for part in np.unique(names).tolist()}


def _of_label(held: pd.DataFrame) -> list[NDArray]:
    return [held["label"].to_numpy() == label for label in (0, 1)]


def groups_of(held: pd.DataFrame) -> NDArray:
    """(n,) the topic of each case as text; `(none)` where it has none."""
    topics = held["group"] if "group" in held else pd.Series(NO_GROUP, index=held.index)
    return topics.fillna(NO_GROUP).astype(str).to_numpy()


def clusters_of(held: pd.DataFrame) -> NDArray:
    """(n,) the cluster of each case, numbered: what was drawn independently; without one, the case itself."""
    return pd.factorize(held["cluster"])[0] if "cluster" in held else np.arange(len(held))
