"""Conformal prediction in which every label serves both stages: full (transductive), the calibrator fitted
anew for each new case and each label it might have; cross, each fold judged by the calibrator of the others.
And all methods side by side, each judged on labelled answers it has not seen (HCAT section 5.2).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import floor, nan
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ragassay import parameter_ranges
from ragassay.calibration.calibrators import check_pairs, fit_logistic, folds_of, split
from ragassay.calibration.conformal import groups_of, mondrian, nonconformity
from ragassay.defaults import ALPHA
from ragassay.errors import LabelError
from ragassay.stats import clopper_pearson

FOLDS = 10
EQUAL = 1e-12  # two nonconformity scores this near are the same
COLUMNS = [
    *("method", "n", "coverage", "low", "high", "of_accepted", "of_rejected"),
    *("labels_per_set", "promise", "reason"),
]

Fit = Callable[[NDArray, NDArray], Any]  # (scores, labels) -> what has `predict`, as a Calibrator


@dataclass(frozen=True)
class ConformalPValues:
    """For m new cases: how many of n + 1 cases fit their label no better than the new case fits label 0, and
    label 1. Divided by n + 1 it is the p value, small where the label does not fit.

    counts : (m, 2) from 1 (stranger than every labelled case) to n + 1; n : labelled cases behind the ranks
    """

    counts: NDArray
    n: int

    def sets(self, alpha: float) -> list[list[int]]:
        """One list of labels per new case: those with p value above alpha.

        Raises ValueError if alpha is not strictly between 0 and 1.
        """
        parameter_ranges.check("alpha", alpha, "in (0, 1)")
        limit = floor(round(alpha * (self.n + 1), 9))
        return [[label for label in (0, 1) if row[label] > limit] for row in self.counts.tolist()]


def full_conformal(scores: ArrayLike, labels: ArrayLike, new: ArrayLike, *, fit: Fit) -> ConformalPValues:
    """Ranks of the new cases' possible labels, all labels used for both stages:
    P(label in `.sets(alpha)`) >= 1 - alpha.

    For each distinct new score and each label, the calibrator is fitted to the n labelled cases and this one;
    the label stays unless the new case fits it worse than all but alpha of the n + 1. 300 new scores take 600
    fits. A label that the fit refuses (LabelError: it leaves too few of a class) and a NaN score rule nothing
    out.

    scores, labels : (n,) finite; new : (m,) scores of cases without a label
    fit : deterministic; it gets the cases sorted, so that it cannot tell which is the new one

    Raises LabelError if a score or label is missing, or `fit` refuses the labelled cases.

    Source: Vovk, Gammerman, Shafer (2005), Algorithmic Learning in a Random World, section 2.2; HCAT section
    5.2 leaves it open.
    """
    x, y = check_pairs(scores, labels)
    order = np.lexsort([y, x])
    fit(x[order], y[order])
    distinct, place = np.unique(np.asarray(new, dtype=float), return_inverse=True)
    counts = np.full((len(distinct), 2), len(x) + 1)
    for row, score in enumerate(distinct.tolist()):
        for label in (0, 1) if np.isfinite(score) else ():
            bag_x, bag_y = np.append(x, score), np.append(y, label)
            order = np.lexsort([bag_y, bag_x])
            try:
                calibrator = fit(bag_x[order], bag_y[order])
            except LabelError:
                continue
            strange = nonconformity(calibrator.predict(bag_x), bag_y)
            counts[row, label] = (~(strange < strange[-1] - EQUAL)).sum()
    return ConformalPValues(counts[place], len(x))


def cross_conformal(
    scores: ArrayLike,
    labels: ArrayLike,
    new: ArrayLike,
    *,
    fit: Fit,
    folds: int = FOLDS,
    clusters: ArrayLike | None = None,
    rng: np.random.Generator,
) -> ConformalPValues:
    """Ranks of the new cases' possible labels among labelled cases, each fold against the calibrator of the
    others; `folds` fits in all.

    A new case is compared with the cases of a fold under the calibrator that saw neither; ranks are added up
    over the folds: nearly the precision of `full` at the cost of a few fits. folds = n leaves one out at a
    time (jackknife+ for labels). Rows alike in `clusters` (a conversation) stay in one fold.

    What is promised is less than with `full`: about 1 - 2 alpha (Barber et al. 2021, theorem 4), because the
    calibrators differ; what is measured is near 1 - alpha (`conformal`).

    Raises LabelError if a score or label is missing, there are fewer cases (or clusters) than folds, or `fit`
    refuses a fold's complement.

    Source: Vovk (2015), Cross-conformal predictors, Annals of Mathematics and Artificial Intelligence 74;
    Barber et al. (2021), Annals of Statistics 49, section 3; Romano, Sesia, Candes (2020), NeurIPS, section
    2.3 (for labels).
    """
    (x, y), fresh = check_pairs(scores, labels), np.asarray(new, dtype=float)
    names = np.arange(len(x)) if clusters is None else np.asarray(clusters).astype(str)
    units = np.unique(names, return_inverse=True)[1]
    m = int(units.max()) + 1 if len(units) else 0
    if m < folds:
        raise LabelError(
            "fewer labelled cases than folds", found=f"{m} cases or clusters", expected=f"{folds} or more"
        )
    of_unit = np.empty(m, dtype=int)
    of_unit[rng.permutation(m)] = np.arange(m) % folds
    counts = np.ones((len(fresh), 2), dtype=int)
    for fold in range(folds):
        inside = of_unit[units] == fold
        calibrator = fit(x[~inside], y[~inside])
        strange = nonconformity(calibrator.predict(x[inside]), y[inside])
        promised = calibrator.predict(fresh)
        for label in (0, 1):
            own = nonconformity(promised, np.full(len(fresh), label))
            counts[:, label] += (~(strange < own[:, None] - EQUAL)).sum(axis=1)
    return ConformalPValues(counts, len(x))


def compare_methods(labelled: pd.DataFrame, *, alpha: float = ALPHA, seed: int = 0) -> pd.DataFrame:
    """Coverage and decisions of split, class-conditional, topic-conditional, cross and full conformal
    prediction; one row each.

    In each of ten folds (whole clusters) the answers left out get sets made from the others by every method,
    with a logistic calibrator. Columns: method, n, coverage with Clopper-Pearson bounds, coverage of_accepted
    and of_rejected answers, labels_per_set (1 is best), promise, reason (why a method could not be used).

    labelled : as `calibration.join` gives it: value, label, cluster; group (the topic) where known

    Example: `compare_methods(data, alpha=0.1)[["method", "coverage", "labels_per_set"]]`
    """
    n, label, rows = len(labelled), labelled["label"].to_numpy(), []
    for method, (promise, make_sets) in METHODS.items():
        found: list[list[int]] = [[]] * n
        try:
            fold = folds_of(label, FOLDS, seed, labelled["cluster"])
            for part in range(FOLDS):
                made = make_sets(labelled[fold != part], labelled[fold == part], alpha, seed)
                for place, each in zip(np.flatnonzero(fold == part), made, strict=True):
                    found[place] = each
        except LabelError as problem:
            rows.append((method, n, *[nan] * 6, promise, problem.what))
            continue
        hit = np.array([one in each for one, each in zip(label, found, strict=True)])
        sizes = np.array([len(each) for each in found])
        of_classes = [float(hit[label == each].mean()) if (label == each).any() else nan for each in (1, 0)]
        share, size = clopper_pearson(int(hit.sum()), n), sizes.mean()
        rows.append((method, n, share.value, share.low, share.high, *of_classes, size, promise, ""))
    return pd.DataFrame(rows, columns=COLUMNS)


def _split(known: pd.DataFrame, new: pd.DataFrame, alpha: float, seed: int, by: str = "none") -> list:
    if by == "topic" and ("group" not in known or known["group"].isna().all()):
        raise LabelError("the labelled answers have no topics")
    fitting, held = split(known, seed, together="cluster")
    calibrator = fit_logistic(fitting["value"], fitting["label"])
    return mondrian(held.assign(probability=calibrator.predict(held["value"])), alpha, by=by).sets(
        calibrator.predict(new["value"]), groups_of(new)
    )


def _cross(known: pd.DataFrame, new: pd.DataFrame, alpha: float, seed: int) -> list:
    given, rng = (known["value"], known["label"], new["value"]), np.random.default_rng(seed)
    return cross_conformal(*given, fit=fit_logistic, clusters=known["cluster"], rng=rng).sets(alpha)


def _full(known: pd.DataFrame, new: pd.DataFrame, alpha: float, seed: int) -> list:
    return full_conformal(known["value"], known["label"], new["value"], fit=fit_logistic).sets(alpha)


METHODS: dict[
    str, tuple[str, Callable[..., list]]
] = {  # promise; (known, new, alpha, seed) -> sets of the new
    "split": ("1 - alpha", _split),
    "by class": ("1 - alpha for each verdict", partial(_split, by="verdict")),
    "by topic": ("1 - alpha for each topic", partial(_split, by="topic")),
    "cross": ("about 1 - 2 alpha", _cross),
    "full": ("1 - alpha", _full),
}
