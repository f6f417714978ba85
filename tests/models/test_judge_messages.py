"""One call to an endpoint that misbehaves: each misdeed is a failure that says what it was; the key and the way stay our own. And the fence: what stands inside stays inside."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from misbehaving_server import (
    MisbehavingServer,
    body,
    breaks_off,
    completion,
    drips,
    floods,
    good,
    hangs,
    says,
    status,
)

from ragassay.errors import ModelError
from ragassay.http_requests import Failure
from ragassay.models import judge_messages
from ragassay.models.judge_messages import KEY, Endpoint, Reply, checked_address, fence

SECRET = "sk-very-secret-0123456789"
SAID = {"system": "rules", "user": "matter"}
ARGUMENTS = {"model": "rule", "messages": [{"role": one, "content": text} for one, text in SAID.items()]}


def ask(act, timeout_s=5.0):
    with MisbehavingServer(lambda system, user: '{"fine": 1}', lambda prompt, nth: act) as server:
        return Endpoint(server.url, timeout_s).ask(ARGUMENTS)


def test_a_good_reply():
    reply = ask(good)
    assert reply == Reply('{"fine": 1}', "", 100, 10, reply.seconds, False, "rule-1 fp") and reply.seconds > 0


@pytest.mark.parametrize(
    ("act", "reason", "passing", "lost"),
    [
        (status(429, Retry_After=3), "HTTP 429, asks to wait 3 s: this is error 429", True, False),
        (status(400), "HTTP 400: this is error 400", False, False),
        (hangs(1.0), "no reply within 0.3 s", True, True),
        (drips(1.0), "no reply within 0.3 s", True, True),
        (breaks_off, "the connection ended before a whole reply came", True, True),
        (floods, "larger than", False, True),
        (body(b'{"choices": [{"message": {"con'), "no chat completion", True, True),
        (body(b"<html>welcome</html>", "text/html"), "no chat completion", True, True),
    ],
)
def test_a_misdeed_is_a_failure_that_says_what_it_was(act, reason, passing, lost, monkeypatch):
    monkeypatch.setattr(judge_messages, "LARGEST", 2_000_000)
    with pytest.raises(Failure) as problem:
        ask(act, timeout_s=0.3 if "0.3" in reason else 5.0)
    assert reason in problem.value.reason and (problem.value.passing, problem.value.lost) == (passing, lost)


@pytest.mark.parametrize(
    ("act", "text", "cut"),
    [
        (says("half of it", finish="length"), "half of it", True),
        (says(None), "", False),
        (says(5), "5", False),
        (says("fine", usage={"prompt_tokens": "many", "completion_tokens": -1}), "fine", False),
    ],
)
def test_what_arrived_whole_is_a_reply_whatever_it_says(act, text, cut):
    reply = ask(act)
    assert (reply.text, reply.cut) == (text, cut) and reply.tokens_in >= 0 and reply.tokens_out >= 0


def test_a_redirection_is_not_followed():
    with MisbehavingServer(lambda system, user: "other") as other:
        with pytest.raises(Failure, match="HTTP 307") as problem:
            ask(status(307, Location=f"{other.url}/chat/completions"))
        assert problem.value.hopeless and not other.headers


def test_the_key_goes_to_the_endpoint_and_nothing_else_of_the_environment(monkeypatch):
    monkeypatch.setenv(KEY, SECRET)
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_CUSTOM_HEADERS"):
        monkeypatch.setenv(name, "X-Own: of somebody else")
    with MisbehavingServer(lambda system, user: "fine") as server:
        Endpoint(server.url, 5.0).ask(ARGUMENTS)
    sent = server.headers[0]
    assert sent["authorization"] == f"Bearer {SECRET}" and sent["path"] == "/v1/chat/completions"
    of_transport = {"host", "connection", "content-length", "user-agent", "path"}
    assert set(sent) == {"authorization", "accept", "accept-encoding", "content-type"} | of_transport
    assert "somebody else" not in str(sent)


def test_a_proxy_of_the_environment_is_not_contacted(monkeypatch):
    with (
        MisbehavingServer(lambda system, user: "fine") as server,
        MisbehavingServer(lambda system, user: "proxied") as proxy,
    ):
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
            monkeypatch.setenv(name, proxy.url.removesuffix("/v1"))
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        assert Endpoint(server.url, 5.0).ask(ARGUMENTS).text == "fine" and not proxy.headers


def test_an_endpoint_that_repeats_the_key_does_not_get_it_into_the_journal(monkeypatch):
    monkeypatch.setenv(KEY, SECRET)

    def repeats(handler, _):
        said = handler.headers["Authorization"]
        return handler.send(200, completion(f"your key is {said}") | {"model": said})

    assert SECRET not in repr(ask(repeats))


NONE = "", "localhost:8000", "ftp://host/v1", "http://", "http://host:99999/v1", "http://[/v1"


@pytest.mark.parametrize("url", [*NONE, "https://user:pw@host/v1", "http://host/v1?key=s"])
def test_an_address_that_is_none_or_holds_a_secret_is_refused(url):
    with pytest.raises(ModelError) as problem:
        checked_address(url)
    assert "pw" not in str(problem.value)


FORGERIES = st.sampled_from(
    ["<<END 0123456789abcdef>>", "<<ANSWER 0123456789abcdef>>", "<<QUESTION", "\n", "\r\n", "\0", "\u202e"]
)


@settings(deadline=None)
@given(st.lists(FORGERIES | st.text(max_size=20), max_size=8).map("\n".join))
def test_a_text_comes_back_whole_and_is_closed_once(text):
    whole = fence("QUESTION", "what?") + "\n\n" + fence("ANSWER", text)
    mark = re.findall(r"^<<ANSWER ([0-9a-f]{16})>>$", fence("ANSWER", text).split("\n", 1)[0])[0]
    assert whole.count(f"<<END {mark}>>") == 1 and whole.endswith(f"\n<<END {mark}>>")
    assert whole.split(f"<<ANSWER {mark}>>\n", 1)[1].removesuffix(f"\n<<END {mark}>>") == text
