"""The test set: where its questions come from, in which order, what it does not cover; nothing to ask is an error."""

import json

import pandas as pd
import pytest
import yaml

from ragassay import provenance, tables
from ragassay.cases import case_table
from ragassay.cases.assemble_test_set import (
    Collection,
    collect,
    composition,
    plan,
    plan_deviation,
    write_questions,
)
from ragassay.errors import InputError
from ragassay.models.judge_messages import Reply
from ragassay.run import parameters, question_counts

TEXTS = [
    ("cards", "T01", "A replacement card costs $7.00, unless the old card was stolen."),
    ("cards", "T01", "A lost card must be reported within 2 business days of noticing the loss."),
    ("loans", "T02", "The home loan was launched on 3 May 2021."),
    ("loans", "T02", "An offer is valid for 45 days."),
]
CHUNKS = pd.DataFrame(TEXTS, columns=["doc_id", "topic", "text"]).assign(
    chunk_id=lambda rows: rows["doc_id"] + "#p" + (rows.index + 1).astype(str), language="en", heading="Fees"
)


@pytest.fixture
def gather(encode):
    def run(*, logged=None, own="", n=0) -> Collection:
        asked = {"logged": logged, "own_questions": str(own), "n_generated": n}
        return collect(CHUNKS, allocation="proportional", seed=0, encode=encode, **asked)

    return run


@pytest.fixture
def own(tmp_path):
    evidence = {"doc_id": "loans", "quote": "never written anywhere at all"}
    rows = (
        {"question": "What does a new card cost?"},
        {"question": "May a loan be moved?", "evidence": [evidence]},
    )
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def test_own_questions_come_first(gather, own, tmp_path, monkeypatch):
    monkeypatch.setenv(provenance.TRACE, str(tmp_path / "trace"))
    found = gather(own=own, n=4)
    kinds = found.cases["kind"].tolist()
    assert (
        kinds[:2] == ["own", "own"] and set(kinds[2:]) == {"generated"} and found.cases["case_id"].is_unique
    )
    assert found.references["reason"].ne("").tolist() == [True] and found.cases.index.tolist() == list(
        range(len(kinds))
    )
    tables.check("cases", found.cases)
    told = json.loads((tmp_path / "trace").read_text().splitlines()[-1])
    assert (told["event"], told["named"], told["found"]) == ("references", 1, 0)
    counts = composition(found.cases, found.references).loc["own"]
    assert counts[["n", "references_named", "references_found"]].tolist() == [2, 1, 0]


def test_a_log_brings_its_own_questions_and_nothing_is_added(gather, own):
    row = {"case_id": "l-1", "question": "When was the home loan launched?", "answer_type": "short_fact"}
    found = gather(logged=pd.DataFrame([row | {"query_type": "open", "channel": "web"}]), own=own, n=5)
    expected = {"case_id": "l-1", "topic": "T02", "channel": "web", "language": "en", "origin": "log"}
    assert len(found.cases) == 1 and {name: found.cases.iloc[0][name] for name in expected} == expected


def test_nothing_to_ask_is_told(gather):
    with pytest.raises(InputError, match=r"(?s)no questions to ask.*n_generated above 0"):
        gather()


def test_composition_by_hand():
    rows = [
        ("own", "factual", True),
        ("own", "open", False),
        ("generated", "factual", True),
        ("log", "open", True),
    ]
    cases = pd.DataFrame(rows, columns=["origin", "query_type", "answerable"])
    assert composition(cases, pd.DataFrame()).reset_index().to_dict("records") == [
        {"origin": "generated", "n": 1, "unanswerable": 0, "factual": 1, "open": 0},
        {"origin": "log", "n": 1, "unanswerable": 0, "factual": 0, "open": 1},
        {"origin": "own", "n": 2, "unanswerable": 1, "factual": 1, "open": 0},
    ]
    unknown = cases.assign(answerable_assumed=[None, None, None, True])
    told = composition(unknown, pd.DataFrame()).loc["log"].dropna()
    assert told.to_dict() == {"n": 1, "factual": 0, "answerable_not_stated": 1}


ROW = {"question": "What is it?", "answer_type": "short_fact", "query_type": "factual"}
CASES = case_table.cases_frame(
    ROW | {"case_id": f"c{i}", "kind": kind} for i, kind in enumerate(["own", "own", "generated"])
)


def test_a_plan_by_hand():
    made = plan(CASES, {"seed": 0})
    assert (made["n_cases"], made["kinds"], made["settings"]) == (3, {"generated": 1, "own": 2}, {"seed": 0})
    assert plan_deviation(json.loads(json.dumps(made)), CASES) == ""
    assert plan_deviation(made, CASES.iloc[::-1].assign(x=1.0)) == "", "order and later columns do not count"


@pytest.mark.parametrize(
    "change", [{"question": "What else?"}, {"reference_answer": "7"}, {"answerable": False}]
)
def test_a_changed_case_is_noticed(change):
    assert "planned" in plan_deviation(plan(CASES, {}), CASES.assign(**change))


def test_an_edited_plan_is_noticed():
    made = plan(CASES, {"seed": 0})
    assert "the plan itself" in plan_deviation(made | {"settings": {"seed": 1}}, CASES)
    assert plan(CASES, {"seed": 1})["plan_sha256"] != made["plan_sha256"]


class FakeJudge:
    """A judge that says the same to everybody."""

    model, endpoint = "writer-1", "http://localhost:1/v1"

    def __init__(self, says):
        self.reply = Reply(None, failure="no reply within 1 s") if says is None else Reply(says)

    def __call__(self, requests):
        return [self.reply for _ in requests]


@pytest.mark.parametrize("says", ["", None, "\x1b[2J\u202e" * 50, json.dumps({"facts": []})])
def test_a_judge_that_writes_nothing_is_refused(encode, says):
    with pytest.raises(InputError, match="writer-1") as refused:
        write_questions(CHUNKS, 12, judge=FakeJudge(says), encode=encode)
    assert "\x1b" not in str(refused.value) and "\u202e" not in str(refused.value)


def test_sizes_ask_about_150_600_and_1000_questions():
    """With 20, 80 and 200 own questions; each names parameters that the notebooks have, at most at their default."""
    sizes = yaml.safe_load((case_table.DATA / "sizes.yml").read_text(encoding="utf-8"))
    schemas = parameters.schemas()
    for size, wanted, own in (("small", 150, 20), ("standard", 600, 80), ("large", 1000, 200)):
        values = {name: {each.name: each.default for each in listed} for name, listed in schemas.items()}
        values["00_scope"]["assistant"] = "mine:ask"
        for name, counts in sizes[size].items():
            assert all(0 < n <= values[name][each] for each, n in counts.items())
            values[name] |= counts
        asked = sum(question_counts.most_questions(values).values()) + own
        assert 0.85 * wanted <= asked <= max(1000, 1.1 * wanted)
