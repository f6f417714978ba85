"""The assistant's process: `python -m ragassay.assistant.worker FILE_NUMBER`, started by `process.py`.

It is told over a socket what to load, seals itself before it runs any of that code, and answers one question
after the other, a line of JSON each. Whatever the assistant prints goes elsewhere.

An object is asked directly if its first parameter is `question`, or if it is a runnable of LangChain or a
query engine of LlamaIndex, known by what they offer (`invoke`, or `query`); otherwise it is a factory, called
once (with `documents=` if it takes that), which returns what is asked.

A runnable is invoked with the question under the name that its input has (question, input, query, messages);
one that names none with the text. One that takes a chat history takes the hook `history`. Of what it returns
the answer, the passages and, where all of them have one, their ids are taken.
"""

import contextlib
import importlib
import importlib.util
import inspect
import json
import re
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ragassay import network_seal
from ragassay.assistant.reply_validation import IDS, NOTHING, clean, hooks_of, parameters_of, row_of
from ragassay.errors import KitError, SystemUnderTestError, did_you_mean
from ragassay.http_requests import Failure

LIMIT = 16_000_000  # bytes of one message
SLICE_S = 0.2  # how often it is asked whether the process still lives
MOST_SAID = 4000  # characters of why an assistant cannot be loaded
ERROR_LIMIT = 300  # characters of an error in a row
OWN_FOLDER_PREFIX = "ragassay-assistant-"
FORM = "module:name, or path/to/file.py:name"
# of LangChain and LlamaIndex
QUESTIONS, HISTORIES, MESSAGES = ("question", "input", "query"), ("chat_history", "history"), "messages"
ANSWERS = ("answer", "result", "output", "response", "output_text")
PASSAGE_LISTS = ("context", "source_documents", "documents", "contexts")


class Pipe:
    """An end of the socket between examiner and assistant: messages, a line of JSON each."""

    def __init__(self, end: socket.socket) -> None:
        end.set_inheritable(False)
        self._socket, self._received, self._one_at_a_time = end, b"", threading.Lock()

    def send(self, message: dict[str, Any], deadline: float | None = None) -> None:
        """Pass a message on, whole; OSError, TimeoutError among them, if nobody reads it; ValueError if it is
        larger than a message may be, or holds NaN."""
        body = json.dumps(message, allow_nan=False, ensure_ascii=False).encode("utf-8", "surrogatepass")
        if len(body) > LIMIT:
            raise ValueError(f"{len(body):,} bytes, at most {LIMIT:,} are taken")
        with self._one_at_a_time:
            if deadline is not None:
                self._socket.settimeout(max(deadline - time.monotonic(), 0.001))
            self._socket.sendall(body + b"\n")

    def receive(
        self, deadline: float | None = None, is_over: Callable[[], bool] = lambda: False
    ) -> dict[str, Any]:
        """The next message; OSError if the other end is closed, `is_over` says so or nothing comes by the
        deadline; ValueError if what comes is none: too large, no JSON, nested too deeply, no object."""
        while b"\n" not in self._received:
            if len(self._received) > LIMIT:
                raise ValueError(f"more than {LIMIT:,} bytes")
            if deadline is not None:
                left = deadline - time.monotonic()
                self._socket.settimeout(max(0.001, min(left, SLICE_S)))
            try:
                chunk = self._socket.recv(1 << 20)
            except TimeoutError:
                if is_over():
                    raise ConnectionError from None
                if left <= 0:
                    raise
                continue
            if not chunk:
                raise ConnectionError
            self._received += chunk
        line, _, self._received = self._received.partition(b"\n")
        try:
            message = json.loads(line.decode("utf-8", "surrogatepass"))
        except (ValueError, RecursionError, MemoryError) as problem:
            raise ValueError(f"no JSON ({type(problem).__name__})") from None
        if not isinstance(message, dict):
            raise ValueError(f"a {type(message).__name__}, where an object was expected")
        return message

    def close(self) -> None:
        """Let go of this end."""
        self._socket.close()


def describe_error(problem: BaseException) -> str:
    """Type and first 300 characters of the message, on one line; memory addresses and the name of its own
    folder, which differ between runs, are hidden."""
    said = " ".join(traceback.format_exception_only(problem))[:10_000]
    return clean(hide_what_differs(" ".join(said.split())))[:ERROR_LIMIT]


def hide_what_differs(text: str) -> str:
    """The text without memory addresses and names of working folders."""
    return re.sub(rf"{OWN_FOLDER_PREFIX}\w+", "(own folder)", re.sub(r"0x[0-9a-fA-F]+", "0x...", text))


@dataclass(frozen=True)
class Order:
    """What the assistant's process is told to load.

    spec : "module:name" or "path/to/file.py:name"; file : where that file is, "" for a module
    documents : the folder handed to a factory, absolute; "" if there is none
    folders, path : where its modules are looked for first and last
    allow : endpoints that it may reach; None if the examiner is not sealed either
    described : the text of its description, where it has one and is not imported
    facts : by which its answers are known again: version, source, documents, endpoints
    cache : the folder in which it keeps vectors; reads : the examiner's file of vectors, read beside it
    """

    spec: str
    file: str
    documents: str
    folders: tuple[str, ...]
    path: tuple[str, ...]
    allow: tuple[str, ...] | None
    described: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    cache: str = ""
    reads: str = ""


def load(order: Order) -> tuple[Callable[..., object], tuple[str, ...]]:
    """What the order names, ready to be asked, and what it takes beside the question: hooks, and the
    `seconds` that it has; SystemUnderTestError if the module or the name does not exist,
    it cannot be called, or the factory fails."""
    if order.described:
        from ragassay.assistant import ask_described, description

        found = description.read_description(order.described, order.spec)
        if found.url:
            return ask_described.Endpoint(found), (*found.hooks, "seconds")
        folder = ask_described.folder_of(found.command, [Path(folder) for folder in order.folders])
        return partial(ask_described.ask_command, found, folder), found.hooks
    sys.path[:0] = [folder for folder in order.folders if folder not in sys.path]
    sys.path += [folder for folder in order.path if folder not in sys.path]
    place, _, name = order.spec.rpartition(":")
    importlib.invalidate_caches()
    try:
        if order.file:  # run as a module; files beside it can be imported by it
            path = Path(order.file).resolve()
            sys.path.insert(0, str(path.parent))
            found_spec = importlib.util.spec_from_file_location(f"system_under_test_{path.stem}", path)
            assert found_spec and found_spec.loader
            module = sys.modules[found_spec.name] = importlib.util.module_from_spec(found_spec)
            found_spec.loader.exec_module(module)
        else:
            module = importlib.import_module(place)
    except (Exception, SystemExit) as problem:
        raise _failure("the assistant's code cannot be run", order.spec, problem) from problem
    if not hasattr(module, name):
        known = sorted(k for k, value in vars(module).items() if callable(value) and not k.startswith("_"))
        raise SystemUnderTestError(
            f"the module has no {name!r}",
            where=order.spec,
            expected=", ".join(known[:20]) or "a function",
            do=did_you_mean(name, known, "name a function of that module"),
        )
    ask = _function_to_ask(getattr(module, name), order.documents, order.spec)
    return ask, hooks_of(ask)


def _function_to_ask(found: Any, documents: str, spec: str) -> Callable[..., object]:
    """The function to ask: the object itself, or what it makes; of a framework's, one that asks it."""
    if asks := function_of(found):
        return asks
    parameters = parameters_of(found)
    takes = "documents" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    try:
        made = found(documents=documents) if takes and documents else found()
        asks = function_of(made) or made
        if not callable(asks):
            raise TypeError(f"the factory returned a {type(made).__name__}, which cannot be asked")
    except (Exception, SystemExit) as problem:
        raise _failure(
            "no first parameter `question`, and called as a factory it fails", spec, problem
        ) from problem
    return asks


def function_of(found: Any) -> Callable[..., object] | None:
    """What is asked: a function whose first parameter is `question`, or one that asks a runnable or a query
    engine; None if it is none of these."""
    if callable(found) and next(iter(parameters_of(found)), None) == "question":
        return found
    if inspect.isclass(found) or inspect.ismodule(found):
        return None
    if callable(getattr(found, "invoke", None)):
        return _of_runnable(found)
    if callable(getattr(found, "query", None)):
        return lambda question: _reply_of(found.query(question))
    return None


def _of_runnable(runnable: Any) -> Callable[..., object]:
    names: set[str] = set()
    with contextlib.suppress(Exception):  # it takes anything, or no schema can be made of what it takes
        given = getattr(runnable, "input_keys", None)
        names = set(given or runnable.get_input_jsonschema().get("properties", {}))
    key = next((name for name in QUESTIONS if name in names), "")
    said = next((name for name in HISTORIES if name in names), "")

    def ask(question: str) -> object:
        return _reply_of(runnable.invoke({key: question} if key else question))

    def ask_with_history(question: str, history: Sequence[Mapping[str, str]] = ()) -> object:
        turns = [({"user": "human", "assistant": "ai"}[turn["role"]], turn["content"]) for turn in history]
        whole = {key: question, said: turns} if key else {MESSAGES: [*turns, ("human", question)]}
        return _reply_of(runnable.invoke(whole))

    return ask_with_history if (key and said) or (not key and MESSAGES in names) else ask


def _reply_of(response: Any) -> object:
    """What they return as a reply of ours; what is not known stays as it is."""
    if isinstance(response, Mapping):
        name = next((name for name in ANSWERS if name in response), "")
        if not name:
            messages = response.get(MESSAGES)
            return _as_reply(messages[-1], None) if isinstance(messages, Sequence) and messages else response
        named = [response[each] for each in PASSAGE_LISTS if response.get(each) is not None]
        passages: Any = next(filter(None, named), [] if named else None)
        return _as_reply(response[name], [passages] if isinstance(passages, str) else passages)
    if isinstance(nodes := getattr(response, "source_nodes", None), Sequence):
        return _as_reply(getattr(response, "response", None), [getattr(node, "node", node) for node in nodes])
    return _as_reply(response, None) if hasattr(response, "content") else response


def _as_reply(answer: Any, passages: Sequence[Any] | None) -> dict[str, Any]:
    """The reply; what was retrieved is not known where `passages` is None."""
    usage = getattr(answer, "usage_metadata", None)
    text = getattr(answer, "content", answer)
    if isinstance(text, list):  # of parts
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in text]
        text = "".join(part for part in parts if isinstance(part, str))
    found = {"answer": text, "tokens": usage.get("total_tokens") if isinstance(usage, Mapping) else None}
    if passages is None:
        return found
    ids = [_id(passage) for passage in passages]
    return found | {
        "contexts": [
            one.get_content() if hasattr(one, "get_content") else getattr(one, "page_content", one)
            for one in passages
        ],
        "context_ids": ids if all(each is not None for each in ids) else [],
    }


def _id(passage: Any) -> Any:
    metadata = getattr(passage, "metadata", None)
    given = metadata if isinstance(metadata, Mapping) else {}
    named = [given.get(name) for name in IDS] + [getattr(passage, name, None) for name in ("id", "node_id")]
    return next((each for each in named if isinstance(each, str | int)), None)


def _failure(what: str, spec: str, problem: BaseException) -> SystemUnderTestError:
    found, do = f"{type(problem).__name__}: {problem}", "make it work in plain Python; see docs/own-data.md"
    return SystemUnderTestError(what, where=spec, found=found, expected=FORM, do=do)


def main() -> None:
    """Load what the first order names, then answer."""
    pipe = Pipe(socket.socket(fileno=int(sys.argv[1])))
    first = pipe.receive()
    order = Order(**first["order"])
    sealed = "not sealed: outside a run"
    network_seal.die_with(first["parent"])
    if order.allow is not None:
        sealed = network_seal.close(tuple(order.allow), note=partial(tell_attempt, pipe))
    try:
        ask, takes = load(order)
    except KitError as problem:
        pipe.send({"failed": str(problem)[:MOST_SAID]})
        return
    pipe.send({"policy": sealed, "hooks": takes})
    with contextlib.suppress(ConnectionError):  # until there is nobody to ask
        while True:
            answer(pipe, ask, takes)


def tell_attempt(pipe: Pipe, event: dict[str, Any]) -> None:
    """Tell the examiner of a connection that was refused."""
    with contextlib.suppress(OSError, ValueError):
        pipe.send({"attempt": [event["call"], event["address"]]})


def answer(pipe: Pipe, ask: Callable[..., object], takes: Sequence[str]) -> None:
    """Take a question and answer it; whatever an assistant raises, SystemExit included, is its answer."""
    asked = pipe.receive()
    given = asked["given"] | ({"seconds": asked["seconds"]} if "seconds" in takes else {})
    try:
        row = row_of(ask(asked["ask"], **given))
        is_wrong = row["error"] and not row["error"].startswith(NOTHING)
        said = {"error": row["error"]} if is_wrong else {"reply": row}
    except Failure as problem:
        said = {"error": problem.reason, "hopeless": problem.hopeless}
    except BaseException as problem:
        said = {"error": describe_error(problem)}
    try:
        pipe.send({"number": asked["number"], **said})
    except ValueError as problem:
        pipe.send({"number": asked["number"], "error": f"wrong reply: {problem}"})


if __name__ == "__main__":
    main()
