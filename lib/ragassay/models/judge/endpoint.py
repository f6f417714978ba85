"""One call to an OpenAI-compatible endpoint through the `openai` client: the reply, or why there is none."""

import json
import os
import time
from typing import Any
from urllib.parse import urlsplit

from ragassay.errors import ModelError
from ragassay.models.judge.request import Reply
from ragassay.models.judge.waiting import Failure, of_status

KEY = "RAGASSAY_JUDGE_KEY"  # environment variable of the endpoint's key; it is sent to the endpoint and written nowhere
LARGEST = 4_000_000  # bytes of one reply that are read
SHOWN = 200  # characters of an endpoint's explanation that are kept


class Endpoint:
    """An address that is asked; nothing else is contacted: redirections are not followed."""

    def __init__(self, url: str, timeout_s: float):
        self._timeout_s, self._key = timeout_s, os.environ.get(KEY, "")
        self._client = _client(url, timeout_s, self._key)

    def ask(self, arguments: dict[str, Any]) -> Reply:
        """The reply to one chat completion.

        Raises
        ------
        Failure
            If none arrives whole within the time: refused, cut off, not JSON, not a chat completion, without end.
        """
        import httpx
        import openai

        started = time.perf_counter()
        try:
            body = self._body(arguments, started)
        except openai.APIStatusError as problem:
            raise of_status(problem.status_code, self._said(problem), problem.response.headers) from problem
        except (openai.APITimeoutError, httpx.TimeoutException) as problem:
            raise Failure(f"no reply within {self._timeout_s:g} s", lost=True) from problem
        except (openai.OpenAIError, httpx.HTTPError) as problem:
            cause = problem.__cause__ or problem
            raise Failure(f"the connection failed: {self._legible(str(cause))}", lost=not isinstance(cause, httpx.ConnectError)) from problem
        return _read(body, time.perf_counter() - started)

    def _body(self, arguments: dict[str, Any], started: float) -> bytes:
        """The whole reply, read piece by piece: one that drips or never ends is given up."""
        pieces, size = [], 0
        with self._client.chat.completions.with_streaming_response.create(**arguments) as response:
            for piece in response.iter_bytes():
                size += len(piece)
                if size > LARGEST:
                    raise Failure(f"the reply is longer than {LARGEST} bytes", passing=False, lost=True)
                if time.perf_counter() - started > self._timeout_s:
                    raise Failure(f"no whole reply within {self._timeout_s:g} s", lost=True)
                pieces.append(piece)
        return b"".join(pieces)

    def _said(self, problem: Any) -> str:
        """The endpoint's explanation; not where it may repeat the key."""
        if problem.status_code in (401, 403):
            return f"the key in {KEY} is refused" if self._key else f"a key is asked for: set {KEY}"
        body = problem.body if isinstance(problem.body, dict) else {}
        return self._legible(str(body.get("message") or ""))

    def _legible(self, text: str) -> str:
        shown = text.replace(self._key, "***") if self._key else text
        return "".join(sign if sign.isprintable() else " " for sign in shown)[:SHOWN]


def checked_address(url: str) -> str:
    """The address, if it is one that may be shown: http or https, with a host, without a password or a query.

    Raises
    ------
    ModelError
        If it is not.
    """
    try:
        parts = urlsplit(url)
        fine = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
    except ValueError:
        fine = False
    if not fine:
        raise ModelError("the judge's endpoint is no address", found=url, expected="such as http://localhost:8000/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ModelError("the judge's endpoint must hold nothing secret: it is printed in the report", do=f"give the key in the variable {KEY}")
    return url.rstrip("/")


def host_and_port(url: str) -> str:
    """What a sealed run must permit: host:port."""
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port or (443 if parts.scheme == 'https' else 80)}"


def _client(url: str, timeout_s: float, key: str) -> Any:
    try:
        import openai
    except ImportError as problem:
        raise ModelError("the judge needs the package openai", do="pip install 'ragassay[judge]'") from problem
    http = openai.DefaultHttpxClient(follow_redirects=False)
    return openai.OpenAI(base_url=url, api_key=key or "none", max_retries=0, timeout=timeout_s, http_client=http)


def _read(body: bytes, seconds: float) -> Reply:
    """A chat completion's text and counts; a text of another kind is kept as JSON, so that it is not paid for again."""
    try:
        said = json.loads(body)
        choice = said["choices"][0]
        content = choice["message"]["content"]
    except (ValueError, LookupError, TypeError, RecursionError) as problem:
        raise Failure("what came back is no chat completion", lost=True) from problem
    text = content if isinstance(content, str) else "" if content is None else json.dumps(content)
    usage = said.get("usage")
    by = " ".join(str(said[name])[:SHOWN] for name in ("model", "system_fingerprint") if said.get(name))
    return Reply(text, "", _count(usage, "prompt_tokens"), _count(usage, "completion_tokens"), seconds, choice.get("finish_reason") == "length", by)


def _count(usage: Any, name: str) -> int:
    count = usage.get(name) if isinstance(usage, dict) else None
    return count if isinstance(count, int) and not isinstance(count, bool) and 0 <= count < 2**53 else 0
