"""Ways to make prediction sets side by side, each judged on labelled answers it has not seen (HCAT section 5.2; Vovk 2015)."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay.calibration import conformal
from ragassay.calibration.calibrators import fit
from ragassay.calibration.conformal.cross import cross_conformal, split_conformal
from ragassay.calibration.conformal.full import ConformalPValues, full_conformal
from ragassay.calibration.splitting import folds_of, split
from ragassay.errors import LabelError

FOLDS = 10
COLUMNS = [
    "way",
    "n",
    "coverage",
    "low",
    "high",
    "of_accepted",
    "of_rejected",
    "labels_per_set",
    "decided",
    "wrong",
    "promise",
    "reason",
]
PROMISES = {
    "split": "1 - alpha",
    "by class": "1 - alpha for each verdict",
    "cross": "about 1 - 2 alpha",
    "full": "1 - alpha",
}


def compare_methods(labelled: pd.DataFrame, *, alpha: float = 0.1, seed: int = 0) -> pd.DataFrame:
    """Coverage and decisions of split, class-conditional, cross and full conformal prediction; one row each.

    In each of ten folds (whole clusters) the answers left out get sets made from the others by every way, with a logistic curve. Columns:
    n, coverage with Clopper-Pearson bounds, coverage of_accepted and of_rejected answers, labels_per_set (1 is best), decided (share with
    one verdict), wrong (share decided unlike the raters), promise, reason (why a way could not be used).

    Parameters
    ----------
    labelled : as `calibration.join` gives it: value, label, cluster
    """
    ways: dict[str, Callable[..., list]] = {
        "split": _split,
        "by class": _by_class,
        "cross": _cross,
        "full": _full,
    }
    try:
        fold = folds_of(labelled.label, FOLDS, seed, labelled.cluster)
    except LabelError as problem:
        return pd.DataFrame(
            [_missing(way, len(labelled), str(problem.what)) for way in ways], columns=COLUMNS
        )
    return pd.DataFrame(
        [_row(way, make, labelled, fold, alpha, seed) for way, make in ways.items()], columns=COLUMNS
    )


def _row(
    way: str, make: Callable[..., list], labelled: pd.DataFrame, fold: NDArray, alpha: float, seed: int
) -> tuple:
    sets: list = [None] * len(labelled)
    try:
        for part in np.unique(fold):
            known, left_out = labelled[fold != part], np.flatnonzero(fold == part)
            for row, each in zip(
                left_out, make(known, labelled.value.to_numpy()[left_out], alpha, seed), strict=True
            ):
                sets[row] = each
    except LabelError as problem:
        return _missing(way, len(labelled), problem.what)
    table = conformal.coverage(sets, labelled.label)
    overall, by = table.iloc[0], table[table.by == "class"].set_index("stratum").value
    shares = (overall.labels_per_set, overall.decided / overall.n, overall.wrong / overall.n)
    return (
        way,
        int(overall.n),
        overall.value,
        overall.low,
        overall.high,
        by.get("1"),
        by.get("0"),
        *shares,
        PROMISES[way],
        "",
    )


def _missing(way: str, n: int, reason: str) -> tuple:
    return way, n, *[float("nan")] * 8, PROMISES[way], reason


def _split(known: pd.DataFrame, new: NDArray, alpha: float, seed: int) -> list:
    return _sets(
        split_conformal(
            known.value,
            known.label,
            new,
            fit=_logistic,
            clusters=known.cluster,
            rng=np.random.default_rng(seed),
        ),
        alpha,
    )


def _cross(known: pd.DataFrame, new: NDArray, alpha: float, seed: int) -> list:
    return _sets(
        cross_conformal(
            known.value,
            known.label,
            new,
            fit=_logistic,
            clusters=known.cluster,
            rng=np.random.default_rng(seed),
        ),
        alpha,
    )


def _full(known: pd.DataFrame, new: NDArray, alpha: float, seed: int) -> list:
    return _sets(full_conformal(known.value, known.label, new, fit=_logistic), alpha)


def _by_class(known: pd.DataFrame, new: NDArray, alpha: float, seed: int) -> list:
    fitting, held = split(known, seed, together="cluster")
    curve = _logistic(fitting.value, fitting.label)
    misfit = conformal.nonconformity(curve.predict(held.value), held.label)
    limits = conformal.thresholds_by_class(misfit, held.label, alpha)
    chances = curve.predict(new)
    return conformal.ordinal.sets(np.column_stack([1 - chances, chances]), limits, (0, 1), "lac")


def _logistic(scores, labels):
    return fit("logistic", scores, labels)


def _sets(ranked: ConformalPValues, alpha: float) -> list:
    return ranked.sets(alpha)
