"""What a request holds, as the OpenAPI document says, and what comes back, by `ragassay.score` in memory.

A value that is undefined is null, never 0, and its `reason` says why."""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from ragassay import __version__, models
from ragassay.api.saved_calibration import SavedCalibration
from ragassay.api.scoring import metric_names, score
from ragassay.api.scoring_result import Scores
from ragassay.scores import METRICS

BATCH = 32  # answers between two looks at the clock; above the number that tells which schema they follow
ANSWER, SCORE = ("case_id", "system", "repeat"), ("metric", "value", "state", "reason")
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

    def warm_up(self) -> None:
        """Load what scoring needs, and refuse now what would be refused with every request."""
        request = ScoreRequest(answers=[EXAMPLE], metrics=["groundedness"])
        self.score(request, math.inf)
        if self.calibration is not None:
            self.verdicts(request, math.inf)

    def health(self) -> dict[str, Any]:
        """That it runs, which version, and the SHA-256 of every model."""
        heads = {head["name"]: head["sha256"] for head in models.shipped_heads()}
        card = calibration_card(self.calibration) if self.calibration else None
        about = {"encoder": models.identity(), "heads": heads, "calibration": card}
        return {"status": "ok", "version": __version__, **about}

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
    made = saved.calibration
    of = {"metric": made.metric, "dimension": made.dimension, "alpha": made.alpha}
    return of | {"labels": saved.n_labels, "sha256": saved.sha256}
