"""One call to an OpenAI-compatible endpoint: the reply, or why there is none."""

import json
import os
import time
from typing import Any
from urllib.parse import urlsplit

from ragassay.errors import ModelError, NetworkRefused
from ragassay.models.judge.messages import Reply
from ragassay.web.addresses import is_address, trusted
from ragassay.web.retries import Failure, failure_of_status

KEY = "RAGASSAY_JUDGE_KEY"  # variable that holds the endpoint's key; sent to the endpoint, written nowhere
LARGEST = 4_000_000  # bytes of one reply that are read
SECRET = 6  # characters from which a key is taken for a secret
SHOWN = 200  # characters of an endpoint's explanation that are kept


class Endpoint:
    """An address that is sent the request and our key; nothing else is contacted, no proxy either."""

    def __init__(self, url: str, timeout_s: float):
        import httpx2

        self._url, self._timeout_s = f"{url.rstrip('/')}/chat/completions", timeout_s
        self._key = os.environ.get(KEY, "")
        headers = dict.fromkeys(("content-type", "accept"), "application/json")
        headers |= {"authorization": f"Bearer {self._key or 'none'}", "accept-encoding": "identity"}
        self._client = httpx2.Client(
            headers=headers, timeout=timeout_s, verify=trusted(url), trust_env=False, follow_redirects=False
        )

    def ask(self, arguments: dict[str, Any]) -> Reply:
        """The reply to one chat completion; a Failure if none arrives whole within the time."""
        import httpx2

        started, body = time.perf_counter(), bytearray()
        try:
            with self._client.stream("POST", self._url, content=json.dumps(arguments)) as response:
                for piece in response.iter_bytes():  # what drips or never ends is given up
                    body += piece
                    if len(body) > LARGEST:
                        raise Failure(f"the reply is longer than {LARGEST} bytes", passing=False, lost=True)
                    if time.perf_counter() - started > self._timeout_s:
                        raise Failure(f"no whole reply within {self._timeout_s:g} s", lost=True)
        except httpx2.TimeoutException as problem:
            raise Failure(f"no reply within {self._timeout_s:g} s", lost=True) from problem
        except (httpx2.HTTPError, OSError) as problem:
            raise self._connection_failure(problem) from problem
        said = self._without_key(body.decode("utf-8", "replace"))
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
            said = said if isinstance(said, str) else said.get("message") or said.get("detail") or ""
        except (ValueError, AttributeError, RecursionError):
            return ""
        return _printable(str(said))

    def _connection_failure(self, problem: BaseException) -> Failure:
        """The failure behind an error of the transport."""
        import httpx2

        behind: BaseException | None = problem
        while behind and not isinstance(behind, NetworkRefused):
            behind = behind.__cause__ or behind.__context__
        if behind:
            what = "the sealed run does not permit this endpoint (run: allow)"
            return Failure(what, passing=False, hopeless=True)
        sent = not isinstance(problem, httpx2.ConnectError)
        return Failure(f"the connection failed: {_printable(self._without_key(str(problem)))}", lost=sent)

    def _without_key(self, text: str) -> str:
        """The text without the key, if the endpoint repeats it; a key of a few characters is no secret."""
        return text.replace(self._key, "***") if len(self._key) >= SECRET else text


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


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text)[:SHOWN]


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
