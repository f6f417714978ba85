"""What a comparison of groups could have seen: the differences that so many questions find, and the questions
that a difference needs."""

from bisect import bisect_left
from functools import lru_cache
from math import ceil, log2

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.special import stdtrit

POWER = 0.8
MOST = 5000  # questions; a difference that needs more is not looked for


def fewest_moved(level: float) -> int:
    """Questions that must all move the same way for a sign-flip test to reach a p of `level`, in (0, 1)."""
    return ceil(1 + log2(1 / level) - 1e-9)


def detectable_difference(error: float, clusters: int, level: float, power: float = POWER) -> float:
    """The smallest true mean difference that a two-sided paired test at `level` finds with `power` where
    every question moves alike, given the standard error of the mean of so many clusters; NaN where nothing
    varied or there are fewer than two.

    Source
    ------
    Bloom (1995), Evaluation Review 19(5): the minimum detectable effect, (t_(1 - level/2) + t_power) errors.
    """
    if clusters < 2 or not error > 0:
        return float("nan")
    return float(error * (stdtrit(clusters - 1, 1 - level / 2) + stdtrit(clusters - 1, power)))


def share_power(share: float, noise: float, clusters: int, level: float) -> float:
    """The power of a two-sided sign test at `level` over so many pairs of 0 or 1: a share of them is moved
    one way, and of the rest `noise` differs either way by chance; all in [0, 1].

    The sign-flip test of pairs of 0 and 1 is the sign test of those that differ, which is binomial.
    """
    up, down = share + (1 - share) * noise / 2, (1 - share) * noise / 2
    if not up:
        return 0.0
    differing, needed = np.arange(1, clusters + 1), _needed(clusters, level)
    chances = scipy.stats.binom.pmf(differing, clusters, min(up + down, 1.0))
    return float((chances * scipy.stats.binom.sf(needed, differing, up / (up + down))).sum())


@lru_cache(maxsize=256)
def _needed(clusters: int, level: float) -> NDArray:
    """Of 1 to so many pairs that differ: found where more than these go up."""
    return scipy.stats.binom.isf(level / 2, np.arange(1, clusters + 1), 0.5)


def detectable_share(noise: float, clusters: int, level: float, power: float = POWER) -> float:
    """The smallest difference of two shares, to a hundredth, that `share_power` finds with `power`; NaN where
    none is found."""
    percent = range(1, 101)
    place = bisect_left(percent, power, key=lambda one: share_power(one / 100, noise, clusters, level))
    return percent[place] / 100 if place < len(percent) else float("nan")


def questions_for_share(share: float, noise: float, level: float, power: float = POWER) -> float:
    """Questions drawn independently that find so large a difference of two shares with `power`; NaN for none,
    and above MOST."""
    if not share:
        return float("nan")
    found = bisect_left(range(MOST), power, key=lambda n: share_power(share, noise, n, level))
    return float(found) if found < MOST else float("nan")
