"""Choices and links of facts of one topic."""

import numpy as np

from ragassay.cases.rule_questions.askable_units import Candidate, Unit
from ragassay.cases.rule_questions.combined_questions import choices, links


def fact(question, value, n=1, family="amount"):
    unit = Unit(f"d#p{n}", "d", "T01", "en", "Fees", "", f"{question} {value}.")
    return Candidate(question, unit.text, value, "short_fact", "factual", family, (unit.chunk_id,), unit)


LOW = fact("What is the fee for a wire?", "$12.50")
HIGH = fact("What is the fee for a cheque?", "$1,020.00", 2)


def over_seeds(make, *facts):
    return [one for seed in range(12) for one in make(facts, np.random.default_rng(seed))]


def test_four_different_answers_of_one_form_and_one_right():
    texts = {one.chunk_ids[0]: one.answer for one in (LOW, HIGH)}
    found = list(choices([LOW, HIGH], texts, np.random.default_rng(0)))
    assert [one.query_type for one in found] == ["multiple_choice"] * 2
    for one, right in zip(found, ["$12.50", "$1,020.00"], strict=True):
        assert len(set(one.choices)) == 4 and right in one.choices
        assert one.answer.startswith(f"({'ABCD'[one.choices.index(right)]}) {right}. ")
        assert all(option in one.question and option.startswith("$") for option in one.choices)


def test_a_wrong_answer_never_stands_in_the_passage():
    (found,) = choices([LOW], {"d#p1": "It is $12.50, once $25.00."}, np.random.default_rng(0))
    assert "$25.00" not in found.choices


def test_two_passages_on_one_name_are_linked():
    first = fact("For the Tide Card, how old must a holder be?", "at least 18", 1, "age")
    second = fact("For the Tide Card, what is the fee?", "$5", 2)
    made = over_seeds(links, first, second)
    assert {one.question for one in made} == {
        "For the Tide Card, how old must a holder be, and what is the fee?",
        "For the Tide Card, what is the fee, and how old must a holder be?",
    }
    assert {one.query_type for one in made} == {"multi_hop"} and len(made[0].chunk_ids) == 2
    same = fact("For the Tide Card, what is the fee?", "$5", 1)
    assert not over_seeds(links, first, same) and not over_seeds(links, first, LOW)
