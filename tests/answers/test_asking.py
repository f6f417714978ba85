"""Asking: assistants that raise, hang, return nothing; the journal that a killed run leaves, and the table that must not depend on it."""

import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from assistants.in_this_process import InThisProcess, ask_all
from assistants.loopback import Loopback
from ragassay import tables
from ragassay.answers import load_system
from ragassay.answers.asking import UNASKED, Pace
from ragassay.assistant.process import AssistantPool

TESTS = Path(__file__).parents[1]


def cases(*questions):
    return pd.DataFrame({"case_id": [f"c{i}" for i in range(len(questions))], "question": questions})


def journal_of(run_dir):
    return run_dir / "journal" / "answers.jsonl"


def test_one_row_per_case_in_order(tmp_path):
    table = ask_all(cases("a", "b"), str.upper, name="shout", run_dir=tmp_path)
    assert table[["case_id", "repeat", "answer", "system"]].values.tolist() == [
        ["c0", 0, "A", "shout"],
        ["c1", 0, "B", "shout"],
    ]
    tables.write(tmp_path, "answers", table)
    assert tables.read(tmp_path, "answers")["answer"].tolist() == table["answer"].tolist()


def test_failures_keep_their_rows(tmp_path):
    def moody(question):
        if question == "raise":
            raise ValueError("two\nlines at <object at 0x7f00aa>")
        if question == "exit":
            raise SystemExit(3)
        return {"none": None, "wrong": 7}.get(question, "fine")

    table = ask_all(cases("raise", "exit", "none", "wrong", "fine", ""), moody, name="m", run_dir=tmp_path)
    assert table["error"].tolist() == [
        "ValueError: two lines at <object at 0x...>",
        "SystemExit: 3",
        "the assistant returned nothing",
        "wrong reply: a int, where a text or a dict with 'answer' was expected",
        "",
        UNASKED,
    ]
    assert table["answer"].tolist() == ["", "", "", "", "fine", ""]


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
        asked.clear()
        pd.testing.assert_frame_equal(
            ask_all(cases(*"abcd"), InThisProcess(system, "v1"), name="s", run_dir=broken.parent.parent),
            whole,
        )
        assert asked == []


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


def test_errors_are_asked_again(tmp_path):
    replies = iter([RuntimeError("down"), "up"])

    def system(question):
        reply = next(replies)
        if isinstance(reply, Exception):
            raise reply
        return reply

    known = InThisProcess(system, "v1")
    assert ask_all(cases("a"), known, name="s", run_dir=tmp_path)["error"].tolist() == ["RuntimeError: down"]
    assert ask_all(cases("a"), known, name="s", run_dir=tmp_path)["answer"].tolist() == ["up"]
    assert ask_all(cases("a"), known, name="s", run_dir=tmp_path)["answer"].tolist() == ["up"]


def test_an_interrupt_keeps_what_was_answered(tmp_path, monkeypatch):
    ask_all(cases("a"), InThisProcess(str.upper, "v1"), name="s", run_dir=tmp_path)
    monkeypatch.setattr(InThisProcess, "ask", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        ask_all(cases("a", "b"), InThisProcess(str.upper, "v1"), name="s", run_dir=tmp_path)
    assert len(journal_of(tmp_path).read_text().splitlines()) == 1


KILLED = """
import sys, time, pandas as pd
from assistants.in_this_process import InThisProcess, ask_all
def ask(question):
    print(question, flush=True)
    time.sleep(0.05)
    return question.upper()
cases = pd.DataFrame({"case_id": [f"c{i}" for i in range(200)], "question": [f"q{i}" for i in range(200)]})
ask_all(cases, InThisProcess(ask, "v1"), name="s", run_dir=sys.argv[1])
"""


def test_a_killed_process_loses_at_most_the_row_in_flight(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=TESTS
    )
    for _ in range(4):
        process.stdout.readline()
    process.kill()
    begun = 4 + len(process.stdout.read().splitlines())
    process.wait()
    assert begun - 1 <= len(journal_of(tmp_path).read_text().splitlines()) <= begun


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
        pool = AssistantPool(first, n)
        found = ask_all(cases, pool, name="s", run_dir=run_dir, **options)
        pool.close()
    return found


def test_the_table_is_the_same_whatever_the_concurrency(tmp_path):
    with Loopback(echo) as server:
        one, four = (ask(server, tmp_path / str(n), n) for n in (1, 4))
        asked = Counter(each["body"]["question"] for each in server.heard)
    assert one.to_json() == four.to_json() and (one.error == "").all() and set(asked.values()) == {2}
    assert one.answer.tolist()[17:21] == [
        "Question 17? after 0",
        *(f"Question {18 + i}? after {2 * i}" for i in range(3)),
    ]
    lines = (tmp_path / "4" / "journal" / "answers.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["key"][0] for line in lines) == CASES.case_id.tolist()


def test_an_error_ends_all_of_them(tmp_path):
    """What is begun ends, what is not is not begun."""

    begun: list[str] = []

    class Broken(AssistantPool):
        def ask(self, question, timeout_s, given=None):
            begun.append(question)
            if len(begun) == 2:
                raise KeyError("enough")
            time.sleep(0.05)
            return super().ask(question, timeout_s, given)

    with (
        Loopback(echo) as server,
        load_system(json.dumps({"url": server.url}), allow=()) as first,
        pytest.raises(KeyError, match="enough"),
    ):
        ask_all(CASES.head(18), Broken(first, 2), name="s", run_dir=tmp_path)
    assert len(begun) <= 5


def test_a_pace_is_kept(monkeypatch):
    slept = []
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    monkeypatch.setattr(time, "sleep", slept.append)
    pace, free = Pace(1200), Pace(0)
    for _ in range(4):
        pace.wait()
        free.wait()
    assert slept == pytest.approx([0, 0.05, 0.1, 0.15])
