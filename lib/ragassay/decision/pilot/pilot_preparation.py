"""What comes before the conditions of a pilot's start are worked on: what the approver does, then the small
trial, so that nothing is prepared that cannot start."""

from ragassay.decision.closing.finding_phases import START
from ragassay.decision.pilot.pilot_length_and_roles import Terms
from ragassay.decision.pilot.pilot_staff_reading_test import Reading
from ragassay.decision.pilot.pilot_start_effort import StartEffort
from ragassay.decision.pilot.pilot_trial import answers_read

APPROVER, TRIAL, THEN = "The approver", "A small trial of staff", "Then the approver"
NAMES = "names who confirms, rates and counts, and another as examiner{raters}"
RATERS = ", and two raters who judge independently"
SETS = "sets a later due day in writing, before {due} passes: where none is set, no pilot starts"
BEFORE_ALL = "{hours:,.0f} hours of reading, before anything else is prepared"


def steps(effort: StartEffort, reading: Reading, terms: Terms, minutes: float) -> list[tuple]:
    """The rows of these, as `first_steps.COLUMNS`; only those that this pilot asks for.

    minutes : to read an answer, in (0, inf)
    """
    is_late, read = bool(effort.due and not effort.is_in_time), answers_read(reading)
    raters = "" if reading.is_key_independent else RATERS
    told = {
        APPROVER: NAMES.format(raters=raters) if terms.why else "",
        TRIAL: BEFORE_ALL.format(hours=read * minutes / 60) if read else "",
        THEN: SETS.format(due=effort.due) if is_late else "",
    }
    return [("", what, START, f"{asked}.", "", "") for what, asked in told.items() if asked]
