"""The three pipes to the assistant's process: orders to it, messages from it, and what it prints.

Both that come from it are read while an answer is waited for, so that neither fills up; of what it prints the
last 2,000 characters are kept.
"""

import contextlib
import json
import os
import select
import signal
import subprocess
import time
from typing import Any

LIMIT = 16_000_000  # bytes of one message
MOST_ATTEMPTS = 100  # refused connections of one process that are passed on, and noted
KEPT = 8_000  # bytes of what was printed last
SAID_LIMIT = 2_000  # characters of it that are used
SLICE_S = 0.2  # how often it is asked whether the process still lives
CHUNK = 1 << 18


class BrokenMessage(Exception):
    """What came is no message."""


def pack(message: dict[str, Any]) -> bytes:
    """The bytes of a message, a line of JSON; BrokenMessage if it is larger than a message may be, or holds
    NaN."""
    try:
        body = json.dumps(message, allow_nan=False, ensure_ascii=False).encode("utf-8", "surrogatepass")
    except (ValueError, TypeError, RecursionError) as problem:
        raise BrokenMessage(f"cannot be written as JSON: {problem}") from None
    if len(body) > LIMIT:
        raise BrokenMessage(f"{len(body):,} bytes, at most {LIMIT:,} are taken")
    return body + b"\n"


class Inbox:
    """Bytes in, as they come; messages out."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def add(self, chunk: bytes) -> None:
        """Keep what was read."""
        self._bytes += chunk

    def take(self) -> dict[str, Any] | None:
        """The next whole message; None while there is none. BrokenMessage if it is too long, no JSON, NaN or
        nested too deeply, or no object."""
        end = self._bytes.find(b"\n")
        length = len(self._bytes) if end < 0 else end
        if length > LIMIT:
            raise BrokenMessage(f"{length:,} bytes or more, at most {LIMIT:,} are taken")
        if end < 0:
            return None
        body = bytes(self._bytes[:end])
        del self._bytes[: end + 1]
        try:
            message = json.loads(body.decode("utf-8", "surrogatepass"), parse_constant=_refuse)
        except (ValueError, RecursionError, MemoryError) as problem:
            raise BrokenMessage(f"no JSON ({type(problem).__name__})") from None
        if not isinstance(message, dict):
            raise BrokenMessage(f"a {type(message).__name__}, where an object was expected")
        return message


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


class Ended(Exception):
    """The process is gone, or has closed its pipe."""


class Pipes:
    """Bounded in what they keep and in how long they wait."""

    def __init__(self, process: subprocess.Popen):
        assert process.stdin and process.stdout and process.stderr
        self._process, self._inbox, self._said = process, Inbox(), bytearray()
        self._orders, self._messages = process.stdin.fileno(), process.stdout.fileno()
        self._printed: int | None = process.stderr.fileno()
        os.set_blocking(self._orders, False)

    def send(self, order: dict[str, Any], deadline: float) -> None:
        """Pass an order on.

        Raises
        ------
        Ended, TimeoutError
            If nobody reads it, or not in time.
        """
        left = memoryview(pack(order))
        while left:
            try:
                left = left[os.write(self._orders, left) :]
            except BlockingIOError:
                self._wait(deadline, writing=True)
            except OSError:
                raise Ended from None

    def receive(self, deadline: float) -> dict[str, Any]:
        """The next message.

        Raises
        ------
        Ended, TimeoutError, BrokenMessage
            If there is none, none in time, or it is no message.
        """
        while (message := self._inbox.take()) is None:
            self._wait(deadline)
        return message

    def said(self) -> str:
        """The last of what the process printed, as text."""
        while self._printed is not None and self._printed in _readable([self._printed], 0.05):
            self._hear(self._printed)
        return bytes(self._said).decode("utf-8", "replace")[-SAID_LIMIT:]

    def exit_status(self) -> str:
        """How the process ended, in words."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        code = self._process.returncode
        if code is None:
            return "its pipe is closed"
        return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"

    def close(self) -> None:
        """Close all three."""
        for file in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(OSError):
                file.close() if file else None

    def _wait(self, deadline: float, writing: bool = False) -> None:
        """Read what there is; return when something was, or an order can go on."""
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        read = [self._messages] + ([self._printed] if self._printed is not None else [])
        ready = _readable(read, min(left, SLICE_S), [self._orders] if writing else [])
        if self._printed in ready:
            self._hear(self._printed)
        if self._messages in ready:
            chunk = os.read(self._messages, CHUNK)
            if not chunk:
                raise Ended
            self._inbox.add(chunk)
        elif not ready and self._process.poll() is not None:
            raise Ended

    def _hear(self, printed: int) -> None:
        chunk = os.read(printed, CHUNK)
        if not chunk:
            self._printed = None
        self._said += chunk
        del self._said[:-KEPT]


def _readable(files: list[int], timeout: float, writable: list[int] | None = None) -> list[int]:
    """Which of these pipes can be read, or written, now or within `timeout` seconds."""
    poll = select.poll()
    for file in files:
        poll.register(file, select.POLLIN)
    for file in writable or []:
        poll.register(file, select.POLLOUT)
    return [file for file, _ in poll.poll(timeout * 1000)]
