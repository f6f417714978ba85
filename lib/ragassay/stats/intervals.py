"""A number with its interval, its n and what was left out; exact and score intervals for a proportion."""

from dataclasses import dataclass
from math import isnan, nan, sqrt

from scipy import stats


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
        return self.text()

    def text(self, digits: int = 2) -> str:
        """`0.82 [0.78, 0.86] n=240, 6 not measured`; more digits than asked for where the bounds would print alike."""
        if isnan(self.value):
            return f"not available ({self.reason or 'no value measured'})"
        if isnan(self.low) or isnan(self.high):
            return (
                f"{self.value:.{digits}f} [no interval: {self.reason or 'unknown'}] n={self.n}"
                + self._left("left out")
            )
        while digits < 12 and self.low < self.high and f"{self.low:.{digits}f}" == f"{self.high:.{digits}f}":
            digits += 1
        bounds = f"{self.value:.{digits}f} [{self.low:.{digits}f}, {self.high:.{digits}f}]"
        return f"{bounds} n={self.n}" + self._left(self.reason or "not measured")

    def _left(self, words: str) -> str:
        return f", {self.left_out} {words}" if self.left_out else ""


def not_available(
    reason: str, *, value: float = nan, n: int = 0, left_out: int = 0, method: str = ""
) -> Interval:
    """An Interval without bounds, and without a value unless one is given; prints its reason."""
    return Interval(value, nan, nan, n, left_out, reason, method)


def wilson(successes: int, n: int, level: float = 0.95) -> Interval:
    """Share of successes in [0, 1] with Wilson's score interval; never of zero width, close to nominal coverage on average.

    Coverage oscillates with the true share p. For a promised 0.95, averaged over p in (0, 1) it is 0.955 at n = 5, 0.954 at 10 and
    0.951 at 240; between p = 0.1 and 0.9 it is at least 0.892, 0.916 and 0.940; near p = 0 or 1 it can dip to 0.83 (n = 5), 0.84
    (n = 10 to 50). Where a promise must hold at every p (gates, rare events), use `clopper_pearson`.

    Raises
    ------
    ValueError
        If successes are not between 0 and n, or level is not between 0 and 1.

    Source
    ------
    Wilson (1927), JASA 22; Brown, Cai, DasGupta (2001), Statistical Science 16, section 3.1.1.
    """
    _check(successes, n, level)
    if n == 0:
        return not_available("no cases", method="Wilson")
    z, share = float(stats.norm.ppf((1 + level) / 2)), successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return Interval(share, low, high, int(n), method=f"Wilson, level {level:g}")


def clopper_pearson(successes: int, n: int, level: float = 0.95) -> Interval:
    """Share of successes in [0, 1] with the exact interval: at least nominal coverage at every true share, so wider than Wilson's.

    For a promised 0.95 the worst coverage over p is 0.961 at n = 10, 0.951 at 50 and 240.
    No event in n: [0, 1 - (alpha/2)^(1/n)], about 3.7/n at level 0.95 (the one-sided bound, about 3/n, is level 0.90).

    Raises
    ------
    ValueError
        If successes are not between 0 and n, or level is not between 0 and 1.

    Source
    ------
    Clopper, Pearson (1934), Biometrika 26; FORMULAS 10.
    """
    _check(successes, n, level)
    if n == 0:
        return not_available("no cases", method="Clopper-Pearson")
    tail = (1 - level) / 2
    low = 0.0 if successes == 0 else float(stats.beta.ppf(tail, successes, n - successes + 1))
    high = 1.0 if successes == n else float(stats.beta.isf(tail, successes + 1, n - successes))
    return Interval(successes / n, low, high, int(n), method=f"Clopper-Pearson, level {level:g}")


def _check(successes: int, n: int, level: float) -> None:
    check_level(level)
    if int(n) != n or int(successes) != successes or not 0 <= successes <= n:
        raise ValueError(
            f"successes must be a whole number between 0 and n; found successes={successes}, n={n}"
        )


def check_level(level: float) -> None:
    """Raise ValueError unless 0 < level < 1."""
    if not 0 < level < 1:
        raise ValueError(f"level must lie strictly between 0 and 1 (0.95 for a 95% interval); found {level}")
