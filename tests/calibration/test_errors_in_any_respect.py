"""What the machine would release or withhold, held against the raters in every respect."""

import pandas as pd
import pytest

from ragassay.calibration import decision_errors, errors_in_any_respect
from ragassay.labels.human_labels import IN_EVERY_RESPECT

DECIDED = pd.DataFrame(
    {"case_id": list("abcde"), "system": "s", "decision": ["accept"] * 3 + ["reject", "review"]}
)
MARKS = {
    "judged_relevant": (1, 1, 0, 0, 1),
    "judged_complete": (1, 0, 0, 1, 1),
    IN_EVERY_RESPECT: (1, 0, 0, 0, 1),
}
ACCEPTED = pd.concat(
    [
        pd.DataFrame({"case_id": list("abcde"), "system": "s", "metric": name, "value": map(float, marks)})
        for name, marks in MARKS.items()
    ]
)


def test_by_hand():
    """Of three released answers one is right in every respect; the one withheld is complete, no more,
    so that it was not wrong to withhold it."""
    found = errors_in_any_respect.respect_errors(DECIDED, ACCEPTED)
    assert found["respect"].tolist()[:3] == [IN_EVERY_RESPECT, "judged_relevant", "judged_complete"]
    assert list(zip(found["wrong"], found["n"], strict=True)) == [(2, 3), (1, 3), (2, 3), (0, 1)]
    assert errors_in_any_respect.overall(found)["value"] == pytest.approx(2 / 3)


def test_what_nobody_rated_has_no_share_but_a_reason():
    found = errors_in_any_respect.respect_errors(DECIDED, ACCEPTED.head(0))
    assert found["n"].tolist() == [0, 0] and found["value"].isna().all() and found["reason"].str.len().all()
    assert errors_in_any_respect.overall(found) == {}


@pytest.mark.parametrize("high, alone", [(0.05, True), (0.4, False), (float("nan"), False)])
def test_a_decision_is_the_machines_only_if_it_is_right_in_every_respect_too(high, alone):
    errors = pd.DataFrame({"decision": ["accept", "review"], "alone": [True, False], "allowed": 0.1})
    respects = pd.DataFrame({"decision": ["accept"], "respect": [IN_EVERY_RESPECT], "high": [high]})
    assert decision_errors.restricted(errors, respects)["alone"].tolist() == [alone, False]
