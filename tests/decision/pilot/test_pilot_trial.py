"""The price of a pilot is that of good staff: who others pass, and a trial that shows in time that there are none."""

import pytest
from scipy.stats import binom

from ragassay.decision.pilot import pilot_trial
from ragassay.decision.pilot.pilot_staff_reading_test import Rated, Reading
from ragassay.stats import clopper_pearson

READING = Reading(Rated(214, 113, 60, 264))
TOLD = pilot_trial.in_words(READING, 4.0)


def test_the_chance_to_pass_falls_for_staff_who_miss_more():
    """Formerly the chances of good and of careless staff alone."""
    plan, limits = READING.plans[0], READING.limits
    chances = [pilot_trial.chance(plan, READING, part) for part in pilot_trial.OF_LIMIT.values()]
    assert chances == sorted(chances, reverse=True) and chances[0] >= 0.8 and chances[-1] <= 0.025
    by_hand = binom.cdf(plan.through, plan.shown, 0.75 * limits.through) * binom.cdf(
        plan.turned_down, plan.shown, limits.turned_down / 2
    )
    assert chances[1] == pytest.approx(by_hand) and f"{100 * by_hand:.0f} %" in TOLD
    assert "that there are such is not shown" in TOLD


def test_a_trial_on_answers_rated_already_says_when_a_pilot_is_not_worth_preparing():
    missed = pilot_trial.too_many(READING)
    assert clopper_pearson(missed, 113).low > READING.most_through >= clopper_pearson(missed - 1, 113).low
    assert f"If {missed} or more of 113 are missed" in TOLD and f"in {214 * 4 / 60:.0f} hours" in TOLD
    found = binom.sf(missed - 1, 113, 4 * READING.most_through)
    assert f"or {100 * found:.0f} %" in TOLD


def test_without_a_test_of_reading_or_enough_answers_there_is_no_trial():
    assert pilot_trial.in_words(Reading(Rated()), 4.0) == ""
    one_kind = Reading(Rated(60, 0, 0), 0.04, 0.02)
    assert one_kind.plans and "small trial" not in pilot_trial.in_words(one_kind, 4.0)
