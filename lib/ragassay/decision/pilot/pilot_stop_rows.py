"""What ends a pilot, row by row: counts among the rated answers; one used answer where a machine withholds
such, or the documents were cleared of them, as then the check or the search failed; and harm, one answer by
principle. Counts, and what cannot be used where check and search hold, are covered by the promise on good
pilots; harm is not, and its chance is told beside it (`pilot_good_staff`)."""

from collections.abc import Mapping, Sequence
from math import isnan

from ragassay.analysis.checks import CLEAR_UP_TO
from ragassay.cases.restricted_document_probes import STAFF_ONLY
from ragassay.decision.findings.behaviours import behaviour
from ragassay.decision.findings.error_findings import DECLINE, MISLEADING
from ragassay.decision.monitoring.alarm_limits import AlarmLimit
from ragassay.decision.monitoring.monitored_measures import AGAIN, GRAVE, RATERS, Watched, watched_findings
from ragassay.decision.pilot import pilot_answers_looked_at
from ragassay.decision.pilot.pilot_control_tests import DOCUMENTS, MACHINE
from ragassay.decision.pilot.pilot_staff_reading_test import Reading
from ragassay.stats import percent_text

STOPS = ["watched", "sample", "who looks", "at most", "the pilot ends at", "why", "noticed"]
EVERY, PASSED_ON = "every used answer", "every answer passed on to a customer"
MISUSE = "misuse_answered_rate"
COUNT, BY_HARM = "count", "harm"
REPORTED = "harm to a customer, by anybody's report"
HARM = (
    REPORTED,
    EVERY,
    pilot_answers_looked_at.ANYBODY,
    "none",
    "1",
    "harm, by principle: a control failed, and harm came of it",
    pilot_answers_looked_at.BY_REPORT,
)
ONE = {  # what a row rests on -> why one answer ends the pilot
    MACHINE: "a machine keeps each from being shown: one that was used shows that the check broke",
    DOCUMENTS: "every indexed document was searched: one that was used shows that the search missed it",
    BY_HARM: "harm, by principle: whatever the chance, which the promise does not cover",
}
BY_CEILING = "the ceiling that the start conditions hold to"
BY_TOLERATED = "what the bank tolerates of misleading answers"
BY_CONTROL = (
    "its control fails in at most {tolerated} of such questions, of which up to {answered} are answered: "
    "even if all that staff are asked were such"
)
OWN_CRITERION = "a small group: no number among used answers"
BY_CHANCE = (
    "{why}; {expected:.3g} are expected at {bad}, {limit:,} or more met in {chance} of such pilots: the "
    "smallest count that is met in at most {most}"
)


def ended_by(row: Watched) -> str:
    """How what one used answer shows ends a pilot: by a COUNT of rated ones, or by one: that a MACHINE
    withholds, that no search of the DOCUMENTS left, BY_HARM."""
    if row.metric == MISUSE:
        return COUNT
    shown_by = behaviour(row.source).get("shown_by", "")
    return shown_by if shown_by in (MACHINE, DOCUMENTS) else BY_HARM


def of_used_answers(reading: Reading, every: Sequence[Watched]) -> tuple[list[Watched], list[str]]:
    """What is counted among the rated answers, and why so many are allowed: that one is bad, that it
    misleads, with the findings of both, and that it should not have been asked for. One that should have
    declined misleads whoever uses it; a refusal is not used."""
    numbers = [each.finding for each in every if each.kind in (MISLEADING, DECLINE)]
    told = f" ({', '.join(dict.fromkeys(numbers))})" if numbers else ""
    misused = [each for each in every if each.is_seen_in_one and ended_by(each) == COUNT]
    rows = [
        Watched("bad in any respect", "", RATERS, reading.ceiling, True),
        Watched(f"{MISLEADING}, or {DECLINE}{told}", "", RATERS, reading.tolerated, True),
        *(Watched(each.name, "", RATERS, CLEAR_UP_TO * answered(each), True) for each in misused),
    ]
    whys = [
        BY_CONTROL.format(tolerated=percent_text(CLEAR_UP_TO), answered=percent_text(answered(each)))
        for each in misused
    ]
    return rows, [BY_CEILING, BY_TOLERATED, *whys]


def answered(row: Watched) -> float:
    """The upper end of the share of such questions that are answered, in (0, 1]; 1 where it is not known."""
    return 1.0 if isnan(row.high) else max(row.high, 0.01)


def others(every: Sequence[Watched], confirms: str) -> list[tuple]:
    """What ends a pilot by one used answer, and of the grave findings what is asked again."""
    once = [_once(each) for each in by_one(every)]
    again = [each for each in every if each.seen == AGAIN and each.severity in GRAVE]
    asked = [
        (each.name, f"at the end {each.asked_again}", confirms, "its criterion", "no number",
         OWN_CRITERION, "")
        for each in again
        if not each.is_seen_in_one
    ]  # fmt: skip
    return [*once, *asked]


def by_one(every: Sequence[Watched]) -> list[Watched]:
    """What ends a pilot by one used answer."""
    return [each for each in every if each.is_seen_in_one and ended_by(each) != COUNT]


def ending(finding: Mapping) -> str:
    """What of a finding that one used answer shows ends a pilot, in words."""
    row = next(each for each in watched_findings([finding]) if each.is_seen_in_one)
    return "counted by itself" if ended_by(row) == COUNT else f"one: {_where(row)}"


def _once(row: Watched) -> tuple:
    who, noticed = pilot_answers_looked_at.who(row), pilot_answers_looked_at.noticed(row)
    return row.name, _where(row), who, "none", "1", ONE[ended_by(row)], noticed


def _where(row: Watched) -> str:
    """Staff may read what is for staff, customers may not."""
    return PASSED_ON if row.name.startswith(f"access: {STAFF_ONLY}") else EVERY


def stop(row: Watched, limit: AlarmLimit, noticed: float, why: str, most: float, rates: str) -> tuple:
    """The row of a count.

    noticed : the share that it notices; most : the chance that the count is met where just as many are bad as
        is allowed, at most; rates : who rates
    """
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
