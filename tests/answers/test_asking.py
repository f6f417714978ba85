"""Asking: assistants that raise, hang, return nothing; the journal that a killed run leaves, and the table that must not depend on it."""

import json
import time
from collections import Counter

import pandas as pd
import pytest

from assistants.in_this_process import InThisProcess, ask_all, load_system
from assistants.loopback import Loopback
from ragassay import provenance, tables
from ragassay.answers import asked_so_far, asking, known_before
from ragassay.answers.asking import BEFORE_PLAN, CUT_OFF, UNASKED, count_before_plan
from ragassay.assistant.process import AssistantProcess
from ragassay.cases.case_table import cases_frame
from ragassay.errors import SystemUnderTestError, TableError


def cases(*questions):
    return pd.DataFrame({"case_id": [f"c{i}" for i in range(len(questions))], "question": questions})


def journal_of(run_dir):
    return run_dir / "journal" / "answers.jsonl"


def test_failures_keep_their_rows(tmp_path):
    def moody(question):
        if question == "raise":
            raise ValueError("two\nlines at <object at 0x7f00aa>")
        if question == "exit":
            raise SystemExit(3)
        return {"none": None, "wrong": 7}.get(question, "fine")

    table = ask_all(cases("fine", "raise", "exit", "none", "wrong", ""), moody, name="m", run_dir=tmp_path)
    assert table["error"].tolist() == [
        "",
        "ValueError: two lines at <object at 0x...>",
        "SystemExit: 3",
        "the assistant returned nothing",
        "wrong reply: a int, where a text or a dict with 'answer' was expected",
        UNASKED,
    ]
    assert table["answer"].tolist() == ["fine", "", "", "", "", ""]


def test_three_silences_at_the_beginning_of_a_run_stop_it_and_later_ones_do_not(tmp_path):
    with pytest.raises(SystemUnderTestError, match="nothing"):
        ask_all(cases(*"abcd"), lambda question: "", name="s", run_dir=tmp_path / "silent")
    later = ask_all(
        cases(*"abcdef"), lambda question: question if question == "c" else "", name="s", run_dir=tmp_path
    )
    assert later["answer"].tolist() == ["", "", "c", "", "", ""]


def test_a_resumed_run_asks_only_what_is_missing_and_gives_the_same_table(tmp_path):
    asked = []

    def system(question):
        asked.append(question)
        return {"answer": f"re {question}", "contexts": ["é\ud800"], "cost": 0.1}

    whole = ask_all(cases(*"abcd"), InThisProcess(system, "v1"), name="s", run_dir=tmp_path / "whole")
    lines = journal_of(tmp_path / "whole").read_text().splitlines(keepends=True)
    for torn in ("", lines[2][:25], lines[2].rstrip("\n"), '{"key": 3}', "\x00\x00"):
        broken = journal_of(tmp_path / f"torn{len(torn)}")
        broken.parent.mkdir(parents=True)
        broken.write_text("".join(lines[:2]) + torn)
        asked.clear()
        pd.testing.assert_frame_equal(
            ask_all(cases(*"abcd"), InThisProcess(system, "v1"), name="s", run_dir=broken.parent.parent),
            whole,
        )
        assert asked == (["d"] if torn == lines[2].rstrip("\n") else ["c", "d"])


@pytest.mark.parametrize("change", ["question", "identity", "case_id"])
def test_a_journalled_row_is_not_reused_for_something_else(tmp_path, change):
    ask_all(cases("a"), InThisProcess(lambda question: "old", "v1"), name="s", run_dir=tmp_path)
    table = cases("b" if change == "question" else "a")
    table["case_id"] = "other" if change == "case_id" else "c0"
    answers = ask_all(
        table,
        InThisProcess(lambda question: "new", "v2" if change == "identity" else "v1"),
        name="s",
        run_dir=tmp_path,
    )
    assert answers["answer"].iloc[-1] == "new"


N = 24
CASES = pd.DataFrame(
    {
        "case_id": [f"c{i:02}" for i in range(N)],
        "question": [f"Question {i}?" for i in range(N)],
        "conversation_id": [None] * 18 + ["talk"] * 3 + ["chat"] * 3,
        "turn": [None] * 18 + [1, 2, 3] * 2,
    }
)


def echo(handler, asked):
    """Says what it was asked after what; the more at a time, the longer."""
    time.sleep(0.03 if asked["question"].startswith("Question 1") else 0.005)
    handler.reply({"answer": f"{asked['question']} after {len(asked['said'])}", "cost": 1})


def ask(server, run_dir, n, cases=CASES, **options):
    spec = json.dumps(
        {"url": server.url, "body": {"question": "{question}", "said": "{history}"}, "retries": 0}
    )
    with load_system(spec, allow=()) as first:
        systems = [first, *(AssistantProcess(first.order) for _ in range(n - 1))]
        found = asking.ask_all(cases, systems, name="s", run_dir=run_dir, **options)
        for system in systems:
            system.close()
    return found


@pytest.mark.slow
def test_the_table_is_the_same_whatever_the_concurrency(tmp_path):
    with Loopback(echo) as server:
        one, four = (ask(server, tmp_path / str(n), n) for n in (1, 4))
        asked = Counter(each["body"]["question"] for each in server.heard)
    assert (one.pop("latency_s") > 0).all() and (four.pop("latency_s") > 0).all()  # as measured
    assert one.to_json() == four.to_json() and (one.error == "").all() and set(asked.values()) == {2}
    assert one.answer.tolist()[17:21] == [
        "Question 17? after 0",
        *(f"Question {18 + i}? after {2 * i}" for i in range(3)),
    ]
    lines = (tmp_path / "4" / "journal" / "answers.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["key"][0] for line in lines) == CASES.case_id.tolist()


def test_a_pace_is_kept(tmp_path, monkeypatch):
    slept = []
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    monkeypatch.setattr(time, "sleep", slept.append)
    ask_all(cases(*"abcd"), str.upper, name="s", run_dir=tmp_path, per_minute=1200)
    assert slept == pytest.approx([0, 0.05, 0.1, 0.15])


KINDS = {"answer_type": "short_fact", "query_type": "factual", "kind": "own"}


def cases_with(*rows):
    return cases_frame([{"case_id": f"c{i}", "question": "q", **KINDS, **row} for i, row in enumerate(rows)])


def turns(*placed):
    """(conversation, turn) as cases, the question named by both."""
    return cases_with(*({"conversation_id": c, "turn": t, "question": f"{c}{t}"} for c, t in placed))


class Noting:
    """Answers with what it was asked with, and keeps it."""

    def __init__(self):
        self.asked = []

    def __call__(self, question, history=None, passages=None):
        self.asked.append(question)
        said = [turn["content"] for turn in history or []]
        return json.dumps([question, said, passages])


def ask_with(table, system, run_dir, **options):
    return ask_all(table, system, name="s", run_dir=run_dir, **options)


def test_passages_reach_the_assistant_as_they_stand_in_the_case(tmp_path):
    table = cases_with(
        {"passages": ["one", "two"], "passage_ids": ["a", "b"]}, {"passages": []}, {}, {"passages": ["x"]}
    )
    tables.write(tmp_path, "cases", table)
    given = ask_with(tables.read(tmp_path, "cases"), Noting(), tmp_path)
    assert [json.loads(answer)[2] for answer in given["answer"]] == [
        [{"id": "a", "text": "one"}, {"id": "b", "text": "two"}],
        [],
        None,
        [{"id": "p1", "text": "x"}],
    ]


def test_a_conversation_is_asked_turn_by_turn_with_its_real_replies(tmp_path):
    system = Noting()
    table = ask_with(turns(("x", 2), ("y", 1), ("x", 1), ("y", 2)), system, tmp_path)
    assert system.asked == ["x1", "x2", "y1", "y2"]
    first = json.dumps(["x1", [], None])
    assert table["question"].tolist() == ["x2", "y1", "x1", "y2"]
    assert json.loads(table["answer"][0])[1] == ["x1", first]


def test_a_turn_after_one_without_an_answer_is_not_asked(tmp_path):
    def silent(question, history=None):
        return "" if question == "x2" else question

    table = ask_with(turns(("x", 1), ("x", 2), ("x", 3), ("x", 4)), silent, tmp_path)
    assert table["error"].tolist() == ["", "the assistant returned nothing", CUT_OFF, CUT_OFF]


def test_what_the_assistant_does_not_take_is_not_asked(tmp_path):
    table = turns(("x", 1), ("x", 2))
    table = pd.concat([table, cases_with({"case_id": "p", "passages": ["a"]})], ignore_index=True)
    given = ask_with(table, str.upper, tmp_path)
    assert given["answer"].tolist() == ["X1", "", ""]
    assert [error.split("and the")[0] for error in given["error"]] == [
        "",
        "not applicable: it needs the conversation so far, ",
        "not applicable: it needs passages in place of those retrieved, ",
    ]
    assert given.attrs["hooks"] == ()


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({"history": ["a"]}, "1 texts"),
        ({"passages": ["a"], "passage_ids": ["a", "b"]}, "2 ids"),
        ({"turn": 1}, "conversation"),
        ({"conversation_id": "x", "turn": 2}, "1 comes next"),
        ({"conversation_id": "x", "turn": 1.5}, "1 comes next"),
    ],
)
def test_refuses_before_anything_is_asked(tmp_path, row, complaint):
    system = Noting()
    with pytest.raises(TableError, match=complaint):
        ask_with(cases_with({}, row), system, tmp_path)
    assert system.asked == []


THREE = pd.DataFrame({"case_id": ["a", "b", "c"], "question": ["a", "b", "c"]})


def _plan_then_ask(folder, known, assistant=str.upper):
    """What the chapter of the plan says, and what the chapter of the decision says."""
    if len(known):
        ask_all(known, str.upper, name="s", run_dir=folder)
    provenance.save(folder, BEFORE_PLAN, asked_so_far(folder, THREE, "plan"))
    at_plan = known_before(folder, THREE["case_id"])
    ask_all(THREE, assistant, name="s", run_dir=folder)
    return at_plan, known_before(folder, THREE["case_id"])


def test_what_was_known_stays_known_when_all_is_asked_again_of_another_version(tmp_path):
    then, now = _plan_then_ask(tmp_path, THREE, assistant=str.lower)
    assert then == now == 3


def test_what_a_plan_knew_is_what_it_knew_when_it_was_first_fixed(tmp_path):
    assert asked_so_far(tmp_path, THREE, "plan") == {}
    ask_all(THREE, str.upper, name="s", run_dir=tmp_path)
    assert asked_so_far(tmp_path, THREE, "plan") == {} and len(asked_so_far(tmp_path, THREE, "other")) == 3


@pytest.mark.parametrize(
    "kept, known", [({"a": "1"}, 1), ({"a": "0"}, 1), ({}, 0), ({"z": "1"}, 0), (None, None)]
)
def test_a_case_that_was_asked_again_was_known_all_the_same(kept, known):
    kept = json.dumps(kept).encode()
    assert count_before_plan(["a", "b"], kept, is_log=False) == known
