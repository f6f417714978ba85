"""Amounts: by hand, against the spelling of written_numbers, their laws, what is none."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.scores.numbers.amounts import find_amounts, plain_amounts, tolerance, years
from ragassay.scores.numbers.units import label_scale, units_of
from ragassay.scores.numbers.written_numbers import numbers


def read(text: str) -> list[tuple[float, str | None, bool]]:
    return [(one.value, one.unit and one.unit[1], one.negative) for one in find_amounts(text)]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("£297.3 million", [(297.3e6, "pound", False)]),
        ("US$1.5bn and EUR 210 million", [(1.5e9, "dollar", False), (210e6, "euro", False)]),
        ("(21.8), $(12.5) and -7.1%", [(21.8, None, True), (12.5, "dollar", True), (7.1, "percent", True)]),
        ("minus 4 km", [(4.0, "kilometre", True)]),
        ("2.1 basis points, 3 pp", [(2.1, "basis point", False), (3.0, "percentage point", False)]),
        ("52,310 megawatt hours of 50 µg", [(52310.0, "megawatt hour", False), (50.0, "microgram", False)]),
        ("1.250,50 and 1,250.50", [(1250.5, None, False), (1250.5, None, False)]),
        ("a quarter of the staff", [(25.0, "percent", False)]),
        ("thirteen leases, two of five dollars", [(13.0, None, False), (5.0, "dollar", False)]),
        ("12m metres and £12m", [(12e6, "pound", False)]),
        ("in 2023, FY2018, Q3 2024, on 31.12.2023 and 12 March 2024", []),
        ("a 10-K, note 5, P40, 7a, CO2, page 12", []),
        ("1" * 40, []),
    ],
)
def test_by_hand(text, expected):
    assert [pytest.approx(one) for one in read(text)] == expected


@pytest.mark.parametrize(
    "text, low, high",
    [
        ("5.98", 5.975, 5.985),
        ("£2.56 billion", 2.555e9, 2.565e9),
        ("29,700", 29_699.5, 29_700.5),
        ("about 29,700", 29_650, 29_750),
        ("almost 18,000", 17_500, 18_500),
        ("about 5", 4.5, 5.5),
    ],
)
def test_how_far_a_rounded_number_may_be_off(text, low, high):
    (amount,) = find_amounts(text)
    assert (amount.value - tolerance(amount), amount.value + tolerance(amount)) == pytest.approx((low, high))


@given(st.integers(1, 10**9), st.sampled_from(["{}", "{:,}", "{}.5"]))
@settings(deadline=None)
def test_a_value_is_that_of_its_one_spelling(number, form):
    """The rival: the spelling of numbers that citations use; a year alone is no amount."""
    written = form.format(number)
    found = plain_amounts(written)
    assert (
        found == []
        if 1900 <= number <= 2099 and written.isdecimal()
        else (found[0].value == float(*numbers(written)))
    )


@pytest.mark.parametrize(
    "text, scale",
    [
        ("£000", 3),
        ("US$m", 6),
        ("in $ millions", 6),
        ("TEU carried (000)", 3),
        ("(dollars in thousands)", 3),
        ("NOKm", 6),
        ("9 billion people", None),
        ("Bank, Farm and Milk", None),
    ],
)
def test_the_scale_that_a_heading_gives(text, scale):
    assert label_scale(text) == scale


def test_the_units_that_a_heading_names_and_years():
    assert units_of("Area m², Cost ($m)") >= {("area", "square metre"), ("money", "dollar")}
    assert units_of("BP and HA") == frozenset()
    assert years("12/31/23, FY18, 2021/22, 6 months to 30 Sep 2020; $36.25") == {
        "2023", "2018", "2021", "2022", "2020",
    }  # fmt: skip


@given(st.text())
@settings(deadline=None)
def test_any_text_is_read_and_amounts_stand_in_order(text):
    found = find_amounts(text)
    assert all(0 <= one.start < one.end <= len(text) and one.step > 0 for one in found)
    assert found == sorted(found)
