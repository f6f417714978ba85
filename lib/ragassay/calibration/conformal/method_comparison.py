"""Methods of conformal prediction side by side, each judged on labelled answers it has not seen (HCAT section
5.2).
"""

from collections.abc import Callable
from functools import partial
from math import nan

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay.calibration.calibrators import logistic
from ragassay.calibration.conformal.full import full_conformal
from ragassay.calibration.conformal.partition import groups_of, mondrian
from ragassay.calibration.conformal.split_and_cross import FOLDS, cross_conformal
from ragassay.calibration.label_split import folds_of, split
from ragassay.defaults import ALPHA
from ragassay.errors import LabelError
from ragassay.stats import clopper_pearson

COLUMNS = [
    *("method", "n", "coverage", "low", "high", "of_accepted", "of_rejected"),
    *("labels_per_set", "decided", "wrong", "promise", "reason"),
]
PROMISES = {
    "split": "1 - alpha",
    "by class": "1 - alpha for each verdict",
    "by topic": "1 - alpha for each topic",
    "cross": "about 1 - 2 alpha",
    "full": "1 - alpha",
}


def compare_methods(labelled: pd.DataFrame, *, alpha: float = ALPHA, seed: int = 0) -> pd.DataFrame:
    """Coverage and decisions of split, class-conditional, topic-conditional, cross and full conformal
    prediction; one row each.

    In each of ten folds (whole clusters) the answers left out get sets made from the others by every method,
    with a logistic calibrator. Columns: method, n, coverage with Clopper-Pearson bounds, coverage of_accepted
    and of_rejected answers, labels_per_set (1 is best), decided (share with one verdict), wrong (share
    decided unlike the raters), promise, reason (why a method could not be used).

    Parameters
    ----------
    labelled : as `calibration.join` gives it: value, label, cluster; group (the topic) where
        known
    """
    try:
        fold = folds_of(labelled.label, FOLDS, seed, labelled.cluster)
    except LabelError as problem:
        rows = [_not_measured(method, len(labelled), problem.what) for method in METHODS]
    else:
        rows = [_measured(method, labelled, fold, alpha, seed) for method in METHODS]
    return pd.DataFrame(rows, columns=COLUMNS)


def _measured(method: str, labelled: pd.DataFrame, fold: NDArray, alpha: float, seed: int) -> tuple:
    sets = pd.Series([[]] * len(labelled), dtype=object)
    try:
        for part in np.unique(fold):
            known, left_out = labelled[fold != part], np.flatnonzero(fold == part)
            of_part = METHODS[method](known, labelled.iloc[left_out], alpha, seed)
            for row, each in zip(left_out, of_part, strict=True):
                sets.iat[row] = each
    except LabelError as problem:
        return _not_measured(method, len(labelled), problem.what)
    label, sizes = labelled.label.to_numpy(), sets.map(len).to_numpy()
    hit = np.array([one in each for one, each in zip(label, sets, strict=True)])
    of_classes = [float(hit[label == each].mean()) if (label == each).any() else nan for each in (1, 0)]
    found, alone = clopper_pearson(int(hit.sum()), len(hit)), sizes == 1
    shares = (sizes.mean(), alone.mean(), (alone & ~hit).mean())
    return method, found.n, found.value, found.low, found.high, *of_classes, *shares, PROMISES[method], ""


def _not_measured(method: str, n: int, reason: str) -> tuple:
    return method, n, *[nan] * 8, PROMISES[method], reason


def _split(known: pd.DataFrame, new: pd.DataFrame, alpha: float, seed: int, by: str = "none") -> list:
    if by == "topic" and ("group" not in known or known["group"].isna().all()):
        raise LabelError("the labelled answers have no topics")
    fitting, held = split(known, seed, together="cluster")
    calibrator = logistic.fit(fitting.value, fitting.label)
    limits = mondrian(held.assign(probability=calibrator.predict(held.value)), alpha, by=by)
    return limits.sets(calibrator.predict(new.value), groups_of(new))


def _cross(known: pd.DataFrame, new: pd.DataFrame, alpha: float, seed: int) -> list:
    rng, values = np.random.default_rng(seed), new.value.to_numpy()
    found = cross_conformal(
        known.value, known.label, values, fit=logistic.fit, clusters=known.cluster, rng=rng
    )
    return found.sets(alpha)


def _full(known: pd.DataFrame, new: pd.DataFrame, alpha: float, seed: int) -> list:
    return full_conformal(known.value, known.label, new.value.to_numpy(), fit=logistic.fit).sets(alpha)


METHODS: dict[str, Callable[..., list]] = {
    "split": _split,
    "by class": partial(_split, by="verdict"),
    "by topic": partial(_split, by="topic"),
    "cross": _cross,
    "full": _full,
}
