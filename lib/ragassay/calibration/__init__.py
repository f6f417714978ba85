"""Calibration: from a machine score to what a rater would say, with stated error rates (HCAT section 5;
decisions 2, 9).

    scores and raters -> rank_metrics
    join -> require -> split -> cross_validate -> fit -> conformal.split -> apply -> releases

calibration_pipeline  these steps, each on data frames, and `calibrate`, which takes them all; every metric
                      beside the judgement it should predict; what a machine may release, its errors bounded
calibrators           disjoint parts and folds of the labels; stage 1: logistic, isotonic, boosted, ordinal;
                      which kind
conformal             stage 2: prediction sets that hold the rater's label with probability at least
                      1 - alpha; both stages for scales of more than two levels
full_conformal        such sets with every label in both stages; all methods side by side
probability_metrics   Brier score, log loss, calibration error, reliability by bin, AUROC, error rates
inference             how often raters would accept the answers: Rogan-Gladen, prediction-powered
                      inference; what n labels buy
"""

# ruff: noqa: F401  (callers take these names from here)
from ragassay.calibration.calibration_pipeline import (
    NO_RELEASES,
    NO_VERDICTS,
    apply,
    join,
    like_users,
    rank_metrics,
    releases,
    require,
)
from ragassay.calibration.calibrators import cross_validate, fit, split
from ragassay.calibration.full_conformal import compare_methods
