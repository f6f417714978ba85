"""Conditions of use: what the machine may decide, what people read, what the system is not for."""

import pandas as pd
import pytest

from ragassay.decision.conditions_of_use import conditions_of_use


def errors(accept_alone=False, reject_alone=False) -> pd.DataFrame:
    rows = [
        ("accept", 40, 7, 0.175, 0.07, 0.33, accept_alone, 0.5, 500.0, 25.0, ""),
        ("reject", 7, 3, 0.43, 0.1, 0.82, reject_alone, 0.1, 100.0, 5.0, ""),
        ("accept or reject", 47, 10, 0.213, 0.107, 0.357, False, 0.6, 600.0, 30.0, ""),
        (
            "review",
            13,
            0,
            float("nan"),
            float("nan"),
            float("nan"),
            False,
            0.4,
            400.0,
            20.0,
            "left to people",
        ),
    ]
    columns = [
        "decision", "n", "wrong", "value", "low", "high", "alone", "share", "answers_a_week", "hours_a_week",
        "reason",
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=columns).assign(allowed=0.1)


def test_where_decisions_are_wrong_too_often_people_read_everything():
    machine, people = conditions_of_use("pilot", errors())
    assert machine == (
        "No score may release or withhold an answer: 10 of 47 automatic decisions on held-out labels were wrong "
        "(21 % [11, 36]; the upper end may be 10 %)."
    )
    assert people == "People review every answer: about 1,000 a week, 50 hours."


def test_a_class_that_errs_little_is_the_machines():
    may, may_not, people = conditions_of_use("release", errors(accept_alone=True))
    assert may.startswith("A score may release an answer alone: 7 of 40")
    assert may_not.startswith("A score may not withhold an answer alone: 3 of 7")
    assert people == "People review the other answers: about 500 a week, 25 hours."


def test_languages_with_few_rated_answers_and_prohibited_uses():
    found = conditions_of_use(
        "pilot", errors(), rated={"en": 200, "es": 12}, prohibited=["tax advice", "bets."]
    )
    assert found[2] == "Not for answers in Spanish (12 rated answers): fewer than 30 were rated."
    assert found[3] == "Not for tax advice; bets."


@pytest.mark.parametrize("table", [errors(), errors().head(0)])
def test_no_use_has_no_conditions(table):
    assert conditions_of_use("none", table, rated={"es": 0}) == []


def test_without_a_table_nothing_was_calibrated():
    assert conditions_of_use("pilot", errors().head(0)) == [
        "No score may release or withhold an answer: none was calibrated."
    ]
