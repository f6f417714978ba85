"""AssistantPool questions at a time: the table is the same to the byte, conversations stay in turn, nothing is asked twice."""

import json
import time
from collections import Counter

import pandas as pd
import pytest

from assistants.loopback import Loopback
from ragassay.answers import ask_all, load_system
from ragassay.answers.asking import Pace
from ragassay.assistant.process import AssistantPool

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


def test_what_an_earlier_call_asked_is_not_asked_again(tmp_path):
    with Loopback(echo) as server:
        ask(server, tmp_path, 2, CASES.head(10))
        ask(server, tmp_path, 2, CASES)
        asked = Counter(each["body"]["question"] for each in server.heard)
    assert set(asked.values()) == {1} and len(asked) == N


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
