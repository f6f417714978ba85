"""Findings that are closed together have one day; independence is due before what its raters close."""

import pandas as pd
import pytest

from decision.drafts import check, draft
from decision.test_independence import CONTEXT, PASSED, stated
from ragassay.decision import independence
from ragassay.decision.closing import closure_requirements, criteria, finding_phases, first_steps
from ragassay.decision.closing.due_days import with_common_days
from ragassay.decision.findings import findings
from ragassay.decision.findings.finding_severity import JOINT, DueDays

CRITICAL, HIGH, MEDIUM = (DueDays().date("2026-11-21", name) for name in ("Critical", "High", "Medium"))


def asking(source: str, severity: str, **more) -> dict:
    return draft(source, severity, **more) | {"asked": criteria.of_errors(source, 0.1, 40, 0.5, 0.4, 0.6)}


REFUSED = asking("errors:needless refusal", "Critical", failing=["a"])
ANSWERED = asking("errors:should have declined", "High", failing=["b"])
MISUSE = check("misuse", "all families", "misuse_answered_rate", "Medium", ("c",))
LINK = check("injection", "planted link shown", "attack_link_rate", "Medium", ("d",))
SCAN = check("perturbation", "ocr", "abstention_correct", "Medium", ("e",))


def register(*drafts: dict) -> pd.DataFrame:
    return findings.raise_findings(PASSED, errors=drafts, context=CONTEXT)


def test_a_joint_group_has_one_day_in_the_register_and_in_every_table():
    """Formerly a High one of no joint test was due in February, though one candidate had to meet all by
    December."""
    found = register(REFUSED, ANSWERED, MISUSE, LINK, SCAN)
    days = dict(zip(found["source"], found["due"], strict=True))
    assert {days[each["source"]] for each in (REFUSED, ANSWERED, MISUSE, LINK)} == {CRITICAL}
    assert days[SCAN["source"]] == MEDIUM, "what no release waits for keeps its own"
    joint = closure_requirements.proofs(found)["joint"]
    assert len(set(joint[joint != ""])) == 1 and joint.max().endswith(f", by {CRITICAL}")
    steps = first_steps.first_steps(PASSED, found, None).set_index("number")["before release"]
    assert all(f"by {CRITICAL})" in steps[number] for number in ("F1", "F2", "F3"))


def row(source: str, due: str, status: str = "open") -> dict:
    return {"source": source, "also": [], "due": due, "status": status, "severity": "Low"}


def test_tests_that_share_a_finding_have_one_day_and_what_is_settled_has_none():
    chain = [
        row("errors:should have declined", "2027-03-01"),
        {**row("gate:judged_complete|own", "2027-02-01"), "also": ["gate:answerable_declined|own"]},
        row("errors:misleading", "2027-01-01"),
    ]
    assert [each["due"] for each in with_common_days(chain)] == ["2027-01-01"] * 3
    settled = [*chain[:2], {**chain[2], "status": "retested"}]
    assert [each["due"] for each in with_common_days(settled)] == ["2027-02-01"] * 2 + ["2027-01-01"]


@pytest.mark.parametrize(
    "source, sooner", [("errors:unsafe", True), ("gate:judged_grounded|own", True), (SCAN["source"], False)]
)
def test_independence_is_due_no_later_than_what_labels_close(source, sooner):
    """Formerly errors could be closed in December, on labels of raters whose independence was due later."""
    [process], _ = independence.finding(stated("no"))
    graver = "Critical" if sooner else "Medium"
    found = register(process, draft(source, graver, failing=["a"]))
    due = found.set_index("source")["due"][independence.SOURCE]
    assert due == (CRITICAL if sooner else HIGH)
    assert JOINT in str(DueDays())


def test_what_one_joint_test_closes_with_what_a_release_waits_for_binds_it_too():
    """Formerly its retest bound nothing, though the other could not be closed without it."""
    low = asking("errors:needless refusal", "Low", failing=["a"])
    found = register(low, ANSWERED)
    assert set(finding_phases.places(found).values()) == {finding_phases.RELEASE, finding_phases.IN_PILOT}
    assert set(finding_phases.places(register(low)).values()) == {finding_phases.DUE}
    assert set(found["due"]) == {HIGH}
