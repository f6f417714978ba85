"""Server-sent events and JSON lines, joined to one answer."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ragassay.assistant.described import reply_paths
from ragassay.assistant.described.reply_parsing import WRONG
from ragassay.web.retries import Failure

EVENTS, LINES = "text/event-stream", ("application/x-ndjson", "application/jsonl", "application/json-lines")
BROKEN_OFF = "the stream broke off before its end"


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
