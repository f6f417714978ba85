"""How many bad answers of a sample raise an alarm, how large the sample must be, and how often an alarm is
false: exact (binomial), and simulated.

An alarm compares the share of bad answers with a reference, the share of bad answers that was accepted at
release. It is raised when so many bad answers would be rare at the reference: with probability at most
`chance`. A year of k periods and m watched shares has k * m occasions for a false alarm; `chance` shares the
chance promised for a whole year among them.

Simulated false alarms, 1,000 years at the reference itself, promised at most 0.10 a year (`make simulate`,
tests/decision/monitoring/test_alarm_limits.py; standard error at most 0.009), and how often a sample
notices a rise of 15 points at once (power, exact):

    samples a year  references           sizes                power                   false alarms  exact
    2               0.2                  60                   0.83                    0.083         0.084
    2               0.02, 0.3            25, 90               0.82, 0.80              0.065         0.058
    2               0.2, 0.3, 0.43, 0.6  90, 100, 105, 95     0.81, 0.82, 0.81, 0.81  0.081         0.089
    4               0.2                  75                   0.82                    0.080         0.073
    4               0.02, 0.3            35, 100              0.87, 0.82              0.074         0.068
    4               0.2, 0.3, 0.43, 0.6  100, 125, 130, 120   0.83, 0.80, 0.81, 0.83  0.086         0.078
    12              0.2                  90                   0.81                    0.086         0.095
    12              0.02, 0.3            40, 125              0.83, 0.80              0.054         0.059
    12              0.2, 0.3, 0.43, 0.6  120, 150, 155, 140   0.80, 0.84, 0.81, 0.81  0.091         0.087
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from ragassay.defaults import POWER

MOST = 5_000  # labels beyond which no sample is planned


@dataclass(frozen=True)
class AlarmLimit:
    """A sample of `n` answers with an alarm from `limit` bad ones on.

    chance : that it is raised at the reference, in [0, 1]; power : at the share that should be noticed
    """

    n: int
    limit: int
    chance: float
    power: float


def chance_each(chance_a_year: float, occasions: int) -> float:
    """The chance of a false alarm on one of so many independent occasions, if that of any in the year is as
    given: 1 - (1 - chance)^(1/occasions)."""
    return 1 - (1 - chance_a_year) ** (1 / max(occasions, 1))


def chance_a_year(limit: AlarmLimit, periods: int) -> float:
    """The chance, in [0, 1], that any of so many independent samples reaches the limit at the reference."""
    return 1 - (1 - limit.chance) ** periods


def alarm_limit(n: int, reference: float, worse: float, chance: float) -> AlarmLimit:
    """The smallest number of bad answers among n that is reached with probability at most `chance` where a
    share `reference` is bad; above n, and never reached, where n is too small for any alarm.

    reference, worse : shares of bad answers, in [0, 1]; worse is what should be noticed
    """
    limit = int(scipy.stats.binom.isf(chance, n, reference)) + 1
    found, power = (float(scipy.stats.binom.sf(limit - 1, n, share)) for share in (reference, worse))
    return AlarmLimit(n, limit, found, power)


def smallest_sample(reference: float, worse: float, chance: float, power: float = POWER) -> AlarmLimit:
    """The smallest sample, in steps of 5 answers, that notices the worse share with this probability; of
    5,000 answers where none does.

    Raises
    ------
    ValueError
        If the worse share is not above the reference.
    """
    if not 0 <= reference < worse <= 1:
        raise ValueError(f"the share to notice must lie above the reference; found {reference=}, {worse=}")
    sizes = np.arange(5, MOST + 1, 5)
    limits = scipy.stats.binom.isf(chance, sizes, reference) + 1
    reached = np.flatnonzero(scipy.stats.binom.sf(limits - 1, sizes, worse) >= power)
    return alarm_limit(int(sizes[reached[0]]) if len(reached) else MOST, reference, worse, chance)


def simulate_false_alarms(
    limits: list[AlarmLimit], bad: ArrayLike, periods: int, *, years: int = 1000, rng: np.random.Generator
) -> NDArray:
    """Whether each watched share raises an alarm in each of `years` simulated years, (years, len(limits)) of
    bool.

    bad : the true share of bad answers of each, unchanged all year; periods : samples a year
    """
    shares = np.asarray(bad, dtype=float)
    drawn = rng.binomial([each.n for each in limits], shares, size=(years, periods, len(limits)))
    return (
        np.asarray(drawn >= np.array([each.limit for each in limits])).any(axis=1).reshape(years, len(limits))
    )
