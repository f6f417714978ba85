"""What staff must be able to find of bad answers: one ceiling for the start and the end of a pilot."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.decision import pilot_staff_reading_test
from ragassay.decision.pilot_staff_reading_test import Rated, Reading
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
    assert pilot_staff_reading_test.rated_answers(*made) == Rated(90, 40, 10)


def test_the_worst_origin_counts_and_easy_answers_lift_none():
    rows = [("good", True, 50, "raters", "own"), ("partial", True, 50, "raters", "own")]
    easy = [("good", True, 500, "raters", "generated")]
    assert pilot_staff_reading_test.rated_answers(
        *taxonomy(*rows, *easy)
    ) == pilot_staff_reading_test.rated_answers(*taxonomy(*rows))
    assert pilot_staff_reading_test.rated_answers(None, pd.DataFrame()) == Rated()


@given(bad=SHARES, part=SHARES, tolerated=st.floats(0.01, 0.5))
@settings(max_examples=60, deadline=None)
def test_staff_who_let_through_just_so_many_use_just_what_is_tolerated(bad, part, tolerated):
    through = pilot_staff_reading_test.most_let_through(bad, part * bad, tolerated)
    used = part * bad * through / (bad * through + 1 - bad)
    assert used == pytest.approx(tolerated) if through < 1 else used <= tolerated + 1e-9


def test_the_numbers_of_a_test_by_hand():
    """Half of 200 answers are bad, at most 57.1 %: of used ones 10 % are, if 8.3 % of the bad get through."""
    found = Reading(Rated(200, 100, 0), 0.1, 0.1)
    assert found.most_through == pytest.approx(0.1 * (1 - found.bad) / (0.9 * found.bad))
    (none, n), *more = found.plans
    assert none == 0 and clopper_pearson(0, n).high <= found.most_through < clopper_pearson(0, n - 1).high
    assert more and all(clopper_pearson(k, m).high <= found.most_through for k, m in more)


def test_the_words_hold_every_number_that_the_share_follows_from():
    """As a reader computes it from the page: q, m and both ceilings as they are printed."""
    told = Reading(Rated(214, 113, 60)).in_words()
    q, m, bad, misleading, first, second = (
        float(re.search(pattern, told)[1]) / 100
        for pattern in (
            r"q = ([\d.]+) %", r"m = ([\d.]+) %", r"first is at most ([\d.]+) %", r"second at most ([\d.]+) %",
            r"% for r up to ([\d.]+) %", r"second .* for r up to ([\d.]+) %",
        )
    )  # fmt: skip
    assert "Of 214 answers" in told and "rejected 113" in told and "60 of these mislead" in told
    assert first == pytest.approx(bad * (1 - q) / (q - bad * q), abs=0.0006)
    assert second == pytest.approx(misleading * (1 - q) / (m - misleading * q), abs=0.0006)
    assert min(first, second) == pytest.approx(Reading(Rated(214, 113, 60)).most_through, abs=0.0006)


@pytest.mark.parametrize("bad, part", [(0.5, 0.3), (0.5, 1.0), (0.3, 0.5)])
def test_staff_beyond_the_ceiling_seldom_pass_rating_and_test_together(bad, part):
    """Both are drawn anew: staff let through a tenth more than the true shares allow."""
    rng, passed = np.random.default_rng(0), 0
    allowed = min(
        pilot_staff_reading_test.most_let_through(bad, bad, 0.1),
        pilot_staff_reading_test.most_let_through(bad, part * bad, 0.05),
    )
    for _ in range(400):
        n_bad = int(rng.binomial(214, bad))
        found = Reading(Rated(214, n_bad, int(rng.binomial(n_bad, part))))
        if found.plans:
            none, n = found.plans[0]
            passed += rng.binomial(n, min(1.0, 1.1 * allowed)) <= none
    assert passed / 400 <= 0.075


def test_a_simulated_staff_that_fails_the_ceiling_seldom_passes():
    """Staff who let through a fifth more than they may pass a test in at most 2.5 % of trials."""
    found, rng = Reading(Rated(264, 145, 60)), np.random.default_rng(0)
    for through, n in found.plans:
        passed = rng.binomial(n, min(1.0, 1.2 * found.most_through), 4000) <= through
        assert passed.mean() <= 0.025


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
