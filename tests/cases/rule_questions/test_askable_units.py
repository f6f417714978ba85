"""What a question must pass, and how its document is named."""

import pytest

from ragassay.cases.rule_questions.askable_units import Candidate, Unit, flaw, named


def candidate(question, key_fact="$6.00", title="T", heading="", language="en", query_type="factual"):
    unit = Unit("d#p1", "d", None, language, title, heading, "The fee is $6.00.")
    return Candidate(question, unit.text, key_fact, "short_fact", query_type, "amount", ("d#p1",), unit)


@pytest.mark.parametrize("question, reason", [
    ("", "no title"), ("What is the monthly fee today", "question mark"), ("What is it?", "words"),
    ("What is the fee " + "so " * 30 + "low?", "words"), ("What is the fee in this case?", "points"),
    ("What is the fee for a dealer under Rule 4?", "points"), ("What is the | fee today?", "loose"),
    ("What is the the monthly fee?", "repeats"), ("What is the fee today of?", "breaks off"),
    ("What is the fee of $6.00?", "own answer"),
])  # fmt: skip
def test_refused(question, reason):
    assert reason in flaw(candidate(question))


@pytest.mark.parametrize("title, opening", [
    ("Overdraft Policy 2024 (superseded)", "Under the Overdraft Policy 2024,"),
    ("Quay Plus Account: Terms", "For the Quay Plus Account,"),
    ("Wire Transfers", "According to “Wire Transfers”,"),
    ("Model Risk Management Version 1.0, August 2021", "According to “Model Risk Management”,"),
    ("Water damage, terms in force from 1 January 2026", "According to “Water damage”,"),
])  # fmt: skip
def test_the_document_is_named_where_the_question_names_nothing(title, opening):
    once = named(candidate("When is it due?", title=title))
    assert once.question == f"{opening} when is it due?" and named(once) == once
    clear = "What does the Harbour Saver cost?"
    assert named(candidate(clear, title=title)).question == clear


def test_other_languages_instances_and_headings():
    spanish = candidate("¿Cuánto cuesta?", title="Guía", language="es")
    assert named(spanish).question == "Según «Guía», ¿cuánto cuesta?"
    applied = candidate("I am a customer. May I pay later?", title="Wire Transfers")
    assert named(applied).question == "I am a customer. According to “Wire Transfers”, may I pay later?"
    headed = named(candidate("When is it due?", title="doc 7", heading="Late Wires"))
    assert headed.question.startswith("According to “Late")


@pytest.mark.parametrize("title", ["", "Introduction", "a3f09b11c2d4e5f60718", "doc 1234567", "1."])
def test_a_title_that_is_no_name_names_nothing(title):
    assert named(candidate("When is the fee waived?", title=title)).question == ""
