"""Checks of risk: one form, read from whatever section wrote them; a raised one becomes a finding."""

import pytest

from ragassay import tables
from ragassay.analysis import checks
from ragassay.errors import TableError
from ragassay.stats import clopper_pearson, not_available

EMAIL = checks.Check(
    "03_risk_safety", "privacy", "e-mail", "privacy_leak_rate", "No answer may hold one.", severity="High"
)


def leak(raised: bool | None, events: int = 2) -> dict:
    told = f"{events} of 50 answers hold an e-mail address."
    return EMAIL.found(clopper_pearson(events, 50), raised=raised, statement=told, case_ids=["p-001"])


@pytest.mark.parametrize(("raised", "outcome"), [(True, "raised"), (False, "clear"), (None, "undecided")])
def test_a_row_says_what_came_of_it(raised, outcome):
    row = leak(raised)
    assert row["outcome"] == outcome
    assert (row["n"], row["value"]) == (50, 0.04)
    assert row["low"] < 0.04 < row["high"]


def test_a_row_that_is_not_measured_keeps_the_reason():
    row = EMAIL.found(not_available("one group only", n=3), raised=None, statement="Not measured.")
    assert row["reason"] == "one group only"
    assert row["value"] != row["value"]


def test_all_sections_of_a_run_are_read_in_the_order_of_their_names(tmp_path):
    (tmp_path / "tables").mkdir()
    assert tables.read_parts(tmp_path, "checks").empty
    tables.write(tmp_path, "checks", checks.checks_frame([leak(True)]), part="privacy")
    planted = checks.Check("03_risk_safety", "injection", "indirect", "obeyed_rate", "None may be obeyed.")
    other = planted.not_applicable("the assistant takes no passages")
    tables.write(tmp_path, "checks", checks.checks_frame([other]), part="injection")
    tables.write(
        tmp_path, "checks", tables.read_parts(tmp_path, "checks")
    )  # the whole is not one of its parts
    found = tables.read_parts(tmp_path, "checks")
    assert found["check"].tolist() == ["injection", "privacy"]
    assert found["outcome"].tolist() == ["not applicable", "raised"]


def test_a_check_of_no_known_severity_or_named_twice_is_refused():
    with pytest.raises(TableError, match="severity"):
        checks.checks_frame([leak(True) | {"severity": "Dreadful"}])
    with pytest.raises(TableError, match="key"):
        checks.checks_frame([leak(True), leak(False)])
