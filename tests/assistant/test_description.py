"""A description: what is wrong with it is said at once, a secret never; what it sends and where it
looks in replies; where the version comes from."""

import json

import pytest
import yaml

from assistants.loopback import GOOD, Loopback
from ragassay.assistant.ask_described import Endpoint
from ragassay.assistant.description import find, read_description, request_of
from ragassay.errors import ParameterError

URL = "url: https://assistant.bank.example/ask\n"
SECRET = "sk-very-secret-1234"


def flaws(text: str) -> str:
    with pytest.raises(ParameterError) as told:
        read_description(text, "mine.yml")
    assert SECRET not in str(told.value)
    return told.value.what


def test_a_command_line_may_be_words_or_a_text():
    assert read_description("command: python 'my bot.py'", "mine.yml").command == ("python", "my bot.py")
    assert read_description("command: [python, my bot.py]", "mine.yml").command == ("python", "my bot.py")


def test_hooks_are_the_placeholders():
    body = "body: {q: '{question}', said: '{history}', from: ['{passages}']}"
    assert read_description(URL + body, "mine.yml").hooks == ("history", "passages")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("url: [", "cannot be read"),
        ("kind: soap", "kind: "),
        ("url: ftp://x/", "url: "),
        (f"url: https://user:{SECRET}@x.example/", "url: "),
        (f"url: https://x.example/?api-key={SECRET}", "url: "),
        (URL + "colour: red", "colour: "),
        (URL + f"headers: {{Authorization: Bearer {SECRET}}}", "headers.Authorization: "),
        (URL + "body: {text: hello}", "body: "),
        (URL + f"body: {{q: '{{question}}', deep: [{{api_key: {SECRET}}}]}}", "body: 'api_key'"),
        (URL + "reply: {answers: a}", "reply.answers"),
        (URL + "reply: {answer: 'a[b'}", "reply.answer: 'a[b'"),
        (URL + "stream: {end: x}", "stream.piece: "),
        ("kind: openai\n" + URL, "model: "),
        (URL + "version: {reply: a, header: b}", "header"),
        (URL + "version: {header: 'X Version'}", "version.header: "),
        ("command: 'open \"quotation'", "command: "),
    ],
)  # fmt: skip
def test_every_flaw_is_told(text, told):
    assert told in flaws(text)


HISTORY = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes?"}]
PASSAGES = [{"id": "p1", "text": "The fee is $6."}]


def test_placeholders_are_filled_once():
    template = {
        "q": "Q: {question}",
        "h": "{history}",
        "m": [{"role": "system"}, "{messages}"],
        "p": "{passages}",
        "t": "{history}; {passages}; {other}",
        "id": "{request_id}",
    }
    filled, sent = request_of(template, "What is {history}?", HISTORY, PASSAGES)
    assert filled == {
        "q": "Q: What is {history}?",
        "h": HISTORY,
        "m": [{"role": "system"}, *HISTORY, {"role": "user", "content": "What is {history}?"}],
        "p": PASSAGES,
        "t": "user: Hi\nassistant: Yes?; p1: The fee is $6.; {other}",
        "id": sent["request_id"],
    }
    assert request_of({"q": "{question}", "p": "{passages}"}, "Q?", [], None)[0] == {"q": "Q?"}


DOCUMENT = {"a": [{"b": 1}, {"b": None}], "c.d": 2, "e": {"f": "x"}}


@pytest.mark.parametrize(
    ("path", "value"), [("a[0].b", 1), ("$.a[*].b", [1]), ('"c.d"', 2), ("e.f.g", None), ("a[5]", None)]
)
def test_paths(path, value):
    assert find(DOCUMENT, path) == value


def ask(act, **more) -> dict:
    with Loopback(act) as server:
        described = read_description(yaml.safe_dump({"url": server.url, "retries": 0} | more), "test")
        return Endpoint(described)("What is the fee?", seconds=5.0)


def test_a_header(monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    more = {"version": {"header": "X-Version"}, "headers": {"X-Key": "${MY_KEY}"}}
    assert ask(lambda h, _: h.reply(GOOD, **{"x-version": "7.1"}), **more)["system_version"] == "7.1"
    assert ask(lambda h, _: h.reply(GOOD), **more)["system_version"] is None
    repeated = ask(lambda h, _: h.reply(GOOD, X_Version="sk-very-secret 7"), **more)
    assert repeated["system_version"] == "*** 7"


def test_of_a_stream_the_last_event_that_has_it():
    events = [{"v": "1", "t": "Six "}, {"v": "2", "t": "dollars."}, {"done": True}]
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()
    more = {"stream": {"piece": "t"}, "version": {"reply": "v"}, "reply": {"answer": "t"}}
    found = ask(lambda handler, _: handler.reply(body, kind="text/event-stream"), **more)
    assert (found["answer"], found["system_version"]) == ("Six dollars.", "2")
