"""Adversarial cases: what each change does to the passages of a question, and which questions can be changed."""

import numpy as np
import pandas as pd
import pytest

from ragassay import tables
from ragassay.cases import passage_changes
from ragassay.cases.case_table import cases_frame
from ragassay.cases.passage_changes import (
    CHANGES,
    DISTRACTORS,
    DROPPED,
    MISLEADING,
    adversarial_cases,
    change_figure,
    find_key_fact,
)
from ragassay.errors import ParameterError

CHUNKS = pd.DataFrame(
    [
        ("fees#p1", "fees", "The monthly fee is $6.00."),
        ("fees#p2", "fees", "Students pay nothing."),
        ("old#p1", "old", "Until last year the fee was $6.00 too."),
        *((f"d{i}#p1", f"d{i}", f"Document {i} is about something else.") for i in range(6)),
    ],
    columns=["chunk_id", "doc_id", "text"],
)
TEXT = dict(zip(CHUNKS["chunk_id"], CHUNKS["text"], strict=True))
ROW = {"answer_type": "short_fact", "query_type": "factual", "kind": "own", "question": "What is the fee?"}
ROW |= {"reference_answer": "$6.00 a month", "reference_chunk_ids": ["fees#p1"]}
FOUND = ("fees#p2", "fees#p1", "old#p1", "d0#p1")


def made(*rows, n=9, seed=0, chunks=CHUNKS, **given):
    """Adversarial cases of these cases, all answered from FOUND, with columns of answers in place of ours."""
    cases = cases_frame([ROW | {"case_id": f"c{i}"} | row for i, row in enumerate(rows or [{}])])
    answer = {"system": "s", "repeat": 0, "answer": "It is $6.00.", "error": "", "context_ids": list(FOUND)}
    answer["contexts"] = [TEXT[name] for name in FOUND]
    answers = pd.DataFrame([{"case_id": case_id} | answer for case_id in cases["case_id"]]).assign(**given)
    return adversarial_cases(cases, answers, chunks, n=n, seed=seed)


def test_every_change_by_hand(tmp_path):
    table = made()
    tables.write(tmp_path, "cases", table)
    found = {row["kind"]: row for row in table.to_dict("records")}
    ids = {kind: row["passage_ids"] for kind, row in found.items()}
    assert list(found) == list(CHANGES) and table["parent_id"].eq("c0").all() and table["stated"].all()
    assert ids[DISTRACTORS][4:] == list(FOUND) and len(ids[DISTRACTORS]) == 8
    assert ids[MISLEADING] == ["unverified#p1", *FOUND]
    false = found[MISLEADING]["false_fact"]
    assert found[MISLEADING]["passages"][0].endswith(f": The monthly fee is ${false}.")
    assert ids[DROPPED] == ["fees#p2", "d0#p1"], "whatever states the figure is gone"
    assert table["answerable"].tolist() == [True, True, False]
    assert tables.is_missing(found[DROPPED]["reference_answer"]) and found[DISTRACTORS]["intensity"] == 4


def test_distractors_are_of_other_documents_and_without_the_figure():
    same = CHUNKS.head(1).assign(chunk_id="x#p1", doc_id="x")
    other = same.assign(chunk_id="y#p1", doc_id="y", text="A pen is $6.00.")
    chunks = pd.concat([CHUNKS, same, other], ignore_index=True)
    for seed in range(10):
        ids = made(n=1, seed=seed, chunks=chunks).set_index("kind").loc[DISTRACTORS, "passage_ids"][:4]
        assert len(set(ids)) == 4 and {name[0] for name in ids} == {"d"} and "d0#p1" not in ids


def test_only_questions_with_a_key_figure_are_taken_and_first_those_whose_answer_states_it():
    rows = {}, {"reference_answer": "Students do."}, {}, {}
    answers = ["No idea.", "It is $6.00.", "It is $6.00.", "No idea."]
    assert set(made(*rows, answer=answers)["parent_id"]) == {"c0", "c2", "c3"}
    for seed in range(5):
        assert set(made(*rows, answer=answers, n=1, seed=seed)["parent_id"]) == {"c2"}


@pytest.mark.parametrize(("row", "given"), [
    ({"answerable": False}, {}),
    ({}, {"error": "no answer within 60 s"}),
    ({"passages": ["own"]}, {}),
    ({"conversation_id": "x", "turn": 2.0}, {}),
    ({}, {"contexts": [[]], "context_ids": [[]]}),
])  # fmt: skip
def test_a_question_that_cannot_be_changed(row, given):
    table = made(row, **given)
    assert table.empty and {"passages", "fact", "false_fact"} <= set(table)


FEE = "The fee is $6.00. It is waived above $750."


def test_a_key_fact_by_hand():
    fact = find_key_fact("What is the fee?", "It is $6.00 a month.", [FEE], np.random.default_rng(0))
    assert fact.figure == "6.00" and fact.false != "6.00" and fact.claim == f"The fee is ${fact.false}."


@pytest.mark.parametrize(("reference", "evidence", "question"), [
    (None, FEE, "What?"),
    ("It is $9.00.", FEE, "What?"),  # the evidence does not say so
    ("It is $6.00.", FEE, "Is it $6?"),  # the question does
    ("Since 2024.", "Since 2024.", "When?"),
    ("Within 7 days.", "Within 7 days.", "When?"),  # may stand there as seven
    ("Form B27, see 12-34.", "Form B27, see 12-34.", "Which?"),
])  # fmt: skip
def test_there_is_no_key_fact(reference, evidence, question):
    assert find_key_fact(question, reference, [evidence], np.random.default_rng(0)) is None


def test_one_value_is_changed_however_it_is_written():
    text = "After 60 days, on the 60th day or in a 60-day period; 60.5, 600, A60 and 1:60 stay."
    assert change_figure(text, "60", "90") == (
        "After 90 days, on the 90th day or in a 90-day period; 60.5, 600, A60 and 1:60 stay."
    )
    assert change_figure("$1,250 or $1250.00", "1250", "9") == "$9 or $9"


def test_later_turns_of_a_conversation_are_no_parents():
    turns = cases_of("Is it so?", "And why is it so?", "Since when?").assign(
        conversation_id="x", turn=[1.0, 2.0, None]
    )
    assert passage_changes.sample_parents(turns, 9, 0)["case_id"].tolist() == ["c0", "c2"]


def cases_of(*questions: str, language: str = "en") -> pd.DataFrame:
    return cases_frame(
        {"case_id": f"c{i}", "question": text, "answer_type": "short_fact", "query_type": "factual",
         "language": language, "kind": "user"}
        for i, text in enumerate(questions)
    )  # fmt: skip


def test_questions_are_asked_again_in_another_order():
    asked = cases_of(*(f"What is fee {i}?" for i in range(20)))
    again = passage_changes.ask_again(asked, 12, seed=1)
    assert again["case_id"].is_unique and again["parent_id"].nunique() == 12
    assert again["parent_id"].tolist() != sorted(again["parent_id"])
    assert (again["question"] == again["parent_id"].map(asked.set_index("case_id")["question"])).all()
    with pytest.raises(ParameterError, match="n_repeated"):
        passage_changes.ask_again(asked, 0, seed=1)


@pytest.mark.parametrize(("question", "subject", "rest"), [
    ("For the Mainsail Loan, what is the late fee?", "the Mainsail Loan", "What is the late fee?"),
    ("What does a wire cost from an Everyday account?", "an Everyday account", "What does a wire cost?"),
    ("According to “Lost Cards”, how long does it take?", "“Lost Cards”", "How long does it take?"),
])  # fmt: skip
def test_a_follow_up_leaves_out_what_the_opening_names(question, subject, rest):
    assert passage_changes.without_subject(question) == (subject, rest)
    opening, asked = passage_changes.follow_ups(cases_of(question), 5).to_dict("records")
    assert (opening["kind"], asked["kind"]) == (passage_changes.OPENING, passage_changes.FOLLOW_UP)
    assert subject in opening["question"]
    assert (opening["turn"], asked["turn"], asked["question"]) == (1, 2, rest)
    assert opening["conversation_id"] == asked["conversation_id"]
    assert asked["parent_id"] == "c0"


@pytest.mark.parametrize("question", [
    "Which is higher: the fee for the Plus Account, or the fee for the Basic Account?",
    "Can I see somebody on a Tuesday?",
    "Why the Harbour Saver?",
    "",
])  # fmt: skip
def test_a_question_that_would_lose_its_sense_makes_none(question):
    assert passage_changes.follow_ups(cases_of(question), 5).empty
