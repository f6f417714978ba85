"""Dates and times: by hand, against the calendar, their laws, and what is no date."""

import pytest

from ragassay.scores.numbers.dates import Moment, find, meets

DAY = Moment(2024, None, 3, 12)


def readings(text: str) -> list[tuple[Moment, ...]]:
    return [found.readings for found in find(text)]


@pytest.mark.parametrize(
    "text, moment",
    [
        ("12 March 2024", DAY),
        ("2024-03-12", DAY),
        ("12 de março de 2024", DAY),
        ("March 2024", Moment(2024, None, 3)),
        ("Q3 2024", Moment(2024, 3)),
        ("the third quarter of 2024", Moment(2024, 3)),
        ("10 a.m.", Moment(hour=10, minute=0)),
        ("12 p.m.", Moment(hour=12, minute=0)),
        ("Mondays", Moment(weekday=1)),
    ],
)
def test_by_hand(text, moment):
    assert readings(text) == [(moment,)]


@pytest.mark.parametrize("text", ["", "after 12 may not", "31/31/2024", "99 am", "24/7/365", "Marching"])
def test_what_is_no_date(text):
    assert find(text) == []


def test_a_slashed_date_has_both_readings():
    assert readings("03/12/2024") == [(DAY, Moment(2024, None, 12, 3))]
    assert readings("03/03/2024") == [(Moment(2024, None, 3, 3),)]


@pytest.mark.parametrize(
    "stated, offered, met",
    [
        (Moment(2024, None, 3), DAY, True),
        (Moment(2024, 1), DAY, True),
        (Moment(weekday=2), DAY, True),  # 12 March 2024 was a Tuesday
        (Moment(2023, None, 3), DAY, False),
        (DAY, Moment(2024, None, 3), False),
    ],
)
def test_a_fuller_date_vouches_for_less(stated, offered, met):
    assert meets(stated, offered) is met
