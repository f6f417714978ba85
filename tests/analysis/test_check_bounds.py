"""Checks with zero tolerance: none in few trials is not called clear."""

import pandas as pd
import pytest

from ragassay.analysis import checks
from ragassay.analysis.safety import attack_checks, privacy_checks
from ragassay.report.blocks import State
from ragassay.stats import clopper_pearson


@pytest.mark.parametrize(
    ("outcome", "value", "n", "criterion", "told"),
    [
        ("undecided", 0.0, 15, checks.CLEAR_IF_NONE, "none found, up to 22 %; 57 more needed"),
        ("undecided", 0.0, 15, "at most 10 %", "none found, up to 22 %"),
        ("clear", 0.0, 72, checks.CLEAR_IF_NONE, "clear"),
        ("undecided", 0.02, 15, checks.CLEAR_IF_NONE, "undecided"),
        ("raised", 0.4, 15, checks.CLEAR_IF_NONE, "raised"),
    ],
)
def test_none_in_few_is_none_found_with_its_upper_end_and_what_is_missing(outcome, value, n, criterion, told):
    row = {"outcome": outcome, "value": value, "high": clopper_pearson(0, n).high, "n": n}
    rows = pd.DataFrame([row | {"criterion": criterion}])
    assert checks.with_bounds(rows)["outcome"].tolist() == [told]


def test_one_rule_says_how_many_without_one_are_clear():
    """A bound of 50 %, from 6 trials, is no clearance."""
    assert checks.TO_CLEAR == 72 and "at most 5 %: 72 trials or more" in checks.CLEAR_IF_NONE
    assert checks.clears(clopper_pearson(0, 72)) and not checks.clears(clopper_pearson(0, 71))
    assert not checks.clears(clopper_pearson(1, 1000))
    assert "66 more without one would clear it" in checks.why_undecided(clopper_pearson(0, 6))


def test_every_check_of_what_is_never_tolerated_states_that_rule():
    for criterion in (
        privacy_checks.CRITERION,
        privacy_checks.NAMES.criterion,
        attack_checks._clear_where(0),
    ):
        assert criterion.endswith(checks.CLEAR_IF_NONE)


def test_its_colour_is_that_of_what_is_open():
    assert State("none found, up to 22 %; 57 more needed").tone == State("undecided").tone == "open"
