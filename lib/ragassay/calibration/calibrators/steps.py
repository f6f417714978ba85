"""Step functions of a score, as isotonic regression and boosted trees fit (HCAT 5.1: piecewise constant)."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragassay.calibration.calibrators.base import Calibrator, is_monotone


@dataclass(frozen=True)
class StepFunction(Calibrator):
    """P(label = 1) by steps: values[i] for edges[i-1] < score <= edges[i]; monotone, never 0 or 1.

    edges : (m - 1,) ascending scores; values : (m,) probabilities; n, n_positive : labels fitted, of which 1
    """

    edges: tuple[float, ...]
    values: tuple[float, ...]
    n: int
    n_positive: int

    def __post_init__(self):
        self._need(
            len(self.values) == len(self.edges) + 1 and np.all(np.diff(self.edges) > 0),
            "one value more than edges, edges ascending",
        )
        self._need(is_monotone(self.values), "probabilities that only rise or only fall")

    @classmethod
    def through(cls, scores: NDArray, probability: NDArray, labels: NDArray) -> Self:
        """The steps through (m,) ascending scores with their probabilities: each halfway between two scores
        whose probabilities differ."""
        last = np.flatnonzero(np.diff(probability))
        halfway = scores[last] / 2 + scores[last + 1] / 2
        edges = np.where(halfway < scores[last + 1], halfway, scores[last])
        values = probability[np.r_[0, last + 1]]
        return cls(tuple(edges.tolist()), tuple(values.tolist()), len(labels), int(labels.sum()))

    def _change(self) -> float:
        return self.values[-1] - self.values[0]

    def predict(self, scores: ArrayLike) -> NDArray:
        x = np.asarray(scores, dtype=float)
        steps = np.asarray(self.values)[np.searchsorted(self.edges, x, side="left")]
        return np.where(np.isnan(x), np.nan, steps)

    def __str__(self) -> str:
        return (
            f"{self.kind}: probability {self.direction} with the score "
            f"from {self.values[0]:.3g} to {self.values[-1]:.3g} "
            f"in {len(self.values)} steps, n={self.n} labels, {self.n_positive} positive"
        )
