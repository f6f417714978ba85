"""The kinds of work that a pilot takes of people, each with its items and minutes."""

from collections.abc import Mapping, Sequence
from math import isnan
from typing import NamedTuple

from ragassay.analysis.checks import TO_CLEAR
from ragassay.decision.pilot import pilot_reading_plans, pilot_trial
from ragassay.decision.pilot.pilot_control_tests import (
    DOCUMENTS,
    MACHINE,
    SEEDED,
    cases_tested,
    refusals_tested,
    staff_test,
)
from ragassay.decision.pilot.pilot_new_questions import NewQuestions, new_questions
from ragassay.decision.pilot.pilot_reading_plans import MOST_SHOWN, Limits
from ragassay.decision.pilot.pilot_staff_reading_test import Reading
from ragassay.decision.pilot.pilot_stop_rows import CONFIRMS

RATERS = 2  # of each answer: fewer show no agreement
TRIAL = "answers read in the small trial, before all else"
OWNER, STAFF, JUDGES, EXAMINER = "owner", "staff", "raters", "examiner"


class Work(NamedTuple):
    """A kind of work: who does it, on how many items at the first attempt and at a second one, NaN where that
    is not known; minutes an item."""

    what: str
    who: str
    first: float
    second: float
    minutes: float

    def hours(self, attempts: int = 1) -> float:
        """Of one attempt, or of both."""
        return (self.first + (self.second if attempts > 1 else 0)) * self.minutes / 60


def questions(
    rows: Sequence[Mapping], place_of: Mapping[str, str], reading: Reading, *, is_first: bool
) -> NewQuestions:
    """The new questions of an attempt: at a first one what this run has is taken."""
    rated, shown = reading.rated, reading.plans[0].shown if reading.plans else 0
    at_hand = (rated.bad, rated.n - rated.bad, max(rated.read, rated.n) - rated.n) if is_first else (0, 0, 0)
    needed = (shown, shown, refusals_tested(rows, place_of))
    return new_questions(rated, *(each - had for each, had in zip(needed, at_hand, strict=True)))


def of_reading(reading: Reading, first: NewQuestions, second: NewQuestions, minutes: float) -> list[Work]:
    """The small trial, ratings, and readings of the shortest test offered; readings alone where nothing bad
    need be found."""
    read, tried = "answers read in the test of reading", pilot_trial.answers_read(reading)
    if not reading.plans:
        needed = reading.rated.n and reading.most_through >= 1
        shown = pilot_reading_plans.fewest(0, Limits(1.0), MOST_SHOWN) if needed else 0
        return [Work(read, STAFF, shown, shown, minutes)]
    shown, anew = reading.plans[0].shown, 0 if reading.is_key_independent else reading.rated.n
    of_so_many = "" if isnan(first.asserting) else f" of {first.asserting + anew:,.0f} answers"
    rated, again = RATERS * (first.asserting + anew), RATERS * second.asserting
    return [
        Work(TRIAL, STAFF, tried, 0, minutes),
        Work(f"ratings ({RATERS} of each{of_so_many})", JUDGES, rated, again, minutes),
        Work(read, STAFF, 2 * shown, 2 * shown, minutes),
    ]


def of_controls(
    rows: Sequence[Mapping], place_of: Mapping[str, str], documents: int, minutes: float
) -> list[Work]:
    """Cases of staff, each with an unmarked one of the other kind; those of machines, and documents searched,
    seeded ones too."""
    of_staff = cases_tested(rows, place_of)
    pairs = 2 * staff_test(len(of_staff)).cases * len(of_staff)
    by_machine = TO_CLEAR * len(cases_tested(rows, place_of, MACHINE))
    sent = by_machine + (documents + SEEDED) * len(cases_tested(rows, place_of, DOCUMENTS))
    return [
        Work("cases of controls of staff, unmarked ones too", STAFF, pairs, pairs, minutes),
        Work("the same cases, drawn and judged", EXAMINER, pairs, pairs, minutes),
        Work("cases through machines, documents searched", OWNER, sent, sent, minutes),
    ]


def written(
    rows: Sequence[Mapping],
    place_of: Mapping[str, str],
    first: NewQuestions,
    second: NewQuestions,
    minutes: float,
) -> Work:
    """New questions, and documents seeded with what a search has to find."""
    seeded = SEEDED * len(cases_tested(rows, place_of, DOCUMENTS))
    what = "new questions written, documents seeded"
    return Work(what, EXAMINER, first.all + seeded, second.all + seeded, minutes)


def of_pilot(answers: int, rated: int, minutes: float) -> tuple[Work, ...]:
    """What staff read in the pilot itself, and what is rated of it."""
    return (
        Work("answers read in the pilot", STAFF, answers, 0, minutes),
        Work("answers rated in the pilot", CONFIRMS, rated, 0, minutes),
    )
