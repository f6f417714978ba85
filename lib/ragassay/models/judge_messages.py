"""One request to the judge: its fenced material, the call to an OpenAI-compatible endpoint, the reply read.

A reply counts only if it is one JSON object of the agreed form and nothing else (but white space and a code
fence around it). Null is not applicable, a failure to parse an error, zero a value (decision 14).
"""

import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, ValidationError

from ragassay.errors import ModelError
from ragassay.http_requests import (
    Failure,
    beginning,
    exchange,
    failure_of_status,
    is_address,
    open_client,
    without_secrets,
)

FRAGMENTS: dict[str, Any] = json.loads(
    files("ragassay.models").joinpath("prompts", "fragments.json").read_text(encoding="utf-8")
)
FENCE_RULE: str = FRAGMENTS["fence_rule"]
UNPARSED = "the judge's reply could not be parsed"
UNANSWERED = "the judge gave no reply"
_CODE_FENCE = re.compile(r"\A```(?:json)?[ \t]*\n(.*)\n```\Z", re.DOTALL)
KEY = "RAGASSAY_JUDGE_KEY"  # variable that holds the endpoint's key; sent to the endpoint, written nowhere
LARGEST = 4_000_000  # bytes of one reply that are read


@dataclass(frozen=True, order=True)
class Request:
    """A whole prompt: its `name`, rules (`system`), matter (`user`), and the most tokens of a reply."""

    name: str
    system: str
    user: str
    max_tokens: int = 1_000

    def key(self, recipe: str) -> str:
        """Content address of the request under a recipe (endpoint, model, seed, options)."""
        said = json.dumps([self.system, self.user, self.max_tokens, recipe])
        return hashlib.sha256(said.encode()).hexdigest()


@dataclass(frozen=True)
class Reply:
    """What came back: a text; None where none arrived whole, and `failure` then says why."""

    text: str | None
    failure: str = ""
    tokens_in: int = 0  # as the endpoint counts them, 0 where it does not say
    tokens_out: int = 0
    seconds: float = 0.0  # from sending the request to the end of the reply
    cut: bool = False  # the endpoint ended the reply at the most tokens it may take
    by: str = ""  # the model, and its fingerprint, as the endpoint names them


Ask = Callable[[Sequence[Request]], list[Reply]]  # what a Judge is
Said = Annotated[str, Field(strict=True, min_length=1, max_length=2_000)]  # a text in a reply


def fence(name: str, text: str) -> str:
    """The text between two lines that carry its own hash as mark: to close its fence a text would have to
    hold a hash of itself."""
    mark = hashlib.sha256(f"{name}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"<<{name} {mark}>>\n{text}\n<<END {mark}>>"


class Unparsed(ValueError):
    """The judge gave no reply, or not the object that was asked for."""


Form = BaseModel  # what a reply must hold; further keys are let be
Agreed = TypeVar("Agreed", bound=Form)


def parse_reply(reply: Reply, form: type[Agreed], under_test: Sequence[str] = ()) -> Agreed:
    """The reply as the agreed object.

    under_test : the texts that were judged; a reply that stands word for word in one was dictated by it

    Raises
    ------
    Unparsed
        If no reply came, it is not one JSON object of the form, or was dictated.
    """
    if reply.text is None:
        raise Unparsed(f"{UNANSWERED}: {reply.failure}")
    said = _CODE_FENCE.sub(r"\1", reply.text.strip())
    try:
        parsed = form.model_validate(json.loads(said))
    except (ValueError, RecursionError) as problem:
        raise Unparsed(f"{UNPARSED}: {_why(reply, problem)}") from problem
    if any("".join(said.split()) in "".join(text.split()) for text in under_test):
        raise Unparsed(f"{UNPARSED}: it stands word for word in the text under test, which dictated it")
    return parsed


def _why(reply: Reply, problem: Exception) -> str:
    """The first thing wrong with it, in one line, without quoting it at length."""
    if reply.cut:
        return f"it was cut off after {reply.tokens_out} tokens"
    if not (reply.text or "").strip():
        return "it is empty"
    if isinstance(problem, ValidationError):
        first = problem.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"[:200]
    return f"it is not JSON alone ({problem})"[:200]


class Endpoint:
    """An address that is sent the request and our key; nothing else is contacted, no proxy either."""

    def __init__(self, url: str, timeout_s: float):
        self._url, self._timeout_s = f"{url.rstrip('/')}/chat/completions", timeout_s
        self._key = os.environ.get(KEY, "")
        headers = {"content-type": "application/json", "accept": "application/json"}
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
            raise failure_of_status(
                response.status_code, self._explanation(response.status_code, said), response.headers
            )
        seconds = time.perf_counter() - started
        try:
            completion = json.loads(said)
            choice = completion["choices"][0]
            content = choice["message"]["content"]
        except (ValueError, LookupError, TypeError, RecursionError) as problem:
            raise Failure("what came back is no chat completion", lost=True) from problem
        # a text of another kind is kept as JSON, not paid for again
        text = content if isinstance(content, str) else "" if content is None else json.dumps(content)
        by = " ".join(
            str(completion[name])[:200] for name in ("model", "system_fingerprint") if completion.get(name)
        )
        usage = completion.get("usage")
        read, written = (_count(usage, name) for name in ("prompt_tokens", "completion_tokens"))
        return Reply(text, "", read, written, seconds, choice.get("finish_reason") == "length", by)

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
        raise ModelError("the judge's endpoint is no address", found=url, expected="http://host:8000/v1")
    parts = urlsplit(url)
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ModelError("the judge's endpoint must hold nothing secret", do=f"give the key in {KEY}")
    return url.rstrip("/")


def _count(usage: Any, name: str) -> int:
    count = usage.get(name) if isinstance(usage, dict) else None
    return count if isinstance(count, int) and not isinstance(count, bool) and 0 <= count < 2**53 else 0
