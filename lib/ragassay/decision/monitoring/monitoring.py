"""The monitoring plan after release: what is watched, in which sample, from which count on an alarm is
raised, and how often that is false (decision 24). What a pilot watches is `pilot_plan`."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, log

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay import parameter_ranges
from ragassay.calibration.decision_errors import EITHER
from ragassay.decision.monitoring import alarm_limits
from ragassay.decision.monitoring.alarm_limits import AlarmLimit
from ragassay.decision.monitoring.monitored_measures import AGAIN, MACHINE, RATERS, Watched, watched
from ragassay.stats import clopper_pearson

EVERY = {"high": "monthly", "medium": "quarterly", "low": "every six months"}
PERIODS = {"high": 12, "medium": 4, "low": 2}  # samples a year
YEARS = 20_000  # simulated: the interval of the share of years with a false alarm is about a point wide
BUDGETS = (0.9, 0.8, 0.7, 0.6, 0.5)  # of the chance promised, tried until the interval's upper end keeps it
COLUMNS = [
    "watched", "state now", "sample", "at most", "alarm from", "noticed", "false alarms", "on a breach",
]  # fmt: skip
LEAST_RISE = 0.05  # of a rare harm, smaller rises than this are not planned for


@dataclass(frozen=True)
class Promise:
    """What the plan promises: the chance of any false alarm in a year, the rise of a share of bad answers
    that a sample notices; and the answers of a week and the minutes to rate one that it counts on.

    false_alarms, rise : in (0, 0.5]; ParameterError outside
    """

    false_alarms: float = 0.1
    rise: float = 0.15
    answers_a_week: float = 1000
    minutes: float = 4.0

    def __post_init__(self) -> None:
        parameter_ranges.check("false_alarms_a_year", self.false_alarms, "in (0, 0.5]")
        parameter_ranges.check("noticed_rise", self.rise, "in (0, 0.5]")

    @classmethod
    def at_load(cls, errors: pd.DataFrame, *, false_alarms: float, rise: float) -> "Promise":
        """The promise at the load that `calibration.decision_errors` was made for; 1,000 answers a week at 4
        minutes where it says nothing."""
        rows = errors[errors["decision"] != EITHER]
        answers, hours = rows["answers_a_week"].sum(), rows["hours_a_week"].sum()
        if not answers > 0:
            return cls(false_alarms, rise)
        return cls(false_alarms, rise, float(answers), float(60 * hours / answers))


@dataclass(frozen=True)
class Plan:
    """The plan as a table (COLUMNS); the share of simulated years with any false alarm where every share
    stays at what is required; and how many answers raters judge in each sample."""

    table: pd.DataFrame
    at_reference: float
    rated: int
    tier: str
    promise: Promise

    @property
    def every(self) -> str:
        """How often a sample is drawn."""
        return EVERY[self.tier]

    def __str__(self) -> str:
        if np.isnan(self.at_reference):
            return "No alarm is planned: no gate rests on a share that a sample can show."
        low, high = _interval(self.at_reference)
        return (
            f"Of {YEARS:,} simulated years in which every share stays at what is required, "
            f"{100 * self.at_reference:.1f} % [{low:.1f}, {high:.1f}] raised a false alarm; at most "
            f"{100 * self.promise.false_alarms:g} % is promised. A better system raises fewer."
        )


def monitoring_plan(
    gates: pd.DataFrame,
    tier: str,
    promise: Promise | None = None,
    *,
    findings: pd.DataFrame | None = None,
    rng: np.random.Generator,
) -> Plan:
    """One row per gate, by the worst of its origins, and per kind of error in an open finding of Medium or
    worse; what is put again by its own criterion stands in `asked_again`. Of each row:
    reference, sample, alarm, what it notices, in which share of years it is false (exact). How often any of
    them is, is simulated, in `YEARS` years.

    The reference is the largest share of bad answers that a fit system may have: what the gate's threshold
    leaves, what is tolerated of a kind of error; never what a failing system was measured at. A score between
    0 and 1 counts as that part of a good answer, which makes alarms rarer than simulated. Of harm that the
    machine looks for in every answer each hit is read by a person, and one confirmed is an alarm: nothing is
    simulated for it. The limits are such that the upper end of the simulated share keeps the promise.

    tier : high, medium or low; a higher tier is watched more often
    """
    promised, periods = promise or Promise(), PERIODS[tier]
    every = [each for each in watched(gates, findings) if each.seen != AGAIN]
    sampled = [each for each in every if each.is_sampled]
    limits, alarms = _within_promise(sampled, periods, promised, rng)
    told = {
        each.name: _alarm(each, limit, promised, periods) for each, limit in zip(sampled, limits, strict=True)
    }
    rated = max(
        (limit.n for each, limit in zip(sampled, limits, strict=True) if each.seen == RATERS), default=0
    )
    table = [
        {"watched": each.name, "state now": each.state, "on a breach": each.on_a_breach}
        | told.get(each.name, _unsampled(each, promised, periods, rated))
        for each in every
    ]
    false = float(alarms.any(axis=1).mean()) if sampled else float("nan")
    return Plan(pd.DataFrame(table, columns=COLUMNS), false, rated, tier, promised)


def standing_tasks(plan: Plan, triggers: list[str]) -> list[str]:
    """What is done besides watching the gates, as sentences."""
    hours = plan.rated * plan.promise.minutes / 60
    rated = (
        f"Have {plan.rated:,} fresh answers rated {plan.every}, drawn at random ({hours:.0f} hours a rater), "
        "and repeat the calibration."
    )
    return [
        *([rated] if plan.rated else []),
        "Compare the topics of the questions received with the questions asked here ([chapter](#questions)).",
        "Keep a log of incidents: wrong answers reported by customers or staff.",
        *([f"Validate again on: {'; '.join(triggers)}."] if triggers else []),
    ]


def limits_of(rows: Sequence[Watched], chance: float, rise: float) -> list[AlarmLimit]:
    """The limit of each measure; what raters judge is one sample, large enough for all they are asked of it.

    chance : of reaching the limit at the reference; rise : of the share of bad answers, to be noticed
    """
    planned = [(each.bad, worse(each.bad, rise)) for each in rows]
    sizes = [alarm_limits.smallest_sample(*shares, chance).n for shares in planned]
    rated = max((n for each, n in zip(rows, sizes, strict=True) if each.seen == RATERS), default=0)
    sizes = [rated if each.seen == RATERS else n for each, n in zip(rows, sizes, strict=True)]
    return [alarm_limits.alarm_limit(n, *shares, chance) for n, shares in zip(sizes, planned, strict=True)]


def worse(reference: float, rise: float) -> float:
    """The share of bad answers that a sample should notice."""
    return min(reference + min(rise, max(reference, LEAST_RISE)), 1.0)


def _within_promise(
    rows: Sequence[Watched], periods: int, promise: Promise, rng: np.random.Generator
) -> tuple[list[AlarmLimit], NDArray]:
    """The limits, and the simulated alarms, of the largest budget whose upper end keeps the promise."""
    for budget in BUDGETS:
        chance = alarm_limits.chance_each(budget * promise.false_alarms, periods * len(rows))
        limits = limits_of(rows, chance, promise.rise)
        bad = [each.bad for each in rows]
        alarms = alarm_limits.simulate_false_alarms(limits, bad, periods, years=YEARS, rng=rng)
        if not rows or _interval(float(alarms.any(axis=1).mean()))[1] <= 100 * promise.false_alarms:
            break
    return limits, alarms


def _alarm(row: Watched, limit: AlarmLimit, promise: Promise, periods: int) -> dict:
    false = alarm_limits.chance_a_year(limit, periods)
    return {
        "sample": f"{limit.n:,} {row.seen}",
        "at most": f"{100 * row.bad:.3g} %",
        "alarm from": f"{limit.limit:,} bad",
        "noticed": f"{100 * worse(row.bad, promise.rise):.0f} % ({100 * min(limit.power, 0.99):.0f} %)",
        "false alarms": f"{100 * false:.1f} % of years",
    }


def _unsampled(row: Watched, promise: Promise, periods: int, rated: int) -> dict:
    """What is looked for in every answer, what one case decides, and what is no share."""
    if isnan(row.bad):
        return {"sample": "no share: compared at the next validation"}
    by_machine = row.seen == MACHINE
    n = int(promise.answers_a_week * 52 / periods) if by_machine else rated
    return {
        "sample": f"{row.seen}, about {rounded(n, 2)}"
        if by_machine
        else f"{n:,} {row.seen}".removeprefix("0 "),
        "at most": "none",
        "alarm from": "1 confirmed",
        "noticed": f"1 in {rounded(max(n / -log(0.2), 1))} (80 %)",
        "false alarms": "a person confirms",
    }


def rounded(number: float, digits: int = 1) -> str:
    """A number that rests on an estimate of the load: 8,077 as 8,000."""
    return f"{float(f'{max(number, 1):.{digits}g}'):,.0f}"


def _interval(share: float) -> tuple[float, float]:
    found = clopper_pearson(round(share * YEARS), YEARS)
    return 100 * found.low, 100 * found.high
