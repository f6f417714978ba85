"""Months and weekdays: what a text names and what it can vouch for."""

import calendar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.scores.moments import offered, stated


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
        ("2024-99-12 and 1/2/2024", set()),
        ("", set()),
    ],
)
def test_by_hand(text, found):
    assert stated(text) == found <= offered(text)


def test_a_slashed_date_vouches_for_both_readings():
    assert offered("03/12/2024") == {"month 3", "month 12"} and offered("31/12/2024") == {"month 12"}


@given(st.dates())
def test_a_date_is_one_month_however_it_is_written(date):
    name = calendar.month_name[date.month]
    written = (f"{date.day} {name} {date:%Y}", f"{name} {date.day}, {date:%Y}", date.isoformat(), f"{name} {date:%Y}")
    assert all(stated(f"It ends on {each}.") == {f"month {date.month}"} for each in written)


@given(st.text(), st.text())
def test_more_text_offers_no_less(one, other):
    assert offered(one) <= offered(f"{one}\n{other}")
