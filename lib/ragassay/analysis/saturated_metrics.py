"""Saturated metrics: one value for nearly all of a run's answers, nothing told apart (decision 28)."""

import numpy as np
from numpy.typing import ArrayLike

from ragassay.scores.metric_registry import METRICS

MOST_ALIKE = 0.95  # share of the scored answers above which one value is nearly all of them
# below it nothing is said: 19 answers alike are no rarity, for a metric that gives one value to four answers
# of five does so by chance in 1.4 % of runs, and to 20 in 1.2 %; with fewer than 20 all must be alike
FEWEST = 20
DECIMALS = 6  # as scores are rounded


def describe_saturation(values: ArrayLike) -> str:
    """`0 for 335 of 335 scored answers`; "" for values of which none is nearly all, or for fewer than FEWEST.

    values : (n,) of one metric and one system; NaN where an answer has no score
    """
    known = np.asarray(values, dtype=float)
    known = np.round(known[~np.isnan(known)], DECIMALS) + 0.0  # not -0.0
    if len(known) < FEWEST:
        return ""
    found, counts = np.unique(known, return_counts=True)
    alike = int(counts.max())
    if alike <= MOST_ALIKE * len(known):
        return ""
    return f"{float(found[counts.argmax()]):g} for {alike} of {len(known)} scored answers"


def bars_from_gates(metric: str) -> bool:
    """Whether one value for all answers bars a metric from gates: it claims to grade quality. What is no
    metric (a rate of harm, a share of people's judgements) is a result whatever its value."""
    return metric in METRICS and METRICS[metric].grades_quality
