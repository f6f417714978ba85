"""Whose certificates count; when to ask again: Retry-After read by hand, backoff's laws, what passes and what does not;
the end of patience."""

import ssl
import threading
from datetime import UTC, datetime

import pytest
import tenacity

from ragassay.http_requests import (
    LONGEST_PAUSE,
    Failure,
    Patience,
    failure_of_status,
    retry_after_seconds,
    retrying,
    trusted,
)

NOON = datetime(2024, 3, 12, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "Tue, 12 Mar 2024 12:01:30 GMT"}, 90),
        ({"retry-after": "Tue, 12 Mar 2024 11:00:00 GMT"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "Tue, 12 Mar 99999 12:00:00 GMT"}, None),
        ({}, None),
    ],
)
def test_retry_after(headers, seconds):
    assert retry_after_seconds(headers, NOON) == seconds


def pause(attempt: int, first_s: float, asked_s: float | None) -> float:
    """Seconds waited after this attempt, counted from 0, failed and the endpoint asked for `asked_s`."""
    state = tenacity.RetryCallState(None, None, (), {})
    state.attempt_number = attempt + 1
    state.set_exception((Failure, Failure("busy", wait_s=asked_s), None))
    return retrying(9, first_s, threading.Event()).wait(state)


def test_backoff_doubles_up_to_a_minute_and_heeds_the_endpoint():
    assert [pause(n, 1.0, None) for n in range(8)] == [1, 2, 4, 8, 16, 32, LONGEST_PAUSE, LONGEST_PAUSE]
    assert pause(0, 1.0, 7.0) == 7 and pause(3, 1.0, 7.0) == 8 and pause(10**6, 1.0, None) == LONGEST_PAUSE
    assert pause(3, 0.0, None) == 0


@pytest.mark.parametrize(
    "problem", [Failure("no", passing=False), Failure("long", wait_s=301.0), KeyError("ours")]
)
def test_what_may_not_pass_is_raised_at_once(problem):
    calls = []

    def ask():
        calls.append(1)
        raise problem

    with pytest.raises(type(problem)) as raised:
        retrying(5, 0.0, threading.Event())(ask)
    assert raised.value is problem and len(calls) == 1


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 529])
def test_what_passes_is_asked_again(status):
    failure = failure_of_status(status, "busy", {})
    assert (
        failure.again
        and not failure.hopeless
        and not failure.lost
        and failure.reason == f"HTTP {status}: busy"
    )


@pytest.mark.parametrize(
    ("status", "hopeless"),
    [(302, True), (400, False), (401, True), (403, True), (404, True), (413, False), (422, False)],
)
def test_what_does_not_pass_is_not(status, hopeless):
    failure = failure_of_status(status, "", {})
    assert not failure.again and failure.hopeless == hopeless


def test_patience_ends_after_so_many_in_a_row():
    patience = Patience(3)
    for turn in (
        patience.failed,
        patience.failed,
        lambda _: patience.succeeded(),
        patience.failed,
        patience.failed,
    ):
        turn(Failure("down"))
    assert not patience.ended
    patience.failed(Failure("still down"))
    assert patience.ended == "still down"


def test_a_refusal_of_what_is_said_does_not_try_patience_and_a_hopeless_failure_ends_it():
    patience = Patience(1)
    patience.failed(failure_of_status(400, "too long", {}))
    assert not patience.ended
    patience.failed(failure_of_status(404, "no such model", {}))
    assert patience.ended == "HTTP 404: no such model"


@pytest.mark.parametrize(
    "urls", [("https://a.example/v1",), ("http://a.example", "https://proxy.example:3128")]
)
def test_of_https_the_certificates_of_the_machine_count(urls):
    assert trusted(*urls).cert_store_stats()["x509_ca"] > 10


def test_of_http_none_is_read_and_nobody_is_trusted():
    context = trusted("http://127.0.0.1:9/v1", "")
    assert context.cert_store_stats()["x509_ca"] == 0
    assert context.verify_mode is ssl.CERT_REQUIRED and context.check_hostname
