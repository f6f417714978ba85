"""Two figures compared, and what recurring ones come to."""

import numpy as np
import pytest

from ragassay.cases.rule_questions.askable_units import Candidate, Unit
from ragassay.cases.rule_questions.figure_comparison import questions


def fact(question, value, n=1):
    unit = Unit(f"d#p{n}", "d", "T01", "en", "Fees", "", f"{question} {value}")
    return Candidate(question, unit.text, value, "short_fact", "factual", "amount", (unit.chunk_id,), unit)


LOW, HIGH = (
    fact("What is the fee for a wire?", "$12.50"),
    fact("What is the fee for a cheque?", "$1,020.00", 2),
)


def made(*facts):
    return {one.family: one for seed in range(12) for one in questions(facts, np.random.default_rng(seed))}


def test_which_and_by_how_much():
    found = made(LOW, HIGH)
    assert (
        found["comparison"].question.startswith("Which is higher: the fee for ")
        and found["comparison"].key_fact == "the fee for a cheque"
    )
    assert found["difference"].question == "By how much does the fee for a cheque exceed the fee for a wire?"
    assert found["difference"].key_fact == "$1,007.50" and set(found["difference"].chunk_ids) == {
        "d#p1",
        "d#p2",
    }


@pytest.mark.parametrize(
    "other",
    [
        fact("What is the rate?", "2%"),
        fact("What is the fee now?", "$12.50"),
        fact("What is the limit for a wire?", "$90"),
        fact("Who pays the fee?", "$5"),
        LOW,
    ],
)
def test_what_cannot_be_compared(other):
    assert not made(LOW, other)
