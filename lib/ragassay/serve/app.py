"""The addresses of the server, and where it listens: on 127.0.0.1 alone, unless there is a key."""

import contextlib
import logging
import socket
from collections.abc import AsyncIterator, Callable
from typing import Any

import uvicorn
from fastapi import Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.security import APIKeyHeader, HTTPBearer
from starlette.exceptions import HTTPException
from starlette.middleware.body_limit import RequestBodyLimitMiddleware

from ragassay import __version__
from ragassay.errors import InputError, ParameterError
from ragassay.serve import request_checks, requests_and_replies, scoring_worker
from ragassay.serve.request_checks import RequestChecks, too_large
from ragassay.serve.scoring_queue import ScoringQueue
from ragassay.serve.scoring_worker import Worker
from ragassay.serve.settings import KEY, key_given

ABOUT = "Scores of answers and calibrated verdicts. Nothing of a request is kept."
REFUSALS: dict[int | str, dict[str, Any]] = {
    code: {"model": request_checks.Refusal} for code in (400, 401, 403, 408, 409, 413, 422, 429, 503)
}
NO_CALIBRATION = request_checks.Problem(
    what="this server has no calibration",
    expected="one named when it was started",
    do="start it with --calibration DIR, the folder that `ragassay calibrate --out` left",
)
TELEMETRY = ("tracing", "metrics", "logs", "operation_spans", "auto_configure")
GUARDED = [
    Depends(HTTPBearer(auto_error=False, description="the key of RAGASSAY_API_KEY, which the gate compares")),
    Depends(APIKeyHeader(name="X-API-Key", auto_error=False, description="the same key")),
]
LOCAL_HOST = "127.0.0.1"
MOST_CONNECTIONS = 256
GOODBYE = 10  # seconds that requests in progress have at the end


def make_app(worker: Worker, *, key: str = "") -> FastAPI:
    """The server as an ASGI application; `key` "" asks for none."""
    limits = worker.limits
    thread = ScoringQueue(limits)

    @contextlib.asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        yield
        thread.close()

    async def refuse(request: Request, problem: Exception) -> Response:
        """What the framework refuses; a body that is too large with the limit."""
        large = isinstance(problem, HTTPException) and problem.status_code == 413
        return await request_checks.of_http(request, too_large(limits) if large else problem)

    handlers: dict[Any, Callable[..., Any]] = {
        HTTPException: refuse,
        RequestValidationError: request_checks.of_body,
        InputError: request_checks.of_input,
        ParameterError: request_checks.of_input,
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
    app.add_middleware(RequestChecks, key=key, limits=limits)
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
            problem = request_checks.Problem(
                what="too many answers in one request",
                where="answers",
                found=f"{n:,}",
                expected=f"at most {most:,}",
                do="send them in several requests",
            )
            raise request_checks.Refused(422, problem)

    @app.post(
        "/score",
        response_model=requests_and_replies.ScoreReply,
        summary="Scores of one answer or several",
        dependencies=GUARDED,
    )
    async def score(request: requests_and_replies.ScoreRequest) -> Response:
        check_number(request)
        return request_checks.as_json(await thread.run(lambda end: worker.score(request, end)))

    @app.post(
        "/calibrated",
        response_model=requests_and_replies.CalibratedReply,
        summary="Probability and verdict of each answer",
        dependencies=GUARDED,
    )
    async def calibrated(request: requests_and_replies.Answers) -> Response:
        if worker.calibration is None:
            raise request_checks.Refused(409, NO_CALIBRATION)
        check_number(request)
        return request_checks.as_json(await thread.run(lambda end: worker.verdicts(request, end)))

    @app.get(
        "/metrics",
        response_model=requests_and_replies.MetricsReply,
        summary="The card of every metric",
        dependencies=GUARDED,
    )
    async def metrics() -> Response:
        return request_checks.as_json(cards)

    @app.get(
        "/health", response_model=requests_and_replies.Health, summary="Version and models; needs no key"
    )
    async def health() -> Response:
        return request_checks.as_json(known | {"waiting": thread.waiting})


def check_host(host: str, key: str) -> None:
    """ParameterError if others could reach a server that asks for no key."""
    if not key and host != LOCAL_HOST:
        what, do = "without a key the server is for this machine alone", f"set {KEY}, or leave --host out"
        raise ParameterError(what, where="--host", found=host, expected=LOCAL_HOST, do=do)


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
