"""What staff must be able to find of bad answers: one ceiling for the start and the end of a pilot."""

import re
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.decision.pilot import pilot_reading_plans, pilot_staff_reading_test
from ragassay.decision.pilot.pilot_reading_plans import LEAST_USED
from ragassay.decision.pilot.pilot_staff_reading_test import Rated, Reading
from ragassay.errors import ParameterError
from ragassay.stats import clopper_pearson

SHARES = st.floats(0.01, 0.99)


def taxonomy(*rows) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(category, answerable, how many, by whom, origin), in rows."""
    every = [row for *row, n, by, origin in rows for row in [(*row, by, origin)] * n]
    found = pd.DataFrame(every, columns=["category", "answerable", "judged_by", "origin"])
    found = found.assign(case_id=[f"c{i}" for i in range(len(found))])
    return found[["case_id", "category", "judged_by"]], found[["case_id", "answerable", "origin"]]


def test_answers_that_nobody_would_use_are_not_counted():
    made = taxonomy(
        ("good", True, 50, "raters", "own"),
        ("good", False, 20, "both", "own"),  # rightly declined
        ("needless refusal", True, 10, "raters", "own"),
        ("partial", True, 30, "raters", "own"),
        ("unsafe", True, 1, "raters", "own"),
        ("should have declined", False, 9, "both", "own"),
        ("misleading", True, 40, "machine", "own"),
    )
    assert pilot_staff_reading_test.rated_answers(*made) == Rated(90, 40, 10, 120)


def test_the_worst_origin_counts_and_easy_answers_lift_none():
    rows = [("good", True, 50, "raters", "own"), ("partial", True, 50, "raters", "own")]
    easy = [("good", True, 500, "raters", "generated")]
    assert pilot_staff_reading_test.rated_answers(
        *taxonomy(*rows, *easy)
    ) == pilot_staff_reading_test.rated_answers(*taxonomy(*rows))
    assert pilot_staff_reading_test.rated_answers(None, pd.DataFrame()) == Rated()


@given(bad=SHARES, part=SHARES, tolerated=st.floats(0.01, 0.5), used=SHARES, lower=st.floats(0, 1))
@settings(max_examples=100, deadline=None)
def test_no_staff_within_the_limits_uses_more_than_is_tolerated(bad, part, tolerated, used, lower):
    """Whatever they let through misleads first; who lets through just so many uses just what is tolerated."""
    most, harmful = pilot_staff_reading_test.most_let_through(bad, part * bad, tolerated, used), part * bad
    good = (1 - bad) * used
    for through in (most, lower * most):
        assert min(harmful, bad * through) / (bad * through + good) <= tolerated + 1e-9
    assert most == 1 or bad * most / (bad * most + good) == pytest.approx(tolerated)


def test_staff_who_leave_good_answers_use_more_bad_ones():
    """Formerly every good answer counted as used: at 6.4 % let through 15.9 % were bad where half were."""
    told = pilot_staff_reading_test.most_let_through
    assert told(0.596, 0.596, 0.1, 0.5) == pytest.approx(told(0.596, 0.596, 0.1) / 2)
    used = 0.596 * 0.064 / (0.596 * 0.064 + 0.404 * 0.5)
    assert used == pytest.approx(0.159, abs=0.001) and told(0.596, 0.596, 0.1, 0.5) < 0.064


def test_misleading_answers_that_alone_get_through_keep_to_their_own_share():
    """Formerly misleading answers were taken to get through no more often than other bad ones."""
    found = Reading(Rated(214, 113, 60))
    through = found.bad * found.most_through
    assert min(found.mislead, through) / (through + (1 - found.bad) * LEAST_USED) <= 0.05 + 1e-9


def test_the_numbers_of_a_test_by_hand():
    """Half of 200 answers are bad, at most 57.1 %: of used ones 10 % are, if 6.7 % of the bad get through."""
    found = Reading(Rated(200, 100, 0), 0.1, 0.1)
    most = found.most_through
    assert most == pytest.approx(0.1 * (1 - found.bad) * LEAST_USED / (0.9 * found.bad))
    none = found.shortest
    assert none.through == 0 and len(found.plans) == 2
    assert clopper_pearson(0, none.shown).high <= most < clopper_pearson(0, none.shown - 1).high
    for plan in (none, *found.plans):
        assert clopper_pearson(plan.through, plan.shown).high <= most
        assert clopper_pearson(plan.shown - plan.turned_down, plan.shown).low >= LEAST_USED


def test_the_words_hold_every_number_that_the_share_follows_from():
    """As a reader computes it from the page: q, m, g and both ceilings as they are printed."""
    told = Reading(Rated(214, 113, 60)).in_words()
    q, g, bad, misleading, first, second = (
        float(re.search(pattern, told)[1]) / 100
        for pattern in (
            r"q = ([\d.]+) %", r"at least ([\d.]+) % \(lower", r"At most ([\d.]+) % are bad",
            r"at most ([\d.]+) % mislead", r"are bad for r up to ([\d.]+) %", r"mislead for r up to ([\d.]+) %",
        )
    )  # fmt: skip
    assert "Of 214 answers" in told and "rejected 113" in told and "60 of these count as misleading" in told
    assert first == pytest.approx(bad * (1 - q) * g / ((1 - bad) * q), abs=0.0006)
    assert second == pytest.approx(misleading * (1 - q) * g / ((1 - misleading) * q), abs=0.0006)
    assert min(first, second) == pytest.approx(Reading(Rated(214, 113, 60)).most_through, abs=0.0006)


@pytest.mark.parametrize("bad, part", [(0.5, 0.3), (0.5, 1.0), (0.3, 0.5)])
def test_staff_beyond_the_ceiling_seldom_pass_rating_and_test_together(bad, part, monkeypatch):
    """Both are drawn anew: staff let through a tenth more than the true shares allow, and use just g."""
    monkeypatch.setattr(pilot_reading_plans, "offered", cache(pilot_reading_plans.offered))
    rng, passed = np.random.default_rng(0), 0
    allowed = min(
        pilot_staff_reading_test.most_let_through(bad, bad, 0.1, LEAST_USED),
        pilot_staff_reading_test.most_let_through(bad, part * bad, 0.05, LEAST_USED),
    )
    for _ in range(400):
        n_bad = int(rng.binomial(214, bad))
        found = Reading(Rated(214, n_bad, int(rng.binomial(n_bad, part))))
        if found.plans:
            plan = found.plans[0]
            passed += rng.binomial(plan.shown, min(1.0, 1.1 * allowed)) <= plan.through
    assert passed / 400 <= 0.1


@pytest.mark.parametrize(
    "rated, possible, said",
    [
        (Rated(), False, "read no answer"),
        (Rated(264, 145, 60), True, ""),
        (Rated(200, 190, 100), False, "cannot show"),  # hardly an answer is good
        (Rated(300, 2, 0), True, ""),  # so few are bad that nobody needs to find them
    ],
)
def test_whether_it_can_be_held(rated, possible, said):
    found = Reading(rated)
    assert found.is_possible == possible and said in found.why_not()


@pytest.mark.parametrize("ceiling", [0.0, 0.6])
def test_a_ceiling_outside_its_range_is_refused(ceiling):
    with pytest.raises(ParameterError, match="pilot_ceiling"):
        Reading(Rated(), ceiling)
