"""What came back, as a reply of ours; a Failure says why it is no answer."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ragassay.assistant.described.description import MEASURED, OPTIONAL, WHOLE, Description, find
from ragassay.assistant.reply_validation import VERSION, version_text
from ragassay.web import Failure

LARGEST = 16_000_000  # bytes of one reply that are read
SHOWN = 120  # characters of what came instead of a reply
WRONG = "wrong reply"
TOO_LARGE = f"{WRONG}: larger than {LARGEST:,} bytes"
EVENTS, LINES = "text/event-stream", ("application/x-ndjson", "application/jsonl", "application/json-lines")


def read_reply(
    description: Description, text: str, sent: Mapping[str, str], seconds: float, headers: Mapping[str, str]
) -> dict[str, Any]:
    """The fields of a reply, each from the last of its documents (the events of a stream) in which it stands;
    Failure if there is no answer in it, or it answers another question.

    sent : the question and the request_id, which an echo has to repeat
    seconds : that it took; headers : of the reply, their names in small letters
    """
    paths, answer = description.reply, ""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in (EVENTS, *LINES):
        documents, answer = _join(text, kind, description)
    else:
        documents = [_parse(text, is_text=paths["answer"] == WHOLE)]
    found: dict[str, Any] = {}
    for name, path in paths.items():
        found[name] = seconds if path == MEASURED else _last(documents, path)
        if found[name] is None and not path.endswith(OPTIONAL) and not (name == "answer" and answer):
            raise Failure(f"{WRONG}: nothing stands at {path!r}{_keys(documents)}", passing=False)
    found |= {"answer": answer} if answer else {}
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


def beginning(text: str) -> str:
    """The beginning of a body that is no reply, as one line."""
    printable = "".join(sign if sign.isprintable() else " " for sign in text[: 4 * SHOWN])
    return " ".join(printable.split())[:SHOWN]


def _keys(documents: Sequence[Any]) -> str:
    last = documents[-1] if documents else {}
    keys = [str(key)[:40] for key in last][:10] if isinstance(last, dict) else []
    return f", its keys are {', '.join(keys)}" if keys else f", it is a {type(last).__name__}"


def _join(text: str, kind: str, description: Description) -> tuple[list[Any], str]:
    """The events of a stream, and the answer that their parts make together; Failure if an event is no JSON
    or tells of an error, or the stream has no end where it should have."""
    stream = description.stream
    piece, end = (stream.piece, stream.end) if stream else (description.reply["answer"], "")
    if kind == EVENTS:
        blocks = re.split(r"(?:\r\n|\r|\n){2,}", text)
        data = [re.findall(r"(?m)^data: ?([^\r\n]*)", block) for block in blocks]
        said = [joined for lines in data if (joined := "\n".join(lines).strip())]
    else:
        said = [line.strip() for line in text.split("\n") if line.strip()]
    if end and end not in said:
        raise Failure("the stream broke off before its end")
    events = [_event(each) for each in (said[: said.index(end)] if end else said)]
    parts = [part for event in events if (part := find(event, piece)) is not None]
    wrong = next((part for part in parts if not isinstance(part, str)), None)
    if wrong is not None:
        raise Failure(f"{WRONG}: a part of the answer is a {type(wrong).__name__}", passing=False)
    return events, "".join(parts)


def _event(text: str) -> Any:
    try:
        event = json.loads(text)
    except (ValueError, RecursionError):
        raise Failure(f"{WRONG}: an event of the stream is no JSON") from None
    if isinstance(event, dict) and event.get("error"):
        raise Failure("an error was sent in the stream")
    return event
