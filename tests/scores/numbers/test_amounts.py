"""Amounts and numbers: by hand, however they are written, and what is none."""

import pytest

from ragassay.scores.numbers.amounts import (
    find_amounts,
    find_numbers,
    label_scale,
    missing_numbers,
    numbers,
    ratio,
    stated_numbers,
    tolerance,
    units_of,
    years,
)


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
        ("1 234,56 and 1'234.56, 1\u202f234,56", [(1234.56, None, False)] * 3),
        ("1.5 lakh rupees, twelve business days", [(150_000, "rupee", False), (12, "day", False)]),
        ("the child's eleventh birthday", []),
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


def test_every_number_is_read_where_that_is_asked():
    assert [one.value for one in find_numbers("In 2023 two of 10-K on page 12.")] == [2, 10, 12]


def test_units_made_of_one_another():
    gram, kilogram, mile = ("weight", "gram"), ("weight", "kilogram"), ("length", "mile")
    assert ratio(gram, kilogram) == 1000 and ratio(kilogram, gram) == 0.001 and ratio(gram, mile) == 0
    points, basis, percent = ("points", "percentage point"), ("points", "basis point"), ("share", "percent")
    assert ratio(percent, basis) == ratio(points, basis) == 0.01 and ratio(percent, points) == 0


@pytest.mark.parametrize(
    "text, expected",
    [
        ("1,250.50", {"1250.5"}),
        ("1.250,50", {"1250.5"}),
        ("$1250.5", {"1250.5"}),
        ("1,250", {"1250"}),
        ("007", {"7"}),
        ("3.50%", {"3.5"}),
        ("5 to 10", {"5", "10"}),
        ("none", set()),
        ("12,345,678", {"12345678"}),
        ("٣", {"3"}),
        ("0.00", {"0"}),
        ("€1 234,56 or 1'234.56", {"1234.56"}),
    ],
)
def test_numbers_have_one_spelling(text, expected):
    assert numbers(text) == expected


def test_numbers_missing_from_the_passages_and_the_mark_of_a_step():
    passages = ["The fee is $1,250.00 a year.", "It is waived at 30 days."]
    assert missing_numbers("Pay 7 of 30.", passages) == {"7"}
    assert stated_numbers("2. The fee is 1250 dollars.") == {"1250"}
