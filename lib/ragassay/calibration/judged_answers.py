"""Answers judged by a machine, some of them by people too:
what every estimate of true success starts from.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragassay.errors import LabelError
from ragassay.stats import Interval, zero_event_bound
from ragassay.stats.clusters import group_rows, is_zero_one, number_vector


@dataclass(frozen=True)
class JudgedAnswers:
    """Answers judged by a machine, some of them by people too.

    machine : (n,) verdict of the machine, 0 or 1 (for `prediction_powered` any number in [0, 1], such as a
        probability)
    human : (n,) label of the people, 0 or 1; NaN where nobody looked
    cluster : (n,) what was drawn independently; None takes every answer for itself
    counted : (n,) whether the answer is of the population to be estimated; False for a calibration set drawn
        apart. None counts all
    """

    machine: NDArray
    human: NDArray
    cluster: NDArray | None = None
    counted: NDArray | None = None

    def __post_init__(self) -> None:
        machine, human = number_vector(self.machine, "machine"), number_vector(self.human, "human")
        if machine.shape != human.shape:
            sizes = f"{len(machine)} verdicts, {len(human)} labels"
            raise LabelError("every verdict needs one label or a blank", found=sizes)
        if not is_zero_one(human):
            raise LabelError(
                "a label is not 0 or 1",
                found=sorted(set(human[~np.isnan(human)].tolist()))[:5],
                expected="0, 1 or missing",
            )
        if np.isnan(machine).any() or (machine < 0).any() or (machine > 1).any():
            raise LabelError(
                "a verdict of the instruments is missing or outside [0, 1]",
                found=machine[~((machine >= 0) & (machine <= 1))][0],
            )
        everyone = np.ones(len(machine), dtype=bool)
        counted = everyone if self.counted is None else np.asarray(self.counted, dtype=bool)
        for name, value in (("machine", machine), ("human", human), ("counted", counted)):
            object.__setattr__(self, name, value)

    @property
    def labelled(self) -> NDArray:
        """(n,) whether people looked."""
        return ~np.isnan(self.human)

    def part(self, rows: NDArray) -> "JudgedAnswers":
        """The answers of these rows."""
        cluster = None if self.cluster is None else np.asarray(self.cluster)[rows]
        return JudgedAnswers(self.machine[rows], self.human[rows], cluster, np.asarray(self.counted)[rows])

    def members(self) -> list[NDArray]:
        """Rows of each cluster."""
        return group_rows(self.cluster, len(self.machine))


def clipped_interval(
    value: float, low: float, high: float, n: int, method: str, *, clusters: int, level: float
) -> Interval:
    """An estimated share as an interval within [0, 1]; where it had to be clipped, the method says so.

    Bounds that meet say that nothing else was seen, not that nothing else exists: then another outcome is
    bounded as an event not seen in so many `clusters` (`zero_event_bound`).
    """
    note = "clipped to [0, 1]" if min(value, low) < 0 or max(value, high) > 1 else ""
    value, low, high = (float(np.clip(each, 0.0, 1.0)) for each in (value, low, high))
    if low == high:
        unseen = zero_event_bound(clusters, level)
        low, high = low * (1 - unseen), high + unseen * (1 - high)
        note = ", ".join(
            filter(None, [note, f"Clopper-Pearson for an outcome unseen in {clusters} clusters"])
        )
    return Interval(value, low, high, n, method=f"{method}{', ' + note if note else ''}")
