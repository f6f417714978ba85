"""Alarms: by hand, against scipy's test, the sample that notices enough, and the false alarms promised."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ragassay.decision.monitoring import alarm_limits
from ragassay.decision.monitoring.alarm_limits import (
    alarm_limit,
    chance_each,
    simulate_false_alarms,
    smallest_sample,
)


def test_by_hand():
    """Of 4 answers, bad with probability one half: 4 bad come with 1/16, 3 or more with 5/16."""
    found = alarm_limit(4, 0.5, 1.0, 0.1)
    assert (found.limit, found.chance, found.power) == (4, pytest.approx(1 / 16), 1.0)
    assert alarm_limit(4, 0.5, 1.0, 5 / 16).limit == 3
    assert chance_each(0.19, 2) == pytest.approx(0.1) and chance_each(0.1, 0) == pytest.approx(0.1)
    never = alarm_limit(3, 0.9, 1.0, 0.001)
    assert never.limit > 3 and never.chance == 0


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 400), st.floats(0.01, 0.9), st.floats(1e-4, 0.2))
def test_the_limit_is_the_smallest_that_keeps_its_promise(n, reference, chance):
    limit = alarm_limit(n, reference, 1.0, chance).limit
    assert stats.binom.sf(limit - 1, n, reference) <= chance
    assert limit == 0 or stats.binom.sf(limit - 2, n, reference) > chance


@pytest.mark.parametrize("reference", [0.02, 0.2, 0.43])
def test_the_sample_is_the_smallest_that_notices_enough(reference):
    found = smallest_sample(reference, reference + 0.15, 0.003)
    assert found.power >= 0.8 and found.chance <= 0.003
    assert alarm_limit(found.n - 5, reference, reference + 0.15, 0.003).power < 0.8
    with pytest.raises(ValueError, match="above the reference"):
        smallest_sample(reference, reference, 0.003)


def test_what_is_not_to_be_noticed_takes_the_most():
    assert smallest_sample(0.5, 0.5001, 0.003).n == alarm_limits.MOST


PLANS = [(periods, bad) for periods in (2, 4, 12) for bad in ((0.2,), (0.02, 0.3), (0.2, 0.3, 0.43, 0.6))]


@pytest.mark.parametrize("periods, bad", PLANS)
def test_false_alarms_are_as_rare_as_promised(simulations, periods, bad):
    """At most 0.10 of the years, within 3 standard errors (0.009 at 1,000 years)."""
    years = simulations(1000)
    chance = chance_each(0.1, periods * len(bad))
    limits = [smallest_sample(share, min(share + 0.15, 1), chance) for share in bad]
    alarms = simulate_false_alarms(limits, bad, periods, years=years, rng=np.random.default_rng(5))
    assert alarms.shape == (years, len(bad))
    assert alarms.any(axis=1).mean() <= 0.1 + 3 * np.sqrt(0.09 / years)
    exact = 1 - np.prod([(1 - each.chance) ** periods for each in limits])
    assert exact <= 0.1 and alarms.any(axis=1).mean() == pytest.approx(exact, abs=3 * np.sqrt(0.09 / years))
