"""What every request passes before anything of it is read: host, key, size, time. And its line in the log."""

import asyncio
import hashlib
import hmac
import http
import json
import logging
import time
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ragassay.errors import KitError
from ragassay.sanitized_text import clean
from ragassay.serve.settings import KEY, Limits

MOST = 5  # flaws of a body that are told
LONGEST = 80  # characters of the name of a field
SEE = "see /openapi.json for what this address takes"
JSON = "application/json"
LOG = logging.getLogger("ragassay.serve")
OPEN = ("/health",)  # without a key
PATHS = (*OPEN, "/score", "/calibrated", "/metrics", "/openapi.json")
METHODS = ("GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE")
LOCAL = ("127.0.0.1", "localhost")


class Problem(BaseModel):
    """Why there is no result; `found` never quotes the request."""

    what: str
    where: str | None = None
    found: str | None = None
    expected: str | None = None
    do: str | None = None


class Refusal(BaseModel):
    """An error, in five parts."""

    error: Problem = Field(description="what is wrong, where, what was found and expected, what to do")


class Refused(HTTPException):
    """A request that is not served, and why."""

    def __init__(self, status: int, problem: Problem, headers: Mapping[str, str] | None = None):
        super().__init__(status, headers=headers)
        self.problem = problem


def as_json(content: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A response; NaN is refused, and half a letter of a hostile text is written as its code."""
    text = json.dumps(content, ensure_ascii=True, allow_nan=False)
    return Response(text, status, dict(headers or {}), media_type=JSON)


def answer(status: int, problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """The response that tells a problem."""
    return as_json({"error": problem.model_dump()}, status, headers)


def of_kit(problem: KitError) -> Problem:
    """An error of the library without what it found, which may quote the request."""
    parts = {"where": problem.where, "expected": problem.expected, "do": problem.do}
    told = {name: clean(value, 400) for name, value in parts.items() if value is not None}
    return Problem(what=clean(problem.what, 400), **told)


async def of_http(request: Request, problem: Exception) -> Response:
    """An unknown address, a method it has not, a body that is too large, and what the kit refuses."""
    assert isinstance(problem, HTTPException)
    what = getattr(problem, "problem", None) or Problem(
        what=http.HTTPStatus(problem.status_code).phrase.lower(), do=SEE
    )
    return answer(problem.status_code, what, problem.headers)


async def of_input(request: Request, problem: Exception) -> Response:
    """Answers that cannot be read, or a mapping that does not fit them."""
    assert isinstance(problem, KitError)
    return answer(422, of_kit(problem))


async def of_body(request: Request, problem: Exception) -> Response:
    """A body that is not what the address takes: which fields, and what is expected of each."""
    assert isinstance(problem, RequestValidationError)
    flaws = problem.errors()
    told = [f"{_place(flaw['loc'])}: {flaw['msg']}" for flaw in flaws[:MOST]]
    told += [f"... and {len(flaws) - MOST} more"] if len(flaws) > MOST else []
    where = _place(flaws[0]["loc"]) if flaws else None
    what = "the body is not what this address takes"
    return answer(422, Problem(what=what, where=where, expected="; ".join(told), do=SEE))


def _place(parts: tuple[Any, ...]) -> str:
    """A field of the body, by its names and numbers."""
    return ".".join(clean(part, LONGEST) for part in parts[:6])


class RequestChecks:
    """ASGI middleware. A page in a browser cannot reach a server without a key by a name of its own: only
    127.0.0.1 and localhost are answered."""

    def __init__(self, app: ASGIApp, key: str, limits: Limits):
        self.app, self.limits, self.inside = app, limits, 0
        self._key = _digest(key.encode()) if key else b""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        call = _Call(scope, receive, send, time.monotonic() + self.limits.seconds)
        self.inside += 1
        try:
            await self._pass(call)
        finally:
            self.inside -= 1
            call.log()

    async def _pass(self, call: "_Call") -> None:
        """Serve the call, or refuse it; what nobody foresaw is told without its words."""
        try:
            self._check(call)
            await self.app(call.scope, call.receive, call.send)
        except Refused as problem:
            await call.refuse(problem)
        except Exception as problem:
            last = traceback.extract_tb(problem.__traceback__)[-1]  # the place, without its words
            call.failure = f"{type(problem).__name__} in {Path(last.filename).name}, line {last.lineno}"
            if call.status:  # the answer has begun
                return
            name, do = type(problem).__name__, "tell the maintainers; the server's log says where"
            what = Problem(what="something unforeseen", found=name, do=do)
            await call.refuse(Refused(500, what))

    def _check(self, call: "_Call") -> None:
        """Refuse what its headers alone tell against."""
        headers = Headers(scope=call.scope)
        kind, _, bearer = headers.get("authorization", "").partition(" ")
        shown = (bearer.strip() if kind.lower() == "bearer" else "", headers.get("x-api-key", ""))
        if self._key:
            digests = [_digest(each.encode("latin-1", "replace")) for each in shown]
            is_right = any(hmac.compare_digest(each, self._key) for each in digests)
            if call.path not in OPEN and not is_right:
                expected = "the server's key as `Authorization: Bearer ...` or `X-API-Key: ...`"
                problem = Problem(what="the key is missing or wrong", where="headers", expected=expected)
                raise Refused(401, problem, {"WWW-Authenticate": "Bearer"})
        elif headers.get("host", "").rsplit(":", 1)[0] not in LOCAL:
            expected = f"{' or '.join(LOCAL)}, for there is no {KEY}"
            raise Refused(403, Problem(what="another host is addressed", where="Host", expected=expected))
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:20]) > self.limits.body:
            raise too_large(self.limits)
        if self.inside > self.limits.at_once and call.path not in OPEN:
            problem = Problem(what="too many requests at once", expected=f"at most {self.limits.at_once}")
            raise Refused(429, problem, {"Retry-After": "1"})


class _Call:
    """One request: its body is received in time, its answer is noted."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, end: float):
        self.scope, self._receive, self._send, self.end = scope, receive, send, end
        self.path, self.status, self.failure, self.started = scope["path"], 0, "", time.monotonic()

    async def receive(self) -> Message:
        """The next part of the body."""
        try:
            return await asyncio.wait_for(self._receive(), max(0.0, self.end - time.monotonic()))
        except TimeoutError:
            raise Refused(408, Problem(what="the body did not come in time", do="send it faster")) from None

    async def send(self, message: Message) -> None:
        """A part of the answer."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
        await self._send(message)

    async def refuse(self, problem: Refused) -> None:
        """Answer with the problem."""
        response = answer(problem.status_code, problem.problem, problem.headers)
        await response(self.scope, self._receive, self.send)

    def log(self) -> None:
        """A line without query, body or any word of the request that is not ours."""
        method = self.scope["method"] if self.scope["method"] in METHODS else "(other)"
        path = self.path if self.path in PATHS else "(other)"
        milliseconds = 1000 * (time.monotonic() - self.started)
        LOG.info("%s %s %d %.0f ms %s", method, path, self.status, milliseconds, self.failure)


def too_large(limits: Limits) -> Refused:
    """A body above the limit."""
    expected = f"at most {limits.body:,} bytes"
    return Refused(413, Problem(what="the body is too large", expected=expected, do="send it in parts"))


def _digest(key: bytes) -> bytes:
    """Of the same length for every key, so that comparing takes the same time."""
    return hashlib.sha256(key).digest()
