"""What holds a finding in a pilot: before it starts that grave findings are closed or held by controls shown
to work, and that staff find the bad answers; while it lasts the controls of the others. The owner delivers
it; who is independent of the owner confirms it."""

from collections.abc import Mapping

import pandas as pd

from ragassay.analysis.checks import CLEAR_UP_TO, TO_CLEAR
from ragassay.decision import finding_closure, independence, version_finding
from ragassay.decision.finding_phases import IN_PILOT, START
from ragassay.decision.finding_texts import FROM_PROCESS
from ragassay.decision.pilot_staff_reading_test import Reading
from ragassay.decision.recommendation import controls_of
from ragassay.stats import clopper_pearson, percent_text

OUTSIDER = "somebody who neither built nor owns the system"
CLOSED_OR_PROVEN = (
    f"Closed, or its control shown on {TO_CLEAR} cases without a failure (at most "
    f"{percent_text(CLEAR_UP_TO)} fail, 95 %): {{control}}"
)
CLOSED_OR_SEARCHED = "Closed, or done and shown by a search of every indexed document: {control}"
OF_PROCESS = {  # source of a finding on how this validation was made -> what has to be shown
    independence.SOURCE: f"Closed, or {OUTSIDER} confirms what stands here, rates the used answers and "
    "counts what ends the pilot.",
    version_finding.SOURCE: "Closed, or the pilot uses one version, named beforehand, of which every "
    "answer is.",
}
IN_FORCE = "In force: {control}"
BY_READING = "Held by reading, shown as the row on every answer asks."
TEST = "The test of reading"
TEST_NOTE = (
    "One row, fixed beforehand. Rejected answers are those that raters rejected among the ones that assert "
    "something, drawn at random; staff get them unmarked among as many accepted ones. This run has {bad} "
    "rejected and {good} accepted ones; those to add are answers to new questions, rated alike. Shows: the "
    "upper end of the share let through (Clopper-Pearson, 95 %)."
)
TEST_COLUMNS = [
    "let through at most", "of rejected answers", "rejected ones to add", "accepted ones to add",
    "shows at most",
]  # fmt: skip


def holding_condition(row: Mapping, place: str) -> str:
    """What holds an open finding before a pilot starts, or in it; "" where nothing has to."""
    if row["source"].startswith(FROM_PROCESS):
        return OF_PROCESS.get(row["source"], "") if place == START else ""
    proven = [each for each in controls_of(row) if each]
    texts = [_shown(place if each in proven else IN_PILOT, each) for each in finding_closure.controls(row)]
    texts += [BY_READING] if place == START and not proven else []
    return " ".join(dict.fromkeys(texts))


def _shown(place: str, control: Mapping[str, str]) -> str:
    """What is asked of a control: no trial shows that documents are clear."""
    if place != START:
        return IN_FORCE.format(control=control["control"])
    form = CLOSED_OR_SEARCHED if control["shown_by"] == "documents" else CLOSED_OR_PROVEN
    return form.replace("{control}", control["control"])


def reading_condition(reading: Reading) -> str:
    """That staff find the bad answers, as a start condition; why it need not or cannot be shown."""
    kept = (
        f"of the answers that they use at most {percent_text(reading.ceiling)} are bad in any respect, and "
        f"{percent_text(reading.tolerated)} mislead"
    )
    if reading.most_through >= 1:
        return f"Reading need not be shown: even if staff used every answer, {kept}."
    if not reading.plans:
        return f"Reading cannot be shown: {reading.why_not()}."
    through = percent_text(reading.most_through, 1)
    return (
        f"Reading shown by one row, fixed beforehand, of the table “{TEST}”: staff let through at most "
        f"{through} of the bad answers, so that {kept}."
    )


def reading_test(reading: Reading) -> pd.DataFrame:
    """The tests of reading that would do, a row each: so many rejected answers, unmarked among as many
    accepted ones; how many of either this run lacks; the upper end of what is let through (95 %)."""
    rated = reading.rated
    rows = [
        (
            k or "none",
            n,
            max(0, n - rated.bad),
            max(0, n - (rated.n - rated.bad)),
            percent_text(clopper_pearson(k, n).high, 1),
        )
        for k, n in reading.plans
    ]
    return pd.DataFrame(rows, columns=TEST_COLUMNS)
