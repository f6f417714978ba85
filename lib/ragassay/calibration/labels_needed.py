"""What n labels buy, before anybody reads an answer: widths of intervals, coverage of prediction sets.

Labels are taken to be of independent answers drawn at random; where answers hang together (one conversation,
one paraphrase group), count conversations. Half of the labels fit the calibrator, half set the threshold.
"""

from collections.abc import Sequence
from math import nan, sqrt

import pandas as pd
import scipy
from scipy.special import ndtri

from ragassay import parameter_ranges
from ragassay.calibration import conformal
from ragassay.defaults import ACCEPTED, ALPHA, CONFIDENCE, LABEL_COUNTS, N_JUDGED, SENSITIVITY, SPECIFICITY
from ragassay.errors import ParameterError
from ragassay.stats import expected_half_width

COLUMNS = [
    *("labels", "share", "sensitivity", "specificity", "rogan_gladen", "prediction_powered"),
    *("coverage_low", "coverage_high", "finite"),
]


def plan(
    sizes: Sequence[int] = LABEL_COUNTS,
    *,
    accepted: float = ACCEPTED,
    sensitivity: float = SENSITIVITY,
    specificity: float = SPECIFICITY,
    answers: int = N_JUDGED,
    alpha: float = ALPHA,
) -> pd.DataFrame:
    """A row per number of labels: half widths of 95 % intervals, and what the prediction sets promise.

    accepted : share of answers that people are expected to accept, strictly between 0 and 1
    sensitivity, specificity : share of acceptable answers that the machine accepts, of the others that it
        rejects; their sum above 1
    answers : answers the machine judges in all
    alpha : error rate allowed to the prediction sets

    share : of the accepted share, from the labels alone;  sensitivity, specificity : of each
    rogan_gladen : of true success corrected by them, to first order;  prediction_powered : by
        prediction-powered inference at its best lambda (PPI++, equation 8)
    coverage_low, _high : where the coverage of the sets falls in 95 % of calibrations; NaN where all are full
    finite : chance that each class alone has labels enough for a threshold of its own

    Raises ParameterError if a size is below 2, or an expectation outside its range.
    """
    parameter_ranges.check("accepted", accepted, "in (0, 1)")
    parameter_ranges.check("alpha", alpha, "in (0, 1)")
    share, s, t = accepted, sensitivity, specificity
    if not (min(s, t) >= 0 and max(s, t) <= 1 and s + t > 1):
        what = "sensitivity and specificity must sum to more than 1"
        raise ParameterError(what, found=(s, t))
    if not sizes or min(sizes) < 2 or answers < 1:
        found = f"{list(sizes)} labels of {answers} answers"
        raise ParameterError("a plan needs 2 labels or more, and an answer", found=found)
    p = share * s + (1 - share) * (1 - t)  # what the machine accepts
    reach, youden, variance = float(ndtri((1 + CONFIDENCE) / 2)), s + t - 1, share * (1 - share)
    noise = share * s * (1 - s) + (1 - share) * t * (1 - t)
    correlation = variance * youden**2 / (p * (1 - p))
    least, rows = conformal.minimum_n(alpha), []
    for n in sizes:
        among = min(n, answers)
        rest = 1 - among / answers
        others = (rest * p * (1 - p) / answers + rest**2 * noise / among) / youden**2
        corrected = among * variance / answers**2 + others
        powered = variance / among * (1 - correlation * rest)
        widths = (
            expected_half_width(share, n),
            expected_half_width(s, round(n * share)),
            expected_half_width(t, round(n * (1 - share))),
            reach * sqrt(corrected),
            reach * sqrt(powered),
        )
        setting = n // 2
        covered, finite = (nan, nan), 0.0
        if setting >= least:
            promised = conformal.expected_coverage(setting, alpha)
            covered = (promised.low, promised.high)
            few, most = scipy.stats.binom.cdf([least - 1, setting - least], setting, share)
            finite = max(float(most - few), 0.0)
        rows.append((n, *widths, *covered, finite))
    return pd.DataFrame(rows, columns=COLUMNS)
