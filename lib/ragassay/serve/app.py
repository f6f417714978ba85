"""The addresses of the server."""

import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any

from fastapi import Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.security import APIKeyHeader, HTTPBearer
from starlette.exceptions import HTTPException
from starlette.middleware.body_limit import RequestBodyLimitMiddleware

from ragassay import __version__
from ragassay.errors import InputError, ParameterError
from ragassay.serve import error_replies, requests_and_replies, scoring_worker
from ragassay.serve.request_checks import RequestChecks, too_large
from ragassay.serve.scoring_queue import ScoringQueue
from ragassay.serve.scoring_worker import Worker
from ragassay.serve.settings import Limits

ABOUT = "Scores of answers and calibrated verdicts, by the metrics of ragassay. Nothing of a request is kept."
REFUSALS: dict[int | str, dict[str, Any]] = {
    code: {"model": error_replies.Refusal} for code in (400, 401, 403, 408, 409, 413, 422, 429, 503)
}
NO_CALIBRATION = error_replies.Problem(
    what="this server has no calibration",
    expected="one named when it was started",
    do="start it with --calibration DIR, the folder that `ragassay calibrate --out` left",
)
TELEMETRY = ("tracing", "metrics", "logs", "operation_spans", "auto_configure")
GUARDED = [
    Depends(HTTPBearer(auto_error=False, description="the key of RAGASSAY_API_KEY, which the gate compares")),
    Depends(APIKeyHeader(name="X-API-Key", auto_error=False, description="the same key")),
]


def make_app(worker: Worker, *, key: str = "") -> FastAPI:
    """The server as an ASGI application; `key` "" asks for none."""
    limits = worker.limits
    thread = ScoringQueue(limits)

    @contextlib.asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        yield
        thread.close()

    handlers: dict[Any, Callable[..., Any]] = {
        HTTPException: _http(limits),
        RequestValidationError: error_replies.of_body,
        InputError: error_replies.of_input,
        ParameterError: error_replies.of_input,
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

    @app.post(
        "/score",
        response_model=requests_and_replies.ScoreReply,
        summary="Scores of one answer or several",
        dependencies=GUARDED,
    )
    async def score(request: requests_and_replies.ScoreRequest) -> Response:
        check_number(request, worker.limits)
        return error_replies.as_json(await thread.run(lambda end: worker.score(request, end)))

    @app.post(
        "/calibrated",
        response_model=requests_and_replies.CalibratedReply,
        summary="Probability and verdict of each answer",
        dependencies=GUARDED,
    )
    async def calibrated(request: requests_and_replies.Answers) -> Response:
        if worker.calibration is None:
            raise error_replies.Refused(409, NO_CALIBRATION)
        check_number(request, worker.limits)
        return error_replies.as_json(await thread.run(lambda end: worker.verdicts(request, end)))

    @app.get(
        "/metrics",
        response_model=requests_and_replies.MetricsReply,
        summary="The card of every metric",
        dependencies=GUARDED,
    )
    async def metrics() -> Response:
        return error_replies.as_json(cards)

    @app.get(
        "/health", response_model=requests_and_replies.Health, summary="Version and models; needs no key"
    )
    async def health() -> Response:
        return error_replies.as_json(known | {"waiting": thread.waiting})


def check_number(request: requests_and_replies.Answers, limits: Limits) -> None:
    """Refuse more answers than a request may hold."""
    n = len(request.records())
    if n > limits.answers:
        problem = error_replies.Problem(
            what="too many answers in one request",
            where="answers",
            found=f"{n:,}",
            expected=f"at most {limits.answers:,}",
            do="send them in several requests",
        )
        raise error_replies.Refused(422, problem)


def _http(limits: Limits) -> Callable[..., Any]:
    """Tells what the framework refuses; a body that is too large with the limit."""

    async def tell(request: Request, problem: Exception) -> Response:
        large = isinstance(problem, HTTPException) and problem.status_code == 413
        return await error_replies.of_http(request, too_large(limits) if large else problem)

    return tell
