"""Assistants that are described, in their sealed process: asked, killed in time, their host allowed and nothing else."""

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
from ragassay.answers.system_under_test import endpoints
from ragassay.errors import ParameterError, SystemUnderTestError

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


def test_an_endpoint_is_asked_and_nothing_else_allowed(written):
    with (
        Loopback(good) as server,
        load_system(written(url=server.url), allow=["other.example:443"]) as system,
    ):
        assert system("What is the fee?")["answer"] == GOOD["answer"]
        assert server.host in system.policy and "other.example" not in system.policy
        assert system.facts["allow"] == endpoints("mine.yml", ["other.example:443"]) == [server.host]


def test_an_endpoint_that_is_gone_is_not_asked_for_ever(written, tmp_path):
    with Loopback(good) as server:
        spec = written(url=server.url, retries=0)
    cases = pd.DataFrame({"case_id": list("abcde"), "question": ["What?"] * 5})
    with load_system(spec, allow=()) as system:
        found = ask_all(cases, system, name="mine", run_dir=tmp_path / "run")
    assert found.error.str.startswith("no connection to the endpoint").tolist() == [True] * 3 + [False] * 2
    assert found.error[3] == "not asked: the assistant stopped answering"


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


def test_a_variable_that_is_not_set_and_a_file_that_is_not_there(written, monkeypatch):
    monkeypatch.delenv("MY_KEY", raising=False)
    with load_system(written(url="http://127.0.0.1:9/", headers={"X": "${MY_KEY}"}), allow=()) as system:
        assert system("Fee?")["error"].endswith("the environment variable MY_KEY is not set")
    with pytest.raises(SystemUnderTestError, match="does not exist"):
        load_system("other.yml", allow=())
    with pytest.raises(ParameterError, match="url: must be an address"):
        load_system(written(url="x"), allow=())


SEALED = """
import socket, sys
from ragassay import network_seal
from ragassay.answers import load_system
network_seal.close((), leave=False, note=lambda event: None)
with load_system(sys.argv[1]) as system:
    print(system("What is the fee?")["answer"])
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
