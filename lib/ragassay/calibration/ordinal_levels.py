"""Both stages for labels on a longer scale (1 to 5):
the chance of every level, and the range that holds the rater's.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ragassay.calibration import conformal
from ragassay.calibration.calibrators.base import check_pairs
from ragassay.calibration.calibrators.ordinal import Ordinal, check_levels, fit
from ragassay.calibration.conformal import ordinal
from ragassay.calibration.label_split import split
from ragassay.defaults import ALPHA


@dataclass(frozen=True)
class LevelCalibration:
    """A metric calibrated to the levels of a scale.

    calibrator : from score to the probability of each level (proportional odds)
    levels   : the levels of the scale, ascending
    q_hat    : threshold of the adaptive sets; infinite when there are too few labels
    held_out : the half that set it, with prediction_set
    """

    calibrator: Ordinal
    levels: tuple[float, ...]
    alpha: float
    q_hat: float
    held_out: pd.DataFrame

    def sets(self, scores: ArrayLike) -> list[list[float]]:
        """The levels not ruled out for each score: a range without a gap;
        the whole scale where the score is NaN.
        """
        return ordinal.sets(
            level_probabilities(self.calibrator, scores, self.levels), self.q_hat, self.levels
        )


def calibrate_levels(
    labelled: pd.DataFrame, levels: Sequence[float], *, alpha: float = ALPHA, seed: int = 0
) -> LevelCalibration:
    """Proportional odds on one half of the labelled cases, adaptive prediction sets from the other.

    Parameters
    ----------
    labelled : as `calibration.join` gives it: value, level (the raters' median), cluster
    levels : every level of the scale, also those nobody gave

    Raises LabelError if they cannot carry it: a missing score or label, too few of two levels, a constant
    score, no two parts.

    Source: HCAT section 5.1 (ordinal regression); Lu, Angelopoulos, Pomerantz (2022), MICCAI (sets).
    """
    fitting, held_out = split(labelled, seed, stratify="level", together="cluster")
    check_levels(check_pairs(fitting.value, fitting.level)[1], np.unique(fitting.level))
    calibrator = fit(fitting.value, fitting.level)
    probabilities = level_probabilities(calibrator, held_out.value, levels)
    scores = ordinal.nonconformity(probabilities, held_out.level, levels)
    q_hat = conformal.threshold(scores, alpha, held_out.cluster)
    judged = held_out.assign(prediction_set=ordinal.sets(probabilities, q_hat, levels))
    return LevelCalibration(calibrator, tuple(float(level) for level in levels), alpha, q_hat, judged)


def level_probabilities(calibrator: Ordinal, scores: ArrayLike, levels: Sequence[float]) -> NDArray:
    """(n, k) probabilities of all levels of the scale: 0 for a level that the calibrator never saw."""
    known = calibrator.predict(scores)
    probabilities = np.where(np.isnan(known[:, :1]), np.nan, np.zeros((len(known), len(levels))))
    probabilities[:, np.searchsorted(np.asarray(levels, dtype=float), calibrator.levels)] = known
    return probabilities
