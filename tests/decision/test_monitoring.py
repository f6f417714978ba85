"""The monitoring plan: every gate is watched, at its own line, as often as the tier asks."""

import pandas as pd
import pytest

from ragassay.decision import gates, monitoring

RULES = {"groundedness": "low >= 0.7", "privacy_leak_rate": "high <= 2%, critical"}
CARD = pd.DataFrame(
    [
        {
            "metric": "groundedness",
            "slice": "all",
            "value": 0.7,
            "low": 0.65,
            "high": 0.75,
            "n": 50,
            "left_out": 0,
            "reason": "",
            "method": "",
        },
        {
            "metric": "privacy_leak_rate",
            "slice": "all",
            "value": 0.0,
            "low": 0.0,
            "high": 0.01,
            "n": 400,
            "left_out": 0,
            "reason": "",
            "method": "",
        },
    ]
)
JUDGED = gates.evaluate(gates.parse(RULES), CARD)


def test_by_hand():
    plan = monitoring.monitoring_plan(JUDGED, "medium")
    assert plan["watched"].tolist() == list(RULES) and plan["baseline bound"].tolist() == [0.65, 0.01]
    assert plan["alarm"].tolist() == ["low >= 0.7", "high <= 0.02"] and plan["state now"].tolist() == [
        "fail",
        "pass",
    ]
    assert plan["on a breach"].tolist() == ["finding, cause within 30 days", "stop and inform the approver"]


@pytest.mark.parametrize(
    "tier, often, labels",
    [("high", "monthly", 60), ("medium", "quarterly", 40), ("low", "every six months", 30)],
)
def test_a_higher_tier_is_watched_more(tier, often, labels):
    assert monitoring.monitoring_plan(JUDGED, tier)["how often"].eq(often).all()
    assert monitoring.standing_tasks(JUDGED, tier, [])[0].startswith(
        f"Label at least {labels} fresh answers {often}, "
    )


def test_what_did_not_pass_and_the_triggers_are_named():
    sentences = monitoring.standing_tasks(JUDGED, "low", ["new version", "a breach"])
    assert sentences[3:] == [
        "Watch first what did not pass now: groundedness.",
        "Validate again on: new version.",
        "Validate again on: a breach.",
    ]
    assert len(monitoring.standing_tasks(JUDGED[JUDGED["outcome"] == "pass"], "low", [])) == 3


def test_no_gates_no_rows():
    plan = monitoring.monitoring_plan(gates.evaluate([], CARD), "low")
    assert plan.empty and list(plan) == list(monitoring.monitoring_plan(JUDGED, "low"))


def test_an_unknown_tier_is_refused():
    with pytest.raises(KeyError, match="extreme"):
        monitoring.monitoring_plan(JUDGED, "extreme")
