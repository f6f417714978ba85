"""What came back, as a reply of ours; a Failure says why it is no answer.

A path says where in a reply a value stands: `choices[0].message.content`, `sources[*].id`, `$` for the whole.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragassay.web.retries import Failure

STEP = re.compile(r"\.?([^.\[\]'\"]+)|\[(-?\d{1,6}|\*)\]|\['([^']*)'\]")
FORM = "names with dots, [0], [*] for each, ['a name.with dots']"
EACH = object()
OPTIONAL = "?"  # at the end of a path: the field may be missing
MEASURED = "measured"  # of latency_s: the seconds that the request took
LARGEST = 16_000_000  # bytes of one reply that are read
SHOWN = 120  # characters of what came instead of a reply
WRONG = "wrong reply"
TOO_LARGE = f"{WRONG}: larger than {LARGEST:,} bytes"
EVENTS, LINES = "text/event-stream", ("application/x-ndjson", "application/jsonl", "application/json-lines")
BROKEN_OFF = "the stream broke off before its end"


class NothingThere(LookupError):
    """Nothing stands at the path; `inside` if that is so within a list of which each element should have
    it."""

    def __init__(self, inside: bool = False):
        self.inside = inside


def steps_of(path: str) -> list[Any]:
    """The steps of a path: names, whole numbers and EACH. ValueError if it is none."""
    text, steps, at = path.removeprefix("$"), [], 0
    while at < len(text):
        found = STEP.match(text, at)
        if found is None:
            raise ValueError(f"{path[:80]!r} is no path; write {FORM}")
        name, place, quoted = found.groups()
        steps.append(EACH if place == "*" else int(place) if place else name if name else quoted)
        at = found.end()
    if not path.strip():
        raise ValueError(f"an empty path; write {FORM}, or $ for the whole reply")
    return steps


def find(value: Any, path: str) -> Any:
    """What stands at the path, null included; of `[*]` the list of what stands below each element.
    NothingThere if a name, a place or a list of it is missing."""
    return _find(value, steps_of(path))


def _find(value: Any, steps: list[Any]) -> Any:
    for at, step in enumerate(steps):
        if step is EACH:
            return _each(value, steps[at + 1 :])
        value = _step(value, step)
    return value


def _step(value: Any, step: str | int) -> Any:
    try:
        if isinstance(value, dict):
            return value[str(step)]
        if isinstance(value, list):
            return value[int(step)]
    except (KeyError, IndexError, ValueError):
        pass
    raise NothingThere


def _each(value: Any, rest: list[Any]) -> list[Any]:
    if not isinstance(value, list):
        raise NothingThere
    try:
        return [_find(element, rest) for element in value]
    except NothingThere:
        raise NothingThere(inside=True) from None


def parse(text: str) -> Any:
    """The JSON that came; Failure if nothing came, or a page, or a text."""
    if not text.strip():
        raise Failure(f"{WRONG}: it is empty")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise Failure(f"{WRONG}: {described(text)}, where JSON was expected") from None


def described(text: str) -> str:
    """What a body that is no JSON is, in words: of a page its title, of a text its beginning."""
    is_page = text.lstrip()[:1] == "<"
    title = re.search(r"<title>([^<]*)", text[:100_000], re.IGNORECASE)
    shown = (title[1] if title else "") if is_page else text
    words = " ".join("".join(sign if sign.isprintable() else " " for sign in shown[: 4 * SHOWN]).split())
    return f"{'an HTML page' if is_page else 'a text'}{f' ({words[:SHOWN]!r})' if words else ''}"


def reply_from(
    documents: Sequence[Any], paths: Mapping[Any, str], sent: Mapping[str, str], answer: str | None = None
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
        name: _field(name, documents, path)
        for name, path in paths.items()
        if not (name == "latency_s" and path == MEASURED)
    }
    if answer is not None:
        found["answer"] = answer
    for name in ("request_id", "question"):
        if name in paths and found.pop(name) != sent[name]:
            raise Failure(f"another question is answered: its {name} is not the one that was sent")
    return found


def measured(paths: Mapping[Any, str], seconds: float) -> dict[str, float]:
    """The seconds of a request as its latency, where the description says so."""
    return {"latency_s": seconds} if paths.get("latency_s") == MEASURED else {}


def _field(name: str, documents: Sequence[Any], path: str) -> Any:
    """None where a field that may be missing is."""
    inside, where = False, path.removesuffix(OPTIONAL)
    for document in reversed(documents):
        try:
            return find(document, where)
        except NothingThere as problem:
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


def join(text: str, content_type: str, stream: Mapping[str, str]) -> tuple[list[Any], str]:
    """The events of a stream, and the answer that their parts make together.

    Parameters
    ----------
    stream : `piece`: the path of a part in an event; `end`: the text of the last event, "" if there is none

    Raises
    ------
    Failure
        If an event is no JSON or tells of an error, or the stream has no end where it should have.
    """
    is_lines = not content_type.lower().startswith(EVENTS)
    said = list(filter(str.strip, text.splitlines()) if is_lines else _events(text))
    end = stream.get("end", "")
    if end and end not in said:
        raise Failure(BROKEN_OFF)
    events = [_event(each) for each in (said[: said.index(end)] if end else said)]
    return events, "".join(_piece(event, stream["piece"]) for event in events)


def _events(text: str) -> Iterator[str]:
    """The data of each event: its lines that begin with `data:`, up to an empty one."""
    data: list[str] = []
    for line in [*re.split(r"\r\n|\r|\n", text), ""]:
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
        piece = find(event, path)
    except NothingThere:
        return ""
    if not isinstance(piece, str | None):
        raise Failure(f"{WRONG}: a part of the answer is a {type(piece).__name__}", passing=False)
    return piece or ""
