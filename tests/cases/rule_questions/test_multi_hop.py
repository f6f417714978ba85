"""Two passages in one question."""

import numpy as np

from ragassay.cases.rule_questions.askable_units import Candidate, Unit
from ragassay.cases.rule_questions.multi_hop import questions


def fact(question, value, family, n):
    unit = Unit(f"d#p{n}", "d", "T01", "en", "Loans", "", f"{value}.")
    return Candidate(question, unit.text, value, "short_fact", "factual", family, (unit.chunk_id,), unit)


MEANING = fact("What is a promise letter?", "a statement of what may be lent", "definition", 1)


def made(*facts):
    return list(questions(facts, np.random.default_rng(0)))


def test_a_thing_is_asked_about_by_its_description():
    found = made(MEANING, fact("How long is a promise letter valid?", "90 days", "duration", 2))[0]
    assert (
        found.question == "How long is a statement of what may be lent valid?"
        and found.query_type == "multi_hop"
    )
    assert found.chunk_ids == ("d#p1", "d#p2") and found.key_fact == "90 days"


def test_or_together_with_its_definition():
    found = made(MEANING, fact("When was the promise letter introduced?", "in 2016", "date", 2))[0]
    assert found.question == "What is a promise letter, and when was the promise letter introduced?"


def test_facts_of_one_name_are_joined():
    found = made(
        fact("What does the Sea Saver cost?", "$5", "price", 1),
        fact("When was the Sea Saver launched?", "in 2016", "date", 2),
    )
    assert len(found) == 1 and set(found[0].chunk_ids) == {"d#p1", "d#p2"} and ", and w" in found[0].question


def test_one_passage_or_no_link_gives_nothing():
    assert not made(MEANING, fact("How long is a promise letter valid?", "90 days", "duration", 1))
    assert not made(MEANING, fact("How long is a bond valid?", "90 days", "duration", 2))
    assert not made(
        MEANING, fact("Is a promise letter valid?", "yes", "yes_no", 2)._replace(query_type="yes_no")
    )
