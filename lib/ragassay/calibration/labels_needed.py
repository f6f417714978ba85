"""What n labels buy, before anybody reads an answer:
widths of intervals, size and coverage of prediction sets.

Labels are taken to be of independent answers drawn at random; where answers hang together (one conversation,
one paraphrase group), count conversations, not answers. As in calibration, half of the labels fit the
calibrator and the other half sets the conformal threshold.

Measured with 300 simulated studies each (1,000 answers, s = 0.85, t = 0.75, 70 % acceptable): the half width
planned is 0.87 (100 labels) and 0.98 (400) of the mean one that Rogan-Gladen's bootstrap then gave, 1.01 and
1.00 of prediction-powered inference's.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from ragassay import parameter_ranges
from ragassay.calibration import conformal
from ragassay.defaults import ACCEPTED, ALPHA, CONFIDENCE, LABEL_COUNTS, N_JUDGED, SENSITIVITY, SPECIFICITY
from ragassay.errors import ParameterError
from ragassay.stats import expected_half_width
from ragassay.stats.intervals import check_level

COLUMNS = [
    *("labels", "share", "sensitivity", "specificity", "rogan_gladen", "prediction_powered"),
    *("coverage_low", "coverage_high", "finite", "set_size"),
]


@dataclass(frozen=True)
class Expected:
    """What is expected of the answers and of the machine that judges them.

    accepted : share of answers that people accept, strictly between 0 and 1
    sensitivity, specificity : share of acceptable answers that the machine accepts, of the others that it
        rejects; their sum above 1
    answers : answers the machine judges in all
    alpha : error rate allowed to the prediction sets

    Raises ParameterError if one is outside its range.
    """

    accepted: float = ACCEPTED
    sensitivity: float = SENSITIVITY
    specificity: float = SPECIFICITY
    answers: int = N_JUDGED
    alpha: float = ALPHA

    def __post_init__(self) -> None:
        parameter_ranges.check("accepted", self.accepted, "in (0, 1)")
        parameter_ranges.check("alpha", self.alpha, "in (0, 1)")
        if not (0 <= self.sensitivity <= 1 and 0 <= self.specificity <= 1 and self.power > 0):
            raise ParameterError(
                "sensitivity and specificity must lie in [0, 1] and sum to more than 1",
                found=(self.sensitivity, self.specificity),
            )
        if self.answers < 1:
            raise ParameterError("the number of answers must be 1 or more", found=self.answers)

    @property
    def power(self) -> float:
        """s + t - 1: 0 for a coin, 1 for a machine that is never wrong."""
        return self.sensitivity + self.specificity - 1

    @property
    def passed(self) -> float:
        """Share of answers the machine then accepts."""
        return self.accepted * self.sensitivity + (1 - self.accepted) * (1 - self.specificity)


def plan(
    sizes: Sequence[int] = LABEL_COUNTS,
    expected: Expected | None = None,
    *,
    pilot: ArrayLike | None = None,
    level: float = CONFIDENCE,
    n_draws: int = 200,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """A row per number of labels.

    share                      half width to be expected of the accepted share, from the labels alone
    sensitivity, specificity   of each, from the labels of its class; NaN where it has none
    rogan_gladen               half width of true success corrected by them, to first order
    prediction_powered         half width of true success by prediction-powered inference, at its best lambda
    coverage_low, _high        where the coverage of the prediction sets falls in `level` of calibrations; NaN
                               where every set is full
    finite                     chance that each class alone has labels enough for a threshold of its own; 0
                               where even both together have not
    set_size                   labels per set expected, 1 to 2, with the pilot's probabilities; NaN without a
                               pilot

    Parameters
    ----------
    pilot : (m,) probabilities of acceptance of answers already scored, from a calibrated metric
    n_draws : simulated calibrations behind `set_size`

    Raises
    ------
    ParameterError
        If a size is below 2, or a probability of the pilot is outside [0, 1].
    ValueError
        If the level is not between 0 and 1.
    """
    check_level(level)
    expected = expected or Expected()
    probabilities = _checked(pilot)
    if not sizes or min(sizes) < 2:
        raise ParameterError("a plan needs 2 labels or more", found=list(sizes))
    rows = [
        (n, *_widths(n, expected, level), *_sets(n, expected, probabilities, level, n_draws, rng))
        for n in sizes
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _widths(n: int, expected: Expected, level: float) -> tuple[float, ...]:
    """Half widths of share, sensitivity, specificity, Rogan-Gladen, prediction-powered;
    the labelled answers are a part of all of them.

    Rogan-Gladen: n y's variance/N^2 + (1 - n/N)^2 (p's variance/(N - n) + v/n)/(s + t - 1)^2, v the machine's
    variance given the label. Prediction-powered: y's variance/n (1 - r^2 (N - n)/N), r the correlation of
    label and machine (PPI++, equation 8).
    """
    share, s, t, p = expected.accepted, expected.sensitivity, expected.specificity, expected.passed
    reach, among = float(ndtri((1 + level) / 2)), min(n, expected.answers)
    noise = share * s * (1 - s) + (1 - share) * t * (1 - t)
    rest = 1 - among / expected.answers
    others = (rest * p * (1 - p) / expected.answers + rest**2 * noise / among) / expected.power**2
    corrected = among * share * (1 - share) / expected.answers**2 + others
    correlation = share * (1 - share) * expected.power**2 / (p * (1 - p))
    powered = share * (1 - share) / among * (1 - correlation * (expected.answers - among) / expected.answers)
    return (
        expected_half_width(share, n, level),
        expected_half_width(s, round(n * share), level),
        expected_half_width(t, round(n * (1 - share)), level),
        reach * sqrt(corrected),
        reach * sqrt(powered),
    )


def _sets(
    n: int, expected: Expected, pilot: NDArray | None, level: float, n_draws: int, rng: np.random.Generator
) -> tuple[float, ...]:
    """Coverage from, to; chance of a threshold for each class; labels per set."""
    setting, least = n // 2, conformal.minimum_n(expected.alpha)
    size = float("nan") if pilot is None else _set_size(setting, expected.alpha, pilot, n_draws, rng)
    if setting < least:
        return float("nan"), float("nan"), 0.0, size
    between = scipy.stats.binom.cdf(setting - least, setting, expected.accepted) - scipy.stats.binom.cdf(
        least - 1, setting, expected.accepted
    )
    found = conformal.expected_coverage(setting, expected.alpha, level)
    return found.low, found.high, max(float(between), 0.0), size


def _set_size(setting: int, alpha: float, pilot: NDArray, n_draws: int, rng: np.random.Generator) -> float:
    """Mean labels per set over simulated calibrations: labels drawn as the pilot's probabilities say."""
    both = np.column_stack([conformal.nonconformity(pilot, np.full(len(pilot), label)) for label in (0, 1)])
    sizes = []
    for _ in range(n_draws):
        rows = rng.integers(len(pilot), size=setting)
        labels = (rng.random(setting) < pilot[rows]).astype(int)
        sizes.append((both <= conformal.threshold(both[rows, labels], alpha)).sum(axis=1).mean())
    return float(np.mean(sizes))


def _checked(pilot: ArrayLike | None) -> NDArray | None:
    if pilot is None:
        return None
    p = np.asarray(pilot, dtype=float)
    p = p[~np.isnan(p)]
    if not len(p) or p.min() < 0 or p.max() > 1:
        raise ParameterError(
            "the pilot's probabilities must lie in [0, 1]",
            found=p[:3].tolist() or "none",
            do="use those of a calibrated metric",
        )
    return p
