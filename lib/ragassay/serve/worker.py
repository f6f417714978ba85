"""What a request holds and what comes back, as the OpenAPI document says; from one to the other:
`ragassay.score` does it, in memory."""

import json
import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from ragassay import __version__, models
from ragassay.api.saved_calibration import SavedCalibration
from ragassay.api.scoring import metric_names, score
from ragassay.api.scoring_result import Scores
from ragassay.scores import DEFAULT, METRICS
from ragassay.scores import metric_registry as cards

BATCH = 32  # answers between two looks at the clock; above the number that tells which schema they follow
REPEATED = "a repeated answer of this case: the first one has the verdict"
GROUPS = ("default", "judge", "all")
EXAMPLE = {
    "case_id": "q1",
    "question": "What does a wire transfer cost?",
    "answer": "A wire transfer costs $18.00.",
    "contexts": ["Domestic wire transfers cost $18.00 each."],
}
COLUMNS = "case_id system question answer contexts context_ids reference_answer answerable".split()
RECORD = {
    "type": "object",
    "properties": {name: {"description": f"{name}, read as in a log"} for name in COLUMNS},
    "additionalProperties": True,
    "example": EXAMPLE,
}


def _known(name: str) -> str:
    if name not in (*GROUPS, *METRICS):  # a file of code that a client names is never run
        raise PydanticCustomError("unknown_metric", "a name that GET /metrics lists")
    return name


def _defined(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


Record = Annotated[dict[str, Any], WithJsonSchema(RECORD)]
MetricName = Annotated[str, AfterValidator(_known), Field(json_schema_extra={"enum": [*GROUPS, *METRICS]})]


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


class Score(BaseModel):
    """One metric of one answer: `value` is null, never 0, where it is undefined, and `reason` says why."""

    metric: str
    value: Annotated[float | None, BeforeValidator(_defined)]
    state: Literal["scored", "not_measured", "not_applicable", "error"]
    reason: str


class Scored(BaseModel):
    """One answer with its metrics, in the order named."""

    case_id: str
    system: str
    repeat: int
    scores: list[Score]


class About(BaseModel):
    """What was assumed of the answers, and the models behind the scores."""

    read_as: str  # the schema
    notes: list[str]
    n_bad: int
    models: dict[str, str]


class ScoreReply(About):
    """The answers in the order they came."""

    answers: list[Scored]


class Verdict(BaseModel):
    """Of one answer: its score, the probability that people accept it, and what may be done without them.

    An answer without a score, or a repeated one, has no probability and is left to people.
    """

    case_id: str
    system: str
    repeat: int
    score: Score
    probability: float | None = None
    prediction_set: list[int] | None = None
    decision: Literal["accept", "reject", "review"] = "review"
    reason: str = ""


class CalibratedReply(About):
    """Verdicts in the order of the answers, and the calibration they rest on."""

    answers: list[Verdict]
    calibration: dict[str, Any]


class MetricsReply(BaseModel):
    """The card of every metric, and the names that `default` stands for."""

    metrics: list[dict[str, Any]]
    default: list[str]


class Health(BaseModel):
    """That it runs, which version, and the SHA-256 of every model it computes with."""

    status: Literal["ok"] = "ok"
    version: str = __version__
    encoder: dict[str, str]
    heads: dict[str, str]
    calibration: dict[str, Any] | None
    waiting: int = 0


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
    """

    limits: Limits
    calibration: SavedCalibration | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def score(self, request: ScoreRequest, end: float) -> ScoreReply:
        """Every answer with every metric, in order."""
        names = metric_names(request.metrics)
        found = self._scores(request, names, end)
        table = found.to_pandas()
        place = table.groupby("metric", sort=False).cumcount()  # within a metric: in the order of the answers
        answers = []
        for _, rows in table.groupby(place.to_numpy()):
            by_name = {row["metric"]: row for row in rows.to_dict("records")}
            scores = [Score(**by_name[name]) for name in names]
            answers.append(Scored(**by_name[names[0]], scores=scores))
        return ScoreReply(answers=answers, **_about(found))

    def verdicts(self, request: Answers, end: float) -> CalibratedReply:
        """Probability and decision of every answer, in order; review where it has no score."""
        assert self.calibration is not None
        metric = self.calibration.calibration.metric
        found = self._scores(request, [metric], end)
        table = found.to_pandas()  # scores that came along with the answers stand beside the metric
        judged = iter(self.calibration.verdicts(found).to_dict("records"))
        answers = []
        for row in table[table["metric"] == metric].to_dict("records"):
            verdict = {name: row[name] for name in ("case_id", "system", "repeat")} | {"score": Score(**row)}
            if row["state"] != "scored":
                verdict["reason"] = f"no score: {row['reason']}"
            elif row["repeat"]:
                verdict["reason"] = REPEATED
            else:
                verdict = {**next(judged), **verdict}
            answers.append(Verdict(**verdict))
        return CalibratedReply(
            answers=answers, calibration=calibration_card(self.calibration), **_about(found)
        )

    def warm_up(self) -> None:
        """Load what scoring needs, and refuse now what would be refused with every request."""
        request = ScoreRequest(answers=[EXAMPLE], metrics=["groundedness"])
        self.score(request, math.inf)
        if self.calibration is not None:
            self.verdicts(request, math.inf)

    def health(self) -> Health:
        """The version, and the SHA-256 of every model."""
        heads = {head["name"]: head["sha256"] for head in models.shipped_heads()}
        card = calibration_card(self.calibration) if self.calibration else None
        return Health(encoder=models.identity(), heads=heads, calibration=card)

    def _scores(self, request: Answers, names: list[str], end: float) -> Scores:
        records = _until(end, request.records())
        return score(records, metrics=names, mapping=request.mapping, batch=BATCH, **self.settings)


def _until(end: float, records: list[Record]) -> Iterator[Record]:
    """The records, which scoring takes batch by batch; TimeoutError once the time is over."""
    for record in records:
        if time.monotonic() > end:
            raise TimeoutError
        yield record


def metric_cards() -> MetricsReply:
    """The card of every metric."""
    return MetricsReply(
        metrics=json.loads(cards.card_table().to_json(orient="records")), default=list(DEFAULT)
    )


def calibration_card(saved: SavedCalibration) -> dict[str, Any]:
    """What a calibration is of, how many labels made it, and the hash of its file."""
    made = saved.calibration
    of = {"metric": made.metric, "dimension": made.dimension, "alpha": made.alpha}
    return of | {"labels": saved.n_labels, "sha256": saved.sha256}


def _about(found: Scores) -> dict[str, Any]:
    notes = list(found.notes)
    return {"read_as": found.schema, "notes": notes, "n_bad": found.n_bad, "models": found.encoder}
