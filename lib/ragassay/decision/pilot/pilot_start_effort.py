"""What a pilot takes of people: its start, at a first attempt and at a second one, by kind of work, in hours,
and by when it can be done; then the pilot itself. Hours a week are those that reading takes in the pilot:
what the bank has to have anyway to run one. What follows for due days is `pilot_start_day`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import ceil, isnan, nan

import pandas as pd

from ragassay import parameter_ranges
from ragassay.decision.closing.finding_phases import IN_PILOT, START
from ragassay.decision.monitoring.monitoring import Promise
from ragassay.decision.pilot.pilot_new_questions import NONE, NewQuestions
from ragassay.decision.pilot.pilot_staff_reading_test import Reading
from ragassay.decision.pilot.pilot_work import (
    TRIAL,
    Work,
    of_controls,
    of_pilot,
    of_reading,
    questions,
    written,
)
from ragassay.defaults import POWER
from ragassay.stats import percent_text

CAPTION = "What the pilot takes, to its end"
COLUMNS = ["work", "by whom", "items", "minutes each", "hours", "hours, second attempt"]
TOTAL, WHOLE, NOT_KNOWN = "the start", "all, to the pilot's end", "not known"
UNKNOWN = (
    "How many questions, and so how many hours, it takes is not known: of rejected and accepted answers "
    "raters found one kind alone."
)
NOTE = (
    "In the order of the work. Minutes: as reading takes in the pilot; {write:g} to write is assumed; of a "
    "second attempt at most. The "
    "examiner, who writes and draws, is not who confirms. Not counted: closing findings, building "
    "machine checks, searching kept answers each week (who confirms), marking documents and what else the "
    "crosswalk asks."
)
NEEDED = (
    " Of {read} answers read {n} assert something: {questions:,} new questions give what is missing with "
    "{power}{refused}{anew}."
)
REFUSED = ", and {n:,} more are shown to staff as if refused, as a test of controls needs so many refusals"
ANEW = "; the {n} at hand are rated anew"


@dataclass(frozen=True)
class StartEffort:
    """What a pilot takes: the work of its start at so many hours a week, for findings that are due (ISO
    dates, the first first), and that of a pilot of so many weeks.

    minutes_to_write : a new question, in [0, inf); ParameterError outside; today : ISO date, "" where not
        known
    """

    reading: Reading
    work: tuple[Work, ...] = ()
    of_pilot: tuple[Work, ...] = ()
    questions: NewQuestions = NONE
    minutes_to_write: float = 15.0
    hours_a_week: float = Promise.answers_a_week * Promise.minutes / 60
    pilot_weeks: int = 8
    today: str = ""
    dues: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        parameter_ranges.check("minutes_per_new_question", self.minutes_to_write, "in [0, inf)")

    @property
    def due(self) -> str:
        """The first due day; "" where none is known."""
        return next(iter(self.dues), "")

    def hours(self, attempts: int = 1) -> float:
        """Hours of the start, of all people together, of one attempt or two; NaN where not known."""
        return sum(each.hours(attempts) for each in self.work)

    @property
    def whole(self) -> float:
        """Hours to the pilot's end, with one attempt; NaN where not known."""
        return self.hours() + sum(each.hours() for each in self.of_pilot)

    def weeks(self, attempts: int = 1) -> float:
        """Weeks that these hours are, whole; NaN where not known."""
        hours = self.hours(attempts)
        return nan if isnan(hours) else ceil(hours / self.hours_a_week)

    def ready(self, attempts: int = 1) -> str:
        """The day on which so many attempts can be done; "" where not known."""
        weeks = self.weeks(attempts)
        return "" if isnan(weeks) or not self.today else _later(self.today, int(weeks))

    @property
    def is_in_time(self) -> bool:
        """Whether the first attempt can be done by the first due day."""
        return bool(self.due and self.ready()) and self.ready() <= self.due

    @property
    def starts_by(self) -> str:
        """The last day on which a pilot may start: the first due day, or where the work takes longer, that on
        which a second attempt is done; "" where not known."""
        return self.due if self.is_in_time else self.ready(2) if self.due else ""

    @property
    def ends_by(self) -> str:
        """The last day of a pilot that starts so late: the latest day that the approver may set."""
        return _later(self.starts_by, self.pilot_weeks) if self.starts_by else ""

    @property
    def has_due_day_inside(self) -> bool:
        """Whether an original due day can fall into the pilot, by the days known."""
        return bool(self.ready()) and any(self.ready() <= each <= self.ends_by for each in self.dues)

    def table(self) -> pd.DataFrame:
        """A row for each kind of work, for all of the start, and for all to the pilot's end."""
        added = self.hours(2) - self.hours()
        total = (TOTAL, "", "", "", _told(self.hours()), _told(added))
        whole = (WHOLE, "", "", "", _told(self.whole), "")
        rows = [*map(_row, self.work), total, *map(_row, self.of_pilot), whole]
        return pd.DataFrame(rows, columns=COLUMNS)


def start_effort(
    rows: Sequence[Mapping],
    place_of: Mapping[str, str],
    reading: Reading,
    promise: Promise,
    *,
    pilot_weeks: int,
    documents: int,
    rated: int = 0,
    minutes_to_write: float = StartEffort.minutes_to_write,
    today: str = "",
) -> StartEffort:
    """What a pilot takes.

    rows : of open findings; place_of : number of each -> its place; documents : that are indexed; rated :
        answers that the pilot has rated; minutes_to_write : a new question, in [0, inf); today : the report's
        date, ISO, "" where not known
    """
    first, second = (questions(rows, place_of, reading, is_first=each) for each in (True, False))
    reads, writes = promise.minutes, minutes_to_write
    kinds = [
        written(rows, place_of, first, second, writes),
        *of_reading(reading, first, second, reads),
        *of_controls(rows, place_of, documents, reads),
    ]
    kinds.sort(key=lambda each: each.what != TRIAL)
    answers = ceil(promise.answers_a_week * pilot_weeks)
    due = [row["due"] for row in rows if place_of.get(row["finding_id"]) in (START, IN_PILOT) and row["due"]]
    return StartEffort(
        reading,
        tuple(each for each in kinds if each.first or each.second),
        of_pilot(answers, rated, reads),
        first,
        writes,
        promise.answers_a_week * promise.minutes / 60,
        pilot_weeks,
        today,
        tuple(sorted(due)),
    )


def note(effort: StartEffort) -> str:
    """From what the numbers of the table follow."""
    reading, new = effort.reading, effort.questions
    rated, told = reading.rated, NOTE.format(write=effort.minutes_to_write)
    if not reading.plans or not new.all:
        return told
    if isnan(new.all):
        return f"{told} {UNKNOWN}"
    refused = REFUSED.format(n=new.refused) if new.refused else ""
    anew = "" if reading.is_key_independent else ANEW.format(n=rated.n)
    power, read = percent_text(POWER), max(rated.read, rated.n)
    return told + NEEDED.format(
        read=read, n=rated.n, questions=new.of_answers, power=power, refused=refused, anew=anew
    )


def _row(of: Work) -> tuple:
    hours = _told(of.hours()), _told(of.second * of.minutes / 60) if of.second else ""
    return of.what, of.who, _told(of.first), f"{of.minutes:g}", *hours


def _told(number: float) -> str:
    return NOT_KNOWN if isnan(number) else f"{number:,.0f}"


def _later(day: str, weeks: int) -> str:
    return str(date.fromisoformat(day) + timedelta(weeks=weeks))
