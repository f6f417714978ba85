"""What holds a finding in a pilot: before it starts that grave findings are closed or held by controls shown
to work, and that staff find the bad answers; while it lasts the controls of the others. The owner delivers
it; who is independent of the owner confirms it."""

from collections.abc import Mapping

import pandas as pd

from ragassay.analysis.checks import TO_CLEAR
from ragassay.decision import independence
from ragassay.decision.closing import finding_closure
from ragassay.decision.closing.finding_phases import START
from ragassay.decision.findings import version_finding
from ragassay.decision.findings.finding_texts import FROM_PROCESS
from ragassay.decision.pilot import pilot_control_tests, pilot_reading_plans
from ragassay.decision.pilot.pilot_control_tests import DOCUMENTS, MACHINE, READING, STAFF, ControlTest
from ragassay.decision.pilot.pilot_reading_plans import LEAST_USED, Limits, ReadingPlan
from ragassay.decision.pilot.pilot_staff_reading_test import Reading
from ragassay.defaults import POWER
from ragassay.stats import clopper_pearson, percent_text

OUTSIDER = "somebody who neither built nor owns the system"
SHOWN = {  # what shows a control -> what is asked of it before the start
    READING: "held by the test of reading alone: {control}",
    DOCUMENTS: "its control done, as a search of every indexed document shows: {control}",
    MACHINE: f"its control shown on {TO_CLEAR} cases, none failed: {{control}}",
    STAFF: "its control shown on {cases} cases with at most {may_fail} failed, and on as many of the other "
    "kind with at most {may_leave} left undone: {control}",
}
FIRST, FURTHER = "Closed, or ", "And also "  # of several controls each has to be shown
OF_PROCESS = {  # source of a finding on how this validation was made -> what has to be shown
    independence.SOURCE: "Of the validator closed, as the report is signed before any use; of raters closed, "
    f"or {OUTSIDER} confirms what stands here, rates the used answers and counts what ends the pilot.",
    version_finding.SOURCE: "Closed, or the pilot uses one version, named beforehand, of which every "
    "answer is.",
}
IN_FORCE = "In force: {control}"
TEST = "The test of reading"
BY_READING = f"Shown by the table “{TEST}”."
TEST_NOTE = (
    "One row, fixed beforehand, on the version that is piloted: where a new one closes findings before the "
    "start, q, m and this table are measured again on it. {key} Of answers that assert something, rejected "
    "and as many accepted ones, some at hand and some to add, are drawn at random, unmarked, and split "
    "evenly among all who read in the pilot; counts are pooled. It fails too where the lower end of one "
    "reader's own share let through, or turned down, is above what is tolerated of all. One attempt on a "
    "set of answers, a second and last one on new ones. Shown: the upper end of the share let through, the "
    "lower end of that used (all ends Clopper-Pearson, 95 %). Good staff make half of either failure "
    "tolerated, careless staff are at one limit and make no other failure: chances of one attempt. Only "
    "tests that good staff pass with {power} or more are offered."
)
KEY = "The key is the raters' labels."
KEY_ANEW = (
    "The key is the raters' labels; as these raters are not stated to be independent, independent ones "
    "first rate anew what q and m rest on and what is shown."
)
TEST_COLUMNS = [
    "let through at most", "turned down at most", "of rejected, and of accepted", "rejected ones to add",
    "accepted ones to add", "shown let through", "shown used", "good staff pass", "careless staff pass",
]  # fmt: skip


def holding_condition(row: Mapping, place: str, test: ControlTest | None = None) -> str:
    """What holds an open finding before a pilot starts, or in it; "" where nothing has to.

    test : of each control of staff; that of one alone
    """
    if row["source"].startswith(FROM_PROCESS):
        return OF_PROCESS.get(row["source"], "") if place == START else ""
    proven, planned = pilot_control_tests.proven(row), test or pilot_control_tests.staff_test()
    shown = [each for each in proven if place == START]
    texts = [f"{FURTHER if n else FIRST}{_shown(each, planned)}" for n, each in enumerate(shown)]
    texts += [
        IN_FORCE.format(control=each["control"])
        for each in finding_closure.controls(row)
        if each not in shown
    ]
    texts += [BY_READING] if place == START and not proven else []
    return " ".join(texts)


def _shown(control: Mapping[str, str], test: ControlTest) -> str:
    """What is asked of a control before the start, by what shows it."""
    form = SHOWN[control["shown_by"]]
    counts = {"cases": f"{test.cases:,}", "may_fail": test.may_fail, "may_leave": test.may_leave}
    return form.format(control=control["control"], **counts)


def reading_condition(reading: Reading) -> str:
    """That staff find the bad answers, as a start condition; why it need not or cannot be shown."""
    kept = (
        f"of the answers that they use at most {percent_text(reading.ceiling)} are bad in any respect, and "
        f"{percent_text(reading.tolerated)} mislead"
    )
    used = percent_text(LEAST_USED)
    if reading.most_through >= 1:
        enough = pilot_reading_plans.fewest(0, Limits(1.0), pilot_reading_plans.MOST_SHOWN)
        return (
            f"Of bad answers nothing need be shown: even if staff used each of them and {used} of the good "
            f"ones, {kept}. That they use so many is shown on {enough} accepted answers, none turned down."
        )
    if not reading.plans:
        return f"Reading cannot be shown: {reading.why_not()}."
    through = percent_text(reading.most_through, 1)
    return (
        f"Reading shown by one row, fixed beforehand, of the table “{TEST}”: staff let through at most "
        f"{through} of the bad answers and use at least {used} of the good ones, so that {kept}."
    )


def note_of_test(reading: Reading) -> str:
    """How the test of reading is held: on which version, with which key, by whom, how often."""
    key = KEY if reading.is_key_independent else KEY_ANEW
    return TEST_NOTE.format(key=key, power=percent_text(POWER))


def reading_test(reading: Reading) -> pd.DataFrame:
    """The tests of reading that are offered, a row each: so many rejected answers, unmarked among as many
    accepted ones; how many of either this run lacks; what is shown of both (95 %); the chances that good and
    careless staff pass."""
    rows = [_of_plan(plan, reading) for plan in reading.plans]
    return pd.DataFrame(rows, columns=TEST_COLUMNS)


def _of_plan(plan: ReadingPlan, reading: Reading) -> tuple:
    rated, n = reading.rated, plan.shown
    return (
        plan.through or "none",
        plan.turned_down or "none",
        n,
        max(0, n - rated.bad),
        max(0, n - (rated.n - rated.bad)),
        f"at most {percent_text(clopper_pearson(plan.through, n).high, 1)}",
        f"at least {percent_text(clopper_pearson(n - plan.turned_down, n).low, 1)}",
        percent_text(plan.passed_by_good(reading.limits)),
        f"at most {percent_text(plan.passed_by_careless(reading.limits), 1)}",
    )
