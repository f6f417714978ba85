"""Ranges: ends belong or do not, as written; NaN, text and a range that cannot be are refused."""

import math

import pytest

from ragassay import parameter_ranges
from ragassay.errors import ParameterError

WRITTEN = ["in (0, 1)", "in [1, inf)", "in [-1, 1]", "in (-inf, inf)", "in (0, 0.5)", "one of a, b-2, c.d"]


@pytest.mark.parametrize("text", [*WRITTEN, "in [0, 4294967295]"])
def test_a_range_is_written_as_it_is_read(text):
    assert str(parameter_ranges.parse(text)) == text


@pytest.mark.parametrize(
    "text, inside, outside",
    [
        ("in (0, 1)", [0.001, 0.999], [0, 1, 2.0, -0.1, math.nan, math.inf, "0.5"]),
        ("in [0, 1]", [0, 1, 0.5], [-0.001, 1.001, math.nan]),
        ("in [1, inf)", [1, 10**9], [0, math.inf]),
        ("in (-inf, inf)", [0, -5.5], [math.inf, -math.inf, math.nan]),
        ("one of a, b", ["a", "b"], ["c", "", "a, b"]),
    ],
)
def test_what_it_holds(text, inside, outside):
    found = parameter_ranges.parse(text)
    assert all(found.holds(value) for value in inside) and not any(found.holds(value) for value in outside)


@pytest.mark.parametrize("text", ["", "in (0, 1", "in [a, b]", "in (1, 1)", "in [-inf, 0]", "one of a"])
def test_what_is_no_range(text):
    with pytest.raises(ValueError):
        parameter_ranges.parse(text)


def test_an_explanation_ends_in_its_range_or_states_none():
    assert parameter_ranges.at_the_end("share of the rest, in words; in [0, 1]") == parameter_ranges.parse(
        "in [0, 1]"
    )
    assert parameter_ranges.at_the_end("a number between 0 and 1") is None
    with pytest.raises(ValueError):
        parameter_ranges.at_the_end("in [0, 1] as a rule")


def test_check_names_parameter_value_and_range():
    parameter_ranges.check("alpha", 0.1, "in (0, 1)")
    with pytest.raises(
        ParameterError, match=r"alpha is outside(?s:.*)found: 2\.0(?s:.*)expected: in \(0, 1\)"
    ):
        parameter_ranges.check("alpha", 2.0, "in (0, 1)")
