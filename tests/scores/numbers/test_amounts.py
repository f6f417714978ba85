"""Amounts and numbers: by hand, however they are written, and what is none."""

import pytest

from ragassay.scores.numbers.amounts import (
    find_amounts,
    label_scale,
    missing_numbers,
    numbers,
    stated_numbers,
)


def read(text: str) -> list[tuple[float, str | None, bool]]:
    return [(one.value, one.unit and one.unit[1], one.sign < 0) for one in find_amounts(text)]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("£297.3 million", [(297.3e6, "pound", False)]),
        ("US$1.5bn and EUR 210 million", [(1.5e9, "dollar", False), (210e6, "euro", False)]),
        ("minus 4 km", [(4.0, "kilometre", True)]),
        ("1.250,50 and 1,250.50", [(1250.5, None, False), (1250.5, None, False)]),
        ("12m metres and £12m", [(12e6, "pound", False)]),
        ("in 2023, FY2018, Q3 2024, on 31.12.2023 and 12 March 2024", []),
        ("1 234,56 and 1'234.56, 1\u202f234,56", [(1234.56, None, False)] * 3),
        ("1.5 lakh rupees, twelve business days", [(150_000, "rupee", False), (12, "day", False)]),
        ("1" * 40, []),
    ],
)
def test_by_hand(text, expected):
    assert [pytest.approx(one) for one in read(text)] == expected


@pytest.mark.parametrize(
    "text, scale",
    [("£000", 3), ("in $ millions", 6), ("(dollars in thousands)", 3), ("9 billion people", None)],
)
def test_the_scale_that_a_heading_gives(text, scale):
    assert label_scale(text) == scale


@pytest.mark.parametrize(
    "text, expected",
    [("1,250.50", {"1250.5"}), ("1.250,50", {"1250.5"}), ("5 to 10", {"5", "10"}), ("٣", {"3"})],
)
def test_numbers_have_one_spelling(text, expected):
    assert numbers(text) == expected


def test_numbers_missing_from_the_passages_and_the_mark_of_a_step():
    passages = ["The fee is $1,250.00 a year.", "It is waived at 30 days."]
    assert missing_numbers("Pay 7 of 30.", passages) == {"7"}
    assert stated_numbers("2. The fee is 1250 dollars.") == {"1250"}
