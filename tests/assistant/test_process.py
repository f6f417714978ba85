"""The assistant kept apart: whatever it does is a row with a reason, and nothing of the examiner's is touched."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assistants.in_this_process import load_system
from ragassay.errors import SystemUnderTestError

HOSTILE = """
import ctypes, json, os, socket, sys, threading, time

def flood():
    while True:
        os.write(1, b"x" * 100_000)

def broken_pipe(content):
    for file in range(3, 200):
        try:
            os.write(file, content)
        except OSError:
            pass
    time.sleep(5)

DEEP = {}
for _ in range(10_000):
    DEEP = {"answer": DEEP}

TRICKS = {
    "exit": lambda: sys.exit(3),
    "crash": lambda: ctypes.string_at(0),
    "hang": lambda: time.sleep(60),
    "large": lambda: "x" * 50_000_000,
    "deep": lambda: DEEP,
    "loud": lambda: [os.write(1, b"x" * 1_000_000) for _ in range(100)] and "said",
    "left over": lambda: threading.Thread(target=flood, daemon=True).start() or "left",
    "closed": lambda: os.closerange(0, 100),
    "garbage": lambda: broken_pipe(b"hello, this is no message\\n"),
    "half": lambda: broken_pipe(b"{"),
    "relative": lambda: open("data/prices.csv").read(),
    "network": lambda: socket.create_connection(("192.0.2.1", 80)),
    "key of the examiner": lambda: os.environ.get("RAGASSAY_JUDGE_KEY", "none"),
    "cwd": lambda: os.chdir("/") or "moved",
    "own": lambda: open("mine.txt", "w").write("x") and "written",
    "fine": lambda: "fine",
}

def ask(question):
    return TRICKS[question]()
"""
SHORT, LONG = 0.6, 60


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "hostile.py").write_text(HOSTILE)
    os.environ["RAGASSAY_JUDGE_KEY"] = "examiner's own"
    with load_system(f"{folder / 'hostile.py'}:ask", allow=()) as system:
        yield system
    del os.environ["RAGASSAY_JUDGE_KEY"]


@pytest.mark.parametrize(
    ("trick", "reason"),
    [
        ("exit", "SystemExit: 3"),
        ("crash", "the assistant's process ended (killed by SIGSEGV)"),
        ("large", "wrong reply: the answer takes 50,000,000 bytes, at most 1,000,000 are taken"),
        ("deep", "wrong reply: answer holds a dict"),
        ("relative", "No such file or directory: 'data/prices.csv'"),
        ("garbage", "the assistant's process sent no answer: no JSON"),
        ("closed", "the assistant's process ended"),
    ],
)
def test_each_trick_is_a_row_with_a_reason(hostile, trick, reason):
    row, _ = hostile.ask(trick, LONG)
    assert reason in row["error"] and row["answer"] == "" and len(row["error"]) <= 600
    assert hostile.ask("fine", LONG)[0]["answer"] == "fine"


@pytest.mark.parametrize("trick", ["hang", "half"])
def test_what_hangs_is_killed_and_the_next_is_asked(hostile, trick):
    row, lost = hostile.ask(trick, SHORT)
    assert lost and row["error"] == "no answer within 0.6 s"
    assert hostile.ask("fine", LONG)[0]["answer"] == "fine"


@pytest.mark.parametrize("trick", ["loud", "left over", "own", "cwd"])
def test_what_does_no_harm_is_answered(hostile, trick):
    assert hostile.ask(trick, LONG)[0]["error"] == ""
    assert hostile.ask("fine", LONG)[0]["answer"] == "fine"
    hostile.close()


def test_its_network_is_refused_and_what_it_says_of_it_is_noted(hostile, tmp_path, monkeypatch):
    monkeypatch.setenv("RAGASSAY_TRACE", str(tmp_path / "trace"))
    assert "NetworkRefused" in hostile.ask("network", LONG)[0]["error"]
    noted = [json.loads(line) for line in (tmp_path / "trace").read_text().splitlines()]
    assert noted == [
        {
            "event": "network",
            "call": "socket.getaddrinfo",
            "address": "192.0.2.1:80",
            "by": "the assistant says",
        }
    ]


def test_it_is_not_given_the_key_of_the_examiner(hostile):
    assert hostile.ask("key of the examiner", LONG)[0]["answer"] == "none"


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("import os; os._exit(4)", r"ended while it was loaded.*\n.*\n.*exit code 4"),
        ("import sys; print('no licence', file=sys.stderr); import os; os._exit(4)", "no licence"),
        ("raise OSError('no licence')", r"(?s)cannot be run.*own-data.md"),
    ],
)
def test_what_fails_to_load_says_why(tmp_path, source, complaint):
    (tmp_path / "bot.py").write_text(source)
    with pytest.raises(SystemUnderTestError, match=complaint):
        load_system(f"{tmp_path / 'bot.py'}:ask")


ORPHAN = """
import sys
from ragassay.answers.system_under_test import order_of
from ragassay.assistant.process import AssistantProcess
system = AssistantProcess(order_of({"assistant": sys.argv[1], "documents": ""}))
print(system.ask("pid", 10)[0]["answer"], flush=True)
system.ask("hang", 60)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="PR_SET_PDEATHSIG is Linux's")
def test_it_dies_with_its_examiner(tmp_path):
    (tmp_path / "bot.py").write_text(
        "import os, time\ndef ask(question): return str(os.getpid()) if question == 'pid' else time.sleep(60)"
    )
    command = [sys.executable, "-c", ORPHAN, f"{tmp_path / 'bot.py'}:ask"]
    examiner = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    process = examiner.stdout.readline().strip()
    examiner.kill()
    examiner.wait()
    until = time.monotonic() + 60
    while _alive(process) and time.monotonic() < until:
        time.sleep(0.02)
    assert not _alive(process)


def _alive(process: str) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False
