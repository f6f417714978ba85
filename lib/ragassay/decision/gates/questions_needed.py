"""How many questions a requirement needs: of a gate whose value meets its threshold while its bound does not,
and of a test that closes a finding."""

import re
from bisect import bisect_left
from collections.abc import Mapping
from functools import lru_cache
from math import ceil
from typing import NamedTuple

import scipy
from scipy.special import ndtri

from ragassay.analysis.case_scores import is_share
from ragassay.analysis.checks import TO_CLEAR
from ragassay.decision.gates.gate_case_counts import meets
from ragassay.defaults import POWER
from ragassay.stats import clopper_pearson, trials_for_bound

CHANCE = 0.9  # that a system with half the bad answers tolerated passes
MOST = 100_000  # questions beyond which no number is told
MOST_ASKED = 3_000  # questions that a retest asks at most to show that fewer fail than today
LEVEL, OF_SEVERAL = 0.95, 0.99  # of the interval that decides; of one of several checks that share an error
_SHARE = r"(\d{1,3}(?:\.\d{1,6})?)"
_AT_MOST = (  # how a check says which share may fail, and by which part of 1 it counts
    (re.compile(rf"clear where the upper bound is at most {_SHARE} %$"), 100),
    (re.compile(rf"clear where the upper bound is at most {_SHARE}$"), 1),  # of earlier releases
    (re.compile(rf"^At most {_SHARE} % of "), 100),
    (re.compile(rf"^raised if more than {_SHARE} % of the answers do it"), 100),
    (re.compile(rf"^lower bound \(95 %\) above {_SHARE} % of the answers"), 100),
)
_AT_LEAST = re.compile(rf"\bat least {_SHARE} % of the (?:questions|follow-ups)", re.IGNORECASE)
_SEVERAL = re.compile(r"over all (?:kinds|rows)")


class Tolerance(NamedTuple):
    """most : the share that may fail, in [0, 1), by the unfavourable end of the interval; 0 where none may;
    level : of that interval"""

    most: float
    level: float = LEVEL


def tolerance(criterion: str) -> Tolerance | None:
    """What a check's criterion tolerates; None where it compares, and holds no share against a limit."""
    if "none is tolerated" in criterion:
        return Tolerance(0.0)
    level = OF_SEVERAL if _SEVERAL.search(criterion) else LEVEL
    for pattern, whole in _AT_MOST:
        if found := pattern.search(criterion):
            return Tolerance(float(found[1]) / whole, level)
    found = _AT_LEAST.search(criterion)
    return Tolerance(round(1 - float(found[1]) / 100, 9), level) if found else None


def fewest_without(most: float, level: float = LEVEL) -> int:
    """The fewest questions on which it can be shown that at most this share fails, none of them failing:
    36 for 0.1; 0 outside of (0, 1)."""
    return trials_for_bound(most, level) if 0 < most < 1 else 0


def fewest_of_check(rule: str, fewest: int) -> int:
    """The fewest cases on which a check can be shown clear: as many as its criterion asks (`fewest`), and as
    many as the share that it tolerates needs."""
    held = tolerance(rule)
    return max(fewest, fewest_without(held.most, held.level) if held else 0)


def retest_of_share(most: float, level: float = LEVEL, chance: float = POWER) -> int:
    """The questions that a retest of a tolerated share asks: as many as a fit system, with half the failures
    tolerated, passes with this chance, never fewer than can show it; 0 outside of (0, 1)."""
    return max(questions_if_half(most, level, chance), fewest_without(most, level))


def retest_of_check(rule: str, tried: int, today: float = 0.0) -> int:
    """The cases that a retest of a check asks: of a share as many as `retest_of_share`, where none may fail
    as `retest_of_none`, never fewer than the run tried, which are no proof.

    today : the share that failed in this run, in [0, 1]
    """
    held = tolerance(rule)
    if held is None:
        return tried
    return max(tried, retest_of_share(*held)) if held.most else retest_of_none(tried, today)


def retest_of_none(tried: int, today: float) -> int:
    """The cases that a retest asks where none may fail: as many as clear it and as the run tried; where a
    system that fails as often as today's would pass on these with more than 1 - `LEVEL`, as many as show that
    fewer fail, `MOST_ASKED` at most.

    today : the share that failed in this run, in [0, 1]; NaN where nothing was measured
    """
    fewest = max(tried, TO_CLEAR)
    if not 0 < today < 1 or (1 - today) ** fewest <= 1 - LEVEL:
        return fewest
    return max(fewest, min(fewest_without(today), MOST_ASKED))


def rescaled(n: int, chance: float) -> int:
    """As many questions, to the next ten, as a test of no loss, planned with n for a chance of `POWER`, takes
    for another chance: by the normal approximation its number grows with the square of the two quantiles."""
    reach, planned = (float(ndtri((1 + LEVEL) / 2) + ndtri(each)) for each in (chance, POWER))
    return 10 * ceil(n * (reach / planned) ** 2 / 10)


def retest_of_loss(row: Mapping, limit: float) -> int:
    """About how many pairs, to the next ten, show with a chance of `POWER` that a loss is at most `limit`,
    where there is none, at the spread of the check's own pairs (its interval's wider arm); never fewer than
    it tried, and these alone where no interval was measured.

    Source
    ------
    Chow, Shao, Wang (2008), Sample Size Calculations in Clinical Research 2, section 3.1.2 (non-inferiority).
    """
    tried, arm = int(row["n"]), max(row["value"] - row["low"], row["high"] - row["value"])
    if not arm > 0:
        return tried
    reach = 1 + float(ndtri(POWER) / ndtri((1 + LEVEL) / 2))
    return max(tried, 10 * ceil(tried * (arm * reach / limit) ** 2 / 10))


def questions_to_pass(row: Mapping) -> int:
    """About the smallest number of independent questions, to the next ten, whose bound (Clopper-Pearson,
    95 %) meets the gate's threshold with a chance of `POWER` where the share stays as measured; 0 where the
    measure is no share, the share itself misses, or no such number is below 100,000."""
    value, threshold, bound = row["value"], row["threshold"], row["bound"]
    if not (is_share(row["metric"]) and meets(bound, threshold, value) and value != threshold):
        return 0
    bad, most = (1 - value, 1 - threshold) if bound == "low" else (value, threshold)
    return _questions(round(most, 9), round(bad, 9), LEVEL, POWER)


def questions_if_half(most: float, level: float = LEVEL, chance: float = CHANCE) -> int:
    """About the smallest number of independent questions, to the next ten, at which a system with half as
    many bad answers as tolerated has an upper bound (Clopper-Pearson) within it, with this chance; 0
    outside of (0, 1), and where no such number is below 100,000.

    most : the tolerated share, in [0, 1]; level : of the interval
    """
    return _questions(most, most / 2, level, chance) if 0 < most < 1 else 0


@lru_cache(maxsize=1_000)
def _questions(most: float, bad: float, level: float, chance: float) -> int:
    """About the smallest number, to the next ten, that shows with this chance that at most `most` fails where
    the share `bad` does; 0 where none below `MOST` does."""
    sizes = range(1, MOST // 10)
    place = bisect_left(sizes, True, key=lambda tens: _chance(10 * tens, most, bad, level) >= chance)
    return 10 * sizes[place] if place < len(sizes) else 0


def _chance(n: int, most: float, bad: float, level: float) -> float:
    """How likely so many questions show it."""
    at_most = bisect_left(range(n + 1), True, key=lambda k: clopper_pearson(k, n, level).high > most) - 1
    return float(scipy.stats.binom.cdf(at_most, n, bad)) if at_most >= 0 else 0.0
