"""The figure on which an answer turns: which is taken, what it is changed to, and where it is changed."""

import numpy as np
import pytest

from ragassay.cases.passage_changes import change_figure, figures, find_key_fact

FEE = "The fee is $6.00. It is waived above $750."


def found(reference, evidence=(FEE,), question="What is the fee?", seed=0):
    return find_key_fact(question, reference, list(evidence), np.random.default_rng(seed))


def test_by_hand():
    fact = found("It is $6.00 a month.")
    assert fact.figure == "6.00" and fact.false != "6.00" and fact.false.endswith("0")
    assert fact.claim == f"The fee is ${fact.false}." and fact.answer == f"It is ${fact.false} a month."


@pytest.mark.parametrize("seed", range(20))
def test_the_false_figure_stands_nowhere_near(seed):
    evidence = ["The limit is $500.00, before $250.00 and $1,000.00 for others."]
    fact = found("It is $500.00, not $750.00.", evidence, "Is it more than $1,500.00?", seed)
    assert figures(fact.false).isdisjoint({"500", "250", "1000", "750", "1500"})


@pytest.mark.parametrize(
    ("reference", "evidence", "question"),
    [
        (None, FEE, "What?"),
        (float("nan"), FEE, "What?"),
        ("", FEE, "What?"),
        ("It is free.", FEE, "What?"),
        ("It is $9.00.", FEE, "What?"),  # the evidence does not say so
        ("It is $6.00.", FEE, "Is it $6?"),  # the question does
        ("Since 2024.", "Since 2024.", "When?"),
        ("Within 7 days.", "Within 7 days.", "When?"),  # may stand there as seven
        ("On 27 November.", "On 27 November it closes.", "When?"),
        ("Form B27, see 12-34.", "Form B27, see 12-34.", "Which?"),
        ("It is $6.00.", "", "What?"),
    ],
)
def test_there_is_none(reference, evidence, question):
    assert found(reference, [evidence], question) is None


def test_a_row_of_a_table_is_no_claim():
    fact = found("A wire costs $38.00.", ["| Wire | $38.00 |"])
    assert fact.claim == fact.answer == f"A wire costs ${fact.false}."


def test_one_value_is_changed_however_it_is_written():
    text = "After 60 days, on the 60th day or in a 60-day period; 60.5, 600, A60 and 1:60 stay."
    assert change_figure(text, "60", "90") == (
        "After 90 days, on the 90th day or in a 90-day period; 60.5, 600, A60 and 1:60 stay."
    )
    assert change_figure("$1,250 or $1250.00", "1250", "9") == "$9 or $9"


def test_figures():
    assert figures("6.00, $1,250.50 and 30% in 5 May 2024; doc#p3 10:30 v2") == {"6", "1250.5", "30", "2024"}
