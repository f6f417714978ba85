"""The test set: where its questions come from, in which order, what it does not cover; nothing to ask is an error."""

import json
from pathlib import Path

import pandas as pd
import pytest

from cases.case_writer import reply
from ragassay import tables
from ragassay.cases import QuestionWriter, assemble_test_set, case_table
from ragassay.cases.assemble_test_set import Collection, collect
from ragassay.errors import InputError
from ragassay.models.judge import Reply

TEXTS = [
    ("cards", "T01", "A replacement card costs $7.00, unless the old card was stolen."),
    ("cards", "T01", "A lost card must be reported within 2 business days of noticing the loss."),
    ("loans", "T02", "The home loan was launched on 3 May 2021."),
    ("loans", "T02", "An offer is valid for 45 days."),
]
CHUNKS = pd.DataFrame(
    [
        {
            "chunk_id": f"{doc}#p{i}",
            "doc_id": doc,
            "text": text,
            "language": "en",
            "topic": topic,
            "heading": doc,
        }
        for i, (doc, topic, text) in enumerate(TEXTS, start=1)
    ]
)


@pytest.fixture
def gather(encode):
    def run(*, logged=None, own="", n=0) -> Collection:
        return collect(
            CHUNKS,
            logged=logged,
            own_questions=str(own),
            n_generated=n,
            allocation="proportional",
            seed=0,
            encode=encode,
        )

    return run


@pytest.fixture
def own(tmp_path):
    lost = {
        "question": "May a loan be moved?",
        "evidence": [{"doc_id": "loans", "quote": "never written anywhere at all"}],
    }
    path = tmp_path / "mine.jsonl"
    path.write_text(
        "\n".join(map(json.dumps, [{"question": "What does a new card cost?"}, lost])), encoding="utf-8"
    )
    return path


def test_own_questions_come_first(gather, own):
    found = gather(own=own, n=4)
    kinds = found.cases["kind"].tolist()
    assert (
        kinds[:2] == ["own", "own"] and set(kinds[2:]) == {"generated"} and found.cases["case_id"].is_unique
    )
    assert len(found.unresolved) == 1 and found.cases.index.tolist() == list(range(len(kinds)))
    tables.check("cases", found.cases)


def test_a_log_brings_its_own_questions_and_nothing_is_added(gather, own):
    logged = pd.DataFrame(
        [
            {
                "case_id": "l-1",
                "question": "When was the home loan launched?",
                "answer_type": "short_fact",
                "query_type": "open",
                "channel": "web",
            }
        ]
    )
    found = gather(logged=logged, own=own, n=5)
    row = found.cases.iloc[0]
    assert len(found.cases) == 1 and (row["case_id"], row["topic"], row["channel"], row["language"]) == (
        "l-1",
        "T02",
        "web",
        "en",
    )
    assert found.rejected.empty and found.unresolved.empty


def test_nothing_to_ask_is_told(gather):
    with pytest.raises(InputError, match=r"(?s)no questions to ask.*n_generated above 0"):
        gather()


def test_composition_by_hand():
    cases = pd.DataFrame(
        {
            "origin": ["own", "own", "generated", "log"],
            "query_type": ["factual", "open", "factual", "open"],
            "answerable": [True, False, True, True],
        }
    )
    assert assemble_test_set.composition(cases).reset_index().to_dict("records") == [
        {"origin": "generated", "n": 1, "unanswerable": 0, "factual": 1, "open": 0},
        {"origin": "log", "n": 1, "unanswerable": 0, "factual": 0, "open": 1},
        {"origin": "own", "n": 2, "unanswerable": 1, "factual": 1, "open": 0},
    ]


CASES = case_table.cases_frame(
    [
        {
            "case_id": f"c{i}",
            "question": f"What is {i}?",
            "answer_type": "short_fact",
            "query_type": "factual",
            "kind": kind,
        }
        for i, kind in enumerate(["own", "own", "generated"])
    ]
)


def test_a_plan_by_hand():
    made = assemble_test_set.plan(CASES, {"seed": 0})
    assert (made["n_cases"], made["kinds"], made["settings"]) == (3, {"generated": 1, "own": 2}, {"seed": 0})
    assert assemble_test_set.plan_deviation(json.loads(json.dumps(made)), CASES) == ""


def test_order_and_later_columns_do_not_count():
    assert assemble_test_set.cases_sha256(CASES.iloc[::-1].assign(x=1.0)) == assemble_test_set.cases_sha256(
        CASES
    )


@pytest.mark.parametrize(("change", "said"), [
    ({"question": "What else?"}, "not the same"), ({"reference_answer": "7"}, "not the same"), ({"answerable": False}, "not the same"),
])  # fmt: skip
def test_a_changed_case_is_noticed(change, said):
    assert said in assemble_test_set.plan_deviation(assemble_test_set.plan(CASES, {}), CASES.assign(**change))


def test_an_edited_plan_is_noticed():
    made = assemble_test_set.plan(CASES, {"seed": 0})
    assert "the plan itself" in assemble_test_set.plan_deviation(made | {"settings": {"seed": 1}}, CASES)
    assert assemble_test_set.plan(CASES, {"seed": 1})["plan_sha256"] != made["plan_sha256"]


ROOT = Path(__file__).parents[2]
THINGS = ("blue card", "red card", "gold card", "travel card", "youth card", "spare card")
CHUNKS_WRITER = pd.DataFrame(
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
    found, _ = QuestionWriter().write(CHUNKS_WRITER, 4, encode=encode)
    assert found["case_id"].str.startswith("g-").all()


def test_a_judge_writes_in_their_place(encode):
    writer = QuestionWriter(FakeJudge())
    found, _ = writer.write(CHUNKS_WRITER, 6, encode=encode)
    assert len(found) == 6 and found["case_id"].str.startswith("m-").all()


HOSTILE = json.dumps({"facts": [{"fact": "It is free.", "quote": "\x1b[31m It is free.", "kind": "number"}]})


@pytest.mark.parametrize(
    ("says", "reason"),
    [
        ("", "parse"),
        (False, "the judge gave no reply"),
        ("\x1b[2J\u202e" * 50, "parse"),
        (HOSTILE, "is a key fact whose quotation is not in the passage"),
        (json.dumps({"facts": []}), "has a passage without a confirmed key fact"),
    ],
)
def test_a_judge_that_writes_nothing_is_refused_in_five_parts(encode, says, reason):
    with pytest.raises(InputError) as refused:
        QuestionWriter(FakeJudge(says)).write(CHUNKS_WRITER, 12, encode=encode)
    error = refused.value
    assert (error.what, error.where) == (
        "the language model wrote no question that can be kept",
        "writer-1 at http://localhost:1/v1",
    )
    assert " rejected; " in error.found and reason in error.found
    assert error.expected and error.do and "\x1b" not in str(error) and "\u202e" not in str(error)
