"""What crosses between the processes: whole messages; everything else is refused."""

import pytest

from ragassay.assistant.worker import LIMIT, BrokenMessage, pack, unpack


@pytest.mark.parametrize("message", [{}, {"a": ["é", 1.5, None]}, {"text": "lone \ud800 \x00"}])
def test_a_message_comes_back(message):
    line = pack(message)
    assert line.count(b"\n") == 1 and unpack(line.removesuffix(b"\n")) == message


@pytest.mark.parametrize(
    "body",
    [
        *(b"hello", b"[1]", b"null", b'{"a": NaN}', b'{"a": 1e9', b"\xff\xfe", b"[" * 100_000),
        b'{"a":' * 50_000,
        b"x" * (LIMIT + 1),
    ],
    ids=lambda body: str(body[:12]),
)
def test_what_is_no_message_is_refused(body):
    with pytest.raises(BrokenMessage):
        unpack(body)


def test_what_is_too_large_or_no_json_is_not_sent():
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    for content in ("x" * LIMIT, float("nan"), deep):
        with pytest.raises(BrokenMessage):
            pack({"a": content})
