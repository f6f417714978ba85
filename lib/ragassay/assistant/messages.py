"""Messages between the examiner and the assistant's process: JSON objects, each after its length; never
pickle.

What comes from the assistant's process may be anything: lengths are bounded before a byte is kept, and what
is no JSON object is refused. How long an answer may be stands in `reply_validation.py`.
"""

import json
import struct
from typing import Any

LIMIT = 16_000_000  # bytes of one message
MOST_ATTEMPTS = 100  # refused connections of one process that are passed on, and noted
HEADER = struct.Struct(">I")


class BrokenMessage(Exception):
    """What came is no message."""


def pack(message: dict[str, Any]) -> bytes:
    """The bytes of a message.

    Raises
    ------
    BrokenMessage
        If it is larger than a message may be, or holds NaN.
    """
    try:
        body = json.dumps(message, allow_nan=False, ensure_ascii=False).encode("utf-8", "surrogatepass")
    except (ValueError, TypeError, RecursionError) as problem:
        raise BrokenMessage(f"cannot be written as JSON: {problem}") from None
    if len(body) > LIMIT:
        raise BrokenMessage(f"{len(body):,} bytes, at most {LIMIT:,} are taken")
    return HEADER.pack(len(body)) + body


class Inbox:
    """Bytes in, as they come; messages out."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def add(self, chunk: bytes) -> None:
        """Keep what was read."""
        self._bytes += chunk

    def take(self) -> dict[str, Any] | None:
        """The next whole message; None while there is none.

        Raises
        ------
        BrokenMessage
            If it is too long, no JSON, NaN or nested too deeply, or no object.
        """
        if len(self._bytes) < HEADER.size:
            return None
        length = HEADER.unpack_from(self._bytes)[0]
        if length > LIMIT:
            raise BrokenMessage(f"a message of {length:,} bytes, at most {LIMIT:,} are taken")
        if len(self._bytes) < HEADER.size + length:
            return None
        body = bytes(self._bytes[HEADER.size : HEADER.size + length])
        del self._bytes[: HEADER.size + length]
        return _read(body)


def _read(body: bytes) -> dict[str, Any]:
    try:
        message = json.loads(body.decode("utf-8", "surrogatepass"), parse_constant=_refuse)
    except (ValueError, RecursionError, MemoryError) as problem:
        raise BrokenMessage(f"no JSON ({type(problem).__name__})") from None
    if not isinstance(message, dict):
        raise BrokenMessage(f"a {type(message).__name__}, where an object was expected")
    return message


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")
