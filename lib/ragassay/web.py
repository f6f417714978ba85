"""What every request to an endpoint has in common, whoever sends it: its address, what a seal must
permit, whose certificates count; when to ask again, how long to wait before, and when to stop asking.

Attempts and pauses are tenacity's. The client's own retries read no Retry-After above a minute, send nothing
again after a reply that is cut off or no JSON, and hide what was sent and may be charged for.
"""

import contextlib
import math
import ssl
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import tenacity

RETRIES, FIRST_PAUSE_S = 3, 0.5  # of an assistant, unless its description says otherwise; seconds
PASSING = {408, 409, 425, 429}  # statuses that may pass, beside all of 500 and above
HOPELESS = {401, 402, 403, 404, 407}  # no other request would fare better; nor after a redirection
LONGEST_PAUSE = 60.0  # seconds of our own backoff
MOST_PATIENCE = 300.0  # seconds of Retry-After that are waited


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


def failure_of_status(status: int, explanation: str, headers: Mapping[str, str]) -> Failure:
    """The failure that an HTTP status from 300 up means; `explanation` is the endpoint's own."""
    wait_s = retry_after_seconds(headers, datetime.now(UTC))
    asks = f", asks to wait {wait_s:.0f} s" if wait_s else ""
    reason = f"HTTP {status}{asks}" + (f": {explanation}" if explanation else "")
    return Failure(
        reason,
        passing=status in PASSING or status >= 500,
        hopeless=status < 400 or status in HOPELESS,
        wait_s=wait_s,
    )


def retry_after_seconds(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that Retry-After (seconds or a date) or retry-after-ms ask for, or None; at least 0."""
    try:
        in_ms = headers.get("retry-after-ms")
        seconds = float(in_ms) / 1000 if in_ms else _seconds(headers.get("retry-after", ""), now)
    except (ValueError, TypeError, OverflowError):
        return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def _seconds(text: str, now: datetime) -> float:
    try:
        return float(text)
    except ValueError:
        return (parsedate_to_datetime(text) - now).total_seconds()


class NotAsked(Exception):
    """A request that was not sent (again), and why."""


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
