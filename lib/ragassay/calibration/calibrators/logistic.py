"""Logistic calibration (Platt, sklearn's sigmoid): log-odds linear in the score (HCAT section 5.1); and in
several metrics at once, held small by a ridge penalty."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from ragassay.calibration.calibrators.base import (
    Calibrator,
    check_binary,
    check_enough,
    check_finite,
    check_scores_and_labels,
    check_varied,
    cross_entropy,
    fit_logistic,
    smoothed_targets,
)
from ragassay.calibration.label_split import FOLDS, folds_of
from ragassay.errors import LabelError

PENALTIES = tuple(float(10**power) for power in np.arange(-3, 4.5, 0.5))


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


@dataclass(frozen=True)
class Multivariate(Calibrator):
    """P(label = 1) = expit(intercept + sum of slopes * (score - centres) / scales), monotone in each metric.

    names, slopes, centres, scales : (m,) each, one per metric; a slope is the change of the log-odds per
        standard deviation
    penalty : ridge penalty on the slopes chosen by cross-validation; n : labels fitted
    """

    names: tuple[str, ...]
    slopes: tuple[float, ...]
    intercept: float
    centres: tuple[float, ...]
    scales: tuple[float, ...]
    penalty: float
    n: int
    kind: ClassVar[str] = "multivariate"

    def __post_init__(self):
        fits = len(self.names) == len(self.slopes) == len(self.centres) == len(self.scales) > 0
        self._need(fits and min(self.scales) > 0, "a slope, a centre and a scale above 0 per metric")

    def predict(self, scores: ArrayLike) -> NDArray:
        """(n,) probabilities in [0, 1] that a human gives label 1; NaN where a score is NaN.

        scores : (n, m) in the order of `names`, or a table with columns of those names
        """
        x = np.asarray(scores[list(self.names)] if isinstance(scores, pd.DataFrame) else scores, dtype=float)
        if x.ndim != 2 or x.shape[1] != len(self.names):
            raise LabelError(
                "one column of scores per metric", found=f"shape {x.shape}", expected=", ".join(self.names)
            )
        return expit(
            self.intercept
            + ((x - np.asarray(self.centres)) / np.asarray(self.scales)) @ np.asarray(self.slopes)
        )


def fit_multivariate(
    scores: ArrayLike,
    labels: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    folds: int = FOLDS,
    clusters: ArrayLike | None = None,
    penalties: Sequence[float] = PENALTIES,
) -> Multivariate:
    """The logistic calibrator of several metrics with the ridge penalty of least cross-validated log loss.

    Fitted on scores per standard deviation, with Platt's targets; the penalty is on the squared slopes, the
    intercept is free. The penalties tried are 0.001 to 10,000 in half decades; of equal losses the larger
    penalty wins.

    Parameters
    ----------
    scores : (n, m) finite machine scores, one column per metric; a table brings the names
    labels : (n,) human labels, 0 or 1
    clusters : (n,) what was drawn independently; rows alike stay in one fold

    Raises LabelError as `fit`, naming the metric; and if a fold would be empty or leave one class only to fit
    on.

    Source: Hoerl, Kennard (1970), Technometrics 12; le Cessie, van Houwelingen (1992), Applied Statistics 41.
    """
    x, y, named = _check_table(scores, labels, names)
    fold = folds_of(y, folds, seed, clusters)
    penalty = min(sorted(penalties, reverse=True), key=lambda each: _held_out_loss(x, y, fold, each))
    centres, scales, beta = _fit_standardised(x, y, penalty)
    slopes, means, spreads = (tuple(each.tolist()) for each in (beta[1:], centres, scales))
    return Multivariate(named, slopes, float(beta[0]), means, spreads, float(penalty), len(y))


def _check_table(
    scores: ArrayLike, labels: ArrayLike, names: Sequence[str] | None
) -> tuple[NDArray, NDArray, tuple[str, ...]]:
    x, y = np.asarray(scores, dtype=float), np.asarray(labels, dtype=float)
    if x.ndim != 2 or y.shape != (len(x),):
        raise LabelError(
            "every row of scores needs one label",
            found=f"scores of shape {x.shape}, labels of shape {y.shape}",
        )
    if names is None:
        names = (
            scores.columns
            if isinstance(scores, pd.DataFrame)
            else [f"metric {number + 1}" for number in range(x.shape[1])]
        )
    named = tuple(str(name) for name in names)
    if len(set(named)) != x.shape[1]:
        raise LabelError("every metric needs a name of its own", found=named, expected=f"{x.shape[1]} names")
    for column, name in zip(x.T, named, strict=True):
        check_finite(column, f"a score of {name!r}")
        check_varied(column, f"every score of {name!r}")
    check_binary(y)
    check_enough(y)
    return x, y, named


def _fit_standardised(x: NDArray, y: NDArray, penalty: float) -> tuple[NDArray, NDArray, NDArray]:
    centres, scales = x.mean(axis=0), x.std(axis=0)
    scales = np.where(scales > 0, scales, 1.0)  # a metric may be constant within a fold
    return centres, scales, fit_logistic((x - centres) / scales, smoothed_targets(y), penalty)


def _held_out_loss(x: NDArray, y: NDArray, fold: NDArray, penalty: float) -> float:
    """Summed log loss of every label, predicted by the calibrator fitted without its fold."""
    total = 0.0
    for held in (fold == number for number in range(fold.max() + 1)):
        check_enough(y[~held])
        centres, scales, beta = _fit_standardised(x[~held], y[~held], penalty)
        total += cross_entropy(beta[0] + ((x[held] - centres) / scales) @ beta[1:], y[held])
    return total
