"""Stage 1: a machine score becomes the probability that a human accepts (HCAT section 5.1, logistic model).

The logistic curve and the split of the labels under their first names; every other kind of curve is in `verdicts.curves`.
"""

from ragassay.verdicts.curves.checking import check_binary
from ragassay.verdicts.curves.logistic import Logistic, fit
from ragassay.verdicts.curves.splitting import split
from ragassay.verdicts.quality import (
    auroc,
    brier,
    calibration_error_debiased,
    calibration_error_if_perfect,
    expected_calibration_error,
    reliability,
)

__all__ = [
    "Logistic",
    "auroc",
    "brier",
    "calibration_error_debiased",
    "calibration_error_if_perfect",
    "check_binary",
    "expected_calibration_error",
    "fit",
    "reliability",
    "split",
]
