"""Both stages for labels on a longer scale (1 to 5): the chance of every level, and the range of levels that holds the human's."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ragassay.calibration import conformal
from ragassay.calibration.calibrators.ordinal import Ordinal, fit
from ragassay.calibration.conformal import ordinal
from ragassay.calibration.splitting import split
from ragassay.errors import LabelError


@dataclass(frozen=True)
class LevelCalibration:
    """A metric calibrated to the levels of a scale.

    curve    : from score to the probability of each level (proportional odds)
    levels   : the levels of the scale, ascending
    q_hat    : threshold of the adaptive sets; infinite when there are too few labels
    held_out : the half that set it, with prediction_set (from the threshold of all *other* held-out clusters)
    """

    curve: Ordinal
    levels: tuple[float, ...]
    alpha: float
    q_hat: float
    held_out: pd.DataFrame

    def sets(self, scores: ArrayLike) -> list[list[float]]:
        """The levels not ruled out for each score: a range without a gap; the whole scale where the score is NaN."""
        return ordinal.sets(level_probabilities(self.curve, scores, self.levels), self.q_hat, self.levels)


def calibrate_levels(
    labelled: pd.DataFrame, levels: Sequence[float], *, alpha: float = 0.1, seed: int = 0
) -> LevelCalibration:
    """Proportional odds on one half of the labelled cases, adaptive prediction sets from the other.

    Parameters
    ----------
    labelled : as `calibration.join` gives it: value, level (the raters' median), cluster
    levels : every level of the scale, also those nobody gave

    Raises
    ------
    LabelError
        If the labels cannot carry it: see `curves.ordinal.fit`.

    Source
    ------
    HCAT section 5.1 (ordinal regression); Lu, Angelopoulos, Pomerantz (2022), MICCAI (sets).
    """
    if len(labelled) < 2:
        raise LabelError(
            "there are too few labelled scores to calibrate",
            found=len(labelled),
            expected="20 or more",
            do="label more answers",
        )
    fitting, held_out = split(labelled, seed, stratify="level", together="cluster")
    curve = fit(fitting.value, fitting.level)
    chances = level_probabilities(curve, held_out.value, levels)
    misfit = ordinal.nonconformity(chances, held_out.level, levels)
    cluster = held_out.cluster.to_numpy()
    own = np.array([conformal.threshold(misfit[cluster != each], alpha) for each in cluster])
    judged = held_out.assign(prediction_set=ordinal.sets(chances, own, levels))
    return LevelCalibration(
        curve, tuple(float(level) for level in levels), alpha, conformal.threshold(misfit, alpha), judged
    )


def why_not_calibratable(
    labelled: pd.DataFrame, levels: Sequence[float] | None, *, alpha: float = 0.1, seed: int = 0
) -> str:
    """Why there are no sets of levels, in words; empty if there are: two levels only, or too few labels."""
    if levels is None:
        return "the scale has two levels."
    try:
        calibrate_levels(labelled, levels, alpha=alpha, seed=seed)
    except LabelError as problem:
        return f"{problem.what} (found: {problem.found})."
    return ""


def level_probabilities(curve: Ordinal, scores: ArrayLike, levels: Sequence[float]) -> NDArray:
    """(n, k) probabilities of all levels of the scale: 0 for a level that the curve never saw."""
    known = curve.predict(scores)
    chances = np.where(np.isnan(known[:, :1]), np.nan, np.zeros((len(known), len(levels))))
    chances[:, np.searchsorted(np.asarray(levels, dtype=float), curve.levels)] = known
    return chances
