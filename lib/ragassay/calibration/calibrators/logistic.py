"""Logistic calibration (Platt, sklearn's sigmoid): log-odds linear in the score (HCAT section 5.1)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from ragassay.calibration.calibrators.base import (
    Calibrator,
    check_scores_and_labels,
    fit_logistic,
    smoothed_targets,
)


@dataclass(frozen=True)
class Logistic(Calibrator):
    """P(label = 1) = 1 / (1 + exp(-(intercept + slope * (score - centre) / scale))), strictly monotone in the
    score.

    slope > 0: a higher score makes acceptance likelier, as a metric should; slope < 0: the metric ranks the
    wrong way round.
    centre, scale : mean and standard deviation of the scores fitted; n : labels fitted
    """

    slope: float
    intercept: float
    centre: float
    scale: float
    n: int
    kind: ClassVar[str] = "logistic"

    def __post_init__(self):
        self._need(self.scale > 0, "a scale above 0")

    def _change(self) -> float:
        return self.slope

    def predict(self, scores: ArrayLike) -> NDArray:
        z = (np.asarray(scores, dtype=float) - self.centre) / self.scale
        return expit(self.intercept + self.slope * z)


def fit(scores: ArrayLike, labels: ArrayLike) -> Logistic:
    """The logistic calibrator from score to probability, by Platt's method:
    maximum likelihood with smoothed targets.

    A label 1 counts as (n+ + 1)/(n+ + 2) and a label 0 as 1/(n- + 2), so that even perfectly separated scores
    give a finite slope and no label counts as certain.

    Parameters
    ----------
    scores : (n,) finite machine scores
    labels : (n,) human labels, 0 or 1

    Raises LabelError if a score or label is missing, a label is not 0 or 1, there are fewer than 10 labels or
    fewer than 3 of either class, or every score is the same.

    Source: Platt (1999), Probabilistic Outputs for Support Vector Machines, section 2.2; HCAT section 5.1.
    """
    x, y = check_scores_and_labels(scores, labels)
    centre, scale = float(x.mean()), float(x.std())
    intercept, slope = fit_logistic(((x - centre) / scale)[:, None], smoothed_targets(y))
    return Logistic(float(slope), float(intercept), centre, scale, len(y))
