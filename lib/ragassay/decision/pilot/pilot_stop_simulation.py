"""How often a pilot ends by its stop numbers, simulated: wrongly, rightly, and where nobody reads."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragassay.decision.monitoring.alarm_limits import AlarmLimit
from ragassay.stats import Interval, clopper_pearson, interval_text

PILOTS = 10_000  # simulated: the interval of a share near a tenth is about a point wide


@dataclass(frozen=True)
class Endings:
    """Shares of simulated pilots that reach a stop number.

    wrongly : where used answers are just as bad as is allowed; lower is better
    noticed : where they are as bad as should be noticed; higher is better
    unread : where staff use every answer, as bad as raters found; nearest : the median of the rated answers
        after which those end, NaN where fewer than half do
    """

    wrongly: Interval
    noticed: Interval
    unread: Interval
    nearest: float

    def in_words(self, promised: float) -> str:
        """The three shares in sentences; promised : of pilots that end wrongly, in (0, 0.5]"""
        wrongly, noticed, unread = (
            interval_text(each.value, each.low, each.high, percent=True)
            for each in (self.wrongly, self.noticed, self.unread)
        )
        unread = "all" if self.unread.value == 1 else unread
        soon = (
            f", half of them within {self.nearest:,.0f} rated answers" if self.nearest == self.nearest else ""
        )
        return (
            f"Of {PILOTS:,} simulated pilots whose used answers are just as bad as is allowed, {wrongly} end "
            f"wrongly; at most {100 * promised:g} % is promised. Of those as bad as the last column says, "
            f"{noticed} end; of those whose staff use every answer unread, {unread}{soon}."
        )


def simulate_endings(
    limits: Sequence[AlarmLimit],
    allowed: Sequence[float],
    worse: Sequence[float],
    unread: Sequence[float],
    rng: np.random.Generator,
) -> Endings:
    """The shares of pilots that end by these limits.

    An answer that mislead is bad too: one draw for each rated answer decides on all measures.

    allowed, worse, unread : for each limit the share of used answers that are bad by its measure, in [0, 1]
    """
    first = _endings(limits, unread, rng)
    ended = np.isfinite(first)
    return Endings(
        _share(np.isfinite(_endings(limits, allowed, rng))),
        _share(np.isfinite(_endings(limits, worse, rng))),
        _share(ended),
        float(np.median(first)) if ended.mean() > 0.5 else float("nan"),
    )


def _endings(limits: Sequence[AlarmLimit], shares: Sequence[float], rng: np.random.Generator) -> NDArray:
    """After how many rated answers each pilot ends; infinite where it does not."""
    n, parts = max(each.n for each in limits), []
    for _ in range(10):
        drawn = rng.random((PILOTS // 10, n))
        reached = [
            (np.cumsum(drawn[:, : each.n] < share, axis=1) >= each.limit)
            for each, share in zip(limits, shares, strict=True)
        ]
        parts.append(np.min([_first(each) for each in reached], axis=0))
    return np.concatenate(parts)


def _first(reached: NDArray) -> NDArray:
    return np.where(reached.any(axis=1), reached.argmax(axis=1) + 1.0, np.inf)


def _share(ended: NDArray) -> Interval:
    return clopper_pearson(int(ended.sum()), len(ended))
