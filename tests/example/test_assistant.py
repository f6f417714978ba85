"""The bundled assistant: its parts on a tiny library with a fake encoder, then the real thing over the bank's documents."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from ragassay import example
from ragassay.example import assistant
from ragassay.example.assistant import NOT_FOUND, open_assistant, words

FEES = """# Fees

The monthly fee of the Harbour Account is $6.00. It is waived for students.

| Fee | Amount |
|---|---|
| Overdraft | $28.00 |
| Paper statement | $2.50 |
"""
CLOSING = """# Closing an account

1. Pay out the balance of the account.
2. Cut up the card of the account.
3. Send the closing form to the branch.

The branch confirms the closing of the account within a week.
"""


def bag_of_words(texts, model="fake"):
    """A fake encoder: texts that share words are near."""
    vectors = np.full((len(texts), 384), 1e-3, dtype=np.float32)
    for row, text in zip(vectors, texts, strict=True):
        for word in words(text):
            row[int(hashlib.sha256(word.encode()).hexdigest(), 16) % 384] += 1
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture
def ask(tmp_path, monkeypatch):
    monkeypatch.setattr(assistant, "encode", bag_of_words)
    (tmp_path / "fees.md").write_text(FEES)
    (tmp_path / "closing.md").write_text(CLOSING)
    return open_assistant(tmp_path, passages=2)


def test_a_sentence_is_quoted_with_its_passage(ask):
    reply = ask("What is the monthly fee of the Harbour Account?")
    assert reply["answer"].startswith("The monthly fee of the Harbour Account is $6.00. [fees#p1]")
    assert [i.split("#")[0] for i in reply["context_ids"]] == ["fees", "closing"]
    assert "$6.00" in reply["contexts"][0]


def test_steps_are_kept_together_when_asked_how(ask):
    assert ask("How do I send the closing form to the branch?")["answer"].split("\n") == [
        "1. Pay out the balance of the account. [closing#p1]",
        "2. Cut up the card of the account. [closing#p1]",
        "3. Send the closing form to the branch. [closing#p1]",
    ]
    assert "Cut up" not in ask("Is the closing form sent to the branch?")["answer"]


def test_a_row_is_quoted_with_its_header(ask):
    assert ask("overdraft amount")["answer"].startswith(
        "Fee | Amount [fees#p1]\nOverdraft | $28.00 [fees#p1]"
    )


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Which planets have rings?", "en"),
        ("¿Cuáles son los planetas que tienen anillos?", "es"),
        ("", "en"),
        ("Quais são os planetas que têm anéis? Não sei.", "pt"),
        ("🙂 " * 300, "en"),
    ],
)
def test_it_says_so_when_it_finds_nothing(ask, question, language):
    assert ask(question)["answer"] == NOT_FOUND[language]


def as_given(reply):
    return [{"id": i, "text": t} for i, t in zip(reply["context_ids"], reply["contexts"], strict=True)]


@pytest.mark.parametrize("question", ["What is the monthly fee?", "How do I send the closing form?", "Who?"])
def test_given_the_passages_that_it_found_it_answers_alike(ask, question):
    assert ask(question, passages=as_given(ask(question))) == ask(question)


def test_it_answers_from_passages_given_and_from_no_other(ask):
    question = "What is the monthly fee of the Harbour Account?"
    planted = {"id": "x", "text": "The monthly fee of the Harbour Account is $9.00."}
    assert ask(question, passages=[planted])["answer"] == f"{planted['text']} [x]"
    first = ask(question, passages=[planted, planted, *as_given(ask(question))])
    assert "$9.00" in first["answer"] and first["context_ids"][:2] == ["x", "x"]
    assert ask(question, passages=[])["answer"] == NOT_FOUND["en"]
    assert ask(" ", passages=[planted])["answer"] == NOT_FOUND["en"]


def test_reciprocal_ranks_by_hand():
    assert assistant._reciprocal_ranks(np.array([0.2, 0.9, 0.0])).tolist() == pytest.approx(
        [1 / 62, 1 / 61, 0.0]
    )


def asked_of(folder):
    """The bundled questions that have their evidence in these documents, and those that none answers."""
    held = {path.stem for path in folder.iterdir()}
    questions = [
        json.loads(line)
        for file in sorted((Path(example.__file__).parent / "questions").glob("*.jsonl"))
        for line in file.read_text("utf-8").splitlines()
    ]
    return [one for one in questions if {each["doc_id"] for each in one["evidence"]} <= held]


@pytest.mark.slow
@pytest.mark.simulation
def test_over_the_bank(request, part_of_the_bank):
    """Bounds a little wider than what was measured: the right document among the four, abstention, false abstention.

    Of all documents in `make simulate`: 0.95, 0.37, 0.15. Of a fourth in the suite: 0.98 (49 of 50), 0.60 (29 of
    48), 0.14 (7 of 50); these bounds tell an assistant without words or without meaning, or with another ENOUGH.
    """
    whole = request.config.getoption("--simulate")
    folder, bounds = (
        (Path(example.__file__).parent / "documents", (0.9, 0.25, 0.2))
        if whole
        else (part_of_the_bank, (0.93, 0.45, 0.2))
    )
    questions, ask = asked_of(folder), open_assistant(folder)
    assistant.encode([question["question"] for question in questions])
    replies = [ask(question["question"]) for question in questions]
    answerable = np.array([question["answerable"] for question in questions])
    abstained = np.array([reply["answer"] in NOT_FOUND.values() for reply in replies])
    right = [
        {i.split("#")[0] for i in r["context_ids"]} & {e["doc_id"] for e in q["evidence"]}
        for q, r in zip(questions, replies, strict=True)
    ]
    found = np.mean([bool(each) for each, can in zip(right, answerable, strict=True) if can])
    assert (
        found > bounds[0]
        and abstained[~answerable].mean() > bounds[1]
        and abstained[answerable].mean() < bounds[2]
    )
    again = open_assistant(folder)
    assert [again(question["question"]) for question in questions[::10]] == replies[::10]
