"""What the retest of a release asks in all: how many answers raters read, for how long, how many trials a
machine judges, and whether that can be done by the day it is due."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from math import ceil
from typing import NamedTuple

import pandas as pd

from ragassay.decision.closing import finding_closure, finding_phases, joint_plan, where_set
from ragassay.decision.closing.criteria import Criterion
from ragassay.decision.findings.behaviours import metric_of
from ragassay.decision.findings.error_findings import DECLINE, FROM_ERRORS, KINDS
from ragassay.decision.findings.finding_texts import FROM_CHECK, FROM_GATE
from ragassay.decision.gates.gate_grammar import rated_by_people
from ragassay.decision.monitoring.monitoring import rounded

OF_ALL = "answers"  # what a kind of error is counted among where every question counts
TOLD = (
    "In all, a release asks for at least {read:,} new questions whose answers raters read, {hours:,.0f} "
    "hours a rater ({minutes:g} minutes each; one test set serves all rows of gates and errors)"
)
TRIALS = ", and for {n:,} trials that a machine judges, where one serves several rows fewer"
RATERS = 2  # of each answer: fewer show no agreement
BY_WHEN = (
    " Written anew ({write:g} minutes each, as is assumed) and rated by {raters} they take {hours:,.0f} "
    "hours{more}: at {a_week:,.0f} a week {weeks} weeks, to {ready}{latest}, {when} they are due "
    "({due}){late}"
)
MORE = ", and up to {n:,} of the trials, of which the kit makes no new ones, up to {hours:,.0f} more to write"
LATEST = " at the earliest and {day} at the latest"
LATE = (
    ": nothing is released before they are met, and a finding open after its day is overdue, unless the "
    "approver sets a later one in writing"
)
TOO_LATE = (
    "What a release asks for is written and rated by {ready} at the earliest, after {due}: table “{table}”."
)
PRICE = "{hours} hours to write and rate what is asked anew"


@dataclass(frozen=True)
class Load:
    """How long a rater reads an answer (`minutes`) and a person writes a question (`minutes_to_write`), hours
    a week that the bank has for both, and the day of the report (ISO date, "" where not known)."""

    minutes: float
    minutes_to_write: float
    hours_a_week: float
    today: str = ""

    def weeks(self, questions: int, trials: int = 0) -> int:
        """Whole weeks for so many questions, written and rated, and so many trials, written."""
        return ceil(self.hours(questions, trials) / self.hours_a_week)

    def ready(self, questions: int, trials: int = 0) -> str:
        """The day on which that is done (ISO); "" where today or the hours are not known."""
        if not self.today or self.hours_a_week <= 0:
            return ""
        weeks = timedelta(weeks=self.weeks(questions, trials))
        return (date.fromisoformat(self.today) + weeks).isoformat()

    def hours(self, questions: int, trials: int = 0) -> float:
        """Hours for so many questions, written and rated, and so many trials, written."""
        return (
            questions * (self.minutes_to_write + RATERS * self.minutes) + trials * self.minutes_to_write
        ) / 60


class Asked(NamedTuple):
    """How many answers raters read for a release at least, how many trials a machine judges, and how many of
    these are questions that a person writes, at most."""

    read: int
    trials: int
    written: int


def in_words(findings: pd.DataFrame, load: Load) -> str:
    """The least number of questions, in a sentence, and when they are answered and rated; "" where a release
    waits for none.

    findings : of `findings.raise_findings`
    """
    asked = _asked(findings)
    if not asked.read:
        return ""
    told = TOLD.format(read=asked.read, hours=asked.read * load.minutes / 60, minutes=load.minutes)
    more = TRIALS.format(n=asked.trials) if asked.trials else ""
    return f"{told}{more}.{_by_when(asked, _first_due(findings), load)}"


def in_short(findings: pd.DataFrame, load: Load) -> str:
    """What that takes of people, in a clause for the summary: from the hours of the questions to those with
    every trial that has to be written; "" where raters read none."""
    asked = _asked(findings)
    hours = [load.hours(asked.read), load.hours(asked.read, asked.written)]
    told = " to ".join(dict.fromkeys(rounded(each, 2) for each in hours))
    return PRICE.format(hours=told) if asked.read else ""


def too_late(findings: pd.DataFrame, load: Load) -> str:
    """That what a release asks for cannot be done by the first day it is due, in a sentence; "" where it can,
    and where no day is known."""
    read, due = _asked(findings).read, _first_due(findings)
    ready = load.ready(read) if read else ""
    return TOO_LATE.format(ready=ready, due=due, table=finding_closure.TABLE) if due and ready > due else ""


def _asked(findings: pd.DataFrame) -> Asked:
    rows = joint_plan.of_release(findings.to_dict("records"))
    every = {**rows.planned, **rows.none_fails, **rows.unknown}
    trials = {source: n for source, n in _numbers(every) if source.startswith(FROM_CHECK)}
    written = sum(n for source, n in trials.items() if where_set.is_written(source))
    return Asked(answers_read(every), sum(trials.values()), written)


def _first_due(findings: pd.DataFrame) -> str:
    """The first day on which a finding is due that a release waits for; "" where none is known."""
    rows = findings.to_dict("records")
    return min((str(rows[place].get("due") or "") for place in finding_phases.bound(rows)), default="")


def _by_when(asked: Asked, due: str, load: Load) -> str:
    """When that is written and rated, and whether it is after the due day; "" where a day is not known."""
    read, written, ready = asked.read, asked.written, load.ready(asked.read)
    if not (due and ready):
        return ""
    is_late = ready > due
    weeks = dict.fromkeys([load.weeks(read), load.weeks(read, written)])
    more = MORE.format(n=written, hours=load.hours(0, written)) if written else ""
    return BY_WHEN.format(
        write=load.minutes_to_write,
        raters=RATERS,
        hours=load.hours(read),
        a_week=load.hours_a_week,
        more=more,
        weeks=" to ".join(map(str, weeks)),
        latest=LATEST.format(day=load.ready(read, written)) if len(weeks) > 1 else "",
        ready=ready,
        when="after" if is_late else "before",
        due=due,
        late=f"{LATE if is_late else ''}.",
    )


def answers_read(rows: Mapping[str, Criterion]) -> int:
    """The fewest answers of one test set that serve every row of gates of raters and of kinds of error:
    questions with an answer and without one are counted by themselves."""
    read = [(source, n) for source, n in _numbers(rows) if _is_read(source)]
    among = {False: 0, True: 0, None: 0}
    for source, n in read:
        among[_without_answer(source)] = max(n, among[_without_answer(source)])
    return max(among[None], among[True] + among[False])


def _numbers(rows: Mapping[str, Criterion]) -> list[tuple[str, int]]:
    return [(source, max(each.fewest, each.of_kind)) for source, each in rows.items()]


def _is_read(source: str) -> bool:
    return source.startswith(FROM_ERRORS) or (
        source.startswith(FROM_GATE) and rated_by_people(metric_of(source))
    )


def _without_answer(source: str) -> bool | None:
    """Whether a row is counted among questions without an answer; None of a row among all."""
    kind = KINDS.get(source.removeprefix(FROM_ERRORS))
    return None if kind is None or kind.among == OF_ALL else kind.among == KINDS[DECLINE].among
