"""What came back, as a reply of ours; a Failure says why it is no answer.

A path says where in a reply a value stands, as JMESPath writes it: `choices[0].message.content`,
`sources[*].id`; `$` for the whole; a `?` at its end where the field may be missing.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError

from ragassay.web.retries import Failure

WHOLE, OPTIONAL = "$", "?"
MEASURED = "measured"  # of latency_s: the seconds that the request took
LARGEST = 16_000_000  # bytes of one reply that are read
SHOWN = 120  # characters of what came instead of a reply
WRONG = "wrong reply"
TOO_LARGE = f"{WRONG}: larger than {LARGEST:,} bytes"
EVENTS, LINES = "text/event-stream", ("application/x-ndjson", "application/jsonl", "application/json-lines")


def check_path(path: str) -> str:
    """The path; ValueError if it is none."""
    text = path.removesuffix(OPTIONAL)
    try:
        if text != WHOLE:
            jmespath.compile(text.removeprefix("$."))
    except JMESPathError:
        raise ValueError(
            f'{path[:80]!r} is no path; write names with dots, [0], [*] for each, "a name.with dots"'
        ) from None
    return path


def find(document: Any, path: str) -> Any:
    """What stands at the path; None if nothing does."""
    text = path.removesuffix(OPTIONAL)
    return document if text == WHOLE else jmespath.search(text.removeprefix("$."), document)


def parse(text: str) -> Any:
    """The JSON that came; Failure if nothing came, or a page, or a text."""
    if not text.strip():
        raise Failure(f"{WRONG}: it is empty")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise Failure(f"{WRONG}: {describe_text(text)}, where JSON was expected") from None


def parse_text(text: str) -> str:
    """The text that came, of JSON that is one text that; Failure if nothing came."""
    if not text.strip():
        raise Failure(f"{WRONG}: it is empty")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return found if isinstance(found, str) else text


def describe_text(text: str) -> str:
    """What a body that is no JSON is, in words: of a page its title, of a text its beginning."""
    is_page = text.lstrip()[:1] == "<"
    title = re.search(r"<title>([^<]*)", text[:100_000], re.IGNORECASE)
    shown = (title[1] if title else "") if is_page else text
    words = " ".join("".join(sign if sign.isprintable() else " " for sign in shown[: 4 * SHOWN]).split())
    return f"{'an HTML page' if is_page else 'a text'}{f' ({words[:SHOWN]!r})' if words else ''}"


def reply_from(
    documents: Sequence[Any], paths: Mapping[Any, str], sent: Mapping[str, str], answer: str = ""
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
        If there is no answer in it, or it answers another question.
    """
    found: dict[str, Any] = {}
    for name, path in paths.items():
        if name == "latency_s" and path == MEASURED:
            continue
        values = (find(document, path) for document in reversed(documents))
        found[name] = next((value for value in values if value is not None), None)
        if found[name] is None and not path.endswith(OPTIONAL) and not (name == "answer" and answer):
            raise Failure(f"{WRONG}: nothing stands at {path!r}{_keys(documents)}", passing=False)
    if answer:
        found["answer"] = answer
    for name in ("request_id", "question"):
        if name in paths and found.pop(name) != sent[name]:
            raise Failure(f"another question is answered: its {name} is not the one that was sent")
    return found


def _keys(documents: Sequence[Any]) -> str:
    if not documents:
        return ""
    last = documents[-1]
    keys = [str(key)[:40] for key in last][:10] if isinstance(last, dict) else []
    return f", its keys are {', '.join(keys)}" if keys else f", it is a {type(last).__name__}"


def is_stream(content_type: str) -> bool:
    """Whether a reply of this type comes in events."""
    return content_type.partition(";")[0].strip().lower() in (EVENTS, *LINES)


def join(text: str, content_type: str, piece: str, end: str) -> tuple[list[Any], str]:
    """The events of a stream, and the answer that their parts make together.

    piece : the path of a part in an event; end : the text of the last event, "" if there is none

    Raises
    ------
    Failure
        If an event is no JSON or tells of an error, or the stream has no end where it should have.
    """
    text = text.removeprefix("\ufeff")
    if content_type.lower().startswith(EVENTS):
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
