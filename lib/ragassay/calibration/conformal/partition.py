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
from ragassay.calibration.conformal.threshold import nonconformity, residual_threshold, sets, threshold

MONDRIAN = ("none", "topic", "verdict")
NO_GROUP = "(none)"
ALL = "all"


@dataclass(frozen=True)
class Thresholds:
    """q_hat of every part of the answers.

    by : none, topic or verdict
    q_hat : part (`all`, or a topic's name) -> thresholds of label 0 and label 1; infinite: never ruled out
    score : the nonconformity score that they are of, `residual` or `negative_logit`
    """

    by: str
    q_hat: Mapping[str, tuple[float, float]]
    score: str = "residual"

    def per_case(self, groups: ArrayLike) -> NDArray:
        """(n, 2) threshold of label 0 and label 1, for cases of these topics; infinite for one never seen."""
        names = np.asarray(groups).astype(str).tolist()
        parts = names if self.by == "topic" else [ALL] * len(names)
        return np.array([self.q_hat.get(part, (inf, inf)) for part in parts], dtype=float).reshape(-1, 2)

    def sets(self, probability: ArrayLike, groups: ArrayLike | None = None) -> list[list[int]]:
        """One sorted list of verdicts a case: those not ruled out. `groups`: its topic, where they are by
        topic."""
        p = np.asarray(probability, dtype=float)
        return sets(p, self.per_case(np.full(len(p), ALL) if groups is None else groups), self.score)

    @property
    def residuals(self) -> tuple[float, float]:
        """The thresholds of label 0 and label 1 as distances from the probability, of one part for all;
        infinite by topic."""
        zero, one = residual_threshold(self.per_case([ALL])[0], self.score)
        return float(zero), float(one)


def split(held: pd.DataFrame, alpha: float, *, score: str = "residual") -> Thresholds:
    """One threshold for all answers, from labelled ones that the calibrator has not seen (HCAT section 5.2).

    held : probability, label; cluster where answers hang together

    Example: `conformal.split(held, alpha=0.1).sets([0.2, 0.97])`
    """
    return mondrian(held, alpha, by="none", score=score)


def mondrian(held: pd.DataFrame, alpha: float, *, by: str = "topic", score: str = "residual") -> Thresholds:
    """A threshold for each topic or each verdict, from labelled answers that the calibrator has not seen;
    with `by="none"` one for all.

    A label with fewer than `minimum_n(alpha)` cases (clusters) is never ruled out, under any partition.

    held : probability, label; cluster and group (the topic) where there are any

    Raises ParameterError if `by` is not none, topic or verdict; ValueError as `threshold`.
    """
    parameter_ranges.check("mondrian", by, f"one of {', '.join(MONDRIAN)}")
    scores, clusters = nonconformity(held["probability"], held["label"], score), clusters_of(held)
    of_label = [threshold(scores[own], alpha, clusters[own]) for own in _of_label(held)]
    if by == "verdict":
        return Thresholds(by, {ALL: (of_label[0], of_label[1])}, score)
    found = {part: threshold(scores[own], alpha, clusters[own]) for part, own in _parts(held, by).items()}
    zero, one = (inf if isinf(limit) else 0.0 for limit in of_label)
    parts = {part: (max(q_hat, zero), max(q_hat, one)) for part, q_hat in found.items()}
    return Thresholds(by, parts, score)


def _parts(held: pd.DataFrame, by: str) -> dict[str, NDArray]:
    """Part -> which cases are of it."""
    names = groups_of(held) if by == "topic" else np.full(len(held), ALL)
    return {part: names == part for part in np.unique(names).tolist()}


def _of_label(held: pd.DataFrame) -> list[NDArray]:
    return [held["label"].to_numpy() == label for label in (0, 1)]


def groups_of(held: pd.DataFrame) -> NDArray:
    """(n,) the topic of each case as text; `(none)` where it has none."""
    topics = held["group"] if "group" in held else pd.Series(NO_GROUP, index=held.index)
    return topics.fillna(NO_GROUP).astype(str).to_numpy()


def clusters_of(held: pd.DataFrame) -> NDArray:
    """(n,) the cluster of each case, numbered: what was drawn independently; without one, the case itself."""
    return pd.factorize(held["cluster"])[0] if "cluster" in held else np.arange(len(held))
