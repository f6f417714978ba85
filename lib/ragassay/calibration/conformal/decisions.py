"""Who decides: the machine where one label is left, a person otherwise;
where the borders lie and what the reviews cost.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from ragassay import parameter_ranges
from ragassay.calibration.conformal.threshold import SCORES
from ragassay.defaults import CONFIDENCE
from ragassay.stats import Interval, clopper_pearson, interval_text
from ragassay.tables import DECISIONS

DECISION_OF: dict[tuple[int, ...], str] = {(1,): "accept", (0,): "reject"}


def decide(prediction_set: Sequence[float]) -> str:
    """`accept` for [1], `reject` for [0], `review` by a human for both labels or none."""
    return DECISION_OF.get(tuple(int(label) for label in prediction_set), "review")


def decision_regions(q_hat: float | ArrayLike, score: str = "residual") -> pd.DataFrame:
    """The cases of HCAT section 5.2 along the probability p of label 1:
    columns from, to, closed, set, decision; ascending in p.

    Label 0 is in the set where p <= q_hat, label 1 where p >= 1 - q_hat. q_hat >= 0.5: [0] below 1 - q_hat,
    [0, 1] between, [1] above q_hat. q_hat < 0.5: [0] up to q_hat, none between, [1] from 1 - q_hat. `closed`
    says which ends belong to the region (both, left, right, neither). Regions without a probability in them
    are left out; q_hat >= 1 leaves one, all for review.

    Parameters
    ----------
    q_hat : one threshold, or two of label 0 and label 1 (`thresholds_by_class`)
    score : the nonconformity score that q_hat was taken from; a negative logit is turned into the residual it
        stands for

    Raises
    ------
    ValueError
        If q_hat is NaN, a residual below 0, or neither one nor two numbers.
    """
    zero, one = _residuals(q_hat, score)
    if zero >= 1 - one:
        bands = [(0.0, 1 - one, "left", [0]), (1 - one, zero, "both", [0, 1]), (zero, 1.0, "right", [1])]
    else:
        bands = [(0.0, zero, "both", [0]), (zero, 1 - one, "neither", []), (1 - one, 1.0, "both", [1])]
    clipped = [(max(low, 0.0), min(high, 1.0), ends, labels) for low, high, ends, labels in bands]
    rows = [
        (*band, decide(band[3]))
        for band in clipped
        if band[0] < band[1] or (band[0] == band[1] and band[2] == "both")
    ]
    return pd.DataFrame(rows, columns=["from", "to", "closed", "set", "decision"])


@dataclass(frozen=True)
class ReviewLoad:
    """What the decision rule leaves to people:
    share of the answers, answers per week, hours per week, each with its interval.
    """

    share: Interval
    answers: Interval
    hours: Interval

    def __str__(self) -> str:
        if np.isnan(self.share.value):
            return f"review load {self.share}"
        answers, hours = self.answers, self.hours
        return (
            f"share of answers that go to review {self.share}; "
            f"{interval_text(answers.value, answers.low, answers.high, 0)} answers, "
            f"{interval_text(hours.value, hours.low, hours.high, 1)} hours a week"
        )


def review_load(
    decisions: Sequence[str] | pd.Series, per_week: float, minutes_each: float, *, level: float = CONFIDENCE
) -> ReviewLoad:
    """Weekly review hours that these decisions imply at `per_week` answers a week and `minutes_each` per
    review.

    Clopper and Pearson's interval of the review share, scaled: it covers the chance in which answers were
    judged here, if they are drawn like the traffic and independently; not that weeks differ or that reviewers
    do. No decision: not available.

    Raises
    ------
    ValueError
        If a decision is not accept, reject or review, or per_week or minutes_each is negative or not finite.
    """
    given = list(decisions)
    unknown = sorted({str(each) for each in given if each not in DECISIONS})
    if unknown:
        raise ValueError(f"decisions must be {', '.join(DECISIONS)}; found {', '.join(unknown)[:200]}")
    parameter_ranges.check("per_week", per_week, "in [0, inf)")
    parameter_ranges.check("minutes_each", minutes_each, "in [0, inf)")
    share = clopper_pearson(given.count("review"), len(given), level)
    return ReviewLoad(share, _times(share, per_week), _times(share, per_week * minutes_each / 60))


def _times(share: Interval, factor: float) -> Interval:
    return replace(share, value=share.value * factor, low=share.low * factor, high=share.high * factor)


def residual_threshold(q_hat: float, score: str = "residual") -> float:
    """The residual that a threshold of this nonconformity score stands for: with it the sets are the same."""
    return float(_residuals(q_hat, score)[0])


def _residuals(q_hat: float | ArrayLike, score: str) -> NDArray:
    """(2,) residual thresholds of label 0 and label 1."""
    if score not in SCORES:
        raise ValueError(f"score must be one of {', '.join(SCORES)}; found {score!r}")
    given = np.asarray(q_hat, dtype=float).ravel()
    limits = (
        np.broadcast_to(expit(given) if score == "negative_logit" else given, (2,))
        if len(given) in (1, 2)
        else np.array([np.nan])
    )
    if not (limits >= 0).all():
        raise ValueError(
            f"q_hat must be one or two numbers, 0 or more (a negative logit: any); found {given.tolist()[:5]}"
        )
    return limits
