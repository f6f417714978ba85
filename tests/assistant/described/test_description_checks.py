"""Where a described assistant's version comes from: stated, in each reply, in a header; what it costs to be missing: nothing."""

import json
import sys

import pytest
import yaml

from assistants.loopback import GOOD, Loopback
from ragassay.assistant.described import read_description
from ragassay.assistant.described.command_line import Command
from ragassay.assistant.described.http_endpoint import Endpoint
from ragassay.errors import ParameterError

URL = "url: https://assistant.bank.example/ask\n"
COMMAND = "command: [python, bot.py]\n"


def source(version: str, before: str = URL):
    return read_description(f"{before}version: {version}\n", "mine.yml").version


def test_the_three_ways():
    assert source('"2026.10"').stated == "2026.10"
    assert source("{reply: build.version}").reply == "build.version"
    assert source("{reply: 'build.version?'}").reply == "build.version"
    assert source("{header: X-Version}").header == "X-Version"
    assert not read_description(URL, "mine.yml").version.is_said


@pytest.mark.parametrize(
    ("version", "told"),
    [
        ("2.10", "2.1"),
        ("2026-11-23", "2026"),
        ("{}", "{}"),
        ("{reply: a, header: b}", "header"),
        ("' '", "' '"),
        (f"'{'v' * 201}'", "200"),
        ("{reply: 'a[b'}", "version.reply: 'a[b'"),
        ("{reply: 7}", "version.reply: "),
        ("{header: 'X Version'}", "version.header: "),
    ],
)  # fmt: skip
def test_every_flaw_names_file_key_found_and_expected(version, told):
    with pytest.raises(ParameterError) as refused:
        source(version)
    assert told in str(refused.value) and "mine.yml" in str(refused.value)


def ask(act, **more) -> dict:
    with Loopback(act) as server:
        described = read_description(yaml.safe_dump({"url": server.url, "retries": 0} | more), "test")
        return Endpoint(described)("What is the fee?", seconds=5.0)


REPLIED = {"version": {"reply": "build.version"}}


@pytest.mark.parametrize(
    ("build", "said"),
    [
        ({"version": "7.1"}, "7.1"),
        ({"version": 7}, "7"),
        ({"version": {"b": 1, "a": 2}}, '{"a": 2, "b": 1}'),
        ({"version": None}, None),
        ({"version": ""}, None),
        ({}, None),
        ("text", None),
        ({"version": "a\x1b[2Jb"}, "a␛[2Jb"),
    ],
)
def test_a_field_of_the_reply(build, said):
    found = ask(lambda handler, _: handler.reply(GOOD | {"build": build}), **REPLIED)
    assert found["system_version"] == said and found["answer"] == GOOD["answer"]


def test_a_header(monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    more = {"version": {"header": "X-Version"}, "headers": {"X-Key": "${MY_KEY}"}}
    assert ask(lambda h, _: h.reply(GOOD, **{"x-version": "7.1"}), **more)["system_version"] == "7.1"
    assert ask(lambda h, _: h.reply(GOOD), **more)["system_version"] is None
    repeated = ask(lambda h, _: h.reply(GOOD, X_Version="sk-very-secret 7"), **more)
    assert repeated["system_version"] == "*** 7"


def test_without_one_nothing_is_said():
    assert "system_version" not in ask(lambda handler, _: handler.reply(GOOD))
    assert "system_version" not in ask(lambda handler, _: handler.reply(GOOD), version="7.1")


def test_of_a_stream_the_last_event_that_has_it():
    events = [{"v": "1", "t": "Six "}, {"v": "2", "t": "dollars."}, {"done": True}]
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()
    more = {"stream": {"piece": "t"}, "version": {"reply": "v"}, "reply": {"answer": "t"}}
    found = ask(lambda handler, _: handler.reply(body, kind="text/event-stream"), **more)
    assert found == {"answer": "Six dollars.", "system_version": "2"}


def test_of_a_program(tmp_path):
    (tmp_path / "bot.py").write_text('print(\'{"answer": "Six.", "build": {"version": "7.1"}}\')')
    described = read_description(
        json.dumps({"command": [sys.executable, "bot.py"], "version": {"reply": "build.version"}}), "test"
    )
    assert Command(described, tmp_path)("What?", seconds=5.0)["system_version"] == "7.1"
