"""Four answers of which one is right, none of the others in its passage."""

import numpy as np
import pytest

from ragassay.cases.rule_questions.askable_units import Candidate, Unit
from ragassay.cases.rule_questions.multiple_choice import questions, shape


def fact(question, value, family="amount", n=1, text=""):
    unit = Unit(f"d#p{n}", "d", "T01", "en", "Fees", "", text or f"{question} {value}")
    return Candidate(question, unit.text, value, "short_fact", "factual", family, (unit.chunk_id,), unit)


def made(facts, seed=0):
    return list(
        questions(facts, {one.chunk_ids[0]: one.source.text for one in facts}, np.random.default_rng(seed))
    )


@pytest.mark.parametrize("seed", range(5))
def test_figures(seed):
    facts = [
        fact("What is the fee?", "$6.00"),
        fact("What is the limit?", "$9.00", n=2),
        fact("How long does it last?", "6 days", n=3),
    ]
    first, _, days = made(facts, seed)
    assert (
        len(set(first.choices)) == 4
        and "$6.00" in first.choices
        and "$9.00" in first.choices
        and "6 days" in days.choices
    )
    assert list(first.choices) == sorted(first.choices, key=lambda text: float(text[1:]))
    letter = first.answer[1]
    assert (
        first.question.startswith("What is the fee? (A) ")
        and f"({letter}) $6.00" in first.question
        and first.query_type == "multiple_choice"
    )
    assert all(choice.endswith("days") for choice in days.choices)


def test_definitions_come_from_the_stratum_and_never_from_the_passage():
    said = ["a boat for two", "money held by others", "the right to sail at night", "a house with a view"]
    facts = [fact(f"What is an item {n}?", text, "definition", n) for n, text in enumerate(said)]
    assert len(made(facts)) == 4 and all(set(one.choices) == set(said) for one in made(facts))
    close = [facts[0]._replace(source=facts[0].source._replace(text=" ".join(said))), *facts[1:]]
    assert len(made(close)) == 3 and not made(facts[:3])


def test_what_has_no_form_is_not_asked():
    assert (
        shape(fact("When?", "if it rains", "condition")) == ""
        and shape(fact("Is it?", "yes")._replace(query_type="yes_no")) == ""
    )
    assert not made([fact("When was it opened?", "on 1 March 2016", "date")])
