"""Who writes the generated questions: rules, or a language model; what it lost is counted, and nothing is an error in five parts."""

import ast
import json
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from cases.case_writer import reply
from ragassay import models
from ragassay.cases import QuestionWriter, assemble_test_set
from ragassay.cases.assemble_test_set import MODEL_WROTE, collect
from ragassay.errors import InputError
from ragassay.models.judge import Reply

ROOT = Path(__file__).parents[2]
THINGS = ("blue card", "red card", "gold card", "travel card", "youth card", "spare card")
CHUNKS = pd.DataFrame(
    [
        {
            "chunk_id": f"cards#p{i}",
            "doc_id": "cards",
            "title": "All cards",
            "topic": "T01" if i % 2 else "T02",
            "language": "en",
            "text": f"The {thing} is sold in town. The {thing} costs {10 + i} euros a year. Ask at the counter.",
        }
        for i, thing in enumerate(THINGS, start=1)
    ]
)


class FakeJudge:
    """A judge that writes cases by rule, or says the same to everybody."""

    model, endpoint = "writer-1", "http://localhost:1/v1"

    def __init__(self, says=None):
        self.says = says

    def __call__(self, requests):
        said = [reply(one.system, one.user) if self.says is None else self.says for one in requests]
        return [Reply(None, failure="no reply within 1 s") if one is False else Reply(one) for one in said]


def test_rules_write_where_no_judge_is_named(encode):
    found, rejected = QuestionWriter().write(CHUNKS, 4, encode=encode)
    assert found["case_id"].str.startswith("g-").all() and QuestionWriter().account(found, rejected) == ""


def test_a_judge_writes_in_their_place_and_what_it_lost_is_counted(encode):
    writer = QuestionWriter(FakeJudge())
    found, rejected = writer.write(CHUNKS, 6, encode=encode)
    assert len(found) == 6 and found["case_id"].str.startswith("m-").all()
    assert writer.account(found, rejected).startswith(
        f"Written by the language model writer-1: 6 questions kept, {len(rejected)} rejected (replies that did"
    )


@pytest.mark.parametrize(
    ("allocation", "topics"), [("equal", {"T01", "T02"}), ({"T01": 1.0, "T02": 0.0}, {"T01"})]
)
def test_topics_are_served_as_allocated(encode, allocation, topics):
    found, _ = QuestionWriter(FakeJudge()).write(CHUNKS, 6, allocation, encode=encode)
    assert set(found["topic"]) == topics


HOSTILE = json.dumps({"facts": [{"fact": "It is free.", "quote": "\x1b[31m It is free.", "kind": "number"}]})


@pytest.mark.parametrize(
    ("says", "reason"),
    [
        ("", "that could not be parsed: 6"),
        (False, "replies that did not come: 6"),
        ("What does the card cost?", "that could not be parsed: 6"),
        ("[]", "that could not be parsed: 6"),
        ("\x1b[2J\u202e" * 50, "that could not be parsed: 6"),
        (HOSTILE, "is a key fact whose quotation is not in the passage"),
        (json.dumps({"facts": []}), "has a passage without a confirmed key fact"),
    ],
)
def test_a_judge_that_writes_nothing_is_refused_in_five_parts(encode, says, reason):
    with pytest.raises(InputError) as refused:
        QuestionWriter(FakeJudge(says)).write(CHUNKS, 12, encode=encode)
    error = refused.value
    assert (error.what, error.where) == (
        "the language model wrote no question that can be kept",
        "writer-1 at http://localhost:1/v1",
    )
    assert error.found.startswith("0 questions kept, ") and reason in error.found
    assert error.expected and error.do and "\x1b" not in str(error) and "\u202e" not in str(error)


def test_the_collection_says_who_wrote(encode):
    how = {"logged": None, "own_questions": "", "n_generated": 4, "allocation": "equal", "seed": 0}
    by_model = collect(CHUNKS, **how, encode=encode, writer=QuestionWriter(FakeJudge()))
    by_rule = collect(CHUNKS, **how, encode=encode)
    assert by_model.written.startswith("Written by") and by_model.notes == (MODEL_WROTE,)
    assert (by_rule.written, by_rule.notes) == ("", ())
    coverage = pd.DataFrame({"topic": ["T01"], "uncovered": [False]})
    assert MODEL_WROTE in assemble_test_set.coverage_limits(coverage, by_model)


def test_notebook_01_gives_its_judge_to_the_writer():
    book = json.loads((ROOT / "notebooks" / "01_test_generation.ipynb").read_text(encoding="utf-8"))
    (cell,) = (cell for cell in book["cells"] if "cases.collect(" in "".join(cell["source"]))
    tree = ast.parse("".join(cell["source"]))
    tree.body = tree.body[:2]  # the judge made, the cases collected
    given = {}
    names = dict.fromkeys(("own_questions", "n_generated", "allocation", "traffic", "known", "record"), "")
    kit = {
        "cases": SimpleNamespace(QuestionWriter=QuestionWriter, collect=lambda _, **all_: given.update(all_)),
        "answers": SimpleNamespace(logged_cases=lambda record: None),
        "topics": SimpleNamespace(chunks=None),
        "models": models,
    }
    exec(
        compile(tree, "01", "exec"),
        names | kit | {"seed": 3, "judge": "http://localhost:1/v1", "judge_model": "m"},
    )
    assert (given["writer"].judge.model, given["writer"].judge.seed) == ("m", 3)
    assert given["writer"].entail is models.entail
