"""Dates and times: by hand, against the calendar, their laws, and what is no date."""

import calendar
import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.scores.numbers.dates import (
    Moment,
    complete,
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


def test_of_an_impossible_day_the_month_is_left():
    assert readings("31 February 2024") == [(Moment(2024, None, 2),)]


def test_a_slashed_date_has_both_readings():
    assert readings("03/12/2024") == [(DAY, Moment(2024, None, 12, 3))]
    assert readings("03/03/2024") == [(Moment(2024, None, 3, 3),)]


def test_places_in_the_text_and_the_fuller_form_wins():
    text = "Open on Monday, 12 March 2024, until 10 a.m."
    assert [text[found.start : found.end] for found in find(text)] == ["Monday", "12 March 2024", "10 a.m."]


@given(st.dates(datetime.date(1500, 1, 1), datetime.date(2199, 12, 31)))
@settings(deadline=None)
def test_however_a_date_is_written_it_is_one(date):
    name = calendar.month_name[date.month]
    written = (
        f"{date.day} {name} {date.year}",
        f"{name} {date.day}, {date.year}",
        date.isoformat(),
        f"{name[:3]} {date.day} {date.year}",
    )
    assert {readings(f"It ends on {each}.")[0] for each in written} == {
        (Moment(date.year, None, date.month, date.day),)
    }
    assert complete(Moment(date.year, None, date.month, date.day)).weekday == date.isoweekday()


MOMENTS = st.builds(Moment, *(st.none() | st.integers(1, top) for top in (2100, 4, 12, 28, 7, 23, 59)))


@given(MOMENTS)
@settings(deadline=None)
def test_each_is_met_by_itself_and_less_is_met_by_more(moment):
    stated = moment if moment.month is None else moment._replace(quarter=None)
    stated = stated if not (stated.year and stated.month and stated.day) else stated._replace(weekday=None)
    assert meets(stated, stated) and all(
        meets(stated._replace(**{field: None}), stated) for field in ("year", "day", "hour")
    )


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


@given(st.text())
@settings(deadline=None)
def test_any_text_can_be_read(text):
    assert all(0 <= one.start < one.end <= len(text) and one.readings for one in find(text))


@pytest.mark.parametrize("text", ["12 Auguſt 2024", "12 İune 2024", "١٢ March 2024", "thİrd quarter 2024"])
def test_letters_that_only_look_alike(text):
    assert all(isinstance(one.readings, tuple) for one in find(text))


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


def test_a_text_vouches_for_both_readings_and_for_the_weekday():
    assert supported_months_and_weekdays("03/12/2024") == {
        "month 3",
        "month 12",
        "weekday 2",
    } and supported_months_and_weekdays("31/12/2024") == {"month 12", "weekday 2"}


@given(st.dates(datetime.date(1500, 1, 1), datetime.date(2199, 12, 31)))
@settings(deadline=None)
def test_a_date_is_one_month_however_it_is_written(date):
    name = calendar.month_name[date.month]
    written = (
        f"{date.day} {name} {date:%Y}",
        f"{name} {date.day}, {date:%Y}",
        date.isoformat(),
        f"{name} {date:%Y}",
    )
    assert all(months_and_weekdays(f"It ends on {each}.") == {f"month {date.month}"} for each in written)


@given(st.text())
@settings(deadline=None)
def test_a_text_offers_all_that_it_names(text):
    assert months_and_weekdays(text) <= supported_months_and_weekdays(text)
