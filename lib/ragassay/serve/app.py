"""The addresses of the server, what each request passes first, and where it listens: on 127.0.0.1 alone,
unless there is a key."""

import asyncio
import contextlib
import hmac
import http
import json
import logging
import socket
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.security import APIKeyHeader, HTTPBearer
from starlette.exceptions import HTTPException
from starlette.middleware.body_limit import RequestBodyLimitMiddleware

from ragassay import __version__
from ragassay.errors import InputError, KitError, ParameterError
from ragassay.sanitized_text import clean
from ragassay.serve import requests_and_replies, scoring_worker
from ragassay.serve.requests_and_replies import Problem, Refusal
from ragassay.serve.scoring_worker import Worker
from ragassay.serve.settings import KEY, Limits, key_given

ABOUT = "Scores of answers and calibrated verdicts. Nothing of a request is kept."
REFUSALS: dict[int | str, dict[str, Any]] = {
    code: {"model": Refusal} for code in (400, 401, 403, 409, 413, 422, 429, 503)
}
NO_CALIBRATION = Problem(
    what="this server has no calibration",
    expected="one named when it was started",
    do="start it with --calibration DIR, the folder that `ragassay calibrate --out` left",
)
LOG = logging.getLogger("ragassay.serve")
OPEN = "/health"  # without a key
PATHS = (OPEN, "/score", "/calibrated", "/metrics", "/openapi.json")
METHODS = ("GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE")
LOCAL = ("127.0.0.1", "localhost")
SEE = "see /openapi.json for what this address takes"
MOST_FLAWS = 5  # of a body that are told
LATER = {"Retry-After": "1"}
TELEMETRY = ("tracing", "metrics", "logs", "operation_spans", "auto_configure")
GUARDED = [
    Depends(HTTPBearer(auto_error=False, description="the key of RAGASSAY_API_KEY, which the gate compares")),
    Depends(APIKeyHeader(name="X-API-Key", auto_error=False, description="the same key")),
]
MOST_CONNECTIONS = 64
GOODBYE = 10  # seconds that requests in progress have at the end


class Refused(HTTPException):
    """A request that is not served, and why."""

    def __init__(self, status: int, problem: Problem, headers: Mapping[str, str] | None = None):
        super().__init__(status, headers=headers)
        self.problem = problem


def as_json(content: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A response; NaN is refused, and half a letter of a hostile text is written as its code."""
    text = json.dumps(content, ensure_ascii=True, allow_nan=False)
    return Response(text, status, dict(headers or {}), media_type="application/json")


def refusal(status: int, problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """The response that tells a problem."""
    return as_json({"error": problem.model_dump()}, status, headers)


async def refuse_unreadable(request: Request, problem: Exception) -> Response:
    """Answers that the library cannot read; what it found is left out, for it may quote the request."""
    assert isinstance(problem, KitError)
    parts = {"what": problem.what, "where": problem.where, "expected": problem.expected, "do": problem.do}
    return refusal(
        422, Problem(**{name: clean(part, 400) for name, part in parts.items() if part is not None})
    )


async def refuse_body(request: Request, problem: Exception) -> Response:
    """A body that is not what the address takes: which fields, and what is expected of each."""
    assert isinstance(problem, RequestValidationError)
    flaws = problem.errors()
    places = [".".join(clean(part, 80) for part in flaw["loc"][:6]) for flaw in flaws[:MOST_FLAWS]]
    told = [f"{place}: {flaw['msg']}" for place, flaw in zip(places, flaws, strict=False)]
    told += [f"... and {len(flaws) - MOST_FLAWS} more"] if len(flaws) > MOST_FLAWS else []
    what = "the body is not what this address takes"
    return refusal(422, Problem(what=what, where=places[0], expected="; ".join(told), do=SEE))


class ScoringQueue:
    """One scoring at a time, for networks use all cores by themselves; few that wait, none for longer than
    it may."""

    def __init__(self, limits: Limits):
        self.limits, self._jobs = limits, list[Future]()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="scoring")

    @property
    def waiting(self) -> int:
        """How many requests are scored or wait for it."""
        self._jobs = [job for job in self._jobs if not job.done()]
        return len(self._jobs)

    async def run(self, work: Callable[[float], Any]) -> Any:
        """What `work` gives. It is handed the second of `time.monotonic` at which it must end.

        Raises
        ------
        Refused
            429 if too many wait, 503 if it is not done in time.
        """
        if (n := self.waiting) >= self.limits.waiting:
            expected, do = f"at most {self.limits.waiting}", "send it again after the seconds of Retry-After"
            what = "too many requests wait to be scored"
            raise Refused(
                429, Problem(what=what, found=f"{n} requests wait", expected=expected, do=do), LATER
            )
        seconds = self.limits.seconds
        job = self._thread.submit(work, time.monotonic() + seconds)
        self._jobs.append(job)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(job), seconds)
        except TimeoutError:
            do = "send fewer answers, name fewer metrics, or try again later"
            what, expected = "the scoring took longer than it may", f"at most {seconds:g} s"
            raise Refused(503, Problem(what=what, expected=expected, do=do), LATER) from None

    def close(self) -> None:
        """Let nothing more begin."""
        self._thread.shutdown(wait=False, cancel_futures=True)


def check_headers(request: Request, key: str) -> None:
    """Refuse a request without the key or, where there is none, to another name than this machine's: a page
    in a browser cannot reach the server by a name of its own."""
    headers = request.headers
    if not key:
        if headers.get("host", "").rsplit(":", 1)[0] not in LOCAL:
            expected = f"{' or '.join(LOCAL)}, for there is no {KEY}"
            raise Refused(403, Problem(what="another host is addressed", where="Host", expected=expected))
        return
    kind, _, bearer = headers.get("authorization", "").partition(" ")
    shown = (bearer.strip() if kind.lower() == "bearer" else "", headers.get("x-api-key", ""))
    is_right = any(hmac.compare_digest(one.encode(), key.encode()) for one in shown)
    if request.url.path != OPEN and not is_right:
        expected = "the server's key as `Authorization: Bearer ...` or `X-API-Key: ...`"
        problem = Problem(what="the key is missing or wrong", where="headers", expected=expected)
        raise Refused(401, problem, {"WWW-Authenticate": "Bearer"})


def make_app(worker: Worker, *, key: str = "") -> FastAPI:
    """The server as an ASGI application; `key` "" asks for none."""
    limits = worker.limits
    thread = ScoringQueue(limits)

    @contextlib.asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        yield
        thread.close()

    async def refuse(request: Request, problem: Exception) -> Response:
        """An unknown address, a method it has not, a body that is too large, and what the kit refuses."""
        assert isinstance(problem, HTTPException)
        if problem.status_code == 413:
            told = Problem(
                what="the body is too large", expected=f"at most {limits.body:,} bytes", do="send parts"
            )
        else:
            phrase = http.HTTPStatus(problem.status_code).phrase.lower()
            told = getattr(problem, "problem", None) or Problem(what=phrase, do=SEE)
        return refusal(problem.status_code, told, problem.headers)

    async def guard(request: Request, serve_it: Callable[[Request], Awaitable[Response]]) -> Response:
        """Check the headers before anything is read; a line in the log without query, body or any word of the
        request that is not ours, and a defect told without its words."""
        started, failure = time.monotonic(), ""
        try:
            check_headers(request, key)
            response = await serve_it(request)
            if response.status_code == 413:  # the framework's own words are no JSON
                response = await refuse(request, HTTPException(413))
        except Refused as problem:
            response = await refuse(request, problem)
        except Exception as problem:
            last, name = traceback.extract_tb(problem.__traceback__)[-1], type(problem).__name__
            failure = f"{name} in {Path(last.filename).name}, line {last.lineno}"
            do = "tell the maintainers; the server's log says where"
            response = refusal(500, Problem(what="something unforeseen", found=name, do=do))
        method = request.method if request.method in METHODS else "(other)"
        path = request.url.path if request.url.path in PATHS else "(other)"
        took = 1000 * (time.monotonic() - started)
        LOG.info("%s %s %d %.0f ms %s", method, path, response.status_code, took, failure)
        return response

    handlers: dict[Any, Callable[..., Any]] = {
        HTTPException: refuse,
        RequestValidationError: refuse_body,
        InputError: refuse_unreadable,
        ParameterError: refuse_unreadable,
    }
    app = FastAPI(
        title="ragassay",
        version=__version__,
        description=ABOUT,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=life,
        responses=REFUSALS,
        exception_handlers=handlers,
        telemetry=dict.fromkeys(TELEMETRY, False),  # type: ignore[arg-type]
    )
    app.add_middleware(RequestBodyLimitMiddleware, max_body_size=limits.body)
    app.middleware("http")(guard)
    _add_addresses(app, worker, thread)
    return app


def _add_addresses(app: FastAPI, worker: Worker, thread: ScoringQueue) -> None:
    """What can be asked."""
    known = scoring_worker.health(worker.calibration)
    cards = scoring_worker.metric_cards()

    def check_number(request: requests_and_replies.Answers) -> None:
        """Refuse more answers than a request may hold."""
        n, most = len(request.records()), worker.limits.answers
        if n > most:
            problem = Problem(
                what="too many answers in one request",
                where="answers",
                found=f"{n:,}",
                expected=f"at most {most:,}",
                do="send them in several requests",
            )
            raise Refused(422, problem)

    @app.post(
        "/score",
        response_model=requests_and_replies.ScoreReply,
        summary="Scores of one answer or several",
        dependencies=GUARDED,
    )
    async def score(request: requests_and_replies.ScoreRequest) -> Response:
        check_number(request)
        return as_json(await thread.run(lambda end: worker.score(request, end)))

    @app.post(
        "/calibrated",
        response_model=requests_and_replies.CalibratedReply,
        summary="Probability and verdict of each answer",
        dependencies=GUARDED,
    )
    async def calibrated(request: requests_and_replies.Answers) -> Response:
        if worker.calibration is None:
            raise Refused(409, NO_CALIBRATION)
        check_number(request)
        return as_json(await thread.run(lambda end: worker.verdicts(request, end)))

    @app.get(
        "/metrics",
        response_model=requests_and_replies.MetricsReply,
        summary="The card of every metric",
        dependencies=GUARDED,
    )
    async def metrics() -> Response:
        return as_json(cards)

    @app.get(
        "/health", response_model=requests_and_replies.Health, summary="Version and models; needs no key"
    )
    async def health() -> Response:
        return as_json(known | {"waiting": thread.waiting})


def check_host(host: str, key: str) -> None:
    """ParameterError if others could reach a server that asks for no key."""
    if not key and host != LOCAL[0]:
        what, do = "without a key the server is for this machine alone", f"set {KEY}, or leave --host out"
        raise ParameterError(what, where="--host", found=host, expected=LOCAL[0], do=do)


def serve(worker: Worker, *, host: str, port: int, say: Callable[[str], object]) -> None:
    """Serve until the process is told to end; port 0 takes any that is free, and it is said which.

    Raises
    ------
    ParameterError
        If there is no key and the host is not this machine, the key is too short, or the address is taken.
    ModelError
        If a model is missing.
    """
    key = key_given()
    check_host(host, key)
    with _socket(host, port) as opened:
        worker.warm_up()
        say(f"listening on http://{host}:{opened.getsockname()[1]}" + ("" if key else f" without {KEY}"))
        logging.basicConfig(format="%(asctime)s %(message)s", level=logging.INFO)
        with contextlib.suppress(KeyboardInterrupt):
            config = uvicorn.Config(
                make_app(worker, key=key),
                access_log=False,  # uvicorn's holds the query
                log_config=None,
                server_header=False,
                limit_concurrency=MOST_CONNECTIONS,
                timeout_graceful_shutdown=GOODBYE,
                ws="none",
            )
            uvicorn.Server(config).run(sockets=[opened])


def _socket(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), backlog=MOST_CONNECTIONS)
    except OSError as problem:
        raise ParameterError(
            "the server cannot listen there",
            where=f"{host}:{port}",
            found=problem.strerror or str(problem),
            do="name another --port or --host",
        ) from problem
