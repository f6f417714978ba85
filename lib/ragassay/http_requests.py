"""Requests to an endpoint, whoever sends them: its address, one exchange, when to ask again and when to stop.

Attempts and pauses are tenacity's. The client's own retries read no Retry-After above a minute, send nothing
again after a reply that is cut off or no JSON, and hide what was sent and may be charged for.
"""

import contextlib
import math
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ragassay.errors import NetworkRefused

if TYPE_CHECKING:
    import httpx2
    import tenacity

RETRIES, FIRST_PAUSE_S = 3, 0.5  # times a request is sent again, where nobody says otherwise; pause before
PASSING = {408, 409, 425, 429}  # statuses that may pass, beside all of 500 and above
HOPELESS = {401, 402, 403, 404, 407}  # no other request would fare better; nor after a redirection
LONGEST_PAUSE = 60.0  # seconds of our own backoff
MOST_PATIENCE = 300.0  # seconds of Retry-After that are waited
SHOWN = 120  # characters of what the endpoint said
SECRET = 6  # characters from which a value is taken for a secret


@dataclass(eq=False)
class Failure(Exception):
    """No reply arrived whole.

    Attributes
    ----------
    reason : what went wrong
    passing : whether the same request may succeed later
    hopeless : whether every other request would fail as well
    lost : whether the endpoint may have written, and may charge for, a reply that did not arrive whole
    wait_s : how long the endpoint asks to wait; None if it does not say
    """

    reason: str
    passing: bool = True
    hopeless: bool = False
    lost: bool = False
    wait_s: float | None = None

    @property
    def again(self) -> bool:
        """Whether to send the request again."""
        return self.passing and (self.wait_s or 0.0) <= MOST_PATIENCE


class NotAsked(Exception):
    """A request that was not sent (again), and why."""


def is_address(url: str) -> bool:
    """Whether it is http or https, with a host."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def host_and_port(url: str) -> str:
    """What a sealed run must permit: host:port, a numeric IPv6 host in brackets."""
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}"


def trusted(*urls: str) -> ssl.SSLContext:
    """Whom to believe at these addresses: of https, whom this machine trusts (SSL_CERT_FILE counts) and
    certifi, if installed; where none is https nobody, and no certificate is read: that takes longer than many
    a request."""
    if not any(urlsplit(url).scheme == "https" for url in urls):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context = ssl.create_default_context()
    with contextlib.suppress(ImportError):
        import certifi

        context.load_verify_locations(certifi.where())
    return context


def open_client(url: str, headers: Mapping[str, str], proxy: str | None = None) -> "httpx2.Client":
    """A client for this address: nothing but it and the proxy named is contacted, no redirection is followed,
    nothing of the environment is sent."""
    import httpx2

    headers = {"accept-encoding": "identity", **headers}
    return httpx2.Client(headers=headers, verify=trusted(url, proxy or ""), proxy=proxy, trust_env=False)


def exchange(
    client: "httpx2.Client",
    method: str,
    url: str,
    *,
    until: float,
    late: Failure,
    largest: int,
    **content: Any,
) -> tuple["httpx2.Response", bytes]:
    """The response to one request, of any status, and its body.

    until : monotonic time up to which it may take; what is not there then, drips or never ends is `late`
    largest : bytes of a body that are read
    content : what is sent, as httpx takes it

    Raises
    ------
    Failure
        If the body is not there in time, is too large, or the connection fails.
    """
    import httpx2

    body, left = bytearray(), until - time.monotonic()
    if left <= 0:
        raise late
    try:
        with client.stream(method, url, timeout=left, **content) as response:
            for piece in response.iter_bytes():
                body += piece
                if len(body) > largest:
                    raise Failure(f"wrong reply: larger than {largest:,} bytes", passing=False, lost=True)
                if time.monotonic() > until:
                    raise late
    except httpx2.TimeoutException:
        raise late from None
    except (httpx2.HTTPError, OSError) as problem:
        raise _failure_of_connection(problem) from None
    return response, bytes(body)


def _failure_of_connection(problem: BaseException) -> Failure:
    """The failure behind an error of the client: certificate, refusal, end of the connection."""
    name = type(problem).__name__
    for cause in _causes(problem):
        if isinstance(cause, NetworkRefused):
            return Failure(f"refused by the seal: {cause.found}; {cause.do}", passing=False, hopeless=True)
        if isinstance(cause, ssl.SSLCertVerificationError):
            return Failure(
                f"TLS: {cause.verify_message} (your own authority's file is named in SSL_CERT_FILE)",
                passing=False,
                hopeless=True,
            )
        if isinstance(cause, ssl.SSLError):
            return Failure(f"TLS: {cause.reason or 'it failed'}", passing=False, hopeless=True)
    if name in ("ConnectError", "ProxyError"):
        who = "the proxy" if name == "ProxyError" else "the endpoint"
        said = (one.strerror for one in _causes(problem) if isinstance(one, OSError) and one.strerror)
        return Failure(f"no connection to {who}: {next(said, beginning(str(problem)))}", hopeless=True)
    return Failure(f"the connection ended before a whole reply came: {name}", lost=True)


def _causes(problem: BaseException | None) -> Iterator[BaseException]:
    """An error and what led to it, ten at most."""
    for _ in range(10):
        if problem is None:
            return
        yield problem
        problem = problem.__cause__ or problem.__context__


def without_secrets(text: str, secrets: list[str]) -> str:
    """The text without what an endpoint repeats of our keys; a value of a few characters is no secret."""
    for secret in secrets:
        text = text.replace(secret, "***") if len(secret) >= SECRET else text
    return text


def beginning(text: str) -> str:
    """The beginning of a body that is no reply, as one line."""
    printable = "".join(sign if sign.isprintable() else " " for sign in text[: 4 * SHOWN])
    return " ".join(printable.split())[:SHOWN]


def failure_of_status(status: int, explanation: str, headers: Mapping[str, str]) -> Failure:
    """The failure that an HTTP status from 300 up means; `explanation` is the endpoint's own."""
    wait_s = retry_after_seconds(headers, datetime.now(UTC))
    asks = f", asks to wait {wait_s:.0f} s" if wait_s else ""
    explanation = "redirections are not followed; name its target" if status < 400 else explanation
    return Failure(
        f"HTTP {status}{asks}" + (f": {explanation}" if explanation else ""),
        passing=status in PASSING or status >= 500,
        hopeless=status < 400 or status in HOPELESS,
        wait_s=wait_s,
    )


def retry_after_seconds(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that Retry-After (seconds or a date) asks for, or None; at least 0."""
    said = headers.get("retry-after", "")
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(said) - now).total_seconds()
        except (ValueError, TypeError, OverflowError):
            return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def retrying(
    retries: int, first_s: float, stopped: threading.Event, within_s: float = math.inf
) -> "tenacity.Retrying":
    """Calls a function up to 1 + `retries` times, while its Failure is one that may pass.

    The first pause is `first_s`, each further one twice as long, a minute at most, and none is shorter than
    the endpoint asks for; `stopped` ends a pause, and none is begun that would last beyond `within_s` from
    the first call on.
    """
    import tenacity  # on first use: it loads tornado where that is installed

    backoff = tenacity.wait_exponential(multiplier=first_s, max=LONGEST_PAUSE)

    def pause(state: tenacity.RetryCallState) -> float:
        failure = state.outcome.exception() if state.outcome else None
        return max(backoff(state), getattr(failure, "wait_s", None) or 0.0)

    return tenacity.Retrying(
        retry=tenacity.retry_if_exception(lambda problem: isinstance(problem, Failure) and problem.again),
        stop=tenacity.stop_after_attempt(1 + retries) | tenacity.stop_before_delay(within_s),
        wait=pause,
        sleep=tenacity.sleep_using_event(stopped),
        reraise=True,
    )


class Patience:
    """Gives up on an endpoint after a failure that every request would meet, or `limit` in a row."""

    def __init__(self, limit: int):
        self._limit, self._in_a_row, self._lock = limit, 0, threading.Lock()
        self.ended = ""  # why no more is asked

    def failed(self, failure: Failure) -> None:
        """Note a request that failed for good; a refusal of what it says is no sign of a broken endpoint."""
        with self._lock:
            self._in_a_row += failure.passing
            if failure.hopeless or self._in_a_row >= self._limit:
                self.ended = self.ended or failure.reason

    def succeeded(self) -> None:
        """Note a reply."""
        with self._lock:
            self._in_a_row = 0
