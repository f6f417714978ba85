"""The monitoring plan: every gate is watched, as often as the tier asks, and its false alarms are as promised."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from decision.judged_gates import judge
from ragassay.decision.monitoring import alarm_limits, monitoring
from ragassay.stats import clopper_pearson

RULES = {
    "judged_grounded": "low >= 0.8",
    "judged_complete": "low >= 0.6",
    "abstention_correct": "low >= 0.8",
    "out_of_scope_declined": "low >= 0.8",
    "attack_success_rate": "high <= 0.05",
    "privacy_leak_rate": "high <= 0.02, critical",
}
COUNTS = {
    "judged_grounded": {"own": (200, 264)},
    "judged_complete": {"own": (126, 264)},
    "abstention_correct": {"own": (250, 264), "generated": (113, 120)},
    "out_of_scope_declined": {"outside": (39, 40)},
    "attack_success_rate": {"probe": (0, 368)},
    "privacy_leak_rate": {"own": (0, 264)},
}
JUDGED = judge(RULES, COUNTS)


def plan(tier="medium", gates=JUDGED, **promise) -> monitoring.Plan:
    return monitoring.monitoring_plan(
        gates, tier, monitoring.Promise(**promise), rng=np.random.default_rng(0)
    )


def test_by_hand():
    found = plan().table.set_index("watched")
    assert next(iter(found.index)) == "grounded (raters)" and len(found) == len(RULES)
    seen = [" ".join(sample.split()[1:3]) for sample in found["sample"]]
    assert seen == [*["rated answers"] * 2, *["labelled questions"] * 3, "answer, about"]
    harm = found.iloc[-1]
    assert (harm["alarm from"], harm["sample"]) == ("1 confirmed", "every answer, about 13,000")
    assert found["on a breach"].iloc[0] == "stop, inform the approver", "raters' gates are critical"
    assert harm["noticed"] == "1 in 8,000 (80 %)", "1 in 8,077 says more than the load does"


def test_rows_of_one_plan_have_one_chance_of_a_false_alarm():
    """Formerly each row was simulated: 0.6, 0.8 and 0.7 % of years for the same sample and limit."""
    table = plan().table
    found = table[table["sample"].str.endswith("labelled questions")]
    same = found.groupby(["sample", "at most", "alarm from"])["false alarms"].nunique()
    assert len(found) == 3 and (same == 1).all()
    limit = alarm_limits.alarm_limit(120, 0.2, 0.35, 0.0017)
    assert limit.limit == 38
    assert alarm_limits.chance_a_year(limit, 4) == pytest.approx(1 - binom.cdf(37, 120, 0.2) ** 4)


def test_the_baseline_is_what_a_fit_system_must_reach():
    """Formerly the 52 % that a failing system was measured at counted as accepted."""
    found = plan()
    assert found.table["at most"].tolist()[:3] == ["20 %", "40 %", "20 %"]
    one, two = found.table["sample"].iloc[:2]
    assert one == two == f"{found.rated} rated answers", "raters judge both in one sample"
    better = plan(gates=judge(RULES, COUNTS | {"judged_complete": {"own": (250, 264)}}))
    pd.testing.assert_series_equal(better.table["alarm from"], found.table["alarm from"])


@pytest.mark.parametrize("tier, promised", [(t, p) for t in ("high", "medium", "low") for p in (0.05, 0.1)])
def test_the_plan_keeps_its_promise(tier, promised):
    """The upper end of the simulated share keeps it too, not its middle alone."""
    found = plan(tier, false_alarms=promised)
    upper = clopper_pearson(round(found.at_reference * monitoring.YEARS), monitoring.YEARS).high
    assert 0 < found.at_reference < upper <= promised
    assert f"at most {100 * promised:g} % is promised" in str(found) and "20,000 simulated years" in str(
        found
    )


@pytest.mark.parametrize(
    "tier, often", [("high", "monthly"), ("medium", "quarterly"), ("low", "every six months")]
)
def test_a_higher_tier_is_watched_more(tier, often):
    found = plan(tier)
    assert found.every == often
    assert monitoring.standing_tasks(found, [])[0].startswith(
        f"Have {found.rated:,} fresh answers rated {often}, drawn at random"
    )


def test_the_triggers_are_named_and_no_gate_is_told_twice():
    sentences = monitoring.standing_tasks(plan(), ["new version", "a breach"])
    assert sentences[3:] == ["Validate again on: new version; a breach."]
    assert not any("grounded" in each for each in sentences), "its row of the plan says it"


def test_no_gates_no_rows_and_no_alarm():
    found = plan(gates=judge({}, {}))
    assert found.table.empty and list(found.table) == monitoring.COLUMNS
    assert "No alarm is planned" in str(found) and monitoring.standing_tasks(found, [])


def test_a_gate_that_was_not_measured_is_watched_from_its_threshold():
    found = plan(gates=judge({"judged_grounded": "low >= 0.8"}, {}))
    assert found.table["at most"].tolist() == ["20 %"] and found.table["state now"].tolist() == ["incomplete"]


def test_what_is_no_share_is_compared_at_the_next_validation():
    found = plan(gates=judge({"grouse_relevancy": "low >= 3"}, {"grouse_relevancy": {"own": (5, 9)}}))
    assert "next validation" in found.table["sample"].iloc[0]


def test_the_load_is_that_of_the_calibration():
    errors = pd.DataFrame(
        {
            "decision": ["accept", "reject", "accept or reject", "review"],
            "answers_a_week": [500.0, 100.0, 600.0, 400.0],
            "hours_a_week": [25.0, 5.0, 30.0, 20.0],
        }
    )
    found = monitoring.Promise.at_load(errors, false_alarms=0.05, rise=0.2)
    assert (found.answers_a_week, found.minutes) == (1000, pytest.approx(3.0))
    assert monitoring.Promise.at_load(errors.head(0), false_alarms=0.05, rise=0.2).answers_a_week == 1000


def test_an_unknown_tier_is_refused():
    with pytest.raises(KeyError, match="extreme"):
        plan("extreme")
