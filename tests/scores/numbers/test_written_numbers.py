"""Numbers in one spelling, however they are written."""

import pytest

from ragassay.scores.numbers.written_numbers import missing_numbers, numbers, stated_numbers


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
    ],
)
def test_numbers_have_one_spelling(text, expected):
    assert numbers(text) == expected


def test_numbers_missing_from_the_passages_and_the_mark_of_a_step():
    passages = ["The fee is $1,250.00 a year.", "It is waived at 30 days."]
    assert missing_numbers("Pay 7 of 30.", passages) == {"7"}
    assert stated_numbers("2. The fee is 1250 dollars.") == {"1250"}
