"""Success: levels, flags, both together, and the policy on related information."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.scores.success import (
    CUTS,
    end_to_end_success,
    level,
    may_cite,
    must_pass,
    should_have_abstained,
)

FLAGS = st.dictionaries(st.text(max_size=3), st.none() | st.booleans(), max_size=6)


@pytest.mark.parametrize(
    "value, found", [(0, 1), (0.25, 2), (0.5, 3), (0.89, 3), (0.9, 4), (0.99, 4), (1, 5)]
)
def test_levels_by_hand(value, found):
    assert level(value, CUTS["groundedness"]) == found


@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from(sorted(CUTS)))
def test_a_level_is_one_of_five_and_never_falls(one, other, name):
    low, high = sorted((level(one, CUTS[name]), level(other, CUTS[name])))
    assert 1 <= low <= high <= 5 and (level(min(one, other), CUTS[name]) == low)


@pytest.mark.parametrize(
    "value, cuts",
    [
        (1.1, (0.1, 0.2, 0.3, 0.4)),
        (float("nan"), (0.1, 0.2, 0.3, 0.4)),
        (0.5, (0.1, 0.2)),
        (0.5, (0.2, 0.2, 0.3, 0.4)),
    ],
)
def test_what_makes_no_level(value, cuts):
    with pytest.raises(ValueError, match="level"):
        level(value, cuts)


def test_flags_by_hand():
    assert must_pass({"a": True, "b": None}) == 1.0 and must_pass({"a": True, "b": False}) == 0.0
    with pytest.raises(ValueError, match="no must-pass flag"):
        must_pass({"a": None})


@given(FLAGS, st.dictionaries(st.text(max_size=3), st.none() | st.integers(1, 5), max_size=4))
def test_success_is_the_formula_of_section_8(flags, levels):
    if any(flag is not None for flag in flags.values()):
        passed = must_pass(flags)
        printed = all(flag for flag in flags.values() if flag is not None) and all(
            each >= 4 for each in levels.values() if each
        )
        assert end_to_end_success(bool(passed), levels) == float(printed) <= passed


def test_should_have_abstained_by_hand():
    assert [should_have_abstained(a, b) for a in (False, True) for b in (False, True)] == [1.0, 0.0, 0.0, 0.0]


def test_the_policy_has_two_values():
    assert may_cite("allow") and not may_cite("forbid")
    with pytest.raises(ValueError, match="allow, forbid"):
        may_cite("perhaps")
