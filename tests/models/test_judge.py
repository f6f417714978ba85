"""The judge before a server that misbehaves: every request is accounted for, nothing is paid twice; its journal: what cannot be kept is said before it is paid for."""

import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from misbehaving_server import MisbehavingServer, body, breaks_off, good, hangs, status

import ragassay
from ragassay.errors import ModelError
from ragassay.models.judge import Journal, Judge
from ragassay.models.judge_messages import KEY, Request

LIBRARY = str(Path(ragassay.__file__).parents[1])
SECRET = "sk-very-secret-0123456789"
REQUESTS = [Request("lesson", "rules", f"matter {i}") for i in range(12)]


def echo(system: str, user: str) -> str:
    return f"judged: {user}"


def judge_of(server, tmp_path, **settings) -> Judge:
    return Judge(server.url, "rule", **({"journal": tmp_path / "judge.sqlite", "wait_s": 0.001} | settings))


def accounted(judge: Judge) -> bool:
    return judge.spent.requests == judge.spent.kept + judge.spent.paid + judge.spent.failed


def test_replies_come_in_the_order_asked_and_equal_requests_are_sent_once(tmp_path):
    with MisbehavingServer(echo) as server:
        judge = judge_of(server, tmp_path, price_in=2.0, price_out=10.0)
        replies = judge([*reversed(REQUESTS), REQUESTS[3]])
    assert [reply.text for reply in replies] == [f"judged: matter {i}" for i in [*range(11, -1, -1), 3]]
    assert set(server.asked.values()) == {1} and accounted(judge)
    spent = judge.spent
    assert spent.requests == spent.paid == spent.sent == 12 and spent.by == ("rule-1 fp",)
    assert (spent.tokens_in, spent.tokens_out) == (1200, 120) and spent.seconds > 0
    assert spent.cost == pytest.approx((1200 * 2 + 120 * 10) / 1e6)


def test_what_is_sent(tmp_path):
    with MisbehavingServer(echo) as server:
        options = {"max_tokens": None, "max_completion_tokens": 9}
        judge_of(server, tmp_path, seed=7, options=options)(REQUESTS[:1])
    messages = [{"role": "system", "content": "rules"}, {"role": "user", "content": "matter 0"}]
    assert server.bodies == [
        {"model": "rule", "messages": messages, "temperature": 0, "seed": 7, "max_completion_tokens": 9}
    ]


@pytest.mark.parametrize(
    "act", [status(429, Retry_After=0.01), status(500), hangs(1.0), breaks_off, body(b"{")]
)
def test_what_passes_is_asked_again_until_a_whole_reply_came(act, tmp_path):
    with MisbehavingServer(echo, lambda prompt, nth: act if nth < 2 else good) as server:
        judge = judge_of(server, tmp_path, timeout_s=0.3)
        assert judge(REQUESTS[:1])[0].text == "judged: matter 0"
    assert server.asked["rules", "matter 0"] == 3
    assert (judge.spent.sent, judge.spent.paid, judge.spent.failed) == (3, 1, 0)


def test_what_does_not_pass_is_a_reply_with_the_reason_beside_the_others(tmp_path):
    errors = {"matter 1": status(400), "matter 2": status(500)}
    with MisbehavingServer(echo, lambda prompt, nth: errors.get(prompt, good)) as server:
        judge = judge_of(server, tmp_path, retries=2)
        replies = judge(REQUESTS)
    assert replies[1].text is None and replies[1].failure == "HTTP 400: this is error 400"
    assert replies[2].failure == "HTTP 500: this is error 500 (asked 3 times)"
    assert [reply.text for reply in replies[3:]] == [f"judged: matter {i}" for i in range(3, 12)]
    assert (server.asked["rules", "matter 1"], server.asked["rules", "matter 2"]) == (1, 3)
    assert accounted(judge) and judge.spent.failed == 2


@pytest.mark.parametrize(("act", "most"), [(status(401), 4), (status(404), 4), (status(500), 12)])
def test_a_hopeless_endpoint_is_not_asked_a_thousand_times(act, most, tmp_path):
    """A refused key ends it at once; four are under way by then. A server that is down gets three requests and the three under way beside, each sent twice."""
    with MisbehavingServer(echo, lambda prompt, nth: act) as server:
        judge = judge_of(server, tmp_path, patience=3, retries=1)
        replies = judge([Request("lesson", "rules", f"matter {i}") for i in range(1000)])
    assert sum(server.asked.values()) <= most and accounted(judge) and judge.spent.failed == 1000
    assert sum(reply.failure.startswith("not asked: HTTP") for reply in replies) >= 990


def test_the_key_is_written_nowhere(tmp_path, monkeypatch):
    monkeypatch.setenv(KEY, SECRET)
    monkeypatch.setenv("RAGASSAY_TRACE", str(tmp_path / "trace.jsonl"))
    with MisbehavingServer(echo, lambda prompt, nth: good if prompt.endswith("1") else status(401)) as server:
        judge = judge_of(server, tmp_path)
        shown = repr(judge) + repr(judge(REQUESTS)) + repr(judge.spent) + repr(vars(judge))
    assert f"Bearer {SECRET}" in server.headers[0]["authorization"]
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert SECRET not in shown and SECRET.encode() not in written and b"judge" in written


def test_a_journal_that_cannot_be_kept_stops_the_spending(tmp_path, monkeypatch):
    def full(self, key, reply):
        raise ModelError("the journal of the judge cannot be used")

    monkeypatch.setattr(Journal, "keep", full)
    asked = [Request("lesson", "rules", f"matter {i}") for i in range(100)]
    slow = MisbehavingServer(echo, lambda prompt, nth: hangs(0.02))
    with slow as server, pytest.raises(ModelError, match="journal"):
        judge_of(server, tmp_path, concurrency=2)(asked)
    assert sum(server.whole.values()) <= 4


@pytest.mark.parametrize(
    "settings",
    [{"options": {name: 1}} for name in ("messages", "model", "stream", "n")] + [{"endpoint": "nowhere"}],
)
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(ModelError):
        Judge(**({"endpoint": "http://localhost:1/v1", "model": "rule"} | settings))


def test_another_process_gets_the_same_judge_and_shares_its_journal(tmp_path):
    with MisbehavingServer(echo) as server:
        judge = judge_of(server, tmp_path, seed=3, options={"top_p": 1})
        judge(REQUESTS)
        other = pickle.loads(pickle.dumps(judge))
        assert other == judge and other.spent.requests == 0
        other(REQUESTS)
    assert other.spent.kept == 12 and sum(server.whole.values()) == 12


ASKING = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored if the tests were started with `&` by a script
from ragassay.models.judge import Judge
from ragassay.models.judge_messages import Request
judge = Judge(sys.argv[1], "rule", sys.argv[2], concurrency=2)
replies = judge([Request("lesson", "rules", f"matter {i}") for i in range(20)])
print(sum(reply.text is not None for reply in replies), judge.spent.kept)
"""


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_killed_goes_on_without_paying_twice(ending, tmp_path):
    journal = tmp_path / "judge.sqlite"
    command = [sys.executable, "-c", ASKING, "", str(journal)]
    with MisbehavingServer(echo, lambda prompt, nth: hangs(0.2)) as server:
        command[3] = server.url
        env, nowhere = os.environ | {"PYTHONPATH": LIBRARY}, subprocess.DEVNULL
        first = subprocess.Popen(command, stdout=nowhere, stderr=nowhere, env=env)
        _wait_until(lambda: sum(server.whole.values()) >= 6)
        first.send_signal(ending)
        assert first.wait(60) != 0
        time.sleep(0.5)  # what was under way ends at the server
        paid = sum(server.whole.values())
        second = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    done, kept = map(int, second.stdout.split())
    assert paid < 20 and done == 20 and kept >= paid - 2, "at most the two requests under way are lost"
    assert sum(server.whole.values()) == 20 + (paid - kept) and max(server.whole.values()) <= 2
    if ending == signal.SIGINT:
        assert kept == paid, "an interruption waits for what is under way"


def _wait_until(condition, seconds: float = 60.0) -> None:
    ends = time.monotonic() + seconds
    while not condition() and time.monotonic() < ends:
        time.sleep(0.01)
    assert condition()


@settings(deadline=None)
@given(st.text(), st.text(), st.integers(1, 9))
def test_a_key_is_of_the_whole_request(system, user, tokens):
    request = Request("lesson", system, user, tokens)
    changed = (system + "x", user, tokens), (system, user + "x", tokens), (system, user, tokens + 1)
    others = [Request("lesson", *one) for one in changed]
    assert len({one.key("recipe") for one in (request, *others)} | {request.key("another recipe")}) == 5
    assert request.key("recipe") == Request("lesson", system, user, tokens).key("recipe")


def test_damage_is_said(tmp_path):
    (tmp_path / "judge.sqlite").write_bytes(b"this is no database, whatever its name may say" * 100)
    with pytest.raises(ModelError, match="paid for again"):
        Journal(tmp_path / "judge.sqlite").find(["key"])
