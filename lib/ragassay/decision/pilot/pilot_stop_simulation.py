"""How often a pilot ends by its stop numbers, simulated: wrongly, rightly, and where nobody reads."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragassay.decision.monitoring.alarm_limits import AlarmLimit
from ragassay.stats import Interval, clopper_pearson, interval_text

PILOTS = 10_000  # simulated: the interval of a share near a tenth is about a point wide


class Shares(NamedTuple):
    """For each limit the share of used answers that are bad by its measure, in [0, 1]: as many as is allowed;
    as should be noticed; where staff use every answer; where staff are good."""

    allowed: Sequence[float]
    worse: Sequence[float]
    unread: Sequence[float]
    good: Sequence[float]


@dataclass(frozen=True)
class Endings:
    """Shares of simulated pilots that reach a stop number.

    wrongly : where used answers are just as bad as is allowed; lower is better
    noticed : where they are as bad as should be noticed; higher is better
    unread : where staff use every answer, as bad as raters found; nearest : the median of the rated answers
        after which those end, NaN where fewer than half do
    good : where staff are good; lower is better
    """

    wrongly: Interval
    noticed: Interval
    unread: Interval
    nearest: float
    good: Interval

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
            f"wrongly by a count; at most {100 * promised:g} % is promised. Where used answers are "
            f"as bad as the column “noticed” says, {noticed} end; where staff use every answer unread, "
            f"{unread} end{soon}."
        )


def simulate_endings(limits: Sequence[AlarmLimit], shares: Shares, rng: np.random.Generator) -> Endings:
    """The shares of pilots that end by these limits.

    An answer that misleads is bad too: one draw for each rated answer decides on the first two limits; on
    each other limit another draw.
    """
    first = _endings(limits, shares.unread, rng)
    ended = np.isfinite(first)
    wrongly, noticed, good = (
        _share(np.isfinite(_endings(limits, each, rng)))
        for each in (shares.allowed, shares.worse, shares.good)
    )
    nearest = float(np.median(first)) if ended.mean() > 0.5 else float("nan")
    return Endings(wrongly, noticed, _share(ended), nearest, good)


def _endings(limits: Sequence[AlarmLimit], shares: Sequence[float], rng: np.random.Generator) -> NDArray:
    """After how many rated answers each pilot ends; infinite where it does not."""
    n, parts = max(each.n for each in limits), []
    for _ in range(10):
        drawn = [rng.random((PILOTS // 10, n)) for _ in limits[1:]]
        reached = [
            (np.cumsum(draw[:, : each.n] < share, axis=1) >= each.limit)
            for draw, each, share in zip([drawn[0], *drawn], limits, shares, strict=True)
        ]
        parts.append(np.min([_first(each) for each in reached], axis=0))
    return np.concatenate(parts)


def _first(reached: NDArray) -> NDArray:
    return np.where(reached.any(axis=1), reached.argmax(axis=1) + 1.0, np.inf)


def _share(ended: NDArray) -> Interval:
    return clopper_pearson(int(ended.sum()), len(ended))
