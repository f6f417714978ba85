"""An assistant that is described, asked: over HTTP until a whole reply came or no time is left, or on the
command line, one process per question; what came back, events of a stream joined, as a reply of ours.

A Failure (`http_requests.py`) is raised where there is no answer; its reason is the row's.
"""

import json
import os
import re
import subprocess
import tempfile
import threading
import time
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from ragassay.assistant.description import HEADER, OPTIONAL, WHOLE, Description, find, request_of
from ragassay.assistant.reply_validation import VERSION, version_text
from ragassay.errors import SystemUnderTestError
from ragassay.http_requests import (
    FIRST_PAUSE_S,
    Failure,
    beginning,
    exchange,
    failure_of_status,
    host_and_port,
    is_address,
    open_client,
    retrying,
    without_secrets,
)

LARGEST = 16_000_000  # bytes of one reply that are read
WRONG = "wrong reply"
EVENTS, LINES = "text/event-stream", ("application/x-ndjson", "application/jsonl", "application/json-lines")
ACCEPTED = {"accept": f"application/json, {EVENTS}, text/plain"}


def missing(described: Mapping[str, str]) -> list[str]:
    """What is wrong with the variables that headers are made of, a sentence each; never their values."""
    return [
        f"the header {header} cannot be sent: the environment variable {name} "
        f"{'holds what no header can' if value else 'is not set'}"
        for header, (_, name, value) in _read_headers(described).items()
        if not (value and value.isascii() and value.isprintable())
    ]


def _read_headers(described: Mapping[str, str]) -> dict[str, tuple[str, str, str]]:
    """Of each header what stands before the secret, the environment variable that holds it, and it."""
    parts = {header: HEADER.fullmatch(written) for header, written in described.items()}
    return {
        header: (found["scheme"] or "", found["name"], os.environ.get(found["name"], "").strip())
        for header, found in parts.items()
        if found
    }


def proxy_for(url: str) -> str | None:
    """The proxy's address that the environment names for this one; None if it names none, or NO_PROXY excepts
    the host. SystemUnderTestError if it is no http or https address."""
    named = urllib.request.getproxies_environment()
    proxy = named.get(urlsplit(url).scheme) or named.get("all")
    if not proxy or urllib.request.proxy_bypass_environment(host_and_port(url), named):  # type: ignore[attr-defined]
        return None
    whole = proxy if "://" in proxy else f"http://{proxy}"
    if not is_address(whole):
        raise SystemUnderTestError("the proxy is no http address", do="correct HTTPS_PROXY or HTTP_PROXY")
    return whole


def hosts(description: Description) -> tuple[str, ...]:
    """What a seal must permit for it, as host:port; nothing for a command line."""
    url = description.url
    return (host_and_port(proxy_for(url) or url),) if url else ()


class Endpoint:
    """An address that is asked; nothing else is contacted but the proxy that the environment names.

    No redirection is followed and no cookie kept: each question stands for itself. SystemUnderTestError if a
    variable that a header is made of is missing.
    """

    def __init__(self, description: Description):
        if flaws := missing(description.headers):
            raise SystemUnderTestError("; ".join(flaws))
        self.description, read = description, _read_headers(description.headers)
        self._secrets = [value for *_, value in read.values()]  # hidden wherever the endpoint repeats them
        headers = {header: f"{scheme} {value}".strip() for header, (scheme, _, value) in read.items()}
        self._client = open_client(description.url, ACCEPTED | headers, proxy_for(description.url))

    def __call__(
        self, question: str, *, seconds: float, history: Any = (), passages: Any = None
    ) -> dict[str, Any]:
        """The reply to one question, within this many seconds, pauses and further attempts in them; Failure
        if none came whole in time, or what came is no answer to it."""
        ours = 0.9 * seconds  # what is left is to say why there is no answer
        until = time.monotonic() + ours
        late = Failure(f"no reply within {seconds:g} s", hopeless=True)
        again = retrying(self.description.retries, FIRST_PAUSE_S, threading.Event(), within_s=ours)
        try:
            return again(self._ask, question, history, passages, until, late)
        except Failure as problem:
            times = again.statistics.get("attempt_number", 1)
            problem.reason = self._hide(problem.reason) + (f" ({times} attempts)" if times > 1 else "")
            raise

    def _ask(self, question: str, history: Any, passages: Any, until: float, late: Failure) -> dict[str, Any]:
        description = self.description
        filled, sent = request_of(description.body, question, history, passages)
        self._client.cookies.clear()
        if description.method == "GET":  # its parameters are part of the address
            flat = {name: v if isinstance(v, str) else json.dumps(v) for name, v in filled.items()}
            content: dict[str, Any] = {"params": dict(parse_qsl(urlsplit(description.url).query)) | flat}
        else:
            content = {
                "content": json.dumps(filled, allow_nan=False),
                "headers": {"content-type": "application/json"},
            }
        started = time.perf_counter()
        response, received = exchange(
            self._client,
            description.method,
            description.url,
            until=until,
            late=late,
            largest=LARGEST,
            **content,
        )
        body = self._hide(received.decode(response.encoding or "utf-8", "replace").removeprefix("\ufeff"))
        if not 200 <= response.status_code < 300:
            raise failure_of_status(response.status_code, beginning(body), response.headers)
        headers = {name: self._hide(value) for name, value in response.headers.items()}
        return read_reply(description, body, sent, time.perf_counter() - started, headers)

    def _hide(self, text: str) -> str:
        return without_secrets(text, self._secrets)


def ask_command(
    description: Description, folder: Path, question: str, *, history: Any = (), passages: Any = None
) -> dict[str, Any]:
    """The reply of a command line, executed in this folder, to one question; Failure if the process cannot be
    started, ends otherwise than with exit code 0, or writes no answer.

    Its environment and its process group are those of the assistant's process: without the examiner's
    secrets, with temporary files of its own. Who asks keeps the time, and kills the group.
    """
    filled, sent = request_of(description.body, question, history, passages)
    command, started = description.command, time.perf_counter()
    given = json.dumps(filled).encode() + b"\n"
    with tempfile.TemporaryFile() as written, tempfile.TemporaryFile() as printed:
        try:
            code = subprocess.run(
                command, input=given, stdout=written, stderr=printed, cwd=folder, check=False
            ).returncode
        except (OSError, ValueError) as problem:
            raise Failure(
                f"the command cannot be started: {command[0][:80]}: {problem}", passing=False, hopeless=True
            ) from None
        if written.tell() > LARGEST:
            raise Failure(f"{WRONG}: larger than {LARGEST:,} bytes", passing=False)
        written.seek(0)
        printed.seek(0)
        body = written.read()
        if code != 0:
            said = printed.read().decode("utf-8", "replace").strip().rpartition("\n")[2][-200:].strip()
            raise Failure(f"the command ended (exit code {code}): {said}".removesuffix(": "), passing=False)
    return read_reply(
        description, body.decode("utf-8", "replace").strip(), sent, time.perf_counter() - started, {}
    )


def folder_of(words: Sequence[str], folders: Sequence[Path]) -> Path:
    """Where a command line is executed: the first folder in which one of its words is a file."""
    own = [word for word in words if not Path(word).is_absolute()]
    return next((one for one in folders if any((one / word).is_file() for word in own)), folders[0])


def read_reply(
    description: Description, text: str, sent: Mapping[str, str], seconds: float, headers: Mapping[str, str]
) -> dict[str, Any]:
    """The fields of a reply, each from the last of its documents (the events of a stream) in which it stands;
    Failure if there is no answer in it, or it answers another question.

    sent : the question and the request_id, which an echo has to repeat
    seconds : that it took, its latency where it states none; headers : their names in small letters
    """
    paths, answer = description.reply, ""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in (EVENTS, *LINES):
        documents, answer = _join(text, kind, description)
    else:
        documents = [_parse(text, is_text=paths["answer"] == WHOLE)]
    found: dict[str, Any] = {}
    for name, path in paths.items():
        found[name] = _last(documents, path)
        is_needed = name != "latency_s" and not path.endswith(OPTIONAL) and not (name == "answer" and answer)
        if found[name] is None and is_needed:
            raise Failure(f"{WRONG}: nothing stands at {path!r} in {beginning(text)!r}", passing=False)
    found |= {"answer": answer} if answer else {}
    if found.get("latency_s") is None:
        found["latency_s"] = seconds
    for name in ("request_id", "question"):
        if name in paths and found.pop(name) != sent[name]:
            raise Failure(f"another question is answered: its {name} is not the one that was sent")
    version = description.version
    if version.header:
        found[VERSION] = version_text(headers.get(version.header.lower()))
    elif version.reply:
        found[VERSION] = version_text(_last(documents, version.reply))
    return found


def _last(documents: Sequence[Any], path: str) -> Any:
    values = (find(document, path) for document in reversed(documents))
    return next((value for value in values if value is not None), None)


def _parse(text: str, *, is_text: bool) -> Any:
    """The JSON that came; where the whole is the answer any text, of JSON that is one text that. Failure if
    nothing came, or a page or a text where JSON should."""
    if not text.strip():
        raise Failure(f"{WRONG}: it is empty")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        if is_text:
            return text
        raise Failure(f"{WRONG}: no JSON, {beginning(text)!r}") from None
    return text if is_text and not isinstance(found, str) else found


def _join(text: str, kind: str, description: Description) -> tuple[list[Any], str]:
    """The events of a stream, and the answer that their parts make together; Failure if an event is no JSON
    or tells of an error, or the stream has no end where it should have."""
    stream = description.stream
    piece, end = (stream.piece, stream.end) if stream else (description.reply["answer"], "")
    if kind == EVENTS:
        data = [
            re.findall(r"(?m)^data: ?([^\r\n]*)", block) for block in re.split(r"(?:\r\n|\r|\n){2,}", text)
        ]
        said = [joined for lines in data if (joined := "\n".join(lines).strip())]
    else:
        said = [line.strip() for line in text.split("\n") if line.strip()]
    if end and end not in said:
        raise Failure("the stream broke off before its end")
    events = [_parse(each, is_text=False) for each in (said[: said.index(end)] if end else said)]
    if any(isinstance(event, dict) and event.get("error") for event in events):
        raise Failure("an error was sent in the stream")
    parts = [part for event in events if (part := find(event, piece)) is not None]
    if (wrong := next((part for part in parts if not isinstance(part, str)), None)) is not None:
        raise Failure(f"{WRONG}: a part of the answer is a {type(wrong).__name__}", passing=False)
    return events, "".join(parts)
