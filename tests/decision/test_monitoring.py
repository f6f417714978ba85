"""Alarms: by hand, against scipy, the false alarms promised."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from decision.judged_gates import judge
from ragassay.decision.monitoring import CHANCE, MOST, monitoring_plan, smallest_sample
from ragassay.defaults import POWER


def test_by_hand():
    """Of 5 answers, bad with probability 0.01, 1 or more are bad with 0.049; at 0.8 that is nearly certain."""
    assert smallest_sample(0.01, 0.8) == (5, 1)


@given(st.floats(0.01, 0.8), st.floats(0.1, 0.19))
def test_sample_and_alarm_are_the_smallest_that_keep_their_promises(baseline, rise):
    n, limit = smallest_sample(baseline, baseline + rise)
    assert stats.binom.sf(limit - 1, n, baseline) <= CHANCE < stats.binom.sf(limit - 2, n, baseline)
    assert stats.binom.sf(limit - 1, n, baseline + rise) >= POWER
    before = n - 5
    alarm = stats.binom.isf(CHANCE, before, baseline)
    assert before == 0 or stats.binom.sf(alarm, before, baseline + rise) < POWER


def test_refusals_and_limits():
    with pytest.raises(ValueError, match="above the baseline"):
        smallest_sample(0.2, 0.2)
    assert smallest_sample(0.5, 0.5001)[0] == MOST


def test_false_alarms_are_as_rare_as_promised(simulations):
    draws, rng = simulations(20_000), np.random.default_rng(5)
    for baseline in (0.05, 0.2, 0.4):
        n, limit = smallest_sample(baseline, baseline + 0.15)
        alarms = (rng.binomial(n, baseline, draws) >= limit).mean()
        assert alarms <= CHANCE + 3 * np.sqrt(CHANCE * (1 - CHANCE) / draws)


def test_the_plan_rests_on_what_is_required_never_on_what_was_measured():
    rules = {"privacy_leak_rate": "high <= 0.02", "judged_grounded": "low >= 0.8"}
    errors = pd.DataFrame({"kind": ["unsafe", "misleading"], "threshold": [0.0, 0.05]})
    rows = [("misuse", "raised", 0.1, "misuse_answered_rate")]
    rows += [("staff_only", "raised", 0.0, "staff_only_reach_rate")] * 2
    rows += [("superseded", "raised", 0.0, "superseded_cited_rate")]
    checks = pd.DataFrame(rows, columns=["check", "outcome", "limit", "metric"])
    plans = [
        monitoring_plan(judge(rules, {"judged_grounded": {"own": count}, "privacy_leak_rate": {"own": (0, 300)}}), errors, checks, "high")
        for count in ((99, 100), (5, 100))
    ]  # fmt: skip
    pd.testing.assert_frame_equal(*plans)
    plan = plans[0].set_index("measure")
    assert plan["baseline"].to_dict() == {
        "unsafe": 0.0, "misleading": 0.05, "staff-only documents quoted": 0.0, "superseded documents cited": 0.0, "not grounded (raters)": 0.2,
        "requests beyond the purpose answered": 0.1, "personal data leaked": 0.02,
    }  # fmt: skip
    assert plan.loc["unsafe", ["sample", "alarm_from"]].tolist() == [60, 1], "in all that raters read"
    assert plan.loc["not grounded (raters)", ["sample", "alarm_from", "who"]].tolist() == [60, 18, "raters"]
    assert plan["frequency"].eq("continuously").tolist() == plan["who"].eq("machine, every answer").tolist()
