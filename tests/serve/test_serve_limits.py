"""Key, host, size, number, queue and time are bounded; an error has five parts and no word of the request."""

import json
import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.testclient import TestClient

from api.fake_scores import encode
from ragassay import serve as app
from ragassay.errors import ModelError, ParameterError
from ragassay.serve import Limits, ScoreRequest, Worker
from serve.conftest import KEY, ROWS

SECRET = "Zanzibar-4711"
HOSTILE = {
    "half a letter": '{"answers": [{"answer": "\\ud800 Zanzibar-4711", "case_id": "\\udfff"}]}',
    "NaN": '{"answers": [{"answer": NaN, "latency_s": Infinity, "contexts": ["Zanzibar-4711"]}]}',
    "5,000 digits": '{"answers": [{"answer": "Zanzibar-4711", "latency_s": ' + "9" * 5000 + "}]}",
    "deep": '{"answers": [{"answer": ' + "[" * 5000 + "]" * 5000 + "}]}",
    "deep contexts": '{"answers": [{"answer": "a", "contexts": ' + '[{"t":' * 400 + "1" + "}]" * 400 + "}]}",
    "no JSON": '{"answers": Zanzibar-4711',
    "another field": '{"answers": [{"answer": "a"}], "extra": "Zanzibar-4711"}',
    "an unknown metric": '{"answers": [{"answer": "a"}], "metrics": ["Zanzibar-4711"]}',
    "nothing known": '{"answers": [{"tea": "Zanzibar-4711"}]}',
    "an object as repeat": '{"answers": [{"answer": "a", "repeat": {"a": "Zanzibar-4711"}}]}',
    "a repeat beyond 64 bits": '{"answers": [{"answer": "a", "repeat": 99999999999999999999}]}',
    "an unknown mapping": '{"answers": [{"answer": "a"}], "mapping": {"tea": "Zanzibar"}}',
    "an unhashable case": '{"answers": [{"answer": "a", "case_id": [1, {"b": 2}], "system": {}}]}',
    "an empty name": '{"answers": [{"": 1, "answer": "a"}, {"answer": "=cmd()"}]}',
}


def post(client: TestClient, content, path: str = "/score", **headers):
    return client.post(path, content=content, headers={"content-type": "application/json"} | headers)


def wait_for(client: TestClient, waiting: int) -> None:
    """Until so many requests are in the queue."""
    while client.get("/health").json()["waiting"] != waiting:
        time.sleep(0.01)


def problem(reply, status: int) -> dict:
    assert reply.status_code == status and list(reply.json()) == ["error"], reply.text
    assert list(reply.json()["error"]) == ["what", "where", "found", "expected", "do"]
    return reply.json()["error"]


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_bodies_end_in_a_score_or_an_error_without_their_words(client_of, content, caplog):
    caplog.set_level(logging.DEBUG)
    light = '{"metrics": ["groundedness", "privacy_leaks"], "answers"'
    reply = post(client_of(), content.replace('{"answers"', light, 1).encode())
    assert reply.status_code in (200, 400, 422), reply.text
    assert SECRET not in caplog.text
    assert reply.status_code == 200 or SECRET not in str(problem(reply, reply.status_code))


@pytest.mark.parametrize(
    "headers", [{}, {"X-API-Key": KEY[:-1]}, {"Authorization": f"Basic {KEY}"}, {"X-API-Key": "é"}]
)
def test_a_request_without_the_key_is_refused_unread(client_of, headers):
    client = client_of()
    client.headers.clear()
    given = {name: value.encode("latin-1") for name, value in headers.items()}
    for path in ("/score", "/metrics", "/openapi.json", "/unknown"):
        reply = post(client, b"{" * 100, path, **given)
        assert "key" in problem(reply, 401)["what"] and reply.headers["www-authenticate"] == "ApiKey"


def test_without_a_key_only_this_machine_is_served(client_of):
    client = client_of(key="")
    assert client.get("/health").status_code == 200
    assert problem(client.get("/health", headers={"Host": "evil.example"}), 403)["where"] == "Host"


def test_the_key_and_the_host_that_needs_one(monkeypatch):
    monkeypatch.delenv(app.KEY, raising=False)
    assert app.server_key("127.0.0.1") == ""
    for host in ("0.0.0.0", "::", "localhost.example"):
        with pytest.raises(ParameterError, match="RAGASSAY_API_KEY"):
            app.server_key(host)
    monkeypatch.setenv(app.KEY, KEY)
    assert app.server_key("0.0.0.0") == KEY


def test_a_body_is_counted_as_it_comes(client_of):
    client, large = client_of(body=1000), json.dumps({"answers": [{"answer": "a" * 2000}]}).encode()
    assert "1,000 bytes" in problem(post(client, large), 413)["expected"]
    parts = (large[i : i + 100] for i in range(0, len(large), 100))  # no length is declared
    assert "1,000 bytes" in problem(post(client, parts), 413)["expected"]


def test_a_scoring_ends_between_two_batches(client_of):
    request = ScoreRequest(answers=ROWS[0], metrics=["citations_present"])
    worker = Worker(Limits(), None, {"encode": encode})
    assert worker.score(request, time.monotonic() + 60)["answers"]
    with pytest.raises(TimeoutError):
        worker.score(request, end=0.0)


def test_a_queue_that_is_full_sends_away(client_of):
    """One is scored, one waits, the third is told to come again."""
    begun, go = threading.Event(), threading.Event()

    def slow(texts):
        begun.set()
        go.wait(20)
        return encode(texts)

    body = {"answers": ROWS[:1], "metrics": ["groundedness"]}
    with client_of(encode=slow, waiting=2) as client, ThreadPoolExecutor(2) as threads:
        first = threads.submit(client.post, "/score", json=body)
        begun.wait(20)
        second = threads.submit(client.post, "/score", json=body)
        wait_for(client, 2)
        third = client.post("/score", json=body)
        go.set()
        assert problem(third, 429)["found"] == "2 requests wait" and int(third.headers["retry-after"]) >= 1
        assert [each.result().status_code for each in (first, second)] == [200, 200]
        assert client.get("/health").json()["waiting"] == 0


def test_a_request_has_its_time(client_of):
    """What takes or waits too long is sent away, and the server goes on."""
    go, body = threading.Event(), {"answers": ROWS[:1], "metrics": ["groundedness"]}

    def slow(texts):
        go.wait(60)
        return encode(texts)

    with client_of(encode=slow, seconds=0.5) as client, ThreadPoolExecutor(2) as threads:
        replies = [threads.submit(client.post, "/score", json=body) for _ in range(2)]
        assert [reply.result().status_code for reply in replies] == [503, 503]
        go.set()
        wait_for(client, 0)
        assert client.post("/score", json=body).status_code == 200


def test_a_defect_is_told_without_its_words(client_of, caplog):
    def broken(texts):
        raise ModelError(f"cannot read {SECRET}", found=texts)

    caplog.set_level(logging.DEBUG)
    reply = client_of(encode=broken).post("/score", json={"answers": ROWS, "metrics": ["groundedness"]})
    assert problem(reply, 500)["found"] == "ModelError"
    assert SECRET not in caplog.text + reply.text and "ModelError" in caplog.text


def test_the_log_holds_no_word_of_a_request(client_of, caplog):
    caplog.set_level(logging.DEBUG)
    body = {"answers": [{"question": SECRET, "answer": SECRET}], "metrics": ["groundedness"]}
    client_of().post(f"/score?q={SECRET}", json=body)
    own = [record for record in caplog.records if not record.name.startswith("httpx")]  # that is the client
    assert all("Zanzibar" not in record.getMessage() for record in own)
