"""What crosses between the processes: whole messages, whatever the pieces; everything else is refused."""

import json

import pytest

from ragassay.assistant.pipes import LIMIT, BrokenMessage, Inbox, pack


def read(content: bytes) -> dict | None:
    inbox = Inbox()
    inbox.add(content)
    return inbox.take()


@pytest.mark.parametrize("message", [{}, {"a": ["é", 1.5, None]}, {"text": "lone \ud800 \x00"}])
def test_a_message_comes_back_byte_by_byte(message):
    inbox, taken = Inbox(), []
    for byte in pack(message) * 2:
        inbox.add(bytes([byte]))
        taken.append(inbox.take())
    assert [one for one in taken if one is not None] == [message] * 2


@pytest.mark.parametrize(
    "body",
    [b"hello", b"[1]", b"null", b'{"a": NaN}', b'{"a": 1e9', b"\xff\xfe", b"[" * 100_000, b'{"a":' * 50_000],
)
def test_what_is_no_object_is_refused(body):
    with pytest.raises(BrokenMessage):
        read(body + b"\n")


def test_what_has_no_end_is_refused():
    with pytest.raises(BrokenMessage, match="at most 16,000,000"):
        read(b"x" * (LIMIT + 1))
    assert read(b'{"a": 1') is None


def test_a_message_that_is_too_large_is_not_sent():
    with pytest.raises(BrokenMessage, match="at most 16,000,000"):
        pack({"text": "x" * LIMIT})
    with pytest.raises(BrokenMessage):
        pack({"a": float("nan")})
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(BrokenMessage):
        pack({"a": deep})
    assert json.loads(pack({"a": 1})) == {"a": 1}
