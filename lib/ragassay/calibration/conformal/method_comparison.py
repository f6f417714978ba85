"""Methods of conformal prediction side by side, each judged on labelled answers it has not seen (HCAT section
5.2).
"""

from collections.abc import Callable
from math import nan

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay.calibration import conformal
from ragassay.calibration.calibrators import logistic
from ragassay.calibration.conformal.full import full_conformal
from ragassay.calibration.conformal.partition import fit_thresholds, groups_of
from ragassay.calibration.conformal.split_and_cross import FOLDS, cross_conformal, split_conformal
from ragassay.calibration.label_split import folds_of, split
from ragassay.defaults import ALPHA
from ragassay.errors import LabelError

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
    labelled : as `calibration_pipeline.join_labels` gives it: value, label, cluster; group (the topic) where
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
            found = METHODS[method](known, labelled.iloc[left_out], alpha, seed)
            for row, each in zip(left_out, found, strict=True):
                sets.iat[row] = each
    except LabelError as problem:
        return _not_measured(method, len(labelled), problem.what)
    table = conformal.coverage(sets, labelled.label)
    overall, by = table.iloc[0], table[table.by == "class"].set_index("stratum").value
    of_classes = (by.get("1"), by.get("0"))
    shares = (overall.labels_per_set, overall.decided / overall.n, overall.wrong / overall.n)
    interval = (overall.value, overall.low, overall.high)
    return method, int(overall.n), *interval, *of_classes, *shares, PROMISES[method], ""


def _not_measured(method: str, n: int, reason: str) -> tuple:
    return method, n, *[nan] * 8, PROMISES[method], reason


def _split(known: pd.DataFrame, new: pd.DataFrame, alpha: float, seed: int) -> list:
    rng, values = np.random.default_rng(seed), new.value.to_numpy()
    found = split_conformal(
        known.value, known.label, values, fit=logistic.fit, clusters=known.cluster, rng=rng
    )
    return found.sets(alpha)


def _by_class(known: pd.DataFrame, new: pd.DataFrame, alpha: float, seed: int) -> list:
    held, scores, accepted = _two_halves(known, new, seed)
    limits = conformal.thresholds_by_class(scores, held.label, alpha)
    return conformal.ordinal.sets(np.column_stack([1 - accepted, accepted]), limits, (0, 1), "lac")


def _by_topic(known: pd.DataFrame, new: pd.DataFrame, alpha: float, seed: int) -> list:
    if "group" not in known or known["group"].isna().all():
        raise LabelError("the labelled answers have no topics")
    held, scores, accepted = _two_halves(known, new, seed)
    limits = fit_thresholds(scores, held.label, groups_of(held), alpha, by="topic")
    return conformal.sets(accepted, limits.per_case(groups_of(new)))


def _two_halves(known: pd.DataFrame, new: pd.DataFrame, seed: int) -> tuple[pd.DataFrame, NDArray, NDArray]:
    """The half that sets thresholds, its nonconformity scores, and the probability that new answers are
    accepted, by a calibrator of the other half."""
    fitting, held = split(known, seed, together="cluster")
    calibrator = logistic.fit(fitting.value, fitting.label)
    scores = conformal.nonconformity(calibrator.predict(held.value), held.label)
    return held, scores, calibrator.predict(new.value.to_numpy())


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
    "by class": _by_class,
    "by topic": _by_topic,
    "cross": _cross,
    "full": _full,
}
