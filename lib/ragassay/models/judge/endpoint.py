"""One call to an OpenAI-compatible endpoint: the reply, or why there is none."""

import json
import os
import time
from typing import Any
from urllib.parse import urlsplit

from ragassay.errors import ModelError
from ragassay.models.judge.messages import Reply
from ragassay.web import (
    Failure,
    beginning,
    exchange,
    failure_of_status,
    is_address,
    open_client,
    without_secrets,
)

KEY = "RAGASSAY_JUDGE_KEY"  # variable that holds the endpoint's key; sent to the endpoint, written nowhere
LARGEST = 4_000_000  # bytes of one reply that are read
SHOWN = 200  # characters of the names by which an endpoint replied


class Endpoint:
    """An address that is sent the request and our key; nothing else is contacted, no proxy either."""

    def __init__(self, url: str, timeout_s: float):
        self._url, self._timeout_s = f"{url.rstrip('/')}/chat/completions", timeout_s
        self._key = os.environ.get(KEY, "")
        headers = dict.fromkeys(("content-type", "accept"), "application/json")
        self._client = open_client(url, headers | {"authorization": f"Bearer {self._key or 'none'}"})

    def ask(self, arguments: dict[str, Any]) -> Reply:
        """The reply to one chat completion; a Failure if none arrives whole within the time."""
        started = time.perf_counter()
        response, body = exchange(
            self._client,
            "POST",
            self._url,
            until=time.monotonic() + self._timeout_s,
            late=Failure(f"no reply within {self._timeout_s:g} s", lost=True),
            largest=LARGEST,
            content=json.dumps(arguments),
        )
        said = without_secrets(body.decode("utf-8", "replace"), [self._key])
        if response.status_code >= 300:
            explanation = self._explanation(response.status_code, said)
            raise failure_of_status(response.status_code, explanation, response.headers)
        return _parse_completion(said, time.perf_counter() - started)

    def _explanation(self, status: int, body: str) -> str:
        if status in (401, 403):
            return f"the key in {KEY} is refused" if self._key else f"a key is asked for: set {KEY}"
        try:
            said = json.loads(body)
            said = said.get("error", said)
            return beginning(str(said if isinstance(said, str) else said.get("message") or said["detail"]))
        except (ValueError, AttributeError, LookupError, RecursionError):
            return ""


def checked_address(url: str) -> str:
    """The address; a ModelError if it is not http or https, with a host, without a password or a query."""
    if not is_address(url):
        what, expected = "the judge's endpoint is no address", "such as http://localhost:8000/v1"
        raise ModelError(what, found=url, expected=expected)
    parts = urlsplit(url)
    if parts.username or parts.password or parts.query or parts.fragment:
        what = "the judge's endpoint is printed: it must hold nothing secret"
        raise ModelError(what, do=f"give the key in the variable {KEY}")
    return url.rstrip("/")


def _parse_completion(body: str, seconds: float) -> Reply:
    """A chat completion's text and counts; a text of another kind is kept as JSON, not paid for again."""
    try:
        said = json.loads(body)
        choice = said["choices"][0]
        content = choice["message"]["content"]
    except (ValueError, LookupError, TypeError, RecursionError) as problem:
        raise Failure("what came back is no chat completion", lost=True) from problem
    text = content if isinstance(content, str) else "" if content is None else json.dumps(content)
    usage = said.get("usage")
    by = " ".join(str(said[name])[:SHOWN] for name in ("model", "system_fingerprint") if said.get(name))
    read, written = (_count(usage, name) for name in ("prompt_tokens", "completion_tokens"))
    return Reply(text, "", read, written, seconds, choice.get("finish_reason") == "length", by)


def _count(usage: Any, name: str) -> int:
    count = usage.get(name) if isinstance(usage, dict) else None
    return count if isinstance(count, int) and not isinstance(count, bool) and 0 <= count < 2**53 else 0
