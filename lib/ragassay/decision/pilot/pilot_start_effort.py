"""What the start of a pilot takes of people at its first attempt and at a second one, by kind of work, in
hours; and by when it can be done. Hours a week are those that reading takes in the pilot: what the bank has
to have anyway to run one. What follows for due days is `pilot_start_day`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import ceil, isnan, nan
from typing import NamedTuple

import pandas as pd

from ragassay.analysis.checks import TO_CLEAR
from ragassay.decision.closing.finding_phases import IN_PILOT, START
from ragassay.decision.monitoring.monitoring import Promise
from ragassay.decision.pilot import pilot_reading_plans
from ragassay.decision.pilot.pilot_control_tests import DOCUMENTS, MACHINE, cases_tested, staff_test
from ragassay.decision.pilot.pilot_reading_plans import MOST_SHOWN, Limits
from ragassay.decision.pilot.pilot_staff_reading_test import Reading
from ragassay.decision.pilot.pilot_stop_rows import CONFIRMS

RATERS = 2  # of each answer: fewer show no agreement
CAPTION = "What the start of the pilot takes"
COLUMNS = ["work", "by whom", "items", "hours", "items, second attempt", "hours, second attempt"]
OWNER, STAFF, JUDGES = "owner", "staff", "raters"
TOTAL, NOT_KNOWN = "all of it", "not known"
UNKNOWN = (
    "How many questions, and so how many hours, it takes is not known: of rejected and accepted answers "
    "raters found one kind alone."
)
NOTE = "{minutes:g} minutes an item, as reading takes in the pilot; of a second attempt at most."
NEEDED = (
    " Questions: of {read} answers read {n} assert something, {bad} of them rejected, so that {more:,} more "
    "are needed{anew}."
)
ANEW = "; the {n} at hand are rated anew"


class Work(NamedTuple):
    """A kind of work: who does it, on how many items at the first attempt and at a second one; NaN where that
    is not known."""

    what: str
    who: str
    first: float
    second: float


@dataclass(frozen=True)
class StartEffort:
    """What a start takes, at so many minutes an item and hours a week; from `today` on, for findings of which
    the first is `due` (ISO dates, "" where not known), before a pilot of so many weeks."""

    reading: Reading
    work: tuple[Work, ...] = ()
    minutes: float = Promise.minutes
    hours_a_week: float = Promise.answers_a_week * Promise.minutes / 60
    pilot_weeks: int = 8
    today: str = ""
    due: str = ""

    def hours(self, attempts: int = 1) -> float:
        """Hours of all people together, of one attempt or two; NaN where not known."""
        items = sum(each.first + (each.second if attempts > 1 else 0) for each in self.work)
        return items * self.minutes / 60

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

    def table(self) -> pd.DataFrame:
        """A row for each kind of work, and for all."""
        rows = [self._row(each) for each in self.work]
        total = (TOTAL, "", "", _told(self.hours()), "", _told(self.hours(2) - self.hours()))
        return pd.DataFrame([*rows, total], columns=COLUMNS)

    def _row(self, of: Work) -> tuple:
        told = [part for items in of[2:] for part in (items, items * self.minutes / 60)]
        return of.what, of.who, *map(_told, told)


def start_effort(
    rows: Sequence[Mapping],
    place_of: Mapping[str, str],
    reading: Reading,
    promise: Promise,
    *,
    pilot_weeks: int,
    documents: int,
    today: str = "",
) -> StartEffort:
    """What the start of a pilot takes.

    rows : of open findings; place_of : number of each -> its place; documents : that are indexed; today : the
        report's date, ISO, "" where not known
    """
    kinds = [*_of_reading(reading), *_of_controls(rows, place_of, documents)]
    a_week = promise.answers_a_week * promise.minutes / 60
    due = [row["due"] for row in rows if place_of.get(row["finding_id"]) in (START, IN_PILOT) and row["due"]]
    work = tuple(each for each in kinds if each.first or each.second)
    return StartEffort(reading, work, promise.minutes, a_week, pilot_weeks, today, min(due, default=""))


def note(effort: StartEffort) -> str:
    """From what the numbers of the table follow."""
    reading = effort.reading
    rated, told = reading.rated, NOTE.format(minutes=effort.minutes)
    more = _more(reading)
    if not reading.plans or not more:
        return told
    anew = "" if reading.is_key_independent else ANEW.format(n=rated.n)
    needed = NEEDED.format(read=_read(reading), n=rated.n, bad=rated.bad, more=more, anew=anew)
    return told + (f" {UNKNOWN}" if isnan(more) else needed)


def _of_reading(reading: Reading) -> list[Work]:
    """New questions, ratings, and readings of the shortest test offered; readings alone where nothing bad has
    to be found."""
    if not reading.plans:
        needed = reading.rated.n and reading.most_through >= 1
        shown = pilot_reading_plans.fewest(0, Limits(1.0), MOST_SHOWN) if needed else 0
        return [Work("answers read in the test of reading", STAFF, shown, shown)]
    shown, rated = reading.plans[0].shown, reading.rated
    more, second = _more(reading), _to_assert(shown, shown, reading)
    anew = 0 if reading.is_key_independent else rated.n
    return [
        Work("new questions written", CONFIRMS, _questions(more, reading), _questions(second, reading)),
        Work(f"answers rated, each by {RATERS} raters", JUDGES, RATERS * (more + anew), RATERS * second),
        Work("answers read in the test of reading", STAFF, 2 * shown, 2 * shown),
    ]


def _of_controls(rows: Sequence[Mapping], place_of: Mapping[str, str], documents: int) -> list[Work]:
    """Cases of staff, each with an unmarked one of the other kind; of machines; searches of the documents."""
    of_staff = cases_tested(rows, place_of)
    pairs = 2 * staff_test(len(of_staff)).cases * len(of_staff)
    by_machine = TO_CLEAR * len(cases_tested(rows, place_of, MACHINE))
    searched = documents * len(cases_tested(rows, place_of, DOCUMENTS))
    return [
        Work("cases of controls of staff, unmarked ones too", STAFF, pairs, pairs),
        Work("the same cases, drawn and judged", CONFIRMS, pairs, pairs),
        Work("cases sent through a machine", OWNER, by_machine, by_machine),
        Work("documents searched", OWNER, searched, searched),
    ]


def _more(reading: Reading) -> float:
    """How many more answers that assert something the shortest test takes; NaN where not known."""
    if not reading.plans:
        return 0
    shown, rated = reading.plans[0].shown, reading.rated
    return _to_assert(shown - rated.bad, shown - (rated.n - rated.bad), reading)


def _to_assert(bad: int, good: int, reading: Reading) -> float:
    """How many answers that assert something hold so many rejected and accepted ones, at the share that
    raters rejected; 0 where none is missing, NaN where raters found one kind alone."""
    rated = reading.rated
    if not 0 < rated.bad < rated.n:
        return nan
    return max(0, ceil(max(bad * rated.n / rated.bad, good * rated.n / (rated.n - rated.bad))))


def _questions(asserting: float, reading: Reading) -> float:
    """How many questions give so many answers that assert something."""
    return nan if isnan(asserting) else ceil(asserting * _read(reading) / reading.rated.n)


def _told(number: float) -> str:
    return NOT_KNOWN if isnan(number) else f"{number:,.0f}"


def _read(reading: Reading) -> int:
    return max(reading.rated.read, reading.rated.n)


def _later(day: str, weeks: int) -> str:
    return str(date.fromisoformat(day) + timedelta(weeks=weeks))
