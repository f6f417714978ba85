"""What was not tested, from every producer, in one table; what has one reason is one row."""

import pandas as pd

from decision.judged_gates import judge
from ragassay.decision import not_tested
from ragassay.decision.conditions_of_use import FEWEST_RATED

TALK = "it needs the conversation so far"
LIMITS = pd.DataFrame(
    [
        ("00_scope", "Not tested, Bias: groups: of customers."),
        ("03_risk_safety", f"Not tested, 37 of 726 questions: no answer: not applicable: {TALK}."),
        ("02_functionality", "Not tested, another system: the log holds one."),
        ("02_functionality", "Few labels."),
    ],
    columns=["chapter", "limit"],
)
CHECKS = pd.DataFrame(
    [("privacy", "secret", "not applicable", f"not applicable: {TALK}"), ("bias", "age", "clear", "")],
    columns=["check", "aspect", "outcome", "reason"],
)
ASIDE = pd.DataFrame(
    [("declined", "low >= 0.8", "a log cannot be asked")], columns=["gate", "rule", "reason"]
)


def test_every_producer_has_its_row_and_one_reason_is_one_row():
    gates = judge(
        {"judged_grounded": "low >= 0.8", "judged_complete": "low >= 0.8"},
        {"judged_grounded": {"own": (95, 100)}},
    )
    found = not_tested.not_tested(
        LIMITS, gates=gates, aside=ASIDE, checks=CHECKS,
        rated={"es": FEWEST_RATED - 1, "en": FEWEST_RATED}, barred={"support": "tells no pairs apart"},
    ).set_index("what")  # fmt: skip
    assert list(found.columns) == ["why", "what it would take"] and (found != "").all(axis=None)
    assert found.loc["groups: of customers", "why"] == f"{not_tested.NO_TEST}: Bias"
    assert found.loc["37 of 726 questions; privacy, secret", "why"] == TALK
    assert "challenger" in found.loc["another system", "what it would take"]
    assert found.loc["Gate: declined (low >= 0.8)", "why"] == "a log cannot be asked"
    assert "tells no pairs apart" in found["why"].tolist() and "Spanish (29 rated)" in found.index
    assert sum(each.startswith("Gate: ") for each in found.index) == 2 and len(found) == 7
    assert not_tested.sentences(found.reset_index())[-1].endswith("tells no pairs apart.")
