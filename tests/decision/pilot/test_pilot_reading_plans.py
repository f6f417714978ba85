"""How many answers a test of reading shows, and who passes it."""

import numpy as np
import pytest

from ragassay.decision.pilot.pilot_reading_plans import (
    LEAST_USED,
    Limits,
    ReadingPlan,
    fewest,
    most_met,
    offered,
    shortest,
    with_power,
)
from ragassay.defaults import POWER
from ragassay.stats import clopper_pearson

LIMITS = Limits(0.05)
PLANS = [shortest(LIMITS, 250), *offered(LIMITS)]


def test_who_rejects_everything_fails():
    """Formerly the test counted bad answers alone: who used none passed."""
    assert PLANS and all(plan.passed(0.0, 0.0) < 1e-12 for plan in PLANS)


@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_staff_beyond_either_limit_seldom_pass_by_simulation(plan):
    rng = np.random.default_rng(0)
    through = rng.binomial(plan.shown, LIMITS.through, 20_000) <= plan.through
    used = rng.binomial(plan.shown, 1 - LEAST_USED, 20_000) <= plan.turned_down
    assert through.mean() <= 0.03 and used.mean() <= 0.03
    assert plan.passed(LIMITS.through, 1.0) <= 0.025 and plan.passed(0.0, LEAST_USED) <= 0.025


@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_the_chance_of_good_staff_is_that_of_a_simulation(plan):
    rng = np.random.default_rng(1)
    through = rng.binomial(plan.shown, LIMITS.through / 2, 20_000) <= plan.through
    turned_down = rng.binomial(plan.shown, LIMITS.turned_down / 2, 20_000) <= plan.turned_down
    assert plan.passed_by_good(LIMITS) == pytest.approx((through & turned_down).mean(), abs=0.015)


def test_the_chance_of_careless_staff_is_that_of_a_simulation():
    rng, plan = np.random.default_rng(2), offered(LIMITS)[0]
    through = (rng.binomial(plan.shown, LIMITS.through, 50_000) <= plan.through).mean()
    turned_down = (rng.binomial(plan.shown, LIMITS.turned_down, 50_000) <= plan.turned_down).mean()
    assert plan.passed_by_careless(LIMITS) == pytest.approx(max(through, turned_down), abs=0.003)


@pytest.mark.parametrize("limit", [0.02, 0.05, 0.2, 0.4])
def test_no_test_is_offered_that_good_staff_often_fail_or_careless_staff_pass(limit):
    """Formerly two rows of three were tests that good staff failed in most attempts."""
    plans = offered(Limits(limit))
    assert plans and len(plans) == len(set(plans))
    for plan in plans:
        assert plan.passed_by_good(Limits(limit)) >= POWER and plan.passed_by_careless(Limits(limit)) <= 0.025
    assert plans[-1].passed_by_good(Limits(limit)) >= 0.9 and with_power(Limits(limit)) == plans[0]
    assert shortest(Limits(limit), 1_000).passed_by_good(Limits(limit)) < POWER


def test_the_numbers_are_the_fewest_and_the_most():
    assert fewest(0, LIMITS, 1_000) == 72 and fewest(0, LIMITS, 71) == 0
    assert fewest(0, Limits(1.0), 1_000) == 17, "so many show that four fifths of the good ones are used"
    k = most_met(100, 0.2)
    assert clopper_pearson(k, 100).high <= 0.2 < clopper_pearson(k + 1, 100).high
    assert most_met(5, 0.2) == -1


@pytest.mark.parametrize("through", [0.0, 1.0])
def test_where_nothing_can_or_need_be_found_no_test_is_planned(through):
    assert shortest(Limits(through), 500) is None and offered(Limits(through)) == []


def test_the_shortest_holds_both_counts():
    assert shortest(LIMITS, 72) == ReadingPlan(0, most_met(72, 1 - LEAST_USED), 72)
    assert shortest(LIMITS, 71) is None
