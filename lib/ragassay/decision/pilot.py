"""The supervised pilot: what must be shown before it starts, how long it lasts and on how many answers, the
numbers by which it ends, and who watches. It tests the system together with its interim controls: what staff
used must meet what the gates require, though what the system answers does not yet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil

import pandas as pd

from ragassay import ranges
from ragassay.cases.made_probes import STAFF_ONLY
from ragassay.decision import alarm_limits
from ragassay.decision.alarm_limits import AlarmLimit
from ragassay.decision.criteria import FEWEST
from ragassay.decision.earlier_findings import OPEN
from ragassay.decision.error_findings import DECLINE, MISLEADING, NEEDLESS
from ragassay.decision.monitoring import BUDGETS, Promise, limits_of, worse
from ragassay.decision.recommendation import controls_of, named
from ragassay.decision.watched import AGAIN, GRAVE, RATERS, SLICE, Watched, watched
from ragassay.stats import clopper_pearson

STARTS = ["before it starts", "finding", "who shows it"]
STOPS = ["watched", "sample", "at most", "the pilot ends at", "noticed"]
CLOSED_OR_PROVEN = "Closed, or its control proven on {n} cases without a failure: {control}"
CLOSED_OR_SEARCHED = "Closed, or done and shown by a search of every indexed document: {control}"
IN_FORCE = "Every other interim control in force, and briefed to all staff of the pilot."
HARM = dict(
    zip(STOPS, ("harm to a customer, by anybody's report", "every used answer", "none", "1", ""), strict=True)
)
UNSTATED = "not stated"  # the default of the engagement's parameters
READING = (
    "Reading proven: of {n} answers of this run that raters rejected, mixed with accepted ones, the pilot's "
    "staff let none through (none of {n} still leaves up to {most:.0f} %)."
)


@dataclass(frozen=True)
class Terms:
    """For how many weeks a pilot lasts, and who watches it. weeks : in [1, 52]; ParameterError outside."""

    weeks: int = 8
    owner: str = "the owner"
    validator: str = "the validator"

    def __post_init__(self) -> None:
        ranges.check("pilot_weeks", self.weeks, "in [1, 52]")

    @classmethod
    def of(cls, weeks: int, record: Mapping[str, str]) -> "Terms":
        """With those whom the engagement's record names."""
        stated = {name: str(record.get(name) or UNSTATED) for name in ("owner", "validator")}
        return cls(weeks, **{name: who for name, who in stated.items() if who != UNSTATED})


@dataclass(frozen=True)
class Pilot:
    """A pilot: start conditions (STARTS) and stop numbers (STOPS) as tables, rated answers, and its terms."""

    starts: pd.DataFrame
    stops: pd.DataFrame
    rated: int
    terms: Terms
    chance: float

    def __str__(self) -> str:
        who, each_week = self.terms, ceil(self.rated / self.terms.weeks)
        return (
            f"The pilot starts when every start condition holds, and lasts {who.weeks} weeks and "
            f"{self.rated:,} rated answers. {_capital(who.validator)} rates {each_week} used answers a week, "
            f"drawn at random, and counts them against the stop numbers; {who.owner} ends the pilot on the "
            "day one is reached, and tells the approver. A pilot whose used answers are just as good as the "
            f"gates require ends wrongly with a chance of at most {100 * self.chance:g} %. A pilot that "
            "reaches its end is no release: that takes all that stands under before release."
        )


def supervised_pilot(
    gates: pd.DataFrame, findings: pd.DataFrame, promise: Promise | None = None, terms: Terms | None = None
) -> Pilot:
    """The pilot by the gates and the open Critical and High findings of this run.

    A stop number is the count of bad answers among the rated ones that is so rare where just as many are bad
    as the gate's threshold leaves that all of them together are reached wrongly at most as often as
    `promise` allows a year; it counts from the first day on, so that looking each week costs nothing.
    """
    promised, agreed = promise or Promise(), terms or Terms()
    every = _of_used_answers(watched(gates, findings))
    sampled = [each for each in every if each.is_sampled]
    chance = alarm_limits.chance_each(BUDGETS[0] * promised.false_alarms, len(sampled))
    limits = limits_of(sampled, chance, promised.rise)
    told = {each.name: (each, limit) for each, limit in zip(sampled, limits, strict=True)}
    rated = max((limit.n for limit in limits), default=FEWEST)
    stops = [_stop(*told[each.name], promised.rise) if each.name in told else _one(each) for each in every]
    return Pilot(
        pd.DataFrame(_starts(findings, agreed), columns=STARTS),
        pd.DataFrame([*stops, HARM], columns=STOPS),
        rated,
        agreed,
        promised.false_alarms,
    )


def _of_used_answers(every: Sequence[Watched]) -> list[Watched]:
    """What raters see in an answer that was used, and what findings rest on. A refusal is not used; one that
    should have declined misleads whoever uses it, and counts with those where both are watched."""
    names = {each.name.partition(" (")[0]: each.finding for each in every if each.finding}
    both = {DECLINE, MISLEADING} <= set(names)
    left_out = (NEEDLESS, DECLINE) if both else (NEEDLESS,)
    found = [
        replace(each, seen=RATERS) if each.is_sampled else each
        for each in every
        if (each.seen == RATERS or each.finding) and not each.name.startswith(left_out)
    ]
    told = f"{MISLEADING}, or {DECLINE} ({names.get(MISLEADING)}, {names.get(DECLINE)})"
    return [replace(each, name=told) if both and each.name.startswith(MISLEADING) else each for each in found]


def _starts(findings: pd.DataFrame, terms: Terms) -> list[dict]:
    """A row per interim control of the open Critical findings, one for those of the High ones, and that
    reading works, which is the control of those that have no other."""
    rows = [row for row in findings.to_dict("records") if row["severity"] in GRAVE and row["status"] == OPEN]
    asked: dict[str, list[Mapping]] = {}
    for row in rows:
        for text in dict.fromkeys(_shown(row["severity"], each) for each in controls_of(row) if each):
            held = asked.setdefault(text, [])
            held += [] if any(each is row for each in held) else [row]
    reading = READING.format(n=FEWEST, most=100 * clopper_pearson(0, FEWEST).high)
    others = [row for row in rows if not any(controls_of(row))]
    told = [(text, *named(held)[:2]) for text, held in asked.items()]
    told.append((reading, named(others)[0] or "all", terms.validator))
    return [dict(zip(STARTS, each, strict=True)) for each in told]


def _shown(severity: str, control: Mapping[str, str]) -> str:
    """What a start condition asks of a finding's control: no trial shows that documents are clear."""
    if severity != GRAVE[0]:
        return IN_FORCE
    form = CLOSED_OR_SEARCHED if control["shown_by"] == "documents" else CLOSED_OR_PROVEN
    return form.format(n=FEWEST, control=control["control"])


def _stop(row: Watched, limit: AlarmLimit, rise: float) -> dict:
    shown = f"{100 * worse(row.bad, rise):.0f} % ({100 * min(limit.power, 0.99):.0f} %)"
    found = row.name, f"{limit.n:,} {row.seen}", f"{100 * row.bad:.3g} % bad", f"{limit.limit:,} bad", shown
    return dict(zip(STOPS, found, strict=True))


def _one(row: Watched) -> dict:
    """What no answer that is used may show, and what only the trials of before show again."""
    if row.name.startswith(SLICE):
        found = row.name, f"its {row.n:,} cases, {AGAIN} at the end", "its criterion", "no number", ""
    else:
        passed_on = row.name.startswith(f"access: {STAFF_ONLY}")  # staff may read it, customers may not
        found = (
            row.name,
            "every answer passed on to a customer" if passed_on else "every used answer",
            "none",
            "1",
            "",
        )
    return dict(zip(STOPS, found, strict=True))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
