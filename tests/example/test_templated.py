"""The second example assistant: templates filled with sentences, other passages on request, the last subject kept."""

import pytest

from ragassay.assistant.reply_validation import hooks_of
from ragassay.example.templated import SORRY, open_assistant

FEES = """# Harbour Account: Terms

The monthly fee of the Harbour Account is $6.00. A statement on paper costs $2.50.

# Marina Account: Terms

The monthly fee of the Marina Account is $14.00. A cheque book is sent within nine days.
"""


@pytest.fixture
def ask(tmp_path):
    (tmp_path / "fees.md").write_text(FEES)
    return open_assistant(tmp_path)


def test_a_sentence_is_told_with_its_document_and_passage(ask):
    reply = ask("What is the monthly fee of the Marina Account?")
    assert reply["answer"].startswith(
        "According to Harbour Account: Terms: The monthly fee of the Marina Account"
    )
    assert "$14.00 [fees#p2]." in reply["answer"]
    assert "fees#p2" in reply["context_ids"] and len(reply["contexts"]) == len(reply["context_ids"])


def test_what_shares_hardly_a_word_is_declined(ask):
    for question in ("Who won the football match yesterday?", "", "???"):
        assert ask(question)["answer"] == SORRY


def test_it_agrees_with_whatever_can_be_answered_by_yes(ask):
    """One of the faults that are left in."""
    assert ask("Is the monthly fee of the Harbour Account $9.00?")["answer"].startswith("Yes. According to")


def test_it_answers_from_the_passages_that_it_is_given(ask):
    assert hooks_of(ask) == ("history", "passages")
    given = [{"id": "new-fees#p9", "text": "The monthly fee of the Harbour Account is $7.00."}]
    reply = ask("What is the monthly fee of the Harbour Account?", passages=given)
    assert "$7.00 [new-fees#p9]" in reply["answer"] and reply["context_ids"] == ["new-fees#p9"]
    assert ask("What is the monthly fee?", passages=[])["answer"] == SORRY


def test_a_short_question_is_about_the_last_subject(ask):
    before = [
        {"role": "user", "content": "Tell me about the Marina Account."},
        {"role": "assistant", "content": "It has a cheque book."},
    ]
    assert "$14.00" in ask("And the monthly fee?", history=before)["answer"]
