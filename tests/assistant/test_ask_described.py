"""An assistant over HTTP and on the command line: its replies mapped, everything that is none a reason, nothing but its
host contacted, a process per question."""

import itertools
import sys
import time
from functools import partial

import pytest
import yaml

from assistants.loopback import GOOD, Loopback, good
from ragassay.assistant import ask_described
from ragassay.assistant.ask_described import Endpoint, ask_command, folder_of
from ragassay.assistant.description import read_description
from ragassay.errors import SystemUnderTestError
from ragassay.http_requests import Failure

SECRET = "sk-very-secret-1234"


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch):
    monkeypatch.setattr(ask_described, "FIRST_PAUSE_S", 0.001)
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def described(server, **more):
    return read_description(yaml.safe_dump({"url": server.url, "retries": 0} | more), "test")


def ask(act, question="What is the fee?", seconds=5.0, given=None, **more):
    """The reply, and what the server heard."""
    with Loopback(act) as server:
        return Endpoint(described(server, **more))(question, seconds=seconds, **(given or {})), server.heard


def refusal(act, seconds=5.0, **more) -> Failure:
    with Loopback(act) as server, pytest.raises(Failure) as told:
        Endpoint(described(server, **more))("What is the fee?", seconds=seconds)
    return told.value


def test_a_reply_in_our_own_names():
    found, heard = ask(good)
    assert {name: found[name] for name in GOOD} == GOOD and found["cost"] is None
    assert heard[0]["body"] == {"question": "What is the fee?"}


def test_any_shape_is_mapped():
    reply = {
        "data": {"text": "Six."},
        "sources": [{"id": 7, "page": {"text": "$6"}}, {"id": 8, "page": {"text": "$7"}}],
        "usage": {"total.tokens": 12, "cost": 0.5},
    }
    paths = {
        "answer": "data.text",
        "contexts": "$.sources[*].page.text",
        "context_ids": "sources[*].id",
        "tokens": 'usage."total.tokens"',
        "cost": "usage.cost",
        "citations": "sources[*].id",
    }
    found, heard = ask(
        lambda handler, _: handler.reply(reply), reply=paths, body={"q": {"text": "Q: {question}"}}
    )
    assert 0 < found.pop("latency_s") < 5
    assert found == {
        "answer": "Six.",
        "contexts": ["$6", "$7"],
        "context_ids": [7, 8],
        "citations": [7, 8],
        "tokens": 12,
        "cost": 0.5,
    }
    assert heard[0]["body"] == {"q": {"text": "Q: What is the fee?"}}


def chat(handler, asked):
    message = {"role": "assistant", "content": f"{len(asked['messages'])} messages"}
    handler.reply({"choices": [{"message": message}], "usage": {"total_tokens": 9}})


def test_a_chat_endpoint_is_told_the_history():
    history = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hello."}]
    more = {"kind": "openai", "model": "m", "body": {"temperature": 0}}
    found, heard = ask(chat, given={"history": history}, **more)
    assert 0 < found.pop("latency_s") < 5  # measured where the reply states none
    assert found == {"answer": "3 messages", "tokens": 9}
    assert heard[0]["path"] == "/ask/chat/completions" and heard[0]["body"] == {
        "model": "m",
        "temperature": 0,
        "messages": [*history, {"role": "user", "content": "What is the fee?"}],
    }


def events(*said: str) -> bytes:
    return "".join(f"data: {each}\n\n" for each in said).encode()


DELTA = '{"choices": [{"delta": {"content": "%s"}}]}'


@pytest.mark.parametrize(
    "begin", [b": comment\r\n\r\n", b"\xef\xbb\xbf", b"data:\n\n"], ids=["comment", "BOM", "empty"]
)
@pytest.mark.parametrize("pieces", [("Six ", "dollars."), ("Six dollars.",)], ids=["two", "one"])
@pytest.mark.parametrize("end", ["[DONE]", "[DONE] "])
def test_a_stream_is_joined(begin, pieces, end):
    body = begin + events(*(DELTA % piece for piece in pieces), '{"usage": {"total_tokens": 3}}', end)
    found, _ = ask(
        lambda h, _: h.reply(body, kind="text/event-stream; charset=utf-8"), kind="openai", model="m"
    )
    assert (found["answer"], found["tokens"]) == ("Six dollars.", 3)


def test_a_text_is_the_answer_where_the_description_says_so_and_charsets_are_kept_to():
    assert ask(lambda h, _: h.reply(b"18", kind="text/plain"), reply="text")[0]["answer"] == "18"
    latin = '{"answer": "Geb\u00fchr"}'.encode("latin-1")
    kind = "application/json; charset=iso-8859-1"
    assert ask(lambda h, _: h.reply(latin, kind=kind))[0]["answer"] == "Geb\u00fchr"


ECHO = {"answer": "answer", "request_id": "id"}
PAGE = b"<!DOCTYPE html><html><head><title>Service\nunavailable</title></head><body>x</body></html>"
WRONG = {
    "an error page with 200": (
        lambda h, _: h.reply(PAGE, kind="text/html"),
        {},
        "wrong reply: no JSON, '<!DOCTYPE html><html>",
    ),
    "a mapped field that is not there": (
        lambda h, _: h.reply({"answer": "a", "sources": []}),
        {"reply": {"answer": "answer", "contexts": "data.sources[*].text"}},
        "wrong reply: nothing stands at 'data.sources[*].text' in ",
    ),
    "20 MB": (lambda h, _: h.reply(b" " * 20_000_000), {}, "wrong reply: larger than 16,000,000 bytes"),
    "another question": (
        lambda h, _: h.reply({"answer": "a", "id": "other"}),
        {"reply": ECHO, "body": {"q": "{question}", "id": "{request_id}"}},
        "another question is answered: its request_id is not the one that was sent",
    ),
    "half a body": (
        lambda h, _: h.end_early(b'{"answer": "Six'),
        {},
        "the connection ended before a whole reply came",
    ),
    "half a stream": (
        lambda h, _: h.reply(events(DELTA % "Six"), kind="text/event-stream"),
        {"kind": "openai", "model": "m"},
        "the stream broke off before its end",
    ),
    "422, a list": (
        lambda h, _: h.reply([{"loc": ["body", "q"], "msg": "Field required"}], 422),
        {},
        'HTTP 422: [{"loc": ["body", "q"], "msg": "Field required"}]',
    ),
    "500": (
        lambda h, _: h.reply({"detail": [{"msg": "out of memory"}]}, 500),
        {},
        'HTTP 500: {"detail": [{"msg": "out of memory"}]}',
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_answer_is_a_reason(name):
    act, more, reason = WRONG[name]
    assert refusal(act, **more).reason.startswith(reason)


@pytest.mark.parametrize(
    "act", [lambda h, _: time.sleep(60), lambda h, _: h.drip(60)], ids=["hangs", "drips"]
)
def test_a_reply_that_does_not_come_in_time(act):
    told = refusal(act, seconds=0.3, retries=3)
    assert told.reason == "no reply within 0.3 s" and told.hopeless


def test_asked_again_where_it_may_pass():
    acts = itertools.chain([lambda h, _: h.reply(b"", 503), lambda h, _: h.reset()], itertools.repeat(good))
    found, heard = ask(lambda h, asked: next(acts)(h, asked), retries=3)
    assert found["answer"] == GOOD["answer"] and len(heard) == 3
    told = refusal(lambda h, _: h.reply(b"", 503), retries=2)
    assert told.reason == "HTTP 503 (3 attempts)"


def test_headers_come_of_the_environment_and_go_nowhere_else(monkeypatch):
    monkeypatch.setenv("MY_KEY", SECRET)
    headers = {"Authorization": "Bearer ${MY_KEY}"}
    found, heard = ask(lambda h, _: h.reply({"answer": f"Your key is {SECRET}"}), headers=headers)
    assert heard[0]["headers"]["Authorization"] == f"Bearer {SECRET}" and found["answer"] == "Your key is ***"
    assert (
        SECRET
        not in refusal(lambda h, _: h.reply({"error": f"bad key {SECRET}"}, 401), headers=headers).reason
    )
    monkeypatch.delenv("MY_KEY")
    with pytest.raises(SystemUnderTestError, match="the environment variable MY_KEY is not set"):
        refusal(good, headers=headers)


def test_lines_of_json_are_a_stream_too():
    body = '{"answer": "Six\u2028 "}\n{"answer": "dollars.", "cost": 2}\n'.encode()
    found, _ = ask(lambda h, _: h.reply(body, kind="application/x-ndjson"))
    assert (found["answer"], found["cost"]) == ("Six\u2028 dollars.", 2)


BOT = """
import json, os, sys, time
answered = 0
for line in sys.stdin:
    asked = json.loads(line)
    answered += 1
    question = asked["question"]
    if question == "die":
        print("out of luck", file=sys.stderr)
        sys.exit(3)
    if question == "mute":
        sys.exit(0)
    if question == "large":
        print("x" * 17_000_000)
    elif question == "text":
        print("no JSON")
    else:
        print(json.dumps({"answer": f"{question} {answered}", "cost": 0.5}), flush=True)
"""


@pytest.fixture
def bot(tmp_path):
    (tmp_path / "bot.py").write_text(BOT)

    def make(**more):
        text = yaml.safe_dump({"command": [sys.executable, "bot.py"]} | more)
        description = read_description(text, "test")
        folder = folder_of(description.command, [tmp_path / "elsewhere", tmp_path])
        return partial(ask_command, description, folder)

    return make


def reason(asked, question) -> str:
    with pytest.raises(Failure) as told:
        asked(question)
    return told.value.reason


def test_a_process_per_question(bot):
    asked = bot()
    assert [asked("Fee?")["answer"] for _ in range(2)] == ["Fee? 1", "Fee? 1"]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("die", "the command ended (exit code 3): out of luck"),
        ("mute", "wrong reply: it is empty"),
        ("large", "wrong reply: larger than 16,000,000 bytes"),
        ("text", "wrong reply: no JSON, 'no JSON'"),
    ],
)
def test_what_a_program_says_that_is_no_answer_is_a_reason(bot, question, told):
    assert reason(bot(), question) == told


def test_a_text_may_be_the_whole_reply(bot):
    assert bot(reply="text")("text")["answer"] == "no JSON"
