"""The assistant's process: `python -m ragassay.assistant.worker FILE_NUMBER`, started by `process.py`.

It is told over a socket what to load, seals and confines itself before it runs any of that code, and answers
one question after the other, a line of JSON each. Whatever the assistant prints goes elsewhere.
"""

import contextlib
import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

from ragassay import network_seal
from ragassay.assistant import sandbox
from ragassay.assistant.load_assistant import Loaded, Order, describe_error, load
from ragassay.assistant.reply_validation import NOTHING, NUMBERS, VERSION, row_of
from ragassay.errors import KitError
from ragassay.web import Failure

LIMIT = 16_000_000  # bytes of one message
MOST_SAID = 4000  # characters of why an assistant cannot be loaded


class BrokenMessage(Exception):
    """What came, or is to be sent, is no message."""


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


def unpack(line: bytes) -> dict[str, Any]:
    """The message of a line; BrokenMessage if it is no JSON, holds NaN, is nested too deeply, or no
    object."""
    try:
        message = json.loads(line.decode("utf-8", "surrogatepass"), parse_constant=_refuse)
    except (ValueError, RecursionError, MemoryError) as problem:
        raise BrokenMessage(f"no JSON ({type(problem).__name__})") from None
    if not isinstance(message, dict):
        raise BrokenMessage(f"a {type(message).__name__}, where an object was expected")
    return message


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


class Pipe:
    """This process's end of the socket."""

    def __init__(self, file: int) -> None:
        os.set_inheritable(file, False)
        self._orders, self._replies = os.fdopen(file, "rb"), os.fdopen(os.dup(file), "wb")
        self._one_at_a_time = threading.Lock()

    def receive(self) -> dict[str, Any] | None:
        """The next order; None when there is nobody left to give one."""
        line = self._orders.readline()
        return json.loads(line.decode("utf-8", "surrogatepass")) if line else None

    def send(self, message: dict[str, Any]) -> None:
        """Pass a message to the examiner, whole."""
        body = pack(message)
        with self._one_at_a_time:
            self._replies.write(body)
            self._replies.flush()

    def send_attempt(self, event: dict[str, Any]) -> None:
        """Tell the examiner of a connection that was refused."""
        with contextlib.suppress(OSError, BrokenMessage):
            self.send({"attempt": [event["call"], event["address"]]})


def main() -> None:
    """Load what the first order names, then answer until there is nobody to ask."""
    pipe = Pipe(int(sys.argv[1]))
    first = pipe.receive()
    if first is None:
        return
    order = Order(**first["order"])
    sealed = "not sealed: outside a run"
    if order.allow is not None:  # first the network, since what follows forbids to leave it
        sealed = network_seal.close(tuple(order.allow), loopback=False, note=pipe.send_attempt)
    writes = sandbox.confine([Path(folder) for folder in first["writable"]], first["parent"])
    try:
        loaded = load(order)
    except KitError as problem:
        pipe.send({"failed": str(problem)[:MOST_SAID]})
        return
    pipe.send({"policy": f"{sealed}; {writes}", "hooks": list(loaded.hooks)})
    while (asked := pipe.receive()) is not None:
        try:
            pipe.send({"number": asked["number"], **_reply(loaded, asked)})
        except BrokenMessage as problem:
            pipe.send({"number": asked["number"], "error": f"wrong reply: {problem}"})


def _reply(loaded: Loaded, asked: dict[str, Any]) -> dict[str, Any]:
    given = asked["given"] | ({"seconds": asked["seconds"]} if loaded.is_timed else {})
    try:
        row = row_of(loaded.ask(asked["ask"], **given))
    except Failure as problem:
        return {"error": problem.reason, "hopeless": problem.hopeless}
    except BaseException as problem:  # whatever an assistant raises, SystemExit included, is its answer
        return {"error": describe_error(problem)}
    if row["error"] and not row["error"].startswith(NOTHING):
        return {"error": row["error"]}
    counted = {name: row[name] for name in NUMBERS if row[name] == row[name]}
    return {"reply": {name: row[name] for name in ("answer", "contexts", "context_ids", VERSION)} | counted}


if __name__ == "__main__":
    main()
