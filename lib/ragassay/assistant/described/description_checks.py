"""What is wrong with the description of an assistant, each flaw in a line; a secret is never repeated."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from ragassay.assistant.described import reply_paths
from ragassay.assistant.described.request_templates import names_in
from ragassay.assistant.reply_validation import LONGEST, version_text
from ragassay.web.addresses import is_address

IN_REPLY, IN_HEADER = PLACES = ("reply", "header")
VERSION_FORM = "a text in quotes, {reply: path.to.field} or {header: X-Version}"
ENDPOINT, CHAT, COMMAND = KINDS = ("http", "openai", "command")
METHODS = ("POST", "GET", "PUT")
FIELDS = ("answer", "contexts", "context_ids", "cost", "tokens", "latency_s", "question", "request_id")
WHOLE = "text"  # as a reply: the whole is the answer
MEASURED = "measured"  # of latency_s: the seconds that the request took
OPTIONAL = "?"  # at the end of a path: the field may be missing
MOST_RETRIES = 10
HEADER = re.compile(
    r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9-]{0,30}) )?\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]{0,100})\}"
)
TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
SECRET_NAMES = {
    *("key", "apikey", "subscriptionkey", "token", "accesstoken", "secret", "clientsecret"),
    *("password", "passwd", "authorization", "sig", "signature"),
}
ALWAYS, OF_REQUESTS = ("kind", "body", "reply", "version"), ("headers", "stream", "retries", "request_s")
ALLOWED = {
    ENDPOINT: {*ALWAYS, "url", "method", *OF_REQUESTS},
    CHAT: {*ALWAYS, "url", "model", *OF_REQUESTS},
    COMMAND: {*ALWAYS, "command", "keep"},
}


@dataclass(frozen=True)
class VersionSource:
    """Where the version stands: `stated` by the user, at a path in each `reply`, or in a `header` of each; at
    most one of them, "" the others."""

    stated: str = ""
    reply: str = ""
    header: str = ""

    @property
    def is_said(self) -> bool:
        """Whether each reply is to say it."""
        return bool(self.reply or self.header)

    def in_words(self) -> str:
        """Where each reply says it; "" if none is to."""
        if self.header:
            return f"said by each reply, header {self.header}"
        return f"said by each reply, at {self.reply}" if self.reply else ""

    def said(self, documents: Sequence[Any], headers: Mapping[str, str]) -> str | None:
        """What a reply says, by the last of its documents in which it stands, or by its headers, whose names
        are in small letters; None if it says nothing."""
        if self.header:
            return version_text(headers.get(self.header.lower()))
        for document in reversed(documents):
            try:
                return version_text(reply_paths.find(document, self.reply))
            except reply_paths.NothingThere:
                continue
        return None


def version_source(given: Any) -> VersionSource:
    """The source that a description without flaws names."""
    if isinstance(given, dict):
        return VersionSource(**{name: str(each).removesuffix(OPTIONAL) for name, each in given.items()})
    return VersionSource(stated=(given or "").strip())


def version_flaws(given: Any, *, is_name: Any, places: Sequence[str]) -> Iterator[str]:
    """What is wrong with the key `version`, each flaw in a line.

    is_name : whether a text may name a header
    places : where in a reply of this kind a version may stand: reply, header, or nowhere
    """
    if given is None:
        return
    if isinstance(given, str):
        if version_text(given) != given.strip():
            yield f"version: must be 1 to {LONGEST} printable characters, found {given[:80]!r}"
    elif not isinstance(given, dict) or len(given) != 1 or next(iter(given)) not in PLACES:
        quotes = "" if isinstance(given, dict | list) else " (YAML reads 2.10 as 2.1: write it in quotes)"
        yield f"version: must be {VERSION_FORM}, found {str(given)[:80]!r}{quotes}"
    else:
        yield from _place_flaws(*next(iter(given.items())), is_name, places)


def _place_flaws(place: str, named: Any, is_name: Any, places: Sequence[str]) -> Iterator[str]:
    if place not in places:
        yield f"version: a {place} of this assistant holds none: {_instead(places)}"
    elif place == IN_HEADER and not (isinstance(named, str) and is_name(named)):
        yield f"version.header: must be the name of a header, found {str(named)[:80]!r}"
    elif place == IN_REPLY:
        try:
            reply_paths.parse(named.removesuffix(OPTIONAL) if isinstance(named, str) else "")
        except ValueError as problem:
            yield f"version.reply: {problem}"


def _instead(places: Sequence[str]) -> str:
    return f"name a {' or '.join(places)}, or state it as a text" if places else "state it as a text"


def words_of(command: Any) -> tuple[str, ...]:
    """The words of a command, given as a list or as one line.

    Raises
    ------
    ValueError
        If a quotation mark of the line is not closed.
    """
    return tuple(shlex.split(command) if isinstance(command, str) else map(str, command))


def flaws_of(kind: Any, given: dict[str, Any]) -> Iterator[str]:
    """Everything that is wrong with what a description of this kind holds."""
    if kind not in KINDS:
        yield f"kind: must be one of {', '.join(KINDS)}, found {str(kind)[:80]!r}"
        return
    unknown = [name for name in given if name not in ALLOWED[kind]]
    if unknown:
        known = ", ".join(sorted(ALLOWED[kind]))
        yield f"{unknown[0][:80]!r}: not known of kind {kind}, which takes {known}"
    if kind == COMMAND:
        yield from _command_flaws(given)
    else:
        yield from _endpoint_flaws(kind, given)
    yield from _body_flaws(kind, given)
    yield from _reply_flaws(given.get("reply"))
    places = [IN_REPLY] * (given.get("reply") != WHOLE) + [IN_HEADER] * (kind != COMMAND)
    yield from version_flaws(given.get("version"), is_name=TOKEN.fullmatch, places=places)


def _command_flaws(given: dict[str, Any]) -> Iterator[str]:
    command = given.get("command")
    fits = isinstance(command, str) or (
        isinstance(command, list) and all(isinstance(w, str) for w in command)
    )
    try:
        words = words_of(command) if fits else ()
    except ValueError:
        words = ()
    if not words or not words[0].strip() or any("\0" in word for word in words):
        yield "command: must be words of a command line, as [python, my_assistant.py]"
    if not isinstance(given.get("keep", False), bool):
        yield "keep: must be true (one process) or false (one a question)"


def _endpoint_flaws(kind: str, given: dict[str, Any]) -> Iterator[str]:
    yield from _url_flaws(given.get("url"))
    if kind == CHAT and not (isinstance(given.get("model"), str) and given["model"]):
        yield "model: must be the endpoint's name of the model"
    if given.get("method", "POST") not in METHODS:
        yield f"method: must be one of {', '.join(METHODS)}"
    yield from _header_flaws(given.get("headers") or {})
    retries, seconds = given.get("retries", 3), given.get("request_s", 1)
    if not isinstance(retries, int) or isinstance(retries, bool) or not 0 <= retries <= MOST_RETRIES:
        yield f"retries: must be a whole number in [0, {MOST_RETRIES}]"
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not 0 < seconds < 1e9:
        yield "request_s: must be a number of seconds above 0"
    stream = given.get("stream")
    if stream is not None and not (isinstance(stream, dict) and {"piece"} <= set(stream) <= {"piece", "end"}):
        yield "stream: must hold piece (a path), and may hold end"
    elif stream:
        yield from _path_flaws("stream.piece", stream["piece"])


def _url_flaws(url: Any) -> Iterator[str]:
    if not isinstance(url, str) or not is_address(url):
        yield "url: must be an address, such as https://assistant.bank.example/v1/ask"
        return
    parts = urlsplit(url)
    if parts.username or parts.password or any(map(is_secret_name, dict(parse_qsl(parts.query)))):
        yield "url: must hold nothing secret; give it in a header"
    if parts.fragment:
        yield "url: must have no #part, which is never sent"


def _header_flaws(headers: Any) -> Iterator[str]:
    """Names and how they are wrong; never the value, which may be the secret itself."""
    if not isinstance(headers, dict):
        yield "headers: must be names and values"
        return
    for name, value in headers.items():
        if not (isinstance(name, str) and TOKEN.fullmatch(name)):
            yield f"headers: {str(name)[:80]!r} is no name of a header"
        elif not (isinstance(value, str) and HEADER.fullmatch(value)):
            yield f"headers.{name}: must name an environment variable, as in Bearer ${{MY_KEY}}"


def _body_flaws(kind: str, given: dict[str, Any]) -> Iterator[str]:
    body = given.get("body")
    if body is not None and not isinstance(body, dict):
        yield "body: must be names and values, which are sent as JSON"
        return
    if kind != CHAT and body is not None and not names_in(body) & {"question", "messages"}:
        yield "body: must hold {question} or {messages}, else nothing is asked"
    for name in _names_of(body):
        if is_secret_name(name):
            yield f"body: {name!r} sounds like a secret; give it in a header"


def _names_of(body: Any) -> Iterator[str]:
    parts = body.values() if isinstance(body, dict) else body if isinstance(body, list) else ()
    yield from (str(name) for name in body) if isinstance(body, dict) else ()
    for part in parts:
        yield from _names_of(part)


def is_secret_name(name: str) -> bool:
    """Whether a field of this name usually holds a secret: key, api_key, token, password and the like."""
    return re.sub(r"[^a-z]", "", name.lower()) in SECRET_NAMES


def _reply_flaws(reply: Any) -> Iterator[str]:
    if reply is None or reply == WHOLE:
        return
    if not isinstance(reply, dict):
        yield f"reply: must be `text`, or map {', '.join(FIELDS)} to paths"
        return
    for name, path in reply.items():
        if name not in FIELDS:
            yield f"reply: {str(name)[:80]!r} is no field; the fields are {', '.join(FIELDS)}"
        elif not (name == "latency_s" and path == MEASURED):
            yield from _path_flaws(f"reply.{name}", path)


def _path_flaws(name: str, path: Any) -> Iterator[str]:
    try:
        reply_paths.parse(path.removesuffix(OPTIONAL) if isinstance(path, str) else "")
    except ValueError as problem:
        yield f"{name}: {problem}"
