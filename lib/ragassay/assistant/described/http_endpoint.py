"""An assistant over HTTP: one request after the other until a whole reply came, or there is no time left."""

import json
import math
import os
import ssl
import threading
import time
import urllib.request
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from ragassay.assistant.described import reply_parsing, request_templates
from ragassay.assistant.described.description import Description
from ragassay.assistant.described.description_checks import HEADER
from ragassay.errors import NetworkRefused
from ragassay.web.addresses import host_and_port, is_address, trusted
from ragassay.web.retries import Failure, failure_of_status, retrying

SECRET = 6  # characters from which a value is taken for a secret
HIDDEN = "***"
REDIRECTIONS = {301, 302, 303, 307, 308}
FIRST_PAUSE_S = 0.5
SPARE = 0.1  # of a question's seconds: left to say why there is no answer
ACCEPTED = {"accept": "application/json, text/event-stream", "accept-encoding": "identity"}


class Headers:
    """What is sent, and what has to be hidden wherever the endpoint repeats it.

    Parameters
    ----------
    described : header -> `${VARIABLE}`, or a word and `${VARIABLE}`

    Raises
    ------
    Failure
        If a variable is not set, or holds what no header can.
    """

    def __init__(self, described: Mapping[str, str]):
        self._values: dict[str, str] = {}
        self._secrets: list[str] = []
        for name, written in described.items():
            variable = HEADER.fullmatch(written)["name"]  # type: ignore[index]
            value = _value(name, variable)
            self._values[name] = written.replace("${" + variable + "}", value)
            self._secrets += [value] if len(value) >= SECRET else []

    def values(self) -> dict[str, str]:
        """Header -> value."""
        return dict(self._values)

    def hide(self, text: str) -> str:
        """The text without a header's value."""
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return text

    def hide_in_bytes(self, body: bytes) -> bytes:
        """The same of what was received."""
        for secret in self._secrets:
            body = body.replace(secret.encode(), HIDDEN.encode())
        return body


def missing(described: Mapping[str, str]) -> list[str]:
    """What is wrong with the variables that headers are made of, a sentence each; never their values."""
    flaws = []
    for name, written in described.items():
        try:
            _value(name, HEADER.fullmatch(written)["name"])  # type: ignore[index]
        except Failure as problem:
            flaws.append(problem.reason)
    return flaws


def _value(header: str, variable: str) -> str:
    value = os.environ.get(variable, "").strip()
    wrong = "is not set" if not value else "" if _fits(value) else "holds what no header can"
    if wrong:
        why = f"the header {header} cannot be sent: the environment variable {variable} {wrong}"
        raise Failure(why, passing=False, hopeless=True)
    return value


def _fits(value: str) -> bool:
    return value.isascii() and value.isprintable()


def proxy_for(url: str) -> str | None:
    """The proxy's address that the environment names for this one; None if it names none, or NO_PROXY
    excepts the host.

    Raises
    ------
    ValueError
        If it is no http or https address.
    """
    parts, named = urlsplit(url), urllib.request.getproxies_environment()
    proxy = named.get(parts.scheme) or named.get("all")
    if not proxy or _is_excepted(host_and_port(url), named):
        return None
    whole = proxy if "://" in proxy else f"http://{proxy}"
    if not is_address(whole):
        raise ValueError(f"the proxy that the environment names for {parts.scheme} is no http address")
    return whole


def _is_excepted(host: str, named: dict[str, str]) -> bool:
    return bool(urllib.request.proxy_bypass_environment(host, named))  # type: ignore[attr-defined]


def hosts(description: Description) -> tuple[str, ...]:
    """What a seal must permit for it, as host:port; nothing for a command line.

    Raises
    ------
    ValueError
        If the proxy of the environment is no address.
    """
    if not description.url:
        return ()
    return (host_and_port(proxy_for(description.url) or description.url),)


def of_connection(problem: BaseException) -> Failure:
    """The failure behind an error of the client: certificate, refusal, end of the connection."""
    name = type(problem).__name__
    for cause in _causes(problem):
        if isinstance(cause, NetworkRefused):
            return Failure(f"refused by the seal: {cause.found}", passing=False, hopeless=True)
        if isinstance(cause, ssl.SSLCertVerificationError):
            do = "if it is your own authority's, name its file in SSL_CERT_FILE"
            return Failure(f"TLS: {cause.verify_message} ({do})", passing=False, hopeless=True)
        if isinstance(cause, ssl.SSLError):
            return Failure(f"TLS: {cause.reason or 'it failed'}", passing=False, hopeless=True)
    if name in ("ConnectError", "ProxyError"):
        who = "the proxy" if name == "ProxyError" else "the endpoint"
        return Failure(f"no connection to {who}: {_reason(problem)}", hopeless=True)
    return Failure(f"the connection ended before a whole reply came: {name}")


def raise_for_status(status: int, headers: Mapping[str, str], body: bytes) -> None:
    """Failure of a redirection, an error, or a success without a reply.

    Raises
    ------
    Failure
        If the status is none of 200 to 299.
    """
    if 200 <= status < 300:
        return
    if status in REDIRECTIONS:
        to = _shown(headers.get("location", ""))
        raise Failure(
            f"HTTP {status}: redirected to {to}, which is not the url: redirections are not followed",
            passing=False,
            hopeless=True,
        )
    raise failure_of_status(status, _explanation(body), headers)


def _causes(problem: BaseException | None) -> Iterator[BaseException]:
    while problem is not None:
        yield problem
        problem = problem.__cause__ or problem.__context__


def _reason(problem: BaseException) -> str:
    """What the system said: refused, no such host."""
    return next(
        (cause.strerror for cause in _causes(problem) if isinstance(cause, OSError) and cause.strerror),
        str(problem)[: reply_parsing.SHOWN],
    )


def _shown(location: str) -> str:
    """Where to, without what may be secret."""
    try:
        parts = urlsplit(location)
        host = f"{parts.scheme}://{parts.hostname}" if parts.hostname else ""
        return (
            f"{host}{f':{parts.port}' if parts.port else ''}{parts.path}"[: reply_parsing.SHOWN] or "nowhere"
        )
    except ValueError:
        return "no address"


def _explanation(body: bytes) -> str:
    """What the endpoint says of its error: a message, a page's title, the beginning of a text."""
    if not body.strip():
        return ""
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return reply_parsing.described(body)
    return " ".join(_message(said).split())[: reply_parsing.SHOWN]


def _message(said: Any) -> str:
    if not isinstance(said, dict):
        return said if isinstance(said, str) else ""
    found = next((said[name] for name in ("error", "message", "detail") if said.get(name)), "")
    return _message(found) if isinstance(found, dict) else found if isinstance(found, str) else ""


@dataclass
class Limits:
    """The seconds of a question: how many in all, how many a request, and when they end."""

    seconds: float
    request_s: float
    until: float

    def left(self) -> float:
        """Seconds that a request begun now may take; a Failure where there are none."""
        left = min(self.until - time.monotonic(), self.request_s)
        if left <= 0:
            raise self.late()
        return left

    def late(self) -> Failure:
        """That no reply came in time; after three such in a row nothing more is asked."""
        return Failure(f"no reply within {min(self.seconds, self.request_s):g} s", hopeless=True)


class Endpoint:
    """An address that is asked; nothing else is contacted but the proxy that the environment names.

    No redirection is followed and no cookie kept: each question stands for itself. The variables that its
    headers are made of are read with the first question: answers of before are taken up without them.
    """

    def __init__(self, description: Description):
        self.description, self._headers = description, Headers({})
        self._client: Any = None

    def __call__(
        self, question: str, *, seconds: float, history: Any = (), passages: Any = None
    ) -> dict[str, Any]:
        """The reply to one question, within this many seconds, pauses and further attempts in them.

        Raises
        ------
        Failure
            If none came whole in time, or what came is no answer to it.
        """
        ours = seconds * (1 - SPARE)
        limits = Limits(seconds, self.description.request_s or math.inf, time.monotonic() + ours)
        again = retrying(self.description.retries, FIRST_PAUSE_S, threading.Event(), within_s=ours)
        try:
            return again(self._ask, question, list(history), passages, limits)
        except Failure as problem:
            times = again.statistics.get("attempt_number", 1)
            tried = f" ({times} attempts)" if times > 1 else ""
            problem.reason = self._headers.hide(problem.reason) + self._way() + tried
            raise

    def _way(self) -> str:
        """That a proxy stands between: what came may be its own."""
        proxy = proxy_for(self.description.url)
        return f", through the proxy {host_and_port(proxy)}" if proxy else ""

    def _ask(
        self, question: str, history: list[dict], passages: list[dict] | None, limits: Limits
    ) -> dict[str, Any]:
        sent = {"question": question, "request_id": uuid.uuid4().hex}
        filled = request_templates.fill(
            self.description.body, request_templates.values(question, history, passages, sent["request_id"])
        )
        started = time.perf_counter()
        found = self._reply(*self._send(filled, limits), sent)
        seconds = time.perf_counter() - started
        return found | ({"latency_s": seconds} if reply_parsing.is_measured(self.description.reply) else {})

    def _reply(self, body: bytes, headers: Mapping[str, str], sent: Mapping[str, str]) -> dict[str, Any]:
        paths, content_type = self.description.reply, headers.get("content-type", "")
        if reply_parsing.is_stream(content_type):
            how = self.description.stream or {"piece": paths["answer"].removesuffix("?")}
            documents, answer = reply_parsing.join(body, content_type, how)
        else:
            documents, answer = [reply_parsing.parse(body)], None
        found = reply_parsing.reply_from(documents, paths, sent, answer)
        return found | reply_parsing.version_from(self.description.version, documents, headers)

    def _send(self, filled: dict[str, Any], limits: Limits) -> tuple[bytes, dict[str, str]]:
        """The body of a reply that is none of an error, and its headers, secrets hidden in both."""
        import httpx2

        left = limits.left()
        request = self._client_now().build_request(
            self.description.method, self.description.url, timeout=left, **self._content(filled)
        )
        try:
            response = self._client.send(request, stream=True)
            try:
                body = _read(response.iter_bytes(), time.monotonic() + left, limits)
            finally:
                response.close()
        except httpx2.TimeoutException:
            raise limits.late() from None
        except httpx2.HTTPError as problem:
            raise of_connection(problem) from None
        body = self._headers.hide_in_bytes(body)
        raise_for_status(response.status_code, response.headers, body)
        return body, {name: self._headers.hide(value) for name, value in response.headers.items()}

    def _content(self, filled: dict[str, Any]) -> dict[str, Any]:
        """What is sent: JSON, or of a GET the parameters of the address."""
        if self.description.method != "GET":
            text = json.dumps(filled, ensure_ascii=True, allow_nan=False)
            return {"content": text, "headers": {"content-type": "application/json"}}
        flat = {name: v if isinstance(v, str) else json.dumps(v) for name, v in filled.items()}
        return {"params": dict(parse_qsl(urlsplit(self.description.url).query)) | flat}

    def _client_now(self) -> Any:
        """The client, opened with the first question; without the cookies of the one before."""
        import httpx2

        if self._client is None:
            self._headers = Headers(self.description.headers)
            proxy = proxy_for(self.description.url)
            self._client = httpx2.Client(
                headers=ACCEPTED | self._headers.values(),
                verify=trusted(self.description.url, proxy or ""),
                proxy=proxy,
                trust_env=False,
                follow_redirects=False,
            )
        self._client.cookies.clear()
        return self._client


def _read(pieces: Iterable[bytes], ends: float, limits: Limits) -> bytes:
    """All pieces together: what drips or never ends is given up."""
    body = bytearray()
    for piece in pieces:
        body += piece
        if len(body) > reply_parsing.LARGEST:
            raise Failure(
                f"{reply_parsing.WRONG}: larger than {reply_parsing.LARGEST:,} bytes", passing=False
            )
        if time.monotonic() > ends:
            raise limits.late()
    return bytes(body)
