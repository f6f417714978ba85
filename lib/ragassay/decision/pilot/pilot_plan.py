"""The supervised pilot: how long it lasts and on how many answers, the numbers by which it ends, and who does
what; what must be shown before it starts is among `first_steps`. It tests the system together with its
interim controls. Start and end hold to one ceiling: the largest share of the answers that staff use that may
be bad (`pilot_staff_reading_test`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
import pandas as pd

from ragassay.analysis.checks import TO_CLEAR
from ragassay.decision.closing.finding_closure import joined_words
from ragassay.decision.monitoring import alarm_limits
from ragassay.decision.monitoring.alarm_limits import AlarmLimit
from ragassay.decision.monitoring.monitored_measures import Watched, watched
from ragassay.decision.monitoring.monitoring import BUDGETS, Promise, limits_of, worse
from ragassay.decision.pilot import pilot_answers_looked_at
from ragassay.decision.pilot.pilot_good_staff import GoodPilot
from ragassay.decision.pilot.pilot_length_and_roles import Terms
from ragassay.decision.pilot.pilot_staff_reading_test import Reading
from ragassay.decision.pilot.pilot_stop_rows import (
    HARM,
    REPORTED,
    STOPS,
    by_one,
    of_used_answers,
    others,
    stop,
    which,
    with_standing,
)
from ragassay.decision.pilot.pilot_stop_simulation import Endings, Shares, simulate_endings
from ragassay.stats import clopper_pearson, percent_text

CAPTION = "What ends a pilot, from its first day on"
POWERS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
SHARED = (
    "Each count is the smallest that at most {most} of pilots meet whose used answers are just as bad as is "
    "allowed: any of them in at most {kept} (1 − (1 − {most}){power})."
)


@dataclass(frozen=True)
class Pilot:
    """A pilot: stop numbers as a table (STOPS) and of bad and misleading answers as limits, rated answers,
    how often its numbers end it, and its terms."""

    stops: pd.DataFrame
    limits: tuple[AlarmLimit, ...]
    rated: int
    reading: Reading
    endings: Endings
    good: GoodPilot
    terms: Terms
    promised: float
    once: tuple[Watched, ...] = ()
    counted: tuple[Watched, ...] = ()

    @property
    def one_in(self) -> int:
        """Of how many used answers one is rated, where staff are good."""
        return _one_in(self.good, self.rated)

    @property
    def rule(self) -> str:
        """The one ceiling of start and end, and how it becomes what staff may let through."""
        ruled = (
            f"One ceiling rules start and end: of the answers that staff use at most "
            f"{percent_text(self.reading.ceiling)} may be bad in any respect, and "
            f"{percent_text(self.reading.tolerated)} may mislead; both are the bank's parameters."
        )
        return " ".join(filter(None, (ruled, self.reading.in_words())))

    @property
    def all_endings(self) -> str:
        """All that ends it, as the table has it: counts of rated answers, what one used answer shows, and
        harm."""
        bad, misleading, *more = (limit.limit for limit in self.limits)
        told = [f"{bad} bad", f"{misleading} misleading"]
        names = [each.name for each in self.counted]
        told += [f"{limit} of “{name}”" for limit, name in zip(more, names, strict=True)]
        once = {
            which(row): [each.name for each in self.once if which(each) == which(row)] for row in self.once
        }
        shown = [f"one {answer} confirmed as {joined_words(those, 'or')}" for answer, those in once.items()]
        return "; ".join([f"{joined_words(told, 'or')} of {self.rated} rated", *shown, REPORTED])

    @property
    def shared(self) -> str:
        """Where the chance comes from that a count may be met wrongly."""
        kept = BUDGETS[0] * self.promised
        most = alarm_limits.chance_each(kept, len(self.limits))
        return SHARED.format(
            power=str(len(self.limits)).translate(POWERS),
            most=percent_text(most, 1),
            kept=percent_text(kept, 1),
        )

    @property
    def shows(self) -> str:
        """What a pilot shows that reaches its end by one answer fewer than its number."""
        left = self.limits[0].limit - 1
        most = percent_text(clopper_pearson(left, self.limits[0].n).high)
        return (
            f"A pilot that reaches its end with {left} bad ones of {self.limits[0].n:,} leaves that up to "
            f"{most} of the used answers are bad (upper end): it is no proof of the ceiling."
        )

    def __str__(self) -> str:
        """Who does what, and for how long."""
        who, each_week = self.terms, ceil(self.rated / self.terms.weeks)
        looked = pilot_answers_looked_at.in_words(self.once, who.owner, self.one_in)
        told = (
            f"{_capital(who.owner)} delivers what has to be shown before the start, and {who.confirms} "
            f"confirms it. The pilot lasts {who.weeks} weeks; with fewer than {self.rated:,} used answers "
            f"rated by its last day it ends without a result. Who confirms rates {each_week} a "
            "week, drawn at random, and ends the pilot on the day a stop number is reached; the "
            "owner then takes the assistant out of use and tells the approver, may end it earlier, and "
            "may not carry it on. A pilot that reaches its end is no release."
        )
        return " ".join(filter(None, [who.why, told, looked]))


def supervised_pilot(
    gates: pd.DataFrame,
    findings: pd.DataFrame,
    reading: Reading,
    *,
    promise: Promise | None = None,
    terms: Terms | None = None,
    rng: np.random.Generator,
) -> Pilot:
    """The pilot by the open findings of this run and by what staff must be able to find (`reading`).

    A stop number is the count of bad answers among the rated ones that is so rare where just as many are bad
    as the ceiling allows that any of them is reached wrongly at most as often as `promise` allows a year; it
    counts from the first day on, so that looking each week costs nothing. What ends it by one used answer is
    told by `pilot_stop_rows`.
    """
    promised, agreed = promise or Promise(), terms or Terms()
    every = with_standing(watched(gates, findings), gates["metric"])
    used, whys = of_used_answers(reading, every)
    allowed = [each.bad for each in used]
    most = alarm_limits.chance_each(BUDGETS[0] * promised.false_alarms, len(used))
    limits = limits_of(used, most, promised.rise)
    noticed = [worse(bad, promised.rise) for bad in allowed]
    stops = [stop(*each) for each in zip(used, limits, noticed, whys, strict=True)]
    shares = Shares(allowed, noticed, _unread(reading, allowed), _of_good_staff(reading, allowed))
    endings = simulate_endings(limits, shares, rng)
    answers = ceil(promised.answers_a_week * agreed.weeks)
    rated = max(*(limit.n for limit in limits), TO_CLEAR)
    good = GoodPilot(endings.good, reading, answers, every)
    return Pilot(
        pd.DataFrame([*stops, *others(every, _one_in(good, rated)), HARM], columns=STOPS),
        tuple(limits),
        rated,
        reading,
        endings,
        good,
        agreed,
        promised.false_alarms,
        tuple(by_one(every)),
        tuple(used[2:]),
    )


def _unread(reading: Reading, allowed: Sequence[float]) -> list[float]:
    """The shares of bad and of misleading answers that raters found; all, where nobody read any; of other
    counts what is allowed, as reading is not what holds them."""
    rated = reading.rated
    read = (rated.bad / rated.n, rated.misleading / rated.n) if rated.n else (1.0, 1.0)
    return [*read, *allowed[2:]]


def _of_good_staff(reading: Reading, allowed: Sequence[float]) -> list[float]:
    """The shares that good staff leave: of other counts half of what is allowed."""
    return [*reading.used_by_good, *(each / 2 for each in allowed[2:])]


def _one_in(good: GoodPilot, rated: int) -> int:
    """Of how many answers that good staff use one is rated; each, where they use no more."""
    return max(1, round(good.used / rated))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
