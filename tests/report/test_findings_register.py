"""A finding's card: condition, criterion, cause, effect, the case shown, risk, owner; hostile words as words."""

from types import SimpleNamespace

import pandas as pd
import pytest

from ragassay.decision.closing import finding_closure
from ragassay.report import findings_register as register
from ragassay.report import limitations
from ragassay.report.blocks import Heading, Table, plain
from report.small_run import HOSTILE

ROW = {
    "finding_id": "F1", "title": "30 of 48 were answered", "severity": "High", "condition": "62 % [47, 76].",
    "criterion": "At most 20 %.", "cause": "Not established.", "cause_evidence": "None was diagnosed.",
    "effect": "Users are misled.", "shown_case": "u-1", "shown_question": "How much do I owe?",
    "shown_answer": "A fixed rate.", "shown_remark": "", "likelihood": "frequent: 62 %", "impact": "major",
    "risk": "very high", "recommendation": "Decline.", "owner": "Head", "due": "2027-01-01", "status": "open",
    "carried_from": "", "opened": "2026-11-01", "closed_evidence": "",
}  # fmt: skip


def cards_of(*rows: dict) -> list:
    return register.cards(SimpleNamespace(table=lambda name: pd.DataFrame(rows)))


def card(**change) -> dict[str, str]:
    """The rows of one card, by their label."""
    (table,) = (block for block in cards_of({**ROW, **change}) if isinstance(block, Table))
    return {plain(line[0]): plain(line[1]) for line in table.rows}


def test_a_card_says_it_all():
    found = card()
    assert [*found] == [
        *("Severity, owner", "Condition", "Criterion", "Cause", "Effect", "Shown by", "Recommendation")
    ]
    assert found["Shown by"] == "“How much do I owe?” was answered “A fixed rate.”. (u-1)"
    assert found["Severity, owner"] == (
        "High  Risk very high: frequent: 62 %; impact major. Head; 2027-01-01; open"
    )
    assert found["Cause"] == "Not established. None was diagnosed."


def test_a_finding_without_owner_says_so():
    assert card(owner=" ", risk="")["Severity, owner"] == "High  no owner named; 2027-01-01; open"


def test_what_was_carried_over_is_said_and_what_is_done_has_no_card():
    found = card(carried_from="bank-2025 F3", closed_evidence="Not measured in this run: gate:recall.")
    assert found["Earlier"] == "bank-2025 F3; opened 2026-11-01; Not measured in this run: gate:recall."
    for status in ("retested", "closed"):
        assert cards_of({**ROW, "status": status}) == []


def test_the_retests_that_bind_a_release_are_named():
    """Formerly all of them, also of findings that a release does not wait for."""
    graver = ROW | {"proof": "It is met.", "source": "errors:misleading", "also": [], "n": 48, "asked": ""}
    rows = [graver, graver | {"finding_id": "F2", "severity": "Low", "source": "limit:1"}]
    said = plain(cards_of(*rows)[0].words)
    assert (
        said.startswith("The retests of F1 bind a release.") and "or none counts. The retests of F2" in said
    )
    assert "F2" not in plain(cards_of(rows[0])[0].words)


def test_what_every_card_would_say_stands_once_before_them():
    """Formerly each card repeated that the table of what closes it has to be met."""
    blocks = cards_of(
        ROW | {"proof": finding_closure.ALONE, "source": "errors:misleading", "also": [], "asked": ""}
    )
    assert register.EACH in plain(blocks[0].words)
    assert "Closed when" not in {plain(row[0]) for row in blocks[-1].rows}


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_words_are_words(text):
    blocks = cards_of({**ROW, "title": text, "condition": text, "shown_answer": text})
    assert isinstance(blocks[0], Heading) and len(plain(blocks[0].words)) < 400
    assert card(shown_remark=text)["Severity, owner"].startswith("High")


def test_open_findings_stand_before_those_that_are_done():
    rows = [
        {**ROW, "finding_id": "F1", "status": "closed", "severity": "Critical"},
        {**ROW, "finding_id": "F2"},
    ]
    assert [row["finding_id"] for row in register.by_severity(pd.DataFrame(rows))] == ["F2", "F1"]


def test_limits_stand_once_by_chapter_and_what_was_not_tested_in_its_own_table():
    limits = pd.DataFrame(
        [
            ("04_calibration", "One rater."),
            ("04_calibration", "Two guides."),
            ("00_scope", "Not tested, Bias: groups that no file lists."),
            ("00_scope", "45 in English."),
            ("00_scope", "45 in English."),
            ("09_own", "x " * 300),
        ],
        columns=["chapter", "limit"],
    )
    found = limitations.by_chapter(limits)
    assert found["chapter"].tolist() == ["System, use and risks", "Instruments", "Instruments", "09_own"]
    assert found["limit"].tolist()[:3] == ["45 in English.", "One rater.", "Two guides."]
    assert len(found["limit"].iloc[3]) < 300 and found["limit"].iloc[3].endswith("… (sections.csv)")
    rows = limitations.in_rows(limits).set_index("chapter")["limits"]
    assert rows["Instruments"] == "One rater.\nTwo guides." and rows.index.is_unique


def test_findings_without_a_card_stand_in_short_with_where_the_rest_is():
    (table,) = cards_of({**ROW, "severity": "Medium", "control": "Staff search them."})
    assert [plain(cell) for cell in table.rows[0]] == [
        "F1",
        "62 % [47, 76].",
        "At most 20 %.",
        "Not established.",
        "Decline.",
        "Staff search them.",
    ]
    assert "attachments/findings.csv" in register.SHORT
    assert cards_of({**ROW, "severity": "Medium", "status": "closed"}) == []
