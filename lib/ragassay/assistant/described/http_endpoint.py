"""An assistant over HTTP: one request after the other until a whole reply came, or there is no time left."""

import json
import math
import threading
import time
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from ragassay.assistant.described import reply_parsing, request_failures, request_templates, streaming_replies
from ragassay.assistant.described.description import Description
from ragassay.assistant.described.proxies import proxy_for
from ragassay.assistant.described.request_headers import Headers
from ragassay.web.addresses import host_and_port, trusted
from ragassay.web.retries import Failure, retrying

FIRST_PAUSE_S = 0.5
SPARE = 0.1  # of a question's seconds: left to say why there is no answer
ACCEPTED = {"accept": "application/json, text/event-stream", "accept-encoding": "identity"}


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
        if streaming_replies.is_stream(content_type):
            how = self.description.stream or {"piece": paths["answer"].removesuffix("?")}
            documents, answer = streaming_replies.join(body, content_type, how)
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
            raise request_failures.of_connection(problem) from None
        body = self._headers.hide_in_bytes(body)
        request_failures.raise_for_status(response.status_code, response.headers, body)
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
