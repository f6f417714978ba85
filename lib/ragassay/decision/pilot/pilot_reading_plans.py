"""On how many answers a test of reading shows both what staff let through of bad answers and what they use of
good ones, and how likely good and careless staff are to pass it. A test that good staff would often fail is
not offered: it would keep out whom it should let in."""

from bisect import bisect_left
from dataclasses import dataclass
from typing import NamedTuple

import scipy

from ragassay.defaults import POWER
from ragassay.stats import clopper_pearson

POWERS = (POWER, 0.9)  # with which good staff pass the tests that are offered
ALL = 1.0  # every bad answer may be let through: so few are bad
LEAST_USED = 0.8  # of good answers, by the lower end: who rejects everything lets nothing bad through
MOST_SHOWN = 100_000  # answers beyond which no test is planned


class Limits(NamedTuple):
    """What staff may do at most: the share of bad answers let through and that of good ones turned down, by
    the upper ends, in [0, 1]."""

    through: float
    turned_down: float = 1 - LEAST_USED


@dataclass(frozen=True)
class ReadingPlan:
    """A test: how many bad answers may be let through and how many good ones turned down, of so many shown
    of either."""

    through: int
    turned_down: int
    shown: int

    def passed(self, through: float, used: float) -> float:
        """The chance, in [0, 1], that staff pass who let through this share of bad answers and use this share
        of good ones.

        through, used : in [0, 1]
        """
        return float(
            scipy.stats.binom.cdf(self.through, self.shown, through)
            * scipy.stats.binom.cdf(self.turned_down, self.shown, 1 - used)
        )

    def passed_by_good(self, limits: Limits) -> float:
        """The chance that good staff pass, with half of what either limit allows."""
        return self.passed(limits.through / 2, 1 - limits.turned_down / 2)

    def passed_by_careless(self, limits: Limits) -> float:
        """The largest chance of careless staff: at one limit, without a failure of the other kind. Whoever is
        beyond a limit passes more seldom."""
        return max(self.passed(limits.through, 1.0), self.passed(0.0, 1 - limits.turned_down))


def shortest(limits: Limits, available: int) -> ReadingPlan | None:
    """The smallest test that shows both at all, with no bad answer let through; None where nothing bad has to
    be found, or it takes more bad answers than are available."""
    n = fewest(0, limits, available) if 0 < limits.through < ALL else 0
    return _at(n, limits) if n else None


def offered(limits: Limits) -> list[ReadingPlan]:
    """The tests that good staff pass with a chance of each of `POWERS`, the smallest first; none where
    nothing bad has to be found, or no test below 100,000 answers does."""
    plans = [with_power(limits, power) for power in POWERS]
    return list(dict.fromkeys(plan for plan in plans if plan))


def with_power(limits: Limits, power: float = POWER) -> ReadingPlan | None:
    """A smallest test, to the next ten, that good staff pass with this chance, in (0, 1); None where nothing
    bad has to be found, or no test below 100,000 answers does."""
    if not 0 < limits.through < ALL:
        return None
    sizes = range(10, MOST_SHOWN, 10)
    place = bisect_left(sizes, True, key=lambda n: _at(n, limits).passed_by_good(limits) >= power)
    return _at(sizes[place], limits) if place < len(sizes) else None


def fewest(through: int, limits: Limits, available: int) -> int:
    """The fewest answers of either kind on which so many bad ones may be let through, and a good one may be
    turned down or none, with both upper ends within the limits; 0 where there are not enough."""
    sizes = range(through + 1, available + 1)
    place = bisect_left(sizes, True, key=lambda n: _is_shown(through, n, limits))
    return sizes[place] if place < len(sizes) else 0


def most_met(n: int, limit: float) -> int:
    """How many of n may fail at most for an upper end within the limit; -1 where not even none shows it."""
    return bisect_left(range(n), True, key=lambda k: clopper_pearson(k, n).high > limit) - 1


def _is_shown(through: int, n: int, limits: Limits) -> bool:
    return (
        clopper_pearson(through, n).high <= limits.through
        and clopper_pearson(0, n).high <= limits.turned_down
    )


def _at(n: int, limits: Limits) -> ReadingPlan:
    return ReadingPlan(most_met(n, limits.through), most_met(n, limits.turned_down), n)
