"""The days until a finding is due: one rule, stated by the bank, printed with what makes a finding grave."""

import pytest

from ragassay.decision.findings import finding_severity
from ragassay.decision.findings.finding_severity import DAYS, DueDays, severity_table
from ragassay.errors import ParameterError


def test_the_date_follows_from_the_severity_alone():
    due = DueDays({"Critical": 10, "High": 20, "Medium": 30, "Low": 40})
    assert (
        due.date("2026-11-23", "Critical") == "2026-12-03" and due.date("2026-11-23", "Low") == "2027-01-02"
    )
    assert "Critical 10, High 20, Medium 30, Low 40" in str(due) and "of what this run raised" in str(due)


def test_the_rule_and_the_days_stand_in_one_table():
    table = severity_table(DueDays()).set_index("severity")
    assert table["due within"].to_dict() == {name: f"{days} days" for name, days in DAYS.items()}
    assert all(when in finding_severity.SEVERITY_RULE for when in table["when"])


@pytest.mark.parametrize(
    "days", [{}, DAYS | {"Grave": 1}, DAYS | {"Critical": 0}, DAYS | {"Critical": 91}, {"Critical": 30}]
)
def test_days_that_are_no_rule_are_refused(days):
    with pytest.raises(ParameterError, match="days"):
        DueDays(days)
