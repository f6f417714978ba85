"""True success where labels are few: what a slice of the answers can carry, and how many labels it would
need (Lesson section 7).
"""

from math import ceil, isfinite, nan

import numpy as np
from scipy.special import ndtri

from ragassay.calibration.calibrators.base import FEWEST_LABELS, FEWEST_PER_CLASS
from ragassay.calibration.judged_answers import JudgedAnswers
from ragassay.calibration.true_success import rogan_gladen
from ragassay.defaults import CONFIDENCE, POWER
from ragassay.stats import Interval, not_available
from ragassay.stats.clusters import is_zero_one


def success_of_slice(judged: JudgedAnswers, *, rng: np.random.Generator) -> Interval:
    """`rogan_gladen` of one slice at level 0.95, with sensitivity and specificity of its own; where it is
    refused, `reason` says how many labels there are and would be needed.

    Refused besides: fewer than 10 labelled answers, or fewer than 3 that people accept or reject (as the
    calibrators refuse them), and verdicts that are not 0 or 1. Higher is better, in [0, 1].

    Measured coverage for a promised 0.95, in brackets that of the lower bound (promised 0.975), then how
    often it was refused; 2,000 simulations, standard error 0.005:

        answers   labelled   truth   s, t         coverage         refused
        30        15         0.7     0.85, 0.75   0.961 (0.981)    0.60
        60        30         0.7     0.95, 0.95   0.963 (0.979)    0.01
        60        60         0.8     0.70, 0.90   0.959 (0.976)    0.02
        100       50         0.5     0.85, 0.75   0.951 (0.972)    0.00
    """
    n, labelled = int(np.asarray(judged.counted).sum()), judged.human[judged.labelled]
    if not n:
        return not_available("no verdict of the instruments on these answers")
    if not is_zero_one(judged.machine):
        return not_available("the instruments' verdicts are not 0 or 1", n=n)
    good, bad = int((labelled == 1).sum()), int((labelled == 0).sum())
    if good + bad < FEWEST_LABELS or min(good, bad) < FEWEST_PER_CLASS:
        needed = f"at least {FEWEST_LABELS}, and {FEWEST_PER_CLASS} of each, needed"
        return not_available(
            f"{good + bad} labelled answers, {good} accepted and {bad} rejected: {needed}", n=n
        )
    found = rogan_gladen(judged, rng=rng)
    if isfinite(found.low):
        return found
    return not_available(f"{found.reason} ({good + bad} labelled, {_needed_in_words(judged)})", n=n)


def machine_rates(judged: JudgedAnswers) -> tuple[float, float]:
    """Sensitivity and specificity of the machine on the labelled answers, in [0, 1]; NaN without a label."""
    good, bad = judged.machine[judged.human == 1], judged.machine[judged.human == 0]
    return (float(good.mean()) if len(good) else nan), (float(1 - bad.mean()) if len(bad) else nan)


def labels_needed(
    sensitivity: float,
    specificity: float,
    accepted: float,
    *,
    level: float = CONFIDENCE,
    power: float = POWER,
) -> float:
    """How many labels tell this machine from a coin in a share `power` of samples: the lower bound of
    s + t - 1 above 0, by the normal approximation.

    accepted : share of the labelled answers that people accept. At least 10; infinite where s + t <= 1
    """
    youden = sensitivity + specificity - 1
    if not youden > 0:
        return float("inf")
    variance = sensitivity * (1 - sensitivity) / accepted + specificity * (1 - specificity) / (1 - accepted)
    reach = float(ndtri((1 + level) / 2) + ndtri(power))
    return max(FEWEST_LABELS, ceil(variance * (reach / youden) ** 2))


def _needed_in_words(judged: JudgedAnswers) -> str:
    accepted = float(np.mean(judged.human[judged.labelled]))
    needed = labels_needed(*machine_rates(judged), accepted)
    return f"about {needed:.0f} needed" if isfinite(needed) else "more would not help: s + t is at most 1"
