"""Dates and times: by hand, against the calendar, their laws, and what is no date."""

import pytest

from ragassay.scores.numbers.dates import (
    Moment,
    find,
    meets,
    months_and_weekdays,
    supported_months_and_weekdays,
)

DAY = Moment(2024, None, 3, 12)


def readings(text: str) -> list[tuple[Moment, ...]]:
    return [found.readings for found in find(text)]


@pytest.mark.parametrize(
    "text, moment",
    [
        ("12 March 2024", DAY),
        ("the 12th of March, 2024", DAY),
        ("March 12, 2024", DAY),
        ("Mar. 12 2024", DAY),
        ("2024-03-12", DAY),
        ("12 de marzo de 2024", DAY),
        ("12 de março de 2024", DAY),
        ("31/12/2024", Moment(2024, None, 12, 31)),
        ("31.12.2024", Moment(2024, None, 12, 31)),
        ("31/12/98", Moment(1998, None, 12, 31)),
        ("March 2024", Moment(2024, None, 3)),
        ("by 3 May", Moment(month=5, day=3)),
        ("in May", Moment(month=5)),
        ("September", Moment(month=9)),
        ("Q3 2024", Moment(2024, 3)),
        ("2024Q3", Moment(2024, 3)),
        ("the third quarter of 2024", Moment(2024, 3)),
        ("in 2019", Moment(2019)),
        ("10 a.m.", Moment(hour=10, minute=0)),
        ("12 am", Moment(hour=0, minute=0)),
        ("12 p.m.", Moment(hour=12, minute=0)),
        ("5:30 pm", Moment(hour=17, minute=30)),
        ("17:30", Moment(hour=17, minute=30)),
        ("17h30", Moment(hour=17, minute=30)),
        ("at noon", Moment(hour=12, minute=0)),
        ("medianoche", Moment(hour=0, minute=0)),
        ("Mondays", Moment(weekday=1)),
        ("sexta-feira", Moment(weekday=5)),
    ],
)
def test_by_hand(text, moment):
    assert readings(text) == [(moment,)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "You may march.",
        "after 12 may not",
        "2024-02-30",
        "31/31/2024",
        "25:61",
        "99 am",
        "version 1.2.3",
        "24/7/365",
        "2,000 cases",
        "Marching",
    ],
)
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
        (Moment(weekday=3), DAY, False),
        (Moment(2023, None, 3), DAY, False),
        (DAY, Moment(2024, None, 3), False),
    ],
)
def test_a_fuller_date_vouches_for_less(stated, offered, met):
    assert meets(stated, offered) is met


@pytest.mark.parametrize(
    "text, found",
    [
        ("on 12 March 2024", {"month 3"}),
        ("on March 12th", {"month 3"}),
        ("2024-03-12", {"month 3"}),
        ("el 12 de marzo de 2024, lunes", {"month 3", "weekday 1"}),
        ("em 12 de março, sexta-feira", {"month 3", "weekday 5"}),
        ("In January you may march.", {"month 1"}),
        ("by 3 May", {"month 5"}),
        ("Dec. 5", {"month 12"}),
        ("Sundays and Mondays", {"weekday 7", "weekday 1"}),
        ("31/12/2024", {"month 12"}),
        ("2024-99-12 and 1/2/2024", set()),
        ("", set()),
    ],
)
def test_months_and_weekdays_that_a_text_names(text, found):
    assert months_and_weekdays(text) == found <= supported_months_and_weekdays(text)
