"""Near questions: of the documents' own kind, and no passage answers them; what a rule for all answers is not asked."""

import numpy as np
import pandas as pd
import pytest

from ragassay import tables
from ragassay.cases import outside_documents
from ragassay.cases.outside_documents import (
    THING,
    false_premises,
    near_questions,
    out_of_scope,
    outside_questions,
)
from ragassay.cases.rule_questions.askable_units import Unit

PASSAGES = {
    "everyday": "The Harbour Everyday Account costs $6.00 a month. Each Harbour Everyday Account needs a deposit.",
    "plus": "The Harbour Plus Account costs $14.00 a month. A Harbour Plus Account earns interest.",
    "more": "Ask for the Harbour Everyday Account or the Harbour Plus Account at a branch.",
    "all": "A lost chequebook is replaced free of charge within ten working days.",
}
ASKED = [
    "What does the Harbour Everyday Account cost a month?",
    "Is a lost chequebook of the Harbour Plus Account replaced free of charge?",
    "How does the Harbour Plus Account differ from the Harbour Everyday Account?",
]


@pytest.fixture
def bank():
    rows = [{"chunk_id": f"{name}#p1", "doc_id": name, "text": text} for name, text in PASSAGES.items()]
    return pd.DataFrame(rows).assign(language="en", title="", heading="", topic="T01")


@pytest.fixture
def asked():
    rows = {"case_id": [f"u-{i}" for i in range(3)], "question": ASKED, "answerable": True}
    return pd.DataFrame(rows).assign(language="en", topic="T01", query_type="open")


def near_to_all(texts, model=""):
    return (
        np.tile([0.7, 0.714143], (len(texts), 1)) if len(texts) > 4 else np.tile([1.0, 0.0], (len(texts), 1))
    )


def test_a_thing_that_does_not_exist_is_asked_about_as_those_that_do(bank, asked):
    made = near_questions(asked, bank, 50, np.random.default_rng(0), encode=near_to_all)
    tables.check("cases", made)
    assert not made["answerable"].any() and made["case_id"].is_unique
    things = made[made["kind"] == THING]
    assert "u-0" in set(things["parent_id"]) and not {"u-1", "u-2"} & set(things["parent_id"])
    for question in things["question"]:
        invented = question.split(" Account")[0].split()[-1]
        assert not any(invented in text for text in PASSAGES.values())


def test_what_is_far_from_every_passage_or_a_copy_of_one_is_left_out(bank, asked):
    far = near_questions(
        asked, bank, 5, np.random.default_rng(0), encode=lambda texts, model="": np.eye(99)[: len(texts)]
    )
    assert far["similarity"].between(0.35, 0.95).all()
    assert near_questions(asked, bank[3:], 5, np.random.default_rng(0), encode=near_to_all).empty


FEE = "The monthly fee for the Harbour Account is $6.00."
OTHER = "The monthly fee for the Harbour Account is $9.00."
RULE = "A branch manager cannot change the credit limit of a customer."


def bank_of_cases(*texts):
    rows = [{"chunk_id": f"d#p{i}", "doc_id": "d", "text": text} for i, text in enumerate(texts)]
    return pd.DataFrame(rows).assign(language="en", title="Harbour Account: Terms", heading="", topic="T01")


def test_the_truth_stands_beside_the_question():
    made = false_premises(bank_of_cases(FEE, RULE), 10, np.random.default_rng(0)).set_index("kind")
    tables.check("cases", made.reset_index())
    assert not made["answerable"].any() and set(made.index) == {"false_premise", "false_permission"}
    figure = made.loc["false_premise"]
    assert figure["question"].startswith("Why is the monthly fee") and "$6.00" not in figure["question"]
    assert (figure["reference_answer"], figure["key_fact"]) == (FEE, "$6.00")
    assert (
        "how can a branch manager change the credit limit" in made.loc["false_permission", "question"].lower()
    )
    assert figure["reference_chunk_ids"] == ["d#p0"]


def test_what_passages_tell_in_two_ways_is_not_asked():
    assert false_premises(bank_of_cases(FEE, OTHER), 10, np.random.default_rng(0)).empty


def test_a_superseded_sentence_corrects_no_premise():
    old = bank_of_cases(FEE, RULE).assign(status=["superseded", "current"])
    assert false_premises(old, 10, np.random.default_rng(0))["reference_answer"].tolist() == [RULE]


def asked_of_questions(text):
    unit = Unit("d#p1", "d", "T01", "en", "Terms", "", text)
    return list(
        outside_documents.premise_questions(unit, frozenset({"a", "the", "cash"}), np.random.default_rng(0))
    )


@pytest.mark.parametrize(("text", "opening", "kind", "key_fact"), [
    ("The monthly fee is $6.00.", "Why is the monthly fee $", "false_premise", "$6.00"),
    ("A branch cannot change the credit limit.", "How can a branch change the credit", "false_permission", ""),
    ("Cash is not delivered to customers.", "When is cash delivered to customers", "false_permission", ""),
    ("A customer may close the account early.", "Why can a customer not close", "false_premise", ""),
])  # fmt: skip
def test_by_hand(text, opening, kind, key_fact):
    (made,) = asked_of_questions(text)
    assert made.question.startswith(opening) and made.question.endswith("?")
    assert (made.family, made.key_fact, made.answer) == (kind, key_fact, text)
    assert not key_fact or key_fact not in made.question


@pytest.mark.parametrize(
    "text", ["The fee is $6.00 unless the balance is $750.", "The period is 30 days.", ""]
)
def test_what_makes_no_one_plain_claim_is_not_asked(text):
    assert asked_of_questions(text) == []


def test_out_of_scope_rows_are_far_from_every_passage(encode, passages):
    made = out_of_scope(passages, 12, np.random.default_rng(0), encode=encode)
    tables.check("cases", made)
    assert len(made) == 12 and not made["answerable"].any() and made["similarity"].le(0.55).all()
    near = passages.assign(text="How tall is Mount Kilimanjaro")
    every = out_of_scope(near, 10_000, np.random.default_rng(0), encode=encode)
    assert len(every) >= 60 and not every["question"].str.contains("Kilimanjaro").any()


def test_questions_outside_the_documents_and_the_engagements_own(passages, monkeypatch):
    chunks = passages.assign(heading="")
    asked = pd.DataFrame({"case_id": [], "question": [], "answerable": []})
    monkeypatch.setattr(outside_documents, "near_questions", lambda *_: pd.DataFrame())
    monkeypatch.setattr(outside_documents, "false_premises", lambda *_: pd.DataFrame())
    far = out_of_scope(chunks, 6, np.random.default_rng(0))["question"].iloc[0]
    own = {outside_documents.FAR: [far], outside_documents.FACT: ["Who painted it?"]}
    made = outside_questions(asked, chunks, 6, own, seed=0)
    assert len(made) == 7 and not made["answerable"].any(), "one of the own ones is asked already"
    assert made["kind"].iloc[-1] == outside_documents.FACT
