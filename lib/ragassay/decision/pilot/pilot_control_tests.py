"""How each control is shown that holds a finding before a pilot starts: by the test of reading alone, by a
search of every indexed document, by a machine that compares, or by staff who keep to it.

A control of staff is shown on so many cases that one that works passes. It works where it fails in at most
half of what is tolerated (`CLEAR_UP_TO`), the same share of their limit as good staff make in the test of
reading. The tests of all such controls are planned together: each is passed with 1 - (1 - `POWER`) / k of k,
so that a pilot's staff pass all with `POWER`, however the tests depend on each other (Bonferroni). The upper
end of the share that fails (Clopper-Pearson, two-sided 95 %) keeps to what is tolerated, so that a control
beyond it passes with at most 2.5 %.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import ceil, log
from typing import NamedTuple

import pandas as pd
import scipy

from ragassay.analysis.checks import CLEAR_UP_TO, TO_CLEAR
from ragassay.decision.closing import finding_closure
from ragassay.decision.closing.finding_phases import START
from ragassay.decision.findings.behaviours import behaviours
from ragassay.decision.findings.error_findings import NEEDLESS
from ragassay.decision.findings.finding_texts import FROM_PROCESS
from ragassay.decision.pilot import pilot_document_marks
from ragassay.decision.pilot.pilot_reading_plans import LEAST_USED, MOST_SHOWN, most_met
from ragassay.decision.pilot.pilot_staff_reading_test import Reading
from ragassay.decision.recommendation import controls_of
from ragassay.defaults import CONFIDENCE, POWER
from ragassay.stats import percent_text

DOCUMENTS, READING, MACHINE, STAFF = "documents", "reading", "machine", "staff"
WORKS = CLEAR_UP_TO / 2  # the share of cases in which a control of staff that works fails
CAPTION = "Tests of controls"
COLUMNS = [
    "finding",
    "a case",
    "it fails if",
    "cases",
    "may fail",
    "one that works passes",
    f"one beyond {percent_text(CLEAR_UP_TO)}",
]
SEEDED = ceil(log(CLEAR_UP_TO) / log(1 - CLEAR_UP_TO))  # documents, all found: so 95 % are, with 95 %
WRONGLY = (1 - CONFIDENCE) / 2  # the chance that one beyond what is tolerated passes, at most
READ = ("an answer of the test of reading, rejected by raters", "staff use it")
ALONE = "that test alone"
NOTE = (
    "Beside each case of staff stands one of the other kind, unmarked; the examiner draws and judges both; "
    "all who read in the pilot take an equal part, and counts are pooled. {planned}{marks}One attempt on a "
    "set of cases, a second and last one on new ones: who fails both does not start a pilot. One that fails "
    "in more than {tolerated} passes one of two with at most {either}. All of this together{reading}: good "
    "staff, and for no others does this hold, meet it with at least {once} at the first attempt, and with "
    "at least {twice} within both."
)
PLANNED = (
    "A control of staff works where it fails in at most {works} of its cases, half of the {tolerated} "
    "tolerated. Who puts nothing to the assistant does not pass: at least {used} of the other kind are "
    "handled as ever (lower end), so that at most {left} of {cases} are not. The tests of such controls, "
    "{many} here, are planned together: all are passed at one attempt with at least {power}, however they "
    "depend on each other. "
)
WITH_READING = ", with the first row of the test of reading"


class ControlTest(NamedTuple):
    """How many of so many cases may fail, how many of as many of the other kind may be left undone, and with
    which chance a control that works passes, in [0, 1]."""

    cases: int
    may_fail: int
    may_leave: int
    passed: float


@lru_cache
def staff_test(many: int = 1) -> ControlTest:
    """The test of each of so many controls of staff, to the next ten cases.

    many : at least 1; 0 counts as 1
    """
    power = 1 - (1 - POWER) / max(many, 1)
    sizes = range(10 * (TO_CLEAR // 10 + 1), MOST_SHOWN, 10)
    return _at(sizes[bisect_left(sizes, True, key=lambda n: _at(n).passed >= power)])


def cases_tested(rows: Iterable[Mapping], place_of: Mapping[str, str], shown_by: str = STAFF) -> list[str]:
    """The cases by which controls are shown before a pilot starts, a test each, each once.

    rows : of open findings; place_of : number of each -> its place; shown_by : STAFF, MACHINE, DOCUMENTS
    """
    at_start = [row for row in rows if place_of.get(row["finding_id"]) == START]
    told = [
        each["case"] + each["fails"]
        for row in at_start
        for each in proven(row)
        if each["shown_by"] == shown_by
    ]
    return list(dict.fromkeys(told))


def refusals_tested(rows: Iterable[Mapping], place_of: Mapping[str, str]) -> int:
    """How many refusals the tests of controls of staff take: those whose case is one."""
    tested = cases_tested(rows, place_of)
    refusal = behaviours()[f"errors:{NEEDLESS}"]
    return staff_test(len(tested)).cases * tested.count(refusal["case"] + refusal["fails"])


def proven(row: Mapping) -> list[Mapping[str, str]]:
    """The controls of a finding that have to be shown before a pilot starts; none of one on how this
    validation was made, nor of a gate's alone."""
    if row["source"].startswith(FROM_PROCESS):
        return []
    return [each for each in finding_closure.controls(row) if each in controls_of(row)]


def table(rows: Sequence[Mapping], place_of: Mapping[str, str]) -> pd.DataFrame:
    """A row for each test: whose findings, what a case is and when it fails, how many, how many may fail, who
    passes."""
    plan = staff_test(len(cases_tested(rows, place_of)))
    found: dict[tuple, list[str]] = {}
    for row in rows:
        for each in proven(row) if place_of.get(row["finding_id"]) == START else []:
            found.setdefault(_told(each, plan), []).append(row["finding_id"])
    told = [(", ".join(dict.fromkeys(numbers)), *shown) for shown, numbers in found.items()]
    return pd.DataFrame(told, columns=COLUMNS)


def note(
    rows: Sequence[Mapping], place_of: Mapping[str, str], reading: Reading, documents: pd.DataFrame
) -> str:
    """How the tests are held, what a machine cannot see, and with which chance good staff meet all of it.

    documents : that are indexed, with their marks where they have any
    """
    many, shown = len(cases_tested(rows, place_of)), {"tolerated": percent_text(CLEAR_UP_TO)}
    once, twice = (percent_text(all_met(many, reading, attempts)) for attempts in (1, 2))
    return NOTE.format(
        planned=_planned(many),
        marks=pilot_document_marks.in_words(rows, documents),
        either=percent_text(2 * WRONGLY),
        reading=WITH_READING if reading.plans else "",
        once=once,
        twice=twice,
        **shown,
    )


def _planned(many: int) -> str:
    """How so many tests of controls of staff are planned; "" of none."""
    plan = staff_test(many)
    told = {"works": percent_text(WORKS, 1), "tolerated": percent_text(CLEAR_UP_TO)}
    told |= {"used": percent_text(LEAST_USED), "power": percent_text(POWER)}
    return PLANNED.format(left=plan.may_leave, cases=plan.cases, many=many, **told) if many else ""


def all_met(many: int, reading: Reading, attempts: int) -> float:
    """The chance, in [0, 1], with which good staff pass the tests of so many controls and the shortest test
    of reading offered, each within so many attempts; at least so much, however the tests depend."""
    missed = [1 - staff_test(many).passed] * many
    missed += [1 - plan.passed_by_good(reading.limits) for plan in reading.plans[:1]]
    return max(0.0, 1 - sum(each**attempts for each in missed))


def _told(control: Mapping[str, str], plan: ControlTest) -> tuple:
    """What is shown of a control, in the columns after the finding's."""
    missed = percent_text((1 - CLEAR_UP_TO) ** SEEDED, 1)
    put, beyond = (control["case"], control["fails"]), f"at most {percent_text(WRONGLY, 1)}"
    shown = {
        READING: (*READ, ALONE, "", "", ""),
        DOCUMENTS: (*put, f"all, {SEEDED} seeded", "none", "finds all seeded", f"at most {missed}"),
        MACHINE: (*put, str(TO_CLEAR), "none", "always: it compares", beyond),
        STAFF: (*put, f"{plan.cases:,}", str(plan.may_fail), percent_text(plan.passed), beyond),
    }
    return shown[control["shown_by"]]


def _at(n: int) -> ControlTest:
    """A control that works leaves half as many undone as is allowed."""
    most, left = most_met(n, CLEAR_UP_TO), most_met(n, 1 - LEAST_USED)
    works = scipy.stats.binom.cdf(most, n, WORKS) * scipy.stats.binom.cdf(left, n, (1 - LEAST_USED) / 2)
    return ControlTest(n, most, left, float(works))
