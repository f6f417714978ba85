"""The supervised pilot: how long it lasts and on how many answers, the numbers by which it ends, and who does
what; what must be shown before it starts is among `first_steps`. It tests the system together with its
interim controls. Start and end hold to one ceiling: the largest share of the answers that staff use that may
be bad (`pilot_staff_reading_test`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
import pandas as pd

from ragassay.analysis.checks import TO_CLEAR
from ragassay.cases.restricted_document_probes import STAFF_ONLY
from ragassay.decision.findings.error_findings import DECLINE, MISLEADING
from ragassay.decision.monitoring import alarm_limits
from ragassay.decision.monitoring.alarm_limits import AlarmLimit
from ragassay.decision.monitoring.monitored_measures import (
    AGAIN,
    GRAVE,
    RATERS,
    Watched,
    watched,
    watched_findings,
)
from ragassay.decision.monitoring.monitoring import BUDGETS, Promise, limits_of, worse
from ragassay.decision.pilot import pilot_answers_looked_at
from ragassay.decision.pilot.pilot_length_and_roles import Terms
from ragassay.decision.pilot.pilot_staff_reading_test import Reading
from ragassay.decision.pilot.pilot_stop_simulation import Endings, simulate_endings
from ragassay.stats import clopper_pearson, percent_text

STOPS = ["watched", "sample", "who looks", "at most", "the pilot ends at", "why", "noticed"]
EVERY, PASSED_ON = "every used answer", "every answer passed on to a customer"
HARM = (
    "harm to a customer, by anybody's report",
    EVERY,
    pilot_answers_looked_at.ANYBODY,
    "none",
    "1",
    "a control failed, and harm came of it",
    pilot_answers_looked_at.BY_REPORT,
)
NO_CONTROL = "its control was shown before the start; one shows that it does not hold"
BY_CEILING = "the ceiling that the start conditions hold to"
BY_TOLERATED = "what the bank tolerates of misleading answers"
OWN_CRITERION = "a small group: no number among used answers"
BY_CHANCE = (
    "{why}; {expected:.3g} are expected at {bad}, {limit:,} or more met in {chance} of such pilots: the "
    "smallest count that is met in at most {most}"
)
SHARED = (
    "At most {most} for each count. What misleads is bad too, so the two rise together, and either is met "
    "wrongly in at most {kept} (1 − (1 − {most})²; the plain sum is {added}), which leaves a margin within "
    "the {promised} promised."
)


@dataclass(frozen=True)
class Pilot:
    """A pilot: stop numbers as a table (STOPS) and of bad and misleading answers as limits, rated answers,
    how often its numbers end it, and its terms."""

    stops: pd.DataFrame
    limits: tuple[AlarmLimit, AlarmLimit]
    rated: int
    reading: Reading
    endings: Endings
    terms: Terms
    promised: float
    once: tuple[Watched, ...] = ()

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
    def counted_endings(self) -> str:
        """What ends it by a count of rated answers, and by harm."""
        bad, misleading = self.limits
        return (
            f"{bad.limit} bad or {misleading.limit} misleading ones of {self.rated} rated; harm to a "
            "customer, by anybody's report"
        )

    @property
    def shared(self) -> str:
        """Where the chance comes from that a count may be met wrongly."""
        kept = BUDGETS[0] * self.promised
        most = alarm_limits.chance_each(kept, len(self.limits))
        return SHARED.format(
            most=percent_text(most, 1),
            kept=percent_text(kept, 1),
            added=percent_text(len(self.limits) * most, 1),
            promised=percent_text(self.promised),
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
        looked = pilot_answers_looked_at.in_words(self.once, who.owner, who.confirms)
        told = (
            f"{_capital(who.owner)} delivers what has to be shown before the start; {who.confirms} confirms "
            f"it, and the pilot starts when all is confirmed. It lasts until {who.weeks} weeks have passed "
            f"and {self.rated:,} used answers are rated. {_capital(who.confirms)} rates {each_week} used "
            f"answers a week, drawn at random, counts them, and ends the pilot on the day a stop number is "
            f"reached; {who.owner} then takes the assistant out of use, and the approver is told. "
            f"{_capital(who.owner)} may end it earlier, and may not carry it on. A pilot that reaches its "
            "end is no release."
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
    counts from the first day on, so that looking each week costs nothing. What one used answer shows ends the
    pilot by itself.
    """
    promised, agreed = promise or Promise(), terms or Terms()
    every = watched(gates, findings)
    used = _of_used_answers(reading, every)
    allowed = [each.bad for each in used]
    most = alarm_limits.chance_each(BUDGETS[0] * promised.false_alarms, len(used))
    limits = limits_of(used, most, promised.rise)
    noticed = [worse(bad, promised.rise) for bad in allowed]
    whys = (BY_CEILING, BY_TOLERATED)
    stops = [_stop(*each, most, agreed.confirms) for each in zip(used, limits, noticed, whys, strict=True)]
    return Pilot(
        pd.DataFrame([*stops, *_others(every, agreed.confirms), HARM], columns=STOPS),
        (limits[0], limits[1]),
        max(*(limit.n for limit in limits), TO_CLEAR),
        reading,
        simulate_endings(limits, allowed, noticed, _unread(reading), rng),
        agreed,
        promised.false_alarms,
        tuple(each for each in every if each.is_seen_in_one),
    )


def _of_used_answers(reading: Reading, every: Sequence[Watched]) -> list[Watched]:
    """What raters see in an answer that was used: that it is bad, and that it misleads, with the findings of
    both. One that should have declined misleads whoever uses it; a refusal is not used."""
    numbers = [each.finding for each in every if each.kind in (MISLEADING, DECLINE)]
    told = f" ({', '.join(dict.fromkeys(numbers))})" if numbers else ""
    return [
        Watched("bad in any respect", "", RATERS, reading.ceiling, True),
        Watched(f"{MISLEADING}, or {DECLINE}{told}", "", RATERS, reading.tolerated, True),
    ]


def _unread(reading: Reading) -> tuple[float, float]:
    """The shares of bad and of misleading answers that raters found; all, where nobody read any."""
    rated = reading.rated
    return (rated.bad / rated.n, rated.misleading / rated.n) if rated.n else (1.0, 1.0)


def _others(every: Sequence[Watched], confirms: str) -> list[tuple]:
    """What one used answer shows, and of the grave findings what is asked again."""
    once = [_once(each) for each in every if each.is_seen_in_one]
    again = [each for each in every if each.seen == AGAIN and each.severity in GRAVE]
    asked = [
        (
            each.name,
            f"at the end {each.asked_again}",
            confirms,
            "its criterion",
            "no number",
            OWN_CRITERION,
            "",
        )
        for each in again
        if not each.is_seen_in_one
    ]
    return [*once, *asked]


def once_where(finding: Mapping) -> str:
    """Among which answers one ends a pilot, that shows a finding (`finding_phases.ends_by_one`)."""
    return next(_where(each) for each in watched_findings([finding]) if each.is_seen_in_one)


def _once(row: Watched) -> tuple:
    return (
        row.name,
        _where(row),
        pilot_answers_looked_at.who(row),
        "none",
        "1",
        NO_CONTROL,
        pilot_answers_looked_at.noticed(row),
    )


def _where(row: Watched) -> str:
    """Staff may read what is for staff, customers may not."""
    return PASSED_ON if row.name.startswith(f"access: {STAFF_ONLY}") else EVERY


def _stop(row: Watched, limit: AlarmLimit, noticed: float, why: str, most: float, rates: str) -> tuple:
    """most : the chance that the count is met where just as many are bad as is allowed, at most"""
    told = BY_CHANCE.format(
        why=why,
        expected=limit.n * row.bad,
        bad=f"{100 * row.bad:.3g} %",
        limit=limit.limit,
        chance=percent_text(limit.chance, 1),
        most=percent_text(most, 1),
    )
    shown = f"{100 * noticed:.0f} % ({100 * min(limit.power, 0.99):.0f} %)"
    ends = f"{limit.limit:,} bad" if limit.limit <= limit.n else "no number"
    return row.name, f"{limit.n:,} {row.seen}", rates, f"{100 * row.bad:.3g} %", ends, told, shown


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
