"""A number with its interval, its n and what was left out; the intervals of a share; an interval in words.

One interval for a share: whatever is 0 or 1 for every case drawn on its own (a 0/1 metric, an agreement, an
error, a coverage) has Clopper and Pearson's. Gates act on bounds, and harm is rare: there the promised 0.95
must hold at every true share, also near 0. Samples are planned by it, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, isnan, log, nan

import numpy as np
import scipy
from scipy.special import betainccinv, betaincinv

from ragassay.defaults import CONFIDENCE

NORMAL_975, NORMAL_80 = 1.959963984540054, 0.8416212335729143  # quantiles of the standard normal distribution


@dataclass(frozen=True)
class Interval:
    """An estimate, its confidence bounds, how many values stand behind it and how many do not.

    value  : the estimate, NaN when there is none
    low, high : the bounds, low <= high; NaN when the data cannot support an interval
    n      : values measured and used
    left_out : values not measured, so not used
    reason : in words, why values were left out ("not measured"), or why there is no estimate or no interval
    method : how the bounds were found, with level and resamples
    """

    value: float
    low: float
    high: float
    n: int
    left_out: int = 0
    reason: str = ""
    method: str = ""

    def __str__(self) -> str:
        """`0.82 [0.78, 0.86] n=240, 6 not measured`."""
        if isnan(self.value):
            return f"not available ({self.reason or 'no value measured'})"
        has_bounds = not (isnan(self.low) or isnan(self.high))
        why = "" if has_bounds else self.reason or "unknown"
        lost = (self.reason or "not measured") if has_bounds else "left out"
        words = interval_text(self.value, self.low, self.high, why=why)
        return f"{words} n={self.n}" + (f", {self.left_out} {lost}" if self.left_out else "")


def interval_text(
    value: float,
    low: float,
    high: float,
    decimals: int | None = None,
    *,
    signed: bool = False,
    percent: bool = False,
    bar: float = nan,
    missing: str = "not measured",
    why: str = "",
) -> str:
    """`0.82 [0.78, 0.86]`: an interval in words, everywhere; `0.82 [no interval]` without bounds, `missing`
    without a value; with `percent` the form of the house, `82 % [78, 86]`.

    decimals : None shows two, one from 10 on, none from 1,000 on, and more where the bounds would print
        alike, or a value that is not 0 as 0; of per cents none, and one where they lie within three points
    bar : what is required, in the units of the value: no number is rounded onto it, or to its other side
    why : why there are no bounds
    """
    if isnan(value):
        return missing
    scale, first = (100, _percent_decimals) if percent else (1, _decimals)
    places = first(value, low, high) if decimals is None else decimals
    places = _decimals_beside(scale * bar, [scale * each for each in (value, low, high)], places)
    shown = [number_text(scale * each, places, signed=signed) for each in (value, low, high)]
    shown[0] += " %" * percent
    if isnan(low) or isnan(high):
        return f"{shown[0]} [no interval{': ' + why if why else ''}]"
    return f"{shown[0]} [{shown[1]}, {shown[2]}]"


def number_text(value: float, decimals: int, *, signed: bool = False, percent: bool = False) -> str:
    """A number with so many decimals, thousands parted by commas, and a true minus sign; with `percent` a
    share as `82 %`."""
    shown = f"{value:{'+' if signed else ''},.{decimals}{'%' if percent else 'f'}}"
    return shown.replace("-", "−").replace("%", " %")


def _decimals(value: float, low: float, high: float) -> int:
    places = next((places for floor, places in ((1000, 0), (10, 1)) if abs(value) >= floor), 2)
    while places < 6 and low < high and number_text(low, places) == number_text(high, places):
        places += 1
    while places < 4 and 0 < abs(value) < 0.5 * 10**-places:
        places += 1
    return places


def _percent_decimals(value: float, low: float, high: float) -> int:
    places = next((places for width, places in ((0.003, 2), (0.03, 1)) if 0 < high - low < width), 0)
    while places < 4 and 0 < abs(value) < 0.5 * 10 ** -(places + 2):
        places += 1
    return places


def percent_text(share: float, decimals: int = 0, bar: float = nan) -> str:
    """A share as `82 %`, with so many decimals; more where it would be rounded onto the `bar` or beyond."""
    return number_text(share, _decimals_beside(100 * bar, [100 * share], decimals), percent=True)


def share_text(share: float, bar: float = nan) -> str:
    """A share without its interval as `82 %`; of two digits where it is below 1 %; `bar` as above."""
    return percent_text(share, _percent_decimals(share, share, share) + (0 < abs(share) < 0.01), bar)


def _decimals_beside(bar: float, numbers: Sequence[float], places: int) -> int:
    """So many decimals, or as many more as it takes that each number prints on its own side of the bar."""
    bar = round(bar, 9)
    while places < 6 and any(_side(round(each, places), bar) != _side(each, bar) for each in numbers):
        places += 1
    return places


def _side(number: float, bar: float) -> tuple[bool, bool]:
    """Whether a number is below the bar, and above it; neither on it, or where one of them is NaN."""
    return round(number, 9) < bar, round(number, 9) > bar


def not_available(
    reason: str, *, value: float = nan, n: int = 0, left_out: int = 0, method: str = ""
) -> Interval:
    """An Interval without bounds, and without a value unless one is given; prints its reason."""
    return Interval(value, nan, nan, n, left_out, reason, method)


def clopper_pearson(successes: int, n: int, level: float = CONFIDENCE) -> Interval:
    """Share of successes in [0, 1] with the exact interval: at least nominal coverage at every true share.

    For a promised 0.95 the worst coverage over p is 0.961 at n = 10, 0.951 at 50 and 240.
    No event in n: [0, `zero_event_bound(n, level)`].
    Quantiles of the beta distribution: `scipy.stats.binomtest` searches for the same numbers, 15 times
        slower.

    Raises ValueError if successes are not between 0 and n, or level is not between 0 and 1.

    Source: Clopper, Pearson (1934), Biometrika 26; decision 10.
    """
    check_level(level)
    if int(n) != n or int(successes) != successes or not 0 <= successes <= n:
        raise ValueError(f"successes must be a whole number between 0 and n; found {successes=}, {n=}")
    if n == 0:
        return not_available("no cases", method="Clopper-Pearson")
    tail = (1 - level) / 2
    low = 0.0 if successes == 0 else float(betaincinv(successes, n - successes + 1, tail))
    high = 1.0 if successes == n else float(betainccinv(successes + 1, n - successes, tail))
    return Interval(successes / n, low, high, int(n), method=f"Clopper-Pearson, level {level:g}")


def expected_half_width(share: float, n: int, level: float = CONFIDENCE) -> float:
    """Mean half width, in (0, 0.5), of the exact interval (`clopper_pearson`) of n cases, each a success with
    the chance `share` in [0, 1]: 0.148 for 0.8 and n = 31. Smaller is better; NaN without a case."""
    seen = np.arange(1, n + 1)
    low = np.append(0.0, betaincinv(seen, n - seen + 1, (1 - level) / 2))
    chance = scipy.stats.binom.pmf(range(n + 1), n, share)
    return float(chance @ (1 - low[::-1] - low)) / 2 if n else nan


def zero_event_bound(n: int, level: float = CONFIDENCE) -> float:
    """The upper bound of a rate, in (0, 1], when no event was seen in n >= 1 independent draws: Clopper and
    Pearson's, two-sided, 1 - ((1 - level)/2)^(1/n); at level 0.95 about 3.7/n.

    The only such bound of this kit. The rule of three, 3/n, is the one-sided one: the same at level 0.90.
    Raises ValueError if n is below 1, or level is not between 0 and 1. Source: decision 10.
    """
    if n < 1:
        raise ValueError(f"a bound needs a case; found n={n}")
    check_level(level)
    return 1 - ((1 - level) / 2) ** (1 / n)


def trials_for_bound(bound: float, level: float = CONFIDENCE) -> int:
    """The fewest trials without an event whose upper bound (`zero_event_bound`) is at most `bound`, which
    lies in (0, 1): 72 for 0.05, 183 for 0.02 at level 0.95."""
    check_level(level)
    if not 0 < bound < 1:
        raise ValueError(f"a bound of a share lies between 0 and 1; found {bound}")
    return ceil(log((1 - level) / 2) / log(1 - bound))


def check_level(level: float) -> None:
    """Raise ValueError unless 0 < level < 1."""
    if not 0 < level < 1:
        raise ValueError(f"level must lie strictly between 0 and 1 (0.95 for a 95% interval); found {level}")
