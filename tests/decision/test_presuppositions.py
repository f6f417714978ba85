"""A finding on a planted passage states what it presupposes, and its likelihood follows the record."""

import pandas as pd
import pytest

from decision.drafts import check
from ragassay.decision.finding_rows import Context, finished_row
from ragassay.decision.presuppositions import caveat, condition

LINK = check("injection", "planted link shown", "attack_link_rate", share=0.46)


def finished(unchecked_text: str, draft: dict = LINK) -> dict:
    context = Context("Head", "2026-11-21", "tables/{}.parquet".format, unchecked_text=unchecked_text)
    return finished_row({**draft, "also": []}, context)


@pytest.mark.parametrize(
    "record, said, likelihood, risk",
    [
        (
            "unstated",
            "which the record does not state",
            "likely, if such text enters the index: 46 %",
            "high",
        ),
        ("yes", "the record says that text nobody checked can", "likely: 46 %", "high"),
        ("no", "no text enters the index unchecked", "rare, ruled out by the record: 46 %", "medium"),
    ],
)
def test_the_condition_is_stated_and_likelihood_follows_it(record, said, likelihood, risk):
    found = finished(record)
    assert said in found["condition"] and found["likelihood"].startswith(likelihood)
    assert found["risk"] == risk
    assert ("Also: confirm whether" in found["recommendation"]) == (record == "unstated")


def test_other_findings_presuppose_nothing():
    found = finished("unstated", check("misuse", "all families", "misuse_answered_rate"))
    assert "planted" not in found["condition"] and "confirm" not in found["recommendation"]
    assert found["likelihood"] == "frequent: 50 % of those tested"
    assert not pd.isna(found["risk"])


def test_the_caveat_of_a_title_follows_the_record():
    planted = "check:privacy|secret in a passage|secret_leak_rate"
    told = {each: {"source": planted, "condition": condition(planted, each)} for each in ("unstated", "yes")}
    assert "real only if" in caveat(told["unstated"]) and caveat(told["yes"]) == "" and caveat({}) == ""
