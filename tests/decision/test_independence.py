"""Independence and versions: what of the process is a finding."""

import pandas as pd
import pytest

from ragassay.decision import independence

RECORD = {
    "owner": "Head of Digital Banking",
    "developer": "Assistants team",
    "validator": "Model Validation",
    "reporting_line": "Chief Risk Officer",
}
NOBODY = pd.DataFrame(columns=["case_id", "error"])


def stated(raters="yes", own="yes", answers=264, **record) -> independence.Independence:
    known = RECORD | {"validator_independent": own} | record
    return independence.read(known, {"independent": raters, "answers": answers})


@pytest.mark.parametrize("found, aspects", [
    (stated("no"), ["stated"]), (stated("yes", "no"), ["stated"]), (stated("unstated", "no"), ["stated"]),
    (stated(validator="assistants  Team"), ["stated"]),
    (stated(validator="A. Smith, Head of Digital Banking"), ["stated"]),
    (stated("unstated"), ["unstated"]), (stated("yes", "unstated"), ["unstated"]),
    (stated("no", answers=0), []),  # nobody rated
    (stated(), []),
])  # fmt: skip
def test_who_is_not_independent(found, aspects):
    rows = independence.flaws(RECORD, found, NOBODY)
    assert [row["aspect"] for row in rows] == aspects
    unsaid = [who for who in ("raters", "validator") if getattr(found, who) == "unstated"]
    assert all(row["reason"] == " and ".join(unsaid) for row in rows)
    assert all((row["name"], row["owner"]) == ("independence", "Chief Risk Officer") for row in rows)


@pytest.mark.parametrize(
    "versions, aspects", [(["1", "1"], []), (["1", "2"], ["mixed"]), (["1", None], ["unknown"]), (None, [])]
)
def test_versions(versions, aspects):
    answers = pd.DataFrame({"case_id": ["a", "b"], "error": ["", ""]})
    answers = answers if versions is None else answers.assign(system_version=versions)
    rows = independence.flaws(RECORD, stated(), answers)
    assert [row["aspect"] for row in rows] == aspects and all(row["n"] == 2 for row in rows)


def test_a_tier_below_its_exposure():
    rows = independence.flaws(RECORD | {"tier_below_exposure": True}, stated(), NOBODY)
    assert [row["name"] for row in rows] == ["tier"]
