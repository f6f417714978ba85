"""What a number's own clause says of it: by hand, by its laws, and in time in proportion."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.scores.numbers.amounts import find_amounts
from ragassay.scores.numbers.line_item_words import keys
from ragassay.scores.numbers.prose_number_subjects import bounded_words, read_places


def places(text: str):
    return read_places(text, find_amounts(text))


@pytest.mark.parametrize(
    "text, subjects",
    [
        ("Harbour dues were $70 million in 2022 and $77 million in 2023.", ["harbour dues"] * 2),
        ("Harbour dues were $70 million. Wages were $30 million.", ["harbour dues", "wages"]),
        ("Harbour dues were $70 million and wages were $30 million.", ["harbour dues", "wages"]),
        ("Harbour dues were $70 million. They rose to $77 million.", ["harbour dues"] * 2),
        ("Pilots and porters were paid $30 million.", ["pilots porters paid"]),
        ("$30 million it was.", [""]),
    ],
)
def test_the_subject_is_that_of_the_clause(text, subjects):
    assert [one.subject for one in places(text)] == [keys(subject) for subject in subjects]


@pytest.mark.parametrize(
    "text, told",
    [
        ("Dues were $70 million in 2022 and $77 million in 2023.", [{"2022"}, {"2023"}]),
        ("Dues were $77 million in 2023, compared with $70 million in 2022.", [{"2023"}, {"2022"}]),
        ("In 2023 dues rose from $70 million to $77 million.", [set(), None]),
        ("In 2023 dues were $77 million.", [{"2023"}]),
        ("Dues were $70 million and $77 million in 2022 and 2023, respectively.", [None, None]),
    ],
)
def test_the_year_is_the_one_beside_the_number(text, told):
    assert [one.years for one in places(text)] == told


@pytest.mark.parametrize(
    "text, often",
    [
        ("The berth costs $40 per day.", {"day"}),
        ("The monthly rent of a berth is $40.", {"month"}),
        ("The berth costs $40 a year earlier.", set()),
        ("The annual report puts it at $40.", set()),
        ("The rent is $40 annually.", {"year"}),
    ],
)
def test_how_often(text, often):
    assert [one.often for one in places(text)] == [often]


@pytest.mark.parametrize(
    "text, bound",
    [
        ("At least 7 boats.", 1),
        ("No fewer than 7 boats.", 1),
        ("At most 7 boats.", -1),
        ("Up to 7 boats.", -1),
        ("Some 7 boats.", 0),
    ],
)
def test_bounds(text, bound):
    assert [one.bound for one in places(text)] == [bound]


def test_small_counts_in_words_are_read_as_bounds_alone():
    assert [one.value for one in bounded_words("Three boats, at most four, with at least two weeks")] == [4]


@given(st.text(max_size=300))
@settings(deadline=None)
def test_any_text_has_a_place_for_each_number(text):
    assert len(places(text)) == len(find_amounts(text))
