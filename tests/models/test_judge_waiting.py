"""When the judge asks again: Retry-After read by hand, backoff's laws, what passes and what does not, and the end of patience."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.models.judge.waiting import (
    LONGEST_PAUSE,
    MOST_PATIENCE,
    Failure,
    Patience,
    asked_pause,
    of_status,
    pause,
)

NOON = datetime(2024, 3, 12, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "Tue, 12 Mar 2024 12:01:30 GMT"}, 90),
        ({"retry-after": "Tue, 12 Mar 2024 11:00:00 GMT"}, 0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "Tue, 12 Mar 99999 12:00:00 GMT"}, None),
        ({}, None),
    ],
)
def test_retry_after(headers, seconds):
    assert asked_pause(headers, NOON) == seconds


@settings(deadline=None)
@given(st.text(max_size=40))
def test_any_retry_after_is_survived(text):
    found = asked_pause({"retry-after": text}, NOON)
    assert found is None or 0 <= found < float("inf")


def test_backoff_doubles_up_to_a_minute_and_heeds_the_endpoint():
    assert [pause(n, 1.0, None) for n in range(8)] == [1, 2, 4, 8, 16, 32, LONGEST_PAUSE, LONGEST_PAUSE]
    assert pause(0, 1.0, 7.0) == 7 and pause(3, 1.0, 7.0) == 8 and pause(10**6, 1.0, None) == LONGEST_PAUSE


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 529])
def test_what_passes_is_asked_again(status):
    failure = of_status(status, "busy", {})
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
    failure = of_status(status, "", {})
    assert not failure.again and failure.hopeless == hopeless


def test_a_wait_that_is_too_long_is_not_waited():
    failure = of_status(429, "", {"retry-after": str(MOST_PATIENCE + 1)})
    assert failure.passing and not failure.again and "asks to wait 301 s" in failure.reason


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
    patience.failed(of_status(400, "too long", {}))
    assert not patience.ended
    patience.failed(of_status(404, "no such model", {}))
    assert patience.ended == "HTTP 404: no such model"
