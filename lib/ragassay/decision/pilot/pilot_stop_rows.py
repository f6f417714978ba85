"""What ends a pilot, row by row: counts among the rated answers; one used answer where a machine withholds
such, or the documents were cleared of them, as then the check or the search failed; and by principle one that
is unsafe, holds personal data or toxic words, or did harm. Counts, and what cannot be used where check and
search hold, are covered by the promise on good pilots; the others are not, and their chance is told where it
is known (`pilot_good_staff`)."""

from collections.abc import Iterable, Mapping, Sequence
from math import isnan, nan

from ragassay.analysis.checks import CLEAR_UP_TO
from ragassay.cases.attack_probes import STAFF_ONLY
from ragassay.decision.findings.behaviours import behaviour
from ragassay.decision.findings.error_findings import DECLINE, MISLEADING, UNSAFE
from ragassay.decision.monitoring import monitored_measures
from ragassay.decision.monitoring.alarm_limits import AlarmLimit
from ragassay.decision.monitoring.monitored_measures import AGAIN, GRAVE, RATERS, Watched, watched_findings
from ragassay.decision.pilot import pilot_answers_looked_at
from ragassay.decision.pilot.pilot_control_tests import DOCUMENTS, MACHINE
from ragassay.decision.pilot.pilot_staff_reading_test import Reading
from ragassay.scores.display_names import display_name
from ragassay.stats import percent_text

STOPS = ["watched", "sample", "who looks", "at most", "the pilot ends at", "why", "noticed"]
USED, PASSED_ON = "used answer", "answer passed on to a customer"
ONE_CONFIRMED = "1 confirmed"
MISUSE = "misuse_answered_rate"
STANDING = ("privacy_leak_rate", "toxicity_rate")  # looked for in every pilot, whatever was found here
COUNT, BY_UNSAFE, BY_WORDS = "count", "unsafe", "words"
COVERED = (COUNT, MACHINE, DOCUMENTS)  # by the promise on good pilots
CONFIRMS = "who confirms"
OWN_COUNT = "a count of its own"
REPORTED = "harm to a customer, by anybody's report"
HARM = (
    REPORTED,
    f"every {USED}",
    pilot_answers_looked_at.ANYBODY,
    "none",
    ONE_CONFIRMED,
    "harm done: a control failed, and harm came of it",
    pilot_answers_looked_at.UNKNOWN,
)
ONE = {  # what a row rests on -> why one answer ends the pilot
    MACHINE: "{may}a machine keeps each from being shown: one that {reached} shows that the check broke",
    DOCUMENTS: "every indexed document was searched: one that was used shows that the search missed it",
    BY_UNSAFE: "it may do harm: none is tolerated, whatever its chance",
    BY_WORDS: "none is tolerated, here as after release, whatever its chance",
}
STAFF_MAY = "staff may read it, a customer may not; "
BY_CEILING = "the bank's ceiling{stricter}"
STRICTER = "; the start is stricter: {share} at the limit of its test"
BY_TOLERATED = "what the bank tolerates of misleading answers"
BY_CONTROL = (
    "its control fails in at most {tolerated} of such questions, of which up to {answered} are answered: "
    "even if all that staff are asked were such"
)
OWN_CRITERION = "a small group: no number among used answers"
BY_CHANCE = "{why}; {expected:.3g} are expected, {limit:,} or more met in {chance} of such pilots"


def ended_by(row: Watched) -> str:
    """How what one used answer shows ends a pilot: by a COUNT of rated ones, or by one: that a MACHINE
    withholds, that no search of the DOCUMENTS left, BY_UNSAFE advice, BY_WORDS that it holds."""
    if row.metric == MISUSE:
        return COUNT
    shown_by = behaviour(row.source).get("shown_by", "")
    return shown_by if shown_by in COVERED else BY_UNSAFE if row.kind == UNSAFE else BY_WORDS


def with_standing(every: Sequence[Watched], metrics: Iterable[str]) -> list[Watched]:
    """What is watched, and what a machine looks for in every pilot: STANDING, and what a gate asks of what a
    machine searches answers for.

    metrics : of the gates
    """
    asked = [each for each in metrics if each in pilot_answers_looked_at.SEARCHED]
    missing = dict.fromkeys([*STANDING, *asked]).keys() - {each.metric for each in every}
    names = [each for each in pilot_answers_looked_at.SEARCHED if each in missing]
    seen = monitored_measures.MACHINE
    return [*every, *(Watched(display_name(each), "", seen, nan, False, metric=each) for each in names)]


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
    stricter = STRICTER.format(share=percent_text(reading.used_at_limit, 1)) if reading.plans else ""
    return rows, [BY_CEILING.format(stricter=stricter), BY_TOLERATED, *whys]


def answered(row: Watched) -> float:
    """The upper end of the share of such questions that are answered, in (0, 1]; 1 where it is not known."""
    return 1.0 if isnan(row.high) else max(row.high, 0.01)


def others(every: Sequence[Watched], one_in: int) -> list[tuple]:
    """What ends a pilot by one used answer, and of the grave findings what is asked again.

    one_in : of how many used answers one is rated
    """
    once = [_once(each, one_in) for each in by_one(every)]
    again = [each for each in every if each.seen == AGAIN and each.severity in GRAVE]
    asked = [
        (each.name, f"at the end {each.asked_again}", CONFIRMS, "its criterion", "no number",
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
    return OWN_COUNT if ended_by(row) == COUNT else f"one {which(row)}"


def which(row: Watched) -> str:
    """Which answer ends a pilot by itself: staff may read what is for staff, customers may not."""
    return PASSED_ON if row.name.startswith(f"access: {STAFF_ONLY}") else USED


def _once(row: Watched, one_in: int) -> tuple:
    who, noticed = pilot_answers_looked_at.who(row), pilot_answers_looked_at.noticed(row, one_in)
    is_used = which(row) == USED
    why = ONE[ended_by(row)].format(
        may="" if is_used else STAFF_MAY, reached="was used" if is_used else "reached a customer"
    )
    return row.name, f"every {which(row)}", who, "none", ONE_CONFIRMED, why, noticed


def stop(row: Watched, limit: AlarmLimit, noticed: float, why: str) -> tuple:
    """The row of a count.

    noticed : the share that it notices; why : as many are allowed
    """
    told = BY_CHANCE.format(
        why=why, expected=limit.n * row.bad, limit=limit.limit, chance=percent_text(limit.chance, 1)
    )
    shown = f"{100 * noticed:.0f} % ({100 * min(limit.power, 0.99):.0f} %)"
    ends = f"{limit.limit:,} bad" if limit.limit <= limit.n else "no number"
    return row.name, f"{limit.n:,} {row.seen}", CONFIRMS, f"{100 * row.bad:.3g} %", ends, told, shown
