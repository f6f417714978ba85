"""What no curve is fitted on: too few labels, one class, a constant score, gaps; each refusal says what was found and what to do."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from ragassay.errors import LabelError

FEWEST_LABELS, FEWEST_PER_CLASS = 10, 3
LARGEST = 1e100


def score_label(scores: ArrayLike, labels: ArrayLike) -> tuple[NDArray, NDArray]:
    """(n,) finite scores that differ and (n,) labels 0 or 1, enough of each; LabelError otherwise."""
    x, y = paired(scores, labels)
    check_binary(y)
    check_enough(y)
    return x, y


def paired(scores: ArrayLike, labels: ArrayLike) -> tuple[NDArray, NDArray]:
    """(n,) finite scores that are not all the same, and as many labels, not yet checked; LabelError otherwise."""
    x, y = np.asarray(scores, dtype=float), np.asarray(labels, dtype=float)
    if x.ndim != 1 or x.shape != y.shape:
        raise LabelError(
            "every score needs one label", found=f"scores of shape {x.shape}, labels of shape {y.shape}"
        )
    check_finite(x)
    check_varied(x)
    return x, y


def check_finite(scores: NDArray, named: str = "a score") -> None:
    """Raise LabelError at the first score that is missing, infinite, or too large to have a standard deviation."""
    bad = ~(np.abs(scores) <= LARGEST)
    if bad.any():
        row, expected = int(bad.argmax()), f"a number between -{LARGEST:g} and {LARGEST:g}"
        raise LabelError(
            f"{named} is missing or infinite",
            where=f"row {row}",
            found=scores[row],
            expected=expected,
            do="leave unscored cases out",
        )


def check_varied(scores: NDArray, named: str = "every score") -> None:
    """Raise LabelError if the scores are all the same, or none."""
    if len(scores) and np.ptp(scores) <= 1e-12 * max(1.0, float(np.abs(scores).max())):
        raise LabelError(
            f"{named} is the same, so it cannot tell answers apart",
            found=scores[0],
            do="leave this metric uncalibrated",
        )


def check_binary(labels: NDArray) -> None:
    """Raise LabelError unless every label is 0 or 1."""
    bad = ~np.isin(labels, (0.0, 1.0))
    if bad.any():
        row = int(bad.argmax())
        do = "cut graded labels at a stated level, leave missing ones out"
        raise LabelError(
            "a label is not 0 or 1", where=f"row {row}", found=labels[row], expected="0 or 1", do=do
        )


def check_enough(labels: NDArray) -> None:
    """Raise LabelError for fewer than 10 labels, or fewer than 3 of either class."""
    n_each = {0: int((labels == 0).sum()), 1: int((labels == 1).sum())}
    if len(labels) >= FEWEST_LABELS and min(n_each.values()) == 0:
        found = f"{len(labels)} labels to fit, all of them {int(labels[0])}"
        raise LabelError(
            "too few labels to calibrate: they are all of one class",
            found=found,
            do="label answers that people judge otherwise, too",
        )
    if len(labels) < FEWEST_LABELS or min(n_each.values()) < FEWEST_PER_CLASS:
        raise LabelError(
            "too few labels to calibrate",
            found=f"{len(labels)} labels to fit, {n_each[1]} of them 1 and {n_each[0]} of them 0",
            expected=f"at least {FEWEST_LABELS}, and {FEWEST_PER_CLASS} of each",
            do="label more answers, or report the raw score as uncalibrated",
        )


def sense(scores: NDArray, labels: NDArray) -> int:
    """1 where higher labels go with higher scores by rank correlation, -1 where they go with lower ones; 1 where neither."""
    x, y = rankdata(scores), rankdata(labels)
    return -1 if float((x - x.mean()) @ (y - y.mean())) < 0 else 1
