"""The assistant's process: `python -m ragassay.assistant.worker`, started by `process.py`.

It is told over a pipe what to load, seals and confines itself before it runs any of that code, and answers
one question after the other. Whatever the assistant prints goes elsewhere: the pipe is taken off the
standard streams first.
"""

import contextlib
import json
import os
import threading
from pathlib import Path
from typing import Any

from ragassay import network_seal
from ragassay.assistant import pipes, sandbox
from ragassay.assistant.load_assistant import Loaded, Order, describe_error, identity_text, load
from ragassay.assistant.reply_validation import NOTHING, NUMBERS, VERSION, row_of
from ragassay.errors import KitError
from ragassay.web.retries import Failure


class Pipe:
    """The two ends that this process was started with, under numbers of their own."""

    def __init__(self) -> None:
        self._orders, self._replies = os.fdopen(os.dup(0), "rb"), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        self._one_at_a_time, self._attempts = threading.Lock(), 0

    def receive(self) -> dict[str, Any] | None:
        """The next order; None when there is nobody left to give one."""
        line = self._orders.readline()
        return json.loads(line.decode("utf-8", "surrogatepass")) if line else None

    def send(self, message: dict[str, Any]) -> None:
        """Pass a message to the examiner, whole."""
        left = memoryview(pipes.pack(message))
        with self._one_at_a_time:
            while left:
                left = left[os.write(self._replies, left) :]

    def note(self, event: dict[str, Any]) -> None:
        """Tell the examiner of a connection that was refused; the first hundred."""
        self._attempts += 1
        if self._attempts <= pipes.MOST_ATTEMPTS:
            with contextlib.suppress(OSError, pipes.BrokenMessage):
                self.send({"attempt": [event["call"], event["address"]]})


def main() -> None:
    """Load what the first order names, then answer until there is nobody to ask."""
    pipe = Pipe()
    first = pipe.receive()
    if first is None:
        return
    order = Order(**first["order"])
    pipe.send({"confined": _confine(order, first["writable"], first["parent"], pipe)})
    try:
        loaded = load(order)
    except KitError as problem:
        pipe.send({"failed": _parts(problem)})
        return
    said = {"offers_identity": loaded.identity is not None, "hooks": list(loaded.hooks)}
    pipe.send({"loaded": True} | said)
    while (question := pipe.receive()) is not None:
        _answer(loaded, question, pipe)


def _parts(problem: KitError) -> dict[str, str]:
    """The five parts of an error, each bounded."""
    given = {name: getattr(problem, name) for name in ("what", "where", "found", "expected", "do")}
    return {name: str(part)[:2000] for name, part in given.items() if part is not None}


def _confine(order: Order, writable: list[str], parent: int, pipe: Pipe) -> str:
    """First the network, since what follows forbids to leave it. `allow` is None where no run is sealed."""
    sealed = "not sealed: outside a run"
    if order.allow is not None:
        sealed = network_seal.close(tuple(order.allow), loopback=False, note=pipe.note)
    writes = sandbox.confine([Path(folder) for folder in writable], parent)
    return f"{sealed}; {writes}"


def _answer(loaded: Loaded, order: dict[str, Any], pipe: Pipe) -> None:
    """The answer carries its question's number."""
    said = _identity(loaded) if "identity" in order else _reply(loaded, order)
    try:
        pipe.send({"number": order["number"], **said})
    except pipes.BrokenMessage as problem:
        pipe.send({"number": order["number"], "error": f"wrong reply: {problem}"})


def _reply(loaded: Loaded, order: dict[str, Any]) -> dict[str, Any]:
    given = order["given"] | ({"seconds": order["seconds"]} if loaded.is_timed else {})
    try:
        row = row_of(loaded.ask(order["ask"], **given))
    except Failure as problem:
        return {"error": problem.reason, "hopeless": problem.hopeless}
    except BaseException as problem:  # whatever an assistant raises, SystemExit included, is its answer
        return {"error": describe_error(problem)}
    if row["error"] not in ("", NOTHING):
        return {"error": row["error"]}
    counted = {name: row[name] for name in NUMBERS if row[name] == row[name]}
    return {"reply": {name: row[name] for name in ("answer", "contexts", "context_ids", VERSION)} | counted}


def _identity(loaded: Loaded) -> dict[str, Any]:
    try:
        return {"identity": identity_text(loaded.identity() if loaded.identity else "")}
    except BaseException as problem:
        return {"error": describe_error(problem)}


if __name__ == "__main__":
    main()
