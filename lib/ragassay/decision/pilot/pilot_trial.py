"""A small trial before a pilot is prepared. Its price presumes good staff, who let through half of what is
tolerated: how the chance to pass falls for others, and how answers that were rated already show at little
cost that staff are no such."""

from bisect import bisect_left

import scipy

from ragassay.decision.closing.finding_closure import joined_words
from ragassay.decision.pilot.pilot_reading_plans import ReadingPlan
from ragassay.decision.pilot.pilot_staff_reading_test import Reading
from ragassay.stats import clopper_pearson, percent_text

OF_LIMIT = {"half": 0.5, "three quarters": 0.75, "nine tenths": 0.9, "all": 1.0}
TIMES = {"twice": 2, "four times": 4}  # the limit, for the chance that a trial shows it
CHANCES = (
    "The price is that of good staff, who miss half of the {limit} tolerated; that there are such is not "
    "shown. Who misses {parts} of it passes one attempt at the first row of the test of reading with "
    "{chances}."
)
TRIAL = (
    " So a small trial comes first, before anything is prepared: staff read this run's {bad} rejected and "
    "{good} accepted answers, unmarked, with no new rating, in {hours:,.0f} hours (in the test somebody "
    "else reads each). If {missed} or more of {bad} are missed, the lower end ({low}) is above what "
    "is tolerated: the pilot is then not worth preparing. Who misses {times} as much as is tolerated is so "
    "found with {found}."
)


def in_words(reading: Reading, minutes: float) -> str:
    """The chances to pass, and the trial; "" where no test of reading is held.

    minutes : to read an answer
    """
    if not reading.plans:
        return ""
    parts = {name: chance(reading.plans[0], reading, part) for name, part in OF_LIMIT.items()}
    told = CHANCES.format(
        limit=percent_text(reading.most_through, 1),
        parts=joined_words(list(parts), "or"),
        chances=joined_words([percent_text(each) for each in parts.values()], "or"),
    )
    return told + _trial(reading, minutes)


def chance(plan: ReadingPlan, reading: Reading, part: float) -> float:
    """The chance, in [0, 1], that staff pass who miss this part of what is tolerated, in [0, 1], and turn
    down half of the good answers that may be."""
    limits = reading.limits
    return plan.passed(part * limits.through, 1 - limits.turned_down / 2)


def too_many(reading: Reading) -> int:
    """From how many rejected answers missed on a trial on those of this run shows that staff miss more than
    is tolerated (lower end, 95 %); one more than there are where it cannot."""
    n = reading.rated.bad
    sizes = range(n + 1)
    return bisect_left(sizes, True, key=lambda k: clopper_pearson(k, n).low > reading.most_through)


def answers_read(reading: Reading) -> int:
    """How many answers staff read in the trial; 0 where none is held: no test of reading is, or the trial
    could not show that staff are no good ones."""
    return reading.rated.n if reading.plans and 0 < too_many(reading) <= reading.rated.bad else 0


def _trial(reading: Reading, minutes: float) -> str:
    rated, missed = reading.rated, too_many(reading)
    if not answers_read(reading):
        return ""
    found = [
        scipy.stats.binom.sf(missed - 1, rated.bad, min(1, each * reading.most_through))
        for each in TIMES.values()
    ]
    return TRIAL.format(
        bad=rated.bad,
        good=rated.n - rated.bad,
        hours=answers_read(reading) * minutes / 60,
        missed=missed,
        low=percent_text(clopper_pearson(missed, rated.bad).low, 1),
        times=joined_words(list(TIMES), "or"),
        found=joined_words([percent_text(each) for each in found], "or"),
    )
