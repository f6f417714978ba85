"""Why a request got no reply, in words that are the same in every run."""

import json
import ssl
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from ragassay.assistant.described import reply_parsing
from ragassay.errors import NetworkRefused
from ragassay.web.retries import Failure, failure_of_status

REDIRECTIONS = {301, 302, 303, 307, 308}


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
