"""What full and cross-conformal prediction share: how each possible label of a new case ranks among the labelled cases."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import floor
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragassay.calibration.conformal.quantile import exact, minimum_n
from ragassay.errors import LabelError


class Curve(Protocol):
    """From scores to probabilities: (n,) of label 1, or (n, k) of ordered levels."""

    def predict(self, scores: Any) -> NDArray: ...


Fit = Callable[[NDArray, NDArray], Curve]
NonconformityScore = Callable[[NDArray, NDArray], NDArray]


@dataclass(frozen=True)
class Ranked:
    """For m new cases and k labels: how many of n + 1 cases fit their label no better than the new case fits this one.

    counts : (m, k) from 1 (stranger than every labelled case) to n + 1
    labels : (k,) the labels tried; n : labelled cases behind the ranks; method : how they were found, in words
    """

    counts: NDArray
    labels: tuple[float, ...]
    n: int
    method: str

    @property
    def p_values(self) -> NDArray:
        """(m, k) in (0, 1]: small where the label does not fit."""
        return self.counts / (self.n + 1)

    def sets(self, alpha: float) -> list[list[float]]:
        """One list of labels per new case: those with p value above alpha, in the order of `labels`; exact arithmetic.

        Raises ValueError if alpha is not strictly between 0 and 1.
        """
        limit = floor(exact(alpha) * (self.n + 1))
        return [
            [label for label, count in zip(self.labels, row, strict=True) if count > limit]
            for row in self.counts.tolist()
        ]

    def reason(self, alpha: float) -> str:
        """Why every set is full, in words; empty where n labelled cases suffice to rule something out."""
        needed = minimum_n(alpha)
        return (
            f"{self.n} labelled cases, {needed} needed at alpha {alpha:g}: every set is full"
            if self.n < needed
            else ""
        )


def checked(scores: ArrayLike, labels: ArrayLike) -> tuple[NDArray, NDArray]:
    """Scores and labels as floats. Raises LabelError for a missing one or unequal lengths."""
    x, y = np.asarray(scores, dtype=float), np.asarray(labels, dtype=float)
    if x.ndim != 1 or x.shape != y.shape:
        raise LabelError(
            "every score needs one label", found=f"scores of shape {x.shape}, labels of shape {y.shape}"
        )
    bad = ~(np.isfinite(x) & np.isfinite(y))
    if bad.any():
        row = int(bad.argmax())
        raise LabelError(
            "a score or label is missing or infinite",
            where=f"row {row}",
            found=(x[row], y[row]),
            do="leave these cases out",
        )
    return x, y


def in_order(x: NDArray, y: NDArray) -> tuple[NDArray, NDArray]:
    """Pairs sorted by score, then label: a fit that gets them so cannot know which case is the new one, whatever it does inside."""
    order = np.lexsort([y, x])
    return x[order], y[order]


def rounded(scores: ArrayLike, decimals: int | None) -> NDArray:
    """Scores as floats, rounded unless `decimals` is None."""
    x = np.asarray(scores, dtype=float)
    return x if decimals is None else np.round(x, decimals)


def predicted(curve: Curve, scores: NDArray) -> NDArray:
    """The curve at every score, evaluated once per distinct score, so that equal scores have equal bits."""
    distinct, place = np.unique(scores, return_inverse=True)
    return np.asarray(curve.predict(distinct), dtype=float)[place]


def no_better(misfits: NDArray, own: ArrayLike) -> NDArray:
    """How many of `misfits` (n,) are at least `own` (...,); a NaN on either side counts, so that it rules nothing out."""
    return (~(misfits < np.asarray(own, dtype=float)[..., None])).sum(axis=-1)


def plain(labels: Sequence[float]) -> tuple[float, ...]:
    """Labels as whole numbers where they are."""
    return tuple(int(each) if float(each).is_integer() else float(each) for each in labels)
