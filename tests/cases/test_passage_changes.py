"""Adversarial cases: what each change does to the passages of a question, and which questions can be changed."""

import numpy as np
import pandas as pd
import pytest

from ragassay import tables
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
