"""Prediction-powered inference: the machine where nobody looked, less its mean error where raters did
(decision 9).
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from ragassay.calibration.judged_answers import JudgedAnswers, clipped_interval
from ragassay.defaults import CONFIDENCE
from ragassay.stats import Interval, not_available
from ragassay.stats.intervals import check_level

FEWEST_LABELLED = 10


def prediction_powered(
    judged: JudgedAnswers, *, level: float = CONFIDENCE, lam: float | None = None
) -> Interval:
    """True success by prediction-powered inference, in [0, 1]:
    the machine where nobody looked, less its mean error where people did.

    `lam` (lambda), in [0, 1], is how much the machine is trusted: 1 is PPI, 0 the labels alone; None takes
    the value of least variance (PPI++). Interval: Wilson's, for the share of as many independent labels as
    would have the same cluster-robust standard error. Needs 10 labelled answers; without unlabelled ones it
    is the mean of the labels.

    Measured coverage: see `true_success`. A plain normal interval covers 0.90 with 50 labels and truth 0.9;
    this one 0.959.

    Source
    ------
    Angelopoulos, Bates, Fannjiang, Jordan, Zrnic (2023), Science 382; Angelopoulos, Duchi, Zrnic (2023),
    PPI++, equation 8.
    """
    check_level(level)
    labelled, other = judged.labelled, ~judged.labelled & np.asarray(judged.counted)
    n, rest = int(labelled.sum()), int(other.sum())
    if n < FEWEST_LABELLED:
        return not_available(f"{n} labelled answers, at least {FEWEST_LABELLED} needed", n=n + rest)
    if lam is None or not rest:
        lam = _best_lambda(judged.machine, judged.human, labelled, other) if rest else 0.0
    error = judged.human[labelled] - lam * judged.machine[labelled]
    value = float(error.mean() + lam * (judged.machine[other].mean() if rest else 0.0))
    influence = np.zeros(len(judged.machine))
    influence[labelled] = (error - error.mean()) / n
    if rest:
        influence[other] = lam * (judged.machine[other] - judged.machine[other].mean()) / rest
    error_of_mean, freedom = _cluster_error(influence, judged)
    low, high = _wilson_bounds(value, error_of_mean, n, float(stdtrit(freedom, (1 + level) / 2)))
    how = f"prediction-powered, lambda {lam:.2f}, {n} labelled, {rest} others"
    return clipped_interval(value, low, high, n + rest, how, clusters=freedom + 1, level=level)


def _best_lambda(machine: NDArray, human: NDArray, labelled: NDArray, other: NDArray) -> float:
    """Lambda of least variance, in [0, 1]:
    covariance of label and machine over (1 + n/N) times the machine's variance.
    """
    f, y = machine[labelled], human[labelled]
    variance = np.concatenate([f, machine[other]]).var()
    if variance == 0:
        return 0.0
    return float(np.clip(np.cov(f, y)[0, 1] / ((1 + labelled.sum() / other.sum()) * variance), 0.0, 1.0))


def _cluster_error(influence: NDArray, judged: JudgedAnswers) -> tuple[float, int]:
    """Standard error from the clusters' influences, and its degrees of freedom:
    labelled clusters less one.
    """
    members = judged.members()
    rows, starts = np.concatenate(members), np.cumsum([0, *map(len, members[:-1])])
    labelled = np.logical_or.reduceat(judged.labelled[rows], starts)
    used = labelled | np.logical_or.reduceat(influence[rows] != 0, starts)
    totals = np.array([influence[rows].sum() for rows in members])[used]
    known = int(labelled.sum())
    return float(np.sqrt((totals**2).sum() * known / max(known - 1, 1))), max(known - 1, 1)


def _wilson_bounds(value: float, error: float, n: int, z: float) -> tuple[float, float]:
    """Wilson's interval for the share of as many independent labels as would have this standard error; with
    none, for n labels. No width at 0 and 1, where Wilson's bound of an event unseen would be another.
    """
    share = float(np.clip(value, 0.0, 1.0))
    if share in (0.0, 1.0):
        return share, share
    size = share * (1 - share) / error**2 if error > 0 else n
    centre = (share + z**2 / (2 * size)) / (1 + z**2 / size)
    half = z / (1 + z**2 / size) * np.sqrt(share * (1 - share) / size + z**2 / (4 * size**2))
    return centre - half, centre + half
