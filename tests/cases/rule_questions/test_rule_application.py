"""One rule for one instance, and dates reckoned from the days it allows."""

import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases.rule_questions.rule_examples import EXAMPLES
from ragassay.cases.rule_questions.askable_units import Unit
from ragassay.cases.rule_questions.rule_application import later, questions, spell_date


def asked(text, seed=0):
    return list(
        questions(
            Unit("d#p1", "d", "T01", "en", "Home Loan", "", text), frozenset(), np.random.default_rng(seed)
        )
    )


def test_a_duty_is_asked_of_somebody_truly_or_falsely():
    found = [asked("A borrower must insure the house against fire.", seed)[0] for seed in range(12)]
    assert {(one.question, one.key_fact) for one in found} == {
        ("I am a borrower. Must I insure the house against fire?", "yes"),
        ("I am a borrower. Am I free not to insure the house against fire?", "no"),
    }
    assert all(
        one.query_type == "inference" and one.answer.startswith(one.key_fact.capitalize()) for one in found
    )


def test_a_permission_is_no_duty():
    found = {
        (one.question.split(". ")[1], one.key_fact)
        for seed in range(12)
        for one in asked("A bank may sell a loan to another bank.", seed)
    }
    assert found == {
        ("May it sell a loan to another bank?", "yes"),
        ("Is it obliged to sell a loan to another bank?", "no"),
    }


@pytest.mark.parametrize("text", EXAMPLES["rule application: nobody or not plain"])
def test_nobody_or_not_plain(text):
    assert not [one for one in asked(text) if one.family == "applied"]


def test_a_deadline_is_reckoned():
    found = next(
        one
        for one in asked("Errors must be reported to the bank within 2 weeks of the statement date.")
        if one.family == "reckoned"
    )
    start = datetime.datetime.strptime(found.question.split(" is ")[1].split(",")[0], "%d %B %Y").date()
    assert (
        found.question.startswith("If the statement date is ")
        and ", by what date at the latest must errors be reported to the bank?" in found.question.lower()
    )
    assert found.key_fact == spell_date(start + datetime.timedelta(days=14)) and found.answer.startswith(
        found.key_fact
    )


@given(st.dates(datetime.date(2000, 1, 1), datetime.date(2100, 1, 1)), st.integers(1, 60))
def test_months_keep_the_day_or_end_the_month(start, count):
    end = later(start, count, "months")
    assert (end.year * 12 + end.month) - (start.year * 12 + start.month) == count
    assert end.day == start.day or (end + datetime.timedelta(days=1)).day == 1
