"""The monitoring plan: what is watched after approval, in which sample, from which count on an alarm is
raised, and how often that is false (decision 24)."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log

import numpy as np
import pandas as pd

from ragassay import ranges
from ragassay.calibration.decision_errors import EITHER
from ragassay.cases.origins import OUTSIDE, PROBE, VARIATION
from ragassay.decision import alarm_limits, gate_texts
from ragassay.decision.alarm_limits import AlarmLimit
from ragassay.decision.gate_grammar import rated_by_people
from ragassay.decision.gates import PASS, worst_rows
from ragassay.scores.names import display_name
from ragassay.stats import clopper_pearson

EVERY = {"high": "monthly", "medium": "quarterly", "low": "every six months"}
PERIODS = {"high": 12, "medium": 4, "low": 2}  # samples a year
YEARS = 1000  # simulated
RATERS, MACHINE, QUESTIONS = "rated answers", "every answer", "labelled questions"
COLUMNS = [
    "watched", "state now", "sample", "accepted", "alarm from", "noticed", "false alarms", "on a breach",
]  # fmt: skip
ASKED_BY_KIT = (PROBE, OUTSIDE, VARIATION)  # questions that no user sends: they are asked anew
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
        ranges.check("false_alarms_a_year", self.false_alarms, "in (0, 0.5]")
        ranges.check("noticed_rise", self.rise, "in (0, 0.5]")

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
    """The plan as a table (COLUMNS); the share of simulated years with any false alarm, at the references and
    at what was measured; and how many answers raters judge in each sample."""

    table: pd.DataFrame
    at_reference: float
    at_measured: float
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
            f"Of {YEARS:,} simulated years without any change {100 * self.at_reference:.1f} % "
            f"[{low:.1f}, {high:.1f}] raised a false alarm where every share stayed at what was accepted, "
            f"{100 * self.at_measured:.1f} % where it stayed as measured; at most "
            f"{100 * self.promise.false_alarms:g} % is promised."
        )


def monitoring_plan(
    gates: pd.DataFrame, tier: str, promise: Promise | None = None, *, rng: np.random.Generator
) -> Plan:
    """One row per gate, by the worst of its origins: reference, sample, alarm, what it notices, how often it
    is false in `YEARS` simulated years.

    The reference is the share of bad answers that was accepted: at the gate's threshold, or, where less was
    reached, at the bound measured; so a plan alarms for what changes, not for what was known. A score
    between 0 and 1 counts as that part of a good answer, which makes alarms rarer than simulated. Of harm
    that the machine looks for in every answer each hit is read by a person, and one confirmed is an alarm:
    nothing is simulated for it.

    tier : high, medium or low; a higher tier is watched more often
    """
    promised, rows = promise or Promise(), worst_rows(gates).to_dict("records")
    periods = PERIODS[tier]
    sampled = [row for row in rows if gate_texts.is_share(row["metric"]) and seen_by(row) != MACHINE]
    limits = _limits(
        sampled, alarm_limits.chance_each(promised.false_alarms, periods * len(sampled)), promised
    )
    accepted, likely = ([each(row) for row in sampled] for each in (_reference, _likely))
    alarms, expected = (
        alarm_limits.simulate_false_alarms(limits, bad, periods, years=YEARS, rng=rng)
        for bad in (accepted, likely)
    )
    told = {
        row["gate"]: _alarm(row, limit, promised, share)
        for row, limit, share in zip(sampled, limits, alarms.mean(axis=0), strict=True)
    }
    table = [_watched(row) | told.get(row["gate"], _unsampled(row, promised, periods)) for row in rows]
    false, likely_false = (
        float(each.any(axis=1).mean()) if sampled else float("nan") for each in (alarms, expected)
    )
    rated = [limit.n for row, limit in zip(sampled, limits, strict=True) if seen_by(row) == RATERS]
    made = pd.DataFrame(table, columns=COLUMNS)
    return Plan(made, false, likely_false, max(rated, default=0), tier, promised)


def standing_tasks(plan: Plan, gates: pd.DataFrame, triggers: list[str]) -> list[str]:
    """What is done besides watching the gates, as sentences."""
    weak = [
        display_name(row["gate"]) for row in worst_rows(gates).to_dict("records") if row["outcome"] != PASS
    ]
    hours = plan.rated * plan.promise.minutes / 60
    rated = (
        f"Have {plan.rated:,} fresh answers rated {plan.every}, drawn at random ({hours:.0f} hours a rater), "
        "and repeat the calibration."
    )
    return [
        *([rated] if plan.rated else []),
        "Compare the topics of the questions received with those of chapter 1.",
        "Keep a log of incidents: wrong answers reported by customers or staff.",
        *([f"Watch first what did not pass: {'; '.join(weak)}."] if weak else []),
        *([f"Validate again on: {'; '.join(triggers)}."] if triggers else []),
    ]


def seen_by(row: Mapping) -> str:
    """Who sees a bad answer in use: raters of a sample, the machine on all answers, labelled questions."""
    if rated_by_people(row["metric"]):
        return RATERS
    return MACHINE if row["bound"] == "high" and row["origin"] not in ASKED_BY_KIT else QUESTIONS


def _limits(rows: list[dict], chance: float, promise: Promise) -> list[AlarmLimit]:
    """The limit of each row; what raters judge is one sample, large enough for all they are asked of it."""
    planned = [(_reference(row), _worse(_reference(row), promise.rise)) for row in rows]
    sizes = [alarm_limits.smallest_sample(*shares, chance).n for shares in planned]
    rated = max((n for row, n in zip(rows, sizes, strict=True) if seen_by(row) == RATERS), default=0)
    sizes = [rated if seen_by(row) == RATERS else n for row, n in zip(rows, sizes, strict=True)]
    return [alarm_limits.alarm_limit(n, *shares, chance) for n, shares in zip(sizes, planned, strict=True)]


def _reference(row: Mapping) -> float:
    """The share of bad answers accepted: at the threshold, or at the bound measured if that is worse."""
    known = [_bad(row, each) for each in (row["threshold"], row[row["bound"]]) if each == each]
    return min(max(known), 0.95)


def _likely(row: Mapping) -> float:
    """The share of bad answers measured; the reference where none was."""
    return _bad(row, row["value"]) if row["value"] == row["value"] else _reference(row)


def _worse(reference: float, rise: float) -> float:
    return min(reference + min(rise, max(reference, LEAST_RISE)), 1.0)


def _bad(row: Mapping, value: float) -> float:
    return 1 - value if row["bound"] == "low" else value


def _watched(row: Mapping) -> dict:
    return {
        "watched": display_name(row["gate"]),
        "state now": row["outcome"],
        "on a breach": "stop, inform the approver" if row["critical"] else "finding, cause within 30 days",
    }


def _alarm(row: Mapping, limit: AlarmLimit, promise: Promise, false: float) -> dict:
    worse = _worse(_reference(row), promise.rise)
    return {
        "sample": f"{limit.n:,} {seen_by(row)}",
        "accepted": f"{100 * _reference(row):.0f} %",
        "alarm from": f"{limit.limit:,} bad",
        "noticed": f"{100 * worse:.0f} % ({100 * min(limit.power, 0.99):.0f} %)",
        "false alarms": f"{100 * false:.1f} % of years",
    }


def _unsampled(row: Mapping, promise: Promise, periods: int) -> dict:
    """What is looked for in every answer, and what is no share."""
    if not gate_texts.is_share(row["metric"]):
        return {"sample": "no share: compared at the next validation"}
    n = max(int(promise.answers_a_week * 52 / periods), 1)
    return {
        "sample": f"{MACHINE}, about {n:,}",
        "accepted": "none",
        "alarm from": "1 confirmed",
        "noticed": f"1 in {max(n / -log(0.2), 1):,.0f} (80 %)",
        "false alarms": "a person confirms",
    }


def _interval(share: float) -> tuple[float, float]:
    found = clopper_pearson(round(share * YEARS), YEARS)
    return 100 * found.low, 100 * found.high
