"""How many questions a requirement needs: of a gate whose value meets its threshold while its bound does not,
and of a test that closes a finding."""

from bisect import bisect_left
from collections.abc import Mapping
from functools import lru_cache
from math import ceil, floor

from scipy.stats import binom

from ragassay.decision.few_cases import meets
from ragassay.decision.gate_texts import is_share
from ragassay.stats import clopper_pearson

CHANCE = 0.9  # that a system with half the bad answers tolerated passes
MOST = 100_000  # questions beyond which no number is told


def questions_to_pass(row: Mapping) -> int:
    """The smallest number of independent questions, to the next ten, whose bound (Clopper-Pearson, 95 %)
    would meet the gate's threshold at the share measured; 0 where the measure is no share, the share itself
    misses, or no such number is below 100,000."""
    value, threshold, bound = row["value"], row["threshold"], row["bound"]
    if not (is_share(row["metric"]) and meets(bound, threshold, value) and value != threshold):
        return 0
    low, high = 1, MOST // 10
    if not _passes(10 * high, value, bound, threshold):
        return 0
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _passes(10 * middle, value, bound, threshold) else (middle + 1, high)
    return 10 * low


def _passes(n: int, value: float, bound: str, threshold: float) -> bool:
    found = clopper_pearson(floor(value * n) if bound == "low" else ceil(value * n), n)
    return meets(bound, threshold, found.low if bound == "low" else found.high)


@lru_cache(maxsize=1_000)
def questions_if_half(most: float) -> int:
    """About the smallest number of independent questions, to the next ten, at which a system with half as
    many bad answers as tolerated has an upper bound (Clopper-Pearson, 95 %) within it, with a chance of
    `CHANCE`; 0 outside of (0, 1), and where no such number is below 100,000.

    most : the tolerated share, in [0, 1]
    """
    if not 0 < most < 1:
        return 0
    sizes = range(1, MOST // 10)
    place = bisect_left(sizes, True, key=lambda tens: _chance(10 * tens, most) >= CHANCE)
    return 10 * sizes[place] if place < len(sizes) else 0


def _chance(n: int, most: float) -> float:
    """How likely so many questions show it, at half of what is tolerated."""
    bad = bisect_left(range(n + 1), True, key=lambda k: not clopper_pearson(k, n).high <= most) - 1
    return float(binom.cdf(bad, n, most / 2)) if bad >= 0 else 0.0
