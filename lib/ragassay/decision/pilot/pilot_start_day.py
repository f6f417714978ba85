"""By when a pilot starts, and what becomes of the due days of the findings that it holds, by what its start
takes (`pilot_start_effort`)."""

from math import isnan

from ragassay.analysis.checks import TO_CLEAR
from ragassay.decision.monitoring.monitoring import rounded
from ragassay.decision.pilot.pilot_start_effort import UNKNOWN, StartEffort

OVERDUE = "No pilot starts while a finding that it would hold is overdue{first}."
TAKES = (
    "At {a_week:,.0f} hours a week, as many as reading takes in the pilot, the {hours:,.0f} hours of a first "
    "attempt are {weeks:,.0f} weeks, to {ready}: {found}; with a second attempt, to {second}."
)
IN_TIME, TOO_LATE = "in time", "after that day"
SET_LATER = (
    "Before {due} passes the approver may set, in writing and once, a later due day for all that the pilot "
    "holds and a release waits for: its last day, {last} at the latest, for a start by {start}. That is an "
    "act of the approver under the bank's own rules and needs no signed report. Until the start nobody "
    "uses the assistant; where no day is set, or the start is missed, no pilot starts, and the "
    "recommendation is void."
)
CHECKED = (
    "On an original due day that falls into the pilot {confirms} checks that control anew: of staff by the "
    "counts so far, of a machine by its {cases} cases, of documents by a new search; one that does not hold "
    "ends the pilot."
)
NOT_COUNTED = "closing findings, building checks and marking documents not counted"
ONLY_IF = "No pilot starts unless the approver sets a later due day in writing by {due}"


def in_words(effort: StartEffort, confirms: str) -> str:
    """The rule on the days, with those of this pilot where they are known.

    confirms : who confirms the start
    """
    first = f"; the first is due on {effort.due}" if effort.due else ""
    told = [OVERDUE.format(first=first), UNKNOWN if isnan(effort.hours()) else _takes(effort)]
    if effort.starts_by:
        told += [SET_LATER.format(due=effort.due, last=effort.ends_by, start=effort.starts_by)]
    told += [CHECKED.format(confirms=confirms, cases=TO_CLEAR)] if effort.has_due_day_inside else []
    return " ".join(filter(None, told))


def in_short(effort: StartEffort) -> str:
    """What the recommendation of a pilot says of it: what it takes to its end, its start by when, and what
    else if that is after the first due day; "" where nothing is known of either."""
    about = _about(effort) if effort.hours() > 0 else ""
    if not effort.starts_by:
        return f": {about}" if about else ""
    if effort.is_in_time:
        return f", by {effort.due}: {about}" if about else f", by {effort.due}"
    return f": {about}. {ONLY_IF.format(due=effort.due)}"


def _about(effort: StartEffort) -> str:
    """The hours to the pilot's end, those of its start, and what a second attempt adds."""
    whole, start, more = (
        rounded(each, 2) for each in (effort.whole, effort.hours(), effort.hours(2) - effort.hours())
    )
    by = f" ({effort.hours_a_week:,.0f} a week, to {effort.ready()})" if effort.ready() else ""
    of_start = f"{start} of them before its start{by}"
    return f"about {whole} hours to the pilot's end, {of_start}; a second attempt adds {more}; {NOT_COUNTED}"


def _takes(effort: StartEffort) -> str:
    """How long the work takes, and whether that is in time; "" where no day is known."""
    if not effort.starts_by:
        return ""
    return TAKES.format(
        a_week=effort.hours_a_week,
        hours=effort.hours(),
        weeks=effort.weeks(),
        ready=effort.ready(),
        found=IN_TIME if effort.is_in_time else TOO_LATE,
        second=effort.ready(2),
    )
