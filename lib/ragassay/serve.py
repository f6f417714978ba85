"""The server: what a request holds, as the OpenAPI document says; what comes back, by `ragassay.score` in
memory; what each request passes first, and where it listens: on 127.0.0.1 alone, unless there is a key.

A value that is undefined is null, never 0, and its `reason` says why."""

import asyncio
import contextlib
import hmac
import http
import json
import logging
import math
import os
import socket
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import uvicorn
from fastapi import Depends, FastAPI, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.security import APIKeyHeader
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException as AnyHTTPException
from starlette.middleware.body_limit import RequestBodyLimitMiddleware

from ragassay import __version__, models
from ragassay.api.calibrating import SavedCalibration
from ragassay.api.scoring import Scores, metric_names, score
from ragassay.errors import InputError, KitError, ParameterError
from ragassay.sanitized_text import clean
from ragassay.scores import DEFAULT, METRICS, metric_registry

BATCH = 32  # answers between two looks at the clock; above the number that tells which schema they follow
ANSWER, SCORE = ("case_id", "system", "repeat"), ("metric", "value", "state", "reason")
EXAMPLE = {
    "case_id": "q1",
    "question": "What does a wire transfer cost?",
    "answer": "A wire transfer costs $18.00.",
    "contexts": ["Domestic wire transfers cost $18.00 each."],
}
Record: TypeAlias = dict[str, Any]
KEY = "RAGASSAY_API_KEY"
LOG = logging.getLogger("ragassay.serve")
LOCAL = ("127.0.0.1", "localhost")
SEE = "see /openapi.json for what this address takes"
LATER = {"Retry-After": "1"}
PARTS = ("what", "where", "found", "expected", "do")  # of an error; `found` never quotes the request
ERROR = {"description": "no result: `error` says what, where, found, expected, do"}
GUARDED = [Depends(APIKeyHeader(name="X-API-Key", auto_error=False, description=f"the key of {KEY}"))]
MOST_CONNECTIONS = 64


# a file of code that a client names is never run
MetricName: Any = Literal[("default", "judge", "all", *METRICS)]  # type: ignore[valid-type]


class Answers(BaseModel):
    """Answers to judge: one or several, in the kit's columns or those `ragassay score` reads."""

    model_config = ConfigDict(extra="forbid")
    answers: Annotated[list[Record], Field(min_length=1)] | Record = Field(examples=[[EXAMPLE]])
    mapping: dict[str, str] = Field(default_factory=dict, description="ours -> yours: {question: prompt}")

    def records(self) -> list[Record]:
        """The answers, one or several, as a list."""
        return self.answers if isinstance(self.answers, list) else [self.answers]


class ScoreRequest(Answers):
    """Answers, and the metrics wanted."""

    metrics: list[MetricName] = Field(
        default=["default"], min_length=1, max_length=2 * len(METRICS), description="names of /metrics"
    )


@dataclass(frozen=True)
class Limits:
    """How much a request may hold (answers, bytes), how many are scored or wait, and for how many seconds."""

    answers: int = 64
    body: int = 2 * 2**20
    waiting: int = 8
    seconds: float = 60.0


@dataclass(frozen=True)
class Worker:
    """What a server computes.

    calibration : of /calibrated; None if the server was started without one
    settings : further parameters of `ragassay.score`
    jobs, thread : what is scored or waits, and where it is scored
    """

    limits: Limits
    calibration: SavedCalibration | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    jobs: list[Future] = field(default_factory=list)
    thread: ThreadPoolExecutor = field(default_factory=partial(ThreadPoolExecutor, 1))

    def score(self, request: ScoreRequest, end: float) -> dict[str, Any]:
        """Every answer in order (case_id, system, repeat), each with its `scores` in the order named: metric,
        value, state, reason; beside them what was assumed of the answers, and the models."""
        names = metric_names(request.metrics)
        found, reply = self._scores(request, names, end)
        table = found.to_pandas()
        place = table.groupby("metric", sort=False).cumcount()  # within a metric: in the order of the answers
        for _, rows in table.groupby(place.to_numpy()):
            by_name = {row["metric"]: row for row in rows.to_dict("records")}
            scores = [_part(by_name[name], SCORE) for name in names]
            reply["answers"].append(_part(by_name[names[0]], ANSWER) | {"scores": scores})
        return reply

    def verdicts(self, request: Answers, end: float) -> dict[str, Any]:
        """Every answer in order, with its score, the probability that people accept it, the prediction set
        and the decision: `review` without a probability where it has no score, or repeats another."""
        assert self.calibration is not None
        metric = self.calibration.calibration.metric
        found, reply = self._scores(request, [metric], end)
        table = found.to_pandas()
        reply["calibration"] = calibration_card(self.calibration)
        own = table[table["metric"] == metric]  # scores that came along with the answers stand beside it
        judged = iter(self.calibration.verdicts(found).to_dict("records"))
        for row in own.to_dict("records"):
            verdict = {"probability": None, "prediction_set": None, "decision": "review", "reason": ""}
            if row["state"] != "scored":
                verdict["reason"] = f"no score: {row['reason']}"
            elif row["repeat"]:
                verdict["reason"] = "a repeated answer of this case: the first one has the verdict"
            else:
                verdict |= _part(next(judged), ("probability", "prediction_set", "decision"))
            reply["answers"].append(_part(row, ANSWER) | {"score": _part(row, SCORE)} | verdict)
        return reply

    def health(self) -> dict[str, Any]:
        """That it runs, which version, and the SHA-256 of every model."""
        return {
            "status": "ok",
            "version": __version__,
            "encoder": models.identity(),
            "heads": {head["name"]: head["sha256"] for head in models.shipped_heads()},
            "calibration": calibration_card(self.calibration) if self.calibration else None,
        }

    def waiting(self) -> int:
        """How many requests are scored or wait for it: one at a time, for networks use all cores."""
        self.jobs[:] = [job for job in self.jobs if not job.done()]
        return len(self.jobs)

    async def run(self, work: Callable[..., Any], request: Answers) -> Any:
        """What `work` gives for a request. It is handed the second of `time.monotonic` at which it must end.
        Refused with 422 if it holds too many answers, 429 if too many wait, 503 if it is not done in time."""
        limits, n, waiting = self.limits, len(request.records()), self.waiting()
        if n > limits.answers:
            most = f"at most {limits.answers:,}"
            raise refused(422, "too many answers", where="answers", found=f"{n:,}", expected=most)
        if waiting >= limits.waiting:
            found, most = f"{waiting} requests wait", f"at most {limits.waiting}"
            raise refused(429, "too many requests wait", LATER, found=found, expected=most, do="try later")
        self.jobs.append(self.thread.submit(work, request, time.monotonic() + limits.seconds))
        try:
            return await asyncio.wait_for(asyncio.wrap_future(self.jobs[-1]), limits.seconds)
        except TimeoutError:
            most, do = f"at most {limits.seconds:g} s", "send fewer answers, or name fewer metrics"
            raise refused(503, "the scoring took too long", LATER, expected=most, do=do) from None

    def _scores(self, request: Answers, names: list[str], end: float) -> tuple[Scores, dict[str, Any]]:
        """The scores; and the reply, with what was assumed of the answers, and the models."""

        def records() -> Iterator[Record]:  # scoring takes them batch by batch
            for record in request.records():
                if time.monotonic() > end:
                    raise TimeoutError
                yield record

        found = score(records(), metrics=names, mapping=request.mapping, batch=BATCH, **self.settings)
        about = {"read_as": found.schema, "notes": list(found.notes), "n_bad": found.n_bad}
        return found, about | {"models": found.encoder, "answers": []}


def _part(row: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """These columns of a row; NaN as null."""
    return {name: None if row[name] != row[name] else row[name] for name in names}


def calibration_card(saved: SavedCalibration) -> dict[str, Any]:
    """What a calibration is of, how many labels made it, and the hash of its file."""
    of = {name: getattr(saved.calibration, name) for name in ("metric", "dimension", "alpha")}
    return of | {"labels": saved.n_labels, "sha256": saved.sha256}


class Json(JSONResponse):
    """NaN is refused, and half a letter of a hostile text is written as its code."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, ensure_ascii=True, allow_nan=False).encode()


def refused(status: int, what: str, headers: Mapping[str, str] | None = None, **parts: str) -> HTTPException:
    """A request that is not served, and why, in PARTS."""
    return HTTPException(status, {"what": what, **parts}, headers)


async def refuse(request: Request, problem: Exception) -> Response:
    """The response that tells a problem: an unknown address, a method it has not, a body or answers that
    cannot be read."""
    status, detail = getattr(problem, "status_code", 422), getattr(problem, "detail", None)
    parts: Any = detail
    if isinstance(problem, RequestValidationError):  # which fields, and what is expected of each
        flaws = problem.errors()[:5]
        places = [".".join(clean(part, 80) for part in flaw["loc"][:6]) for flaw in flaws]
        lines = [f"{place}: {flaw['msg']}" for place, flaw in zip(places, flaws, strict=True)]
        what = "the body is not what this address takes"
        parts = {"what": what, "where": places[0], "expected": "; ".join(lines), "do": SEE}
    elif isinstance(problem, KitError):  # what it found is left out, for it may quote the request
        shown = [name for name in PARTS if name != "found" and getattr(problem, name) is not None]
        parts = {name: clean(getattr(problem, name), 400) for name in shown}
    elif not isinstance(detail, dict):
        parts = {"what": http.HTTPStatus(status).phrase.lower(), "do": SEE}
    return Json({"error": dict.fromkeys(PARTS) | parts}, status, getattr(problem, "headers", None))


async def guard(
    request: Request, serve_it: Callable[[Request], Awaitable[Response]], *, key: str, most_bytes: int
) -> Response:
    """Refuse a request without the key or, where there is none, to another name than this machine's: a page
    in a browser cannot reach the server by a name of its own. Nothing of it is read before; a defect is told,
    here and in the log, without its words."""
    headers = request.headers
    is_right = hmac.compare_digest(headers.get("x-api-key", "").encode(), key.encode())
    try:
        if not key and headers.get("host", "").rsplit(":", 1)[0] not in LOCAL:
            expected = f"{' or '.join(LOCAL)}, for there is no {KEY}"
            raise refused(403, "another host is addressed", where="Host", expected=expected)
        if key and request.url.path != "/health" and not is_right:
            what, asked = "the key is missing or wrong", {"WWW-Authenticate": "ApiKey"}
            raise refused(401, what, asked, where="headers", expected="`X-API-Key: KEY`")
        response = await serve_it(request)
        if response.status_code == 413:  # the framework's own words are no JSON
            raise refused(413, "the body is too large", expected=f"at most {most_bytes:,} bytes")
        return response
    except HTTPException as problem:
        return await refuse(request, problem)
    except Exception as problem:
        last, name = traceback.extract_tb(problem.__traceback__)[-1], type(problem).__name__
        LOG.error("%s in %s, line %d", name, Path(last.filename).name, last.lineno)
        do = "tell the maintainers; the server's log says where"
        return await refuse(request, refused(500, "something unforeseen", found=name, do=do))


def make_app(worker: Worker, *, key: str = "") -> FastAPI:
    """The server as an ASGI application; `key` "" asks for none."""
    known, cards = worker.health(), metric_registry.card_table()
    listed = {"metrics": json.loads(cards.to_json(orient="records")), "default": list(DEFAULT)}

    @contextlib.asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        yield
        worker.thread.shutdown(wait=False, cancel_futures=True)

    kinds = (AnyHTTPException, RequestValidationError, InputError, ParameterError)
    app = FastAPI(
        title="ragassay",
        version=__version__,
        description="Scores of answers and calibrated verdicts. Nothing of a request is kept.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=life,
        default_response_class=Json,
        responses=dict.fromkeys((400, 401, 403, 409, 413, 422, 429, 503), ERROR),
        exception_handlers=dict.fromkeys(kinds, refuse),
        telemetry=dict.fromkeys(("tracing", "metrics", "logs", "operation_spans", "auto_configure"), False),  # type: ignore[arg-type]
    )

    app.add_middleware(RequestBodyLimitMiddleware, max_body_size=worker.limits.body)
    app.middleware("http")(partial(guard, key=key, most_bytes=worker.limits.body))

    @app.post("/score", summary="Scores of one answer or several", dependencies=GUARDED)
    async def score(request: ScoreRequest) -> dict[str, Any]:
        return await worker.run(worker.score, request)

    @app.post("/calibrated", summary="Probability and verdict of each answer", dependencies=GUARDED)
    async def calibrated(request: Answers) -> dict[str, Any]:
        if worker.calibration is None:
            raise refused(409, "this server has no calibration", do="start it with --calibration DIR")
        return await worker.run(worker.verdicts, request)

    @app.get("/metrics", summary="The card of every metric", dependencies=GUARDED)
    async def metrics() -> dict[str, Any]:
        return listed

    @app.get("/health", summary="Version and models; needs no key")
    async def health() -> dict[str, Any]:
        return known | {"waiting": worker.waiting()}

    return app


def server_key(host: str) -> str:
    """The key that every request must show; "" if there is none. ParameterError if it is shorter than 16
    characters, or others could reach a server that asks for none."""
    key = os.environ.get(KEY, "").strip()
    if key and len(key) < 16:
        expected = "16 characters or more: secrets.token_urlsafe(32)"
        raise ParameterError("the key is too short", where=KEY, found=len(key), expected=expected)
    if not key and host != LOCAL[0]:
        what = "without a key the server is for this machine alone"
        raise ParameterError(what, where="--host", found=host, expected=LOCAL[0], do=f"set {KEY}")
    return key


def serve(worker: Worker, *, host: str, port: int, say: Callable[[str], object]) -> None:
    """Serve until the process is told to end; port 0 takes any that is free, and it is said which.

    Raises ParameterError as of `server_key` and if it cannot listen there, ModelError without a model."""
    key = server_key(host)
    try:
        listening = socket.create_server((host, port), backlog=MOST_CONNECTIONS)
    except OSError as problem:
        raise ParameterError("it cannot listen there", where=f"{host}:{port}", found=problem) from problem
    with listening as opened, contextlib.suppress(KeyboardInterrupt):
        first = ScoreRequest(answers=[EXAMPLE], metrics=["groundedness"])
        worker.score(first, math.inf)  # load what it needs, and refuse now what every request would meet
        if worker.calibration is not None:
            worker.verdicts(first, math.inf)
        say(f"listening on http://{host}:{opened.getsockname()[1]}" + ("" if key else f" without {KEY}"))
        logging.basicConfig(format="%(asctime)s %(message)s", level=logging.INFO)
        config = uvicorn.Config(
            make_app(worker, key=key),
            access_log=False,  # uvicorn's holds the query
            log_config=None,
            server_header=False,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_graceful_shutdown=10,
            ws="none",
        )
        uvicorn.Server(config).run(sockets=[opened])
