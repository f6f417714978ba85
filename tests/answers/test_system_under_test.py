"""Naming the assistant: what may be named, what is asked, and what each mistake says."""

import json
import os
import subprocess
import sys
import time

import pandas as pd
import pytest
import yaml

from assistants.loopback import GOOD, Loopback, good
from ragassay.answers import ask_all, load_system
from ragassay.errors import SystemUnderTestError

SOURCE = """
def ask(question): return "asked " + question
def make(documents): return lambda question: documents
def make_plain(): return ask
class Bot:
    def __init__(self, documents="none"): self.documents = documents
    def __call__(self, question): return "bot"
class Instance:
    def __call__(self, question): return "instance"
ready = Instance()
number = 3
def broken_factory(): raise RuntimeError("no key")
def empty_factory(): return None
def other(prompt): return ""
def keywords(**options): return lambda q: options["documents"]
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", ["", *__import__("sys").path])
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("text")
    path = tmp_path / "bot_for_tests.py"
    path.write_text(SOURCE)
    return path


def answer_of(spec, question, documents=None):
    with load_system(spec, documents) as system:
        return system.ask(question, 60)[0]["answer"]


@pytest.mark.parametrize(
    ("name", "reply"),
    [("ask", "asked hello"), ("make_plain", "asked hello"), ("Bot", "bot"), ("ready", "instance")],
)
@pytest.mark.parametrize("place", ["bot_for_tests.py", "./bot_for_tests.py"])
def test_functions_and_factories(file, place, name, reply):
    assert answer_of(f"{place}:{name}", "hello") == reply


@pytest.mark.parametrize("name", ["make", "keywords"])
def test_a_factory_is_handed_the_folder(file, name):
    assert answer_of(f"{file}:{name}", "x", "docs") == str(file.parent / "docs")


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("bot_for_tests", "not named as it should"),
        ("no_such_module_here:ask", "No module named 'no_such_module_here'"),
        ("missing.py:ask", "file does not exist"),
        ("bot_for_tests.py:aks", "did you mean 'ask'"),
        ("bot_for_tests.py:number", "not callable"),
        ("bot_for_tests.py:broken_factory", "RuntimeError: no key"),
        ("bot_for_tests.py:empty_factory", "a NoneType"),
        ("bot_for_tests.py:other", "missing 1 required positional argument: 'prompt'"),
    ],
)
def test_each_mistake_is_named(file, spec, complaint):
    with pytest.raises(SystemUnderTestError, match=complaint):
        load_system(spec)


def test_the_identity_changes_with_the_source_and_with_the_documents(file):
    def now():
        with load_system(f"{file}:ask", "docs") as system:
            return str(system.facts)

    first = now()
    assert now() == first
    (file.parent / "docs" / "a.txt").write_text("another text")
    second = now()
    file.write_text(SOURCE + "# changed\n")
    assert len({first, second, now()}) == 3


FORKING = """
import subprocess, sys, time
if "hang" in sys.stdin.read():
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    time.sleep(60)
print('{"answer": "here"}')
"""


@pytest.fixture(autouse=True)
def without_proxies(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(**description) -> str:
        (tmp_path / "mine.yml").write_text(yaml.safe_dump(description))
        return "mine.yml"

    return write


def test_an_endpoint_that_is_gone_is_not_asked_for_ever(written, tmp_path):
    with Loopback(good) as server:
        spec = written(url=server.url, retries=0)
    cases = pd.DataFrame({"case_id": list("abcde"), "question": ["What?"] * 5})
    told = "(?s)answered no question.*no connection to the endpoint"
    with load_system(spec, allow=()) as system, pytest.raises(SystemUnderTestError, match=told):
        ask_all(cases, [system], name="mine", run_dir=tmp_path / "run")
    assert len((tmp_path / "run/journal/answers.jsonl").read_text().splitlines()) == 3


def test_a_command_that_hangs_is_killed_with_what_it_started(written, tmp_path):
    import psutil

    (tmp_path / "bot.py").write_text(FORKING)
    spec = written(command=[sys.executable, "bot.py"])
    with load_system(spec, allow=()) as system:
        group = {each.pid for each in psutil.process_iter()}
        row, lost = system.ask("hang", 1.0)
        assert lost and row["error"] == "no answer within 1 s"
        until = time.monotonic() + 60
        while (left := _sleeping(psutil, group)) and time.monotonic() < until:
            time.sleep(0.02)
        assert not left
        assert system.ask("Fee?", 10.0)[0]["answer"] == "here"


def _sleeping(psutil, known):
    now = [each for each in psutil.process_iter(["cmdline"]) if each.pid not in known]
    return [each for each in now if "time.sleep(60)" in str(each.info["cmdline"])]


SEALED = """
import socket, sys
from ragassay import network_seal
from ragassay.answers import load_system
network_seal.close((), leave=False, note=lambda event: None)
with load_system(sys.argv[1]) as system:
    print(system.ask("What is the fee?", 60)[0]["answer"])
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[2])))
except OSError as problem:
    print(type(problem).__name__)
"""


def test_its_process_reaches_what_the_sealed_notebook_does_not(tmp_path):
    with Loopback(good) as server:
        arguments = [json.dumps({"url": server.url}), server.host.rpartition(":")[2]]
        environment = os.environ | {"RAGASSAY_ALLOW": ""}
        command = [sys.executable, "-c", SEALED, *arguments]
        said = subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout
    assert said.split("\n")[:2] == [GOOD["answer"], "NetworkRefused"]
