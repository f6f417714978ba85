"""What goes wrong, in the five parts of the kit's errors, as JSON; no value of a request is in it."""

import http
import json
from collections.abc import Mapping
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from ragassay.errors import KitError
from ragassay.sanitized_text import clean

MOST = 5  # flaws of a body that are told
LONGEST = 80  # characters of the name of a field
SEE = "see /openapi.json for what this address takes"
JSON = "application/json"


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
