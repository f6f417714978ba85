"""When and how a question names its document."""

import pytest

from ragassay.cases.questions.context import opening_for, place


@pytest.mark.parametrize(
    "title, opening",
    [
        ("Overdraft Policy 2024 (superseded)", "Under the Overdraft Policy 2024,"),
        ("Fraud Handling: Staff Procedure", "Under the Fraud Handling Staff Procedure,"),
        ("Applying for a Mortgage: Steps, Papers", "When applying for a mortgage,"),
        ("Quay Plus Account: Terms", "For the Quay Plus Account,"),
        ("Wire Transfers", "For Wire Transfers,"),
        ("People and Contacts", "According to “People and Contacts”,"),
        ("Model Risk Management Version 1.0, August 2021", "According to “Model Risk Management”,"),
    ],
)
def test_openings(title, opening):
    assert opening_for(title) == opening


@pytest.mark.parametrize(
    "question", ["What does the Quay Plus Account cost?", "What is the limit of a wire transfer?"]
)
def test_a_question_that_names_its_subject_stays(question):
    assert place(question, "Wire Transfers") == question


def test_the_document_is_named_in_the_question_not_before_the_case():
    assert (
        place("I am a payer. May I stop it?", "Wire Transfers")
        == "I am a payer. For Wire Transfers, may I stop it?"
    )


@pytest.mark.parametrize(
    "title, heading, question",
    [("doc 17", "Client money", "According to “Client money”, when is it due?"), ("doc 17", "Fees", None)],
)
def test_a_heading_stands_in_for_a_title_that_is_no_name(title, heading, question):
    assert place("When is it due?", title, "en", heading) == question


def test_a_question_that_does_not_is_placed():
    assert place("When is the fee waived?", "Wire Transfers") == "For Wire Transfers, when is the fee waived?"
    assert place("¿Cuánto cuesta?", "Guía", "es") == "Según «Guía», ¿cuánto cuesta?"


@pytest.mark.parametrize("title", ["", "Introduction", "a3f09b11c2d4e5f60718", "doc 1234567", "1."])
def test_a_title_that_is_no_name_places_nothing(title):
    assert place("When is the fee waived?", title) is None
