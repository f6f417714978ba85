"""Adversarial cases: what each change does to the passages of a question, and which questions can be changed."""

import numpy as np
import pandas as pd
import pytest

from ragassay import tables
from ragassay.cases import passage_changes as changes
from ragassay.cases.case_table import cases_frame
from ragassay.cases.passage_changes import adversarial_cases, change_figure, find_key_fact
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


def asked(*rows):
    return cases_frame([ROW | {"case_id": f"c{i}"} | row for i, row in enumerate(rows or [{}])])


def answered(cases, ids=FOUND, **given):
    texts = [TEXT.get(name, name) for name in ids]
    row = {
        "system": "s",
        "repeat": 0,
        "answer": "It is $6.00.",
        "contexts": texts,
        "context_ids": list(ids),
        "error": "",
    }
    return pd.DataFrame([{"case_id": case_id, **row, **given} for case_id in cases["case_id"]])


def made(cases=None, answers=None, n=9, seed=0):
    cases = asked() if cases is None else cases
    answers = answered(cases) if answers is None else answers
    return adversarial_cases(cases, answers, CHUNKS, n=n, seed=seed)


def by_kind(table):
    return {row["kind"]: row for row in table.to_dict("records")}


def test_every_change_by_hand(tmp_path):
    table = made()
    tables.write(tmp_path, "cases", table)
    found = by_kind(table)
    assert list(found) == list(changes.CHANGES)
    ids = {kind: row["passage_ids"] for kind, row in found.items()}
    assert ids[changes.DISTRACTORS][4:] == list(FOUND) and len(ids[changes.DISTRACTORS]) == 8
    assert ids[changes.MISLEADING] == ["unverified#p1", *FOUND]
    false = found[changes.MISLEADING]["false_fact"]
    assert found[changes.MISLEADING]["passages"][0].endswith(f": The monthly fee is ${false}.")
    assert ids[changes.DROPPED] == ["fees#p2", "d0#p1"]  # whatever states the figure is gone
    assert {row["parent_id"] for row in found.values()} == {"c0"} and table["stated"].all()


def test_what_the_passages_answer_now():
    found = by_kind(made())
    dropped = found.pop(changes.DROPPED)
    assert tables.is_missing(dropped["reference_answer"]) and not dropped["answerable"]
    assert all(row["answerable"] for row in found.values())
    assert found[changes.DISTRACTORS]["intensity"] == 4


def test_distractors_are_of_other_documents_and_without_the_figure():
    same = CHUNKS.head(1).assign(chunk_id="x#p1", doc_id="x")
    other = same.assign(chunk_id="y#p1", doc_id="y", text="A pen is $6.00.")
    chunks = pd.concat([CHUNKS, same, other], ignore_index=True)
    cases = asked()
    for seed in range(10):
        table = adversarial_cases(cases, answered(cases), chunks, n=1, seed=seed)
        ids = by_kind(table)[changes.DISTRACTORS]["passage_ids"][:4]
        assert len(set(ids)) == 4 and {name[0] for name in ids} == {"d"} and "d0#p1" not in ids


def test_only_questions_with_a_key_figure_are_taken_and_first_those_whose_answer_states_it():
    cases = asked({}, {"reference_answer": "Students do."}, {}, {})
    answers = answered(cases).assign(answer=["No idea.", "It is $6.00.", "It is $6.00.", "No idea."])
    assert set(made(cases, answers)["parent_id"]) == {"c0", "c2", "c3"}
    for seed in range(5):
        assert set(made(cases, answers, n=1, seed=seed)["parent_id"]) == {"c2"}
    assert made(cases, answers, n=2)["stated"].any()


@pytest.mark.parametrize(
    ("row", "given"),
    [
        ({"answerable": False}, {}),
        ({}, {"error": "no answer within 60 s"}),
        ({"passages": ["own"]}, {}),
        ({"conversation_id": "x", "turn": 2.0}, {}),
        ({"reference_answer": None}, {"contexts": [], "context_ids": []}),
    ],
)
def test_a_question_that_cannot_be_changed(row, given):
    cases = asked(row)
    table = made(cases, answered(cases, **given))
    assert table.empty and {"passages", "fact", "false_fact"} <= set(table)


def test_drawn_by_seed_and_at_most_n():
    cases = asked(*[{}] * 20)
    drawn = [tuple(made(cases, n=5, seed=seed)["parent_id"].unique()) for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2] and len(drawn[0]) == 5
    pd.testing.assert_frame_equal(made(cases, n=5), made(cases, n=5))
    assert not made(cases)["case_id"].duplicated().any()


def test_refuses_none():
    with pytest.raises(ParameterError):
        made(n=0)


@pytest.mark.parametrize("seed", range(10))
def test_the_false_figure_stands_in_no_document(seed):
    """Or an answer could have it from there, and would not have followed anybody."""
    known = ["12", "3", "9", "18", "24", "30"]
    more = CHUNKS.tail(6).assign(text=[f"It costs ${figure}.00." for figure in known])
    chunks = pd.concat([CHUNKS.head(3), more], ignore_index=True)
    cases = asked()
    table = adversarial_cases(cases, answered(cases), chunks, n=1, seed=seed)
    assert float(table["false_fact"].iloc[0]) not in [6.0, *map(float, known)]


FEE = "The fee is $6.00. It is waived above $750."


def found(reference, evidence=(FEE,), question="What is the fee?", seed=0):
    return find_key_fact(question, reference, list(evidence), np.random.default_rng(seed))


def test_by_hand():
    fact = found("It is $6.00 a month.")
    assert fact.figure == "6.00" and fact.false != "6.00" and fact.false.endswith("0")
    assert fact.claim == f"The fee is ${fact.false}."


@pytest.mark.parametrize(
    ("reference", "evidence", "question"),
    [
        (None, FEE, "What?"),
        (float("nan"), FEE, "What?"),
        ("", FEE, "What?"),
        ("It is free.", FEE, "What?"),
        ("It is $9.00.", FEE, "What?"),  # the evidence does not say so
        ("It is $6.00.", FEE, "Is it $6?"),  # the question does
        ("Since 2024.", "Since 2024.", "When?"),
        ("Within 7 days.", "Within 7 days.", "When?"),  # may stand there as seven
        ("On 27 November.", "On 27 November it closes.", "When?"),
        ("Form B27, see 12-34.", "Form B27, see 12-34.", "Which?"),
        ("It is $6.00.", "", "What?"),
    ],
)
def test_there_is_none(reference, evidence, question):
    assert found(reference, [evidence], question) is None


def test_one_value_is_changed_however_it_is_written():
    text = "After 60 days, on the 60th day or in a 60-day period; 60.5, 600, A60 and 1:60 stay."
    assert change_figure(text, "60", "90") == (
        "After 90 days, on the 90th day or in a 90-day period; 60.5, 600, A60 and 1:60 stay."
    )
    assert change_figure("$1,250 or $1250.00", "1250", "9") == "$9 or $9"
