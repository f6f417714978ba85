"""An assistant over HTTP: one request after the other until a whole reply came, or there is no time left."""

import contextlib
import json
import os
import ssl
import threading
import time
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from ragassay.assistant.described.description import HEADER, Description, request_of
from ragassay.assistant.described.reply_parsing import LARGEST, SHOWN, TOO_LARGE, beginning, read_reply
from ragassay.assistant.reply_validation import causes
from ragassay.errors import NetworkRefused, SystemUnderTestError
from ragassay.web import (
    FIRST_PAUSE_S,
    Failure,
    failure_of_status,
    host_and_port,
    is_address,
    retrying,
    trusted,
)

SECRET = 6  # characters from which a value is taken for a secret
HIDDEN = "***"
SPARE = 0.1  # of a question's seconds: left to say why there is no answer
ACCEPTED = {"accept": "application/json, text/event-stream, text/plain", "accept-encoding": "identity"}


def missing(described: Mapping[str, str]) -> list[str]:
    """What is wrong with the variables that headers are made of, a sentence each; never their values."""
    flaws = []
    for name, written in described.items():
        try:
            _header_value(name, written)
        except Failure as problem:
            flaws.append(problem.reason)
    return flaws


def _header_value(header: str, written: str) -> tuple[str, str]:
    """What is sent, and the secret in it, which an environment variable holds; Failure if it is not set, or
    holds what no header can."""
    parts = HEADER.fullmatch(written)
    assert parts
    value = os.environ.get(parts["name"], "").strip()
    if value and value.isascii() and value.isprintable():
        return f"{parts['scheme'] or ''} {value}".strip(), value
    wrong = "holds what no header can" if value else "is not set"
    why = f"the header {header} cannot be sent: the environment variable {parts['name']} {wrong}"
    raise Failure(why, passing=False, hopeless=True)


def proxy_for(url: str) -> str | None:
    """The proxy's address that the environment names for this one; None if it names none, or NO_PROXY excepts
    the host. SystemUnderTestError if it is no http or https address."""
    parts, named = urlsplit(url), urllib.request.getproxies_environment()
    proxy = named.get(parts.scheme) or named.get("all")
    is_excepted = urllib.request.proxy_bypass_environment(host_and_port(url), named)  # type: ignore[attr-defined]
    if not proxy or is_excepted:
        return None
    whole = proxy if "://" in proxy else f"http://{proxy}"
    if not is_address(whole):
        what, do = (
            "the proxy that the environment names is no http address",
            "correct HTTPS_PROXY or HTTP_PROXY",
        )
        raise SystemUnderTestError(what, do=do)
    return whole


def hosts(description: Description) -> tuple[str, ...]:
    """What a seal must permit for it, as host:port; nothing for a command line."""
    url = description.url
    return (host_and_port(proxy_for(url) or url),) if url else ()


class Endpoint:
    """An address that is asked; nothing else is contacted but the proxy that the environment names.

    No redirection is followed and no cookie kept: each question stands for itself. The variables that its
    headers are made of are read with the first question: answers of before are taken up without them.
    """

    def __init__(self, description: Description):
        self.description = description
        self._client: Any = None
        self._secrets: list[str] = []  # values of headers, hidden wherever the endpoint repeats them

    def __call__(
        self, question: str, *, seconds: float, history: Any = (), passages: Any = None
    ) -> dict[str, Any]:
        """The reply to one question, within this many seconds, pauses and further attempts in them; Failure
        if none came whole in time, or what came is no answer to it."""
        ours = seconds * (1 - SPARE)
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
        filled, sent = request_of(self.description.body, question, history, passages)
        started = time.perf_counter()
        body, headers = self._send(filled, until, late)
        return read_reply(self.description, body, sent, time.perf_counter() - started, headers)

    def _send(self, filled: dict[str, Any], until: float, late: Failure) -> tuple[str, dict[str, str]]:
        """The body of a reply that is none of an error, and its headers, secrets hidden in both; what drips
        or never ends is given up."""
        import httpx2

        description = self.description
        left = until - time.monotonic()
        if left <= 0:
            raise late
        client = self._client_now()
        request = client.build_request(
            description.method, description.url, timeout=left, **_content(description, filled)
        )
        received = bytearray()
        try:
            with contextlib.closing(client.send(request, stream=True)) as response:
                for piece in response.iter_bytes():
                    received += piece
                    if len(received) > LARGEST:
                        raise Failure(TOO_LARGE, passing=False)
                    if time.monotonic() > until:
                        raise late
        except httpx2.TimeoutException:
            raise late from None
        except httpx2.HTTPError as problem:
            raise _failure_of_connection(problem) from None
        text = received.decode(response.encoding or "utf-8", "replace")
        body = self._hide(text.removeprefix("\ufeff"))
        _check_status(response.status_code, response.headers, body)
        return body, {name: self._hide(value) for name, value in response.headers.items()}

    def _client_now(self) -> Any:
        """The client, opened with the first question; without the cookies of the one before."""
        import httpx2

        if self._client is None:
            proxy = proxy_for(self.description.url)
            sent = {name: _header_value(name, one) for name, one in self.description.headers.items()}
            self._secrets = [secret for _, secret in sent.values() if len(secret) >= SECRET]
            self._client = httpx2.Client(
                headers=ACCEPTED | {name: value for name, (value, _) in sent.items()},
                verify=trusted(self.description.url, proxy or ""),
                proxy=proxy,
                trust_env=False,
                follow_redirects=False,
            )
        self._client.cookies.clear()
        return self._client

    def _hide(self, text: str) -> str:
        """The text without a header's value."""
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return text


def _content(description: Description, filled: dict[str, Any]) -> dict[str, Any]:
    """What is sent: JSON, or of a GET the parameters of the address."""
    if description.method != "GET":
        text = json.dumps(filled, ensure_ascii=True, allow_nan=False)
        return {"content": text, "headers": {"content-type": "application/json"}}
    flat = {name: v if isinstance(v, str) else json.dumps(v) for name, v in filled.items()}
    return {"params": dict(parse_qsl(urlsplit(description.url).query)) | flat}


def _failure_of_connection(problem: BaseException) -> Failure:
    """The failure behind an error of the client: certificate, refusal, end of the connection."""
    name = type(problem).__name__
    for cause in causes(problem):
        if isinstance(cause, NetworkRefused):
            return Failure(f"refused by the seal: {cause.found}", passing=False, hopeless=True)
        if isinstance(cause, ssl.SSLCertVerificationError):
            do = "if it is your own authority's, name its file in SSL_CERT_FILE"
            return Failure(f"TLS: {cause.verify_message} ({do})", passing=False, hopeless=True)
        if isinstance(cause, ssl.SSLError):
            return Failure(f"TLS: {cause.reason or 'it failed'}", passing=False, hopeless=True)
    if name in ("ConnectError", "ProxyError"):
        who = "the proxy" if name == "ProxyError" else "the endpoint"
        said = (cause.strerror for cause in causes(problem) if isinstance(cause, OSError) and cause.strerror)
        return Failure(f"no connection to {who}: {next(said, str(problem)[:SHOWN])}", hopeless=True)
    return Failure(f"the connection ended before a whole reply came: {name}")


def _check_status(status: int, headers: Mapping[str, str], body: str) -> None:
    """Failure of a redirection or an error: of any status but 200 to 299."""
    if status in (301, 302, 303, 307, 308):
        why = f"HTTP {status}: redirections are not followed; name its target"
        raise Failure(why, passing=False, hopeless=True)
    if not 200 <= status < 300:
        raise failure_of_status(status, beginning(body), headers)
