"""What came back, as a reply of ours; a Failure says why it is no answer."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragassay.assistant.described import reply_paths
from ragassay.assistant.described.description_checks import MEASURED, OPTIONAL, VersionSource
from ragassay.assistant.reply_validation import VERSION
from ragassay.web.retries import Failure

LARGEST = 16_000_000  # bytes of one reply that are read
SHOWN = 120  # characters of what came instead of a reply
WRONG = "wrong reply"
EVENTS, LINES = "text/event-stream", ("application/x-ndjson", "application/jsonl", "application/json-lines")
BROKEN_OFF = "the stream broke off before its end"


def parse(body: bytes) -> Any:
    """The JSON that came.

    Raises
    ------
    Failure
        If nothing came, or a page, or a text.
    """
    if not body.strip():
        raise Failure(f"{WRONG}: it is empty")
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise Failure(f"{WRONG}: {described(body)}, where JSON was expected") from None


def described(body: bytes) -> str:
    """What a body that is no JSON is, in words: of a page its title, of a text its beginning."""
    text = body[:100_000].decode("utf-8", "replace")
    start = text.lower().find("<title>")
    page = text.lstrip()[:1] == "<"
    title = text[start + 7 :].partition("<")[0] if start >= 0 else "" if page else text
    words = " ".join("".join(sign if sign.isprintable() else " " for sign in title[: 4 * SHOWN]).split())
    return f"{'an HTML page' if page else 'a text'}{f' ({words[:SHOWN]!r})' if words else ''}"


def reply_from(
    documents: Sequence[Any], paths: Mapping[str, str], sent: Mapping[str, str], answer: str | None = None
) -> dict[str, Any]:
    """The fields of a reply, each from the last of the documents in which it stands.

    Parameters
    ----------
    documents : one, or all events of a stream; `answer`: what a stream's parts say together
    paths : field -> path
    sent : the question and the request_id, which an echo has to repeat

    Raises
    ------
    Failure
        If there is no answer in it, an element of a list lacks what each should have, or it answers another
        question.
    """
    found = {
        name: _found(name, documents, path) for name, path in paths.items() if not _is_measured(name, path)
    }
    if answer is not None:
        found["answer"] = answer
    for name in ("request_id", "question"):
        if name in paths and found.pop(name) != sent[name]:
            raise Failure(f"another question is answered: its {name} is not the one that was sent")
    return found


def version_from(
    source: VersionSource, documents: Sequence[Any], headers: Mapping[str, str]
) -> dict[str, str | None]:
    """What the reply says of its version, as a field; none where no reply is to say it."""
    return {VERSION: source.said(documents, headers)} if source.is_said else {}


def is_measured(paths: Mapping[str, str]) -> bool:
    """Whether the seconds of a request are its latency."""
    return _is_measured("latency_s", paths.get("latency_s", ""))


def _is_measured(name: str, path: str) -> bool:
    return name == "latency_s" and path == MEASURED


def _found(name: str, documents: Sequence[Any], path: str) -> Any:
    """None where a field that may be missing is."""
    inside, where = False, path.removesuffix(OPTIONAL)
    for document in reversed(documents):
        try:
            return reply_paths.find(document, where)
        except reply_paths.NothingThere as problem:
            inside = inside or problem.inside
    if inside:
        raise Failure(f"{WRONG}: {name} is missing in an element at {where!r}", passing=False)
    if path.endswith(OPTIONAL) or (name == "answer" and len(documents) != 1):
        return None
    advice = "" if name == "answer" else f"; write {path}? if it may be missing"
    keys = _keys(documents[-1]) if documents else ""
    raise Failure(f"{WRONG}: nothing stands at {where!r}{keys}{advice}", passing=False)


def _keys(document: Any) -> str:
    keys = [str(key)[:40] for key in document][:10] if isinstance(document, dict) else []
    return f", its keys are {', '.join(keys)}" if keys else f", it is a {type(document).__name__}"


def is_stream(content_type: str) -> bool:
    """Whether a reply of this type comes in events."""
    return content_type.partition(";")[0].strip().lower() in (EVENTS, *LINES)


def join(body: bytes, content_type: str, stream: Mapping[str, str]) -> tuple[list[Any], str]:
    """The events of a stream, and the answer that their parts make together.

    Parameters
    ----------
    stream : `piece`: the path of a part in an event; `end`: the text of the last event, "" if there is none

    Raises
    ------
    Failure
        If an event is no JSON or tells of an error, or the stream has no end where it should have.
    """
    text = body.decode("utf-8", "replace")
    said = list(
        _events(text) if content_type.lower().startswith(EVENTS) else filter(str.strip, text.splitlines())
    )
    end = stream.get("end", "")
    if end and end not in said:
        raise Failure(BROKEN_OFF)
    events = [_event(each) for each in (said[: said.index(end)] if end else said)]
    return events, "".join(filter(None, (_piece(event, stream["piece"]) for event in events)))


def _events(text: str) -> Iterator[str]:
    """The data of each event: its lines that begin with `data:`, up to an empty one."""
    data: list[str] = []
    for line in [*text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""]:
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            yield "\n".join(data)
            data = []


def _event(text: str) -> Any:
    try:
        event = json.loads(text)
    except (ValueError, RecursionError):
        raise Failure(f"{WRONG}: an event of the stream is no JSON") from None
    if isinstance(event, dict) and event.get("error"):
        raise Failure("an error was sent in the stream")
    return event


def _piece(event: Any, path: str) -> str:
    try:
        piece = reply_paths.find(event, path)
    except reply_paths.NothingThere:
        return ""
    if not isinstance(piece, str | None):
        raise Failure(f"{WRONG}: a part of the answer is a {type(piece).__name__}", passing=False)
    return piece or ""
